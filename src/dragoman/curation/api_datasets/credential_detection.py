"""Credential detection: parameter names, key formats, fingerprints of withheld values.

A fingerprint is a hash that shows whether a secret occurs in a text. The secret is not stored.
"""

import base64
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from importlib.resources import files
from typing import Literal

import msgspec

from dragoman.core.texts.characters import strip_accents
from dragoman.core.texts.redaction import REDACTED, SHORTEST_KEY, redact
from dragoman.web.exchange import is_secret

Kind = Literal["credential", "tracing", ""]

_LONGEST = 200
_PARTS = re.compile(
    r"[a-z0-9]+|[^\W_a-z0-9A-Z]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", re.UNICODE
)  # Accents are removed before, so other letters belong to other scripts.
_LISTED = 2


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    credentials: frozenset[str]
    tokens: frozenset[str]
    of_lists: frozenset[str]
    keys: frozenset[str]
    of_access: frozenset[str]
    ends: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    wholes: frozenset[str]
    tracing: frozenset[str]
    tracing_headers: frozenset[str]


@functools.lru_cache(maxsize=4_096)
def parameter_kind(name: str, *, is_header: bool = False) -> Kind:
    """Return the kind of values that the name of a parameter, header or field implies.

    The result is "" if the name implies neither kind.

    Args:
        name: The name as it is sent, in any of some twenty languages.
        is_header: Whether it is the name of a header; more names of headers are for tracing.
    """
    words = _words()
    parts = _parts(name[:_LONGEST])
    whole = "".join(parts)
    if whole in words.tracing or (is_header and whole in words.tracing_headers):
        return "tracing"
    # A "session" may be one of a parliament; a session id grants access.
    is_known = is_secret(name) and whole != "session"
    if is_known or whole in words.wholes or whole in words.credentials:
        return "credential"
    return "credential" if _is_credential(parts, words) else ""


def is_bare_key(name: str) -> bool:
    """Return whether a name consists only of the word "key" in some language."""
    parts = _parts(name[:_LONGEST])
    return len(parts) == 1 and parts[0] in _words().keys


def _is_credential(parts: Sequence[str], words: _Words) -> bool:
    # The prefix "X-" only says that a header follows.
    parts = parts[1:] if len(parts) > 1 and parts[0] == "x" else parts
    if any(part in words.credentials for part in parts):
        return True
    if any(one in parts and other in parts for one, other in words.pairs):
        return True
    if len(parts) == 1 and parts[0] in words.tokens | words.keys:
        return True
    return any(_opens(parts, at, words) for at in range(len(parts)))


def _opens(parts: Sequence[str], at: int, words: _Words) -> bool:
    """Return whether one word of a name is a token or a key that grants access."""
    part = parts[at]
    before, after = parts[at - 1] if at else "", parts[at + 1] if at + 1 < len(parts) else ""
    if part in words.tokens:
        is_of_list = any(each in words.of_lists for each in parts[:at])
        return (not after and not is_of_list) or after in words.of_access
    if part in words.keys:
        # French and Spanish put a preposition between the words: "cle_d_acces", "clave_de_api".
        behind = parts[at + 2] if len(after) <= _LISTED and at + 2 < len(parts) else ""
        return bool({before, after, behind} & words.of_access)
    end = next((each for each in words.ends if part.endswith(each)), "")
    return bool(end) and part.removesuffix(end) not in words.of_lists


@functools.cache
def _words() -> _Words:
    content = files(__package__).joinpath("names.toml").read_bytes()
    raw = msgspec.toml.decode(content, type=dict[str, list[str | list[str]]])
    plain = {
        name: [strip_accents(each) if isinstance(each, str) else each for each in listed]
        for name, listed in raw.items()
    }
    return msgspec.convert(plain, _Words)


def _parts(name: str) -> list[str]:
    """Return the words of a name, in lower case and without accents."""
    bare = "".join(_bare(letter) for letter in name)
    return [each.casefold() for each in _PARTS.findall(bare)]


def _bare(letter: str) -> str:
    plain = strip_accents(letter)
    return plain.upper() if letter.isupper() else plain


MASK = REDACTED.decode()
"""The replacement of a secret."""

_SHORTEST, _SHORTEST_WORD, _SHORTEST_LETTERS, _SHORTEST_DIGITS = 6, 10, 16, 8
_NEAR, _FEW = 48, 4
_LONG_WORD = re.compile(r"(?<![\w/.])[A-Za-z0-9_-]{32,}(?![\w/.])")

_FORMATS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|[A-Za-z0-9]{6})[A-Za-z0-9_-]{10,}"
    r"|\bgh[oprsu]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bdop_v1_[0-9a-f]{40,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_USERINFO = re.compile(r"://[^\s/@:\"'<>]*:([^\s/@\"'<>]+)@")
_NAMED = re.compile(
    r"(?<![\w.-])([^\W\d_][\w.-]{0,60})[\"'`*\\]*\s{0,3}(?:=>|[:=\N{FULLWIDTH "
    r"COLON}])\s{0,3}[\"'`*\\]*"
    r"(?:(?:bearer|basic|token|apikey)\s+)?([^\s\"'`<>,;&\\]{6,400})",
    re.IGNORECASE,
)
_CURL = re.compile(r"(?:-u|--user)[ =]{1,3}[\"']?[^\s:\"']{1,60}:([^\s\"'`]+)")
_SCHEME = re.compile(r"\b(?:bearer|basic)\s+([\w.~+/=-]{8,})", re.IGNORECASE)
_OPAQUE_WORD = re.compile(r"(?<![\w./:@-])[A-Za-z0-9][\w+/~!$%*-]{9,}=*")
_WORD = re.compile(r"[^\W_][\w-]*")
_BESIDE = re.compile(r"(?:[^\W\d_][\w'\N{RIGHT SINGLE QUOTATION MARK}-]{0,30} ){1,2}$")
_PLACEHOLDER = re.compile(
    r"[<{\[(%$].*|x{3,}|\*+|(?:your|my|the|votre|tu|su|seu|sua|dein|ihr|example|sample"
    r"|dummy)[\W_].*|\.{3}.*",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    {
        *("string", "password", "secret", "token", "apikey", "api_key", "api-key"),
        *("bearer", "basic", "jwt"),
        *("header", "cookie", "required", "optional", "authorization", "example"),
        *("undefined", "true", "false"),
        *("required.", "optional.", "application", "integer", "object"),
        *("session", "credential", "default"),
    }
)  # fmt: skip
_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|v?\d+(?:\.\d+)+.*")


def find_secrets(text: str, allowed: Collection[str] = ()) -> list[str]:
    """Return the distinct secrets in a text, as they are written there.

    Args:
        text: The text.
        allowed: Names, in lower case, that are not names of credentials here.
    """
    return list(dict.fromkeys(text[start:end] for start, end in _spans(text, allowed)))


def has_known_key_format(text: str) -> bool:
    """Return whether a text contains a key in a known format."""
    return _FORMATS.search(text) is not None


def has_random_string(text: str) -> bool:
    """Return whether a text has a word that is not natural language.

    Such a word is long and random, or it is named as a credential and mixes letters and digits.
    """
    return any(
        min(sum(map(kind, word)) for kind in (str.isdigit, str.isupper, str.islower)) >= _FEW
        for word in _LONG_WORD.findall(text)
    ) or any(
        _is_random(word) and parameter_kind(word) == "credential"
        for word in _OPAQUE_WORD.findall(text)
    )


def redact_known_formats(text: str) -> str:
    """Replace keys in known formats in a text by `***`."""
    return _FORMATS.sub(MASK, text)


def redact_secrets(text: str, known: Collection[str] = ()) -> str:
    """Replace each secret in a text by `***`.

    Args:
        text: The text.
        known: Secrets known by value, in any notation.
    """
    text = _without_known(text, known)
    spans = sorted(_spans(text), reverse=True)
    for start, end in spans:
        text = text[:start] + MASK + text[end:]
    return text


def contains_secret(text: str, known: Collection[str]) -> bool:
    """Return whether a text contains one of some values, in any notation."""
    return bool(known) and _without_known(text, known) != text


def is_secret_value(value: str) -> bool:
    """Return whether a text may be a secret, not a placeholder ("YOUR_API_KEY", "string")."""
    value = value.strip()
    if len(value) < _SHORTEST or _PLACEHOLDER.fullmatch(value) or value.lower() in _GENERIC:
        return False
    if any(letter.isspace() for letter in value):
        return False
    has_digits = any(letter.isdigit() for letter in value)
    if not has_digits:
        return len(value) >= _SHORTEST_LETTERS and parameter_kind(value) != "credential"
    return any(letter.isalpha() for letter in value) or len(value) >= _SHORTEST_DIGITS


def is_worth_hiding(value: str) -> bool:
    """Return whether a credential's stated value is removed from all texts of a document.

    The parameter itself always loses its stated value. A word such as "string" or "demo" may occur
    elsewhere without being a secret.
    """
    value = value.strip()
    if len(value) < _SHORTEST or value.lower() in _GENERIC or _PLACEHOLDER.fullmatch(value):
        return False
    is_word = value.isalpha() and (value.islower() or value.istitle())
    return len(value) >= _SHORTEST_WORD if is_word else True


def _without_known(text: str, known: Collection[str]) -> str:
    short = [value for value in known if len(value) < SHORTEST_KEY]
    long = tuple(sorted((value for value in known if len(value) >= SHORTEST_KEY), key=len)[::-1])
    if long:
        text = redact(text.encode("utf-8", "surrogatepass"), long).decode("utf-8", "surrogatepass")
    for value in sorted(short, key=len, reverse=True):
        if value and value in text:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", MASK, text)
    return text


def _spans(text: str, allowed: Collection[str] = ()) -> set[tuple[int, int]]:
    """Return the spans of secrets; overlapping spans are merged."""
    if len(text) < _SHORTEST:
        return set()
    found = sorted(set(_all_spans(text, allowed)), key=lambda span: (span[0], -span[1]))
    kept: list[tuple[int, int]] = []
    for span in found:
        if kept and span[0] < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(kept[-1][1], span[1]))
        else:
            kept.append(span)
    return set(kept)


def _all_spans(text: str, allowed: Collection[str]) -> Iterator[tuple[int, int]]:
    for match in _FORMATS.finditer(text):
        yield match.span()
    for match in _USERINFO.finditer(text):
        if match[1] != MASK:
            yield match.span(1)
    for match in _CURL.finditer(text):
        if is_worth_hiding(match[1]):
            yield match.span(1)
    for match in _SCHEME.finditer(text):
        if is_secret_value(match[1]):
            yield match.span(1)
    yield from _named_spans(text, allowed)
    for match in _OPAQUE_WORD.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        if _is_random(match[0]) and _is_called_secret(before, allowed):
            yield match.span()


def _named_spans(text: str, allowed: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of values that follow the name of a credential."""
    at = 0
    while (named := _NAMED.search(text, at)) is not None:
        value = named[2].rstrip(".)]}")
        before = text[max(0, named.start() - _NEAR) : named.start()]
        is_named = _is_name(named[1].rpartition(".")[2], before, allowed)
        if is_named and is_secret_value(value):
            yield named.start(2), named.start(2) + len(value)
            at = named.end()
        else:
            # A value may be the name of the next value: `-H 'X: Authorization: ...'`.
            at = named.end(1)


def _is_name(word: str, before: str, allowed: Collection[str]) -> bool:
    """Return whether a word is the name of a credential.

    The name is the word alone or with the words before it ("mot de passe").
    """
    if word.casefold() in allowed:
        return False
    beside = _BESIDE.search(before)
    words = [*_WORD.findall(beside[0] if beside else ""), word]
    return any(parameter_kind("_".join(words[at:])) == "credential" for at in range(len(words)))


def _is_random(token: str) -> bool:
    """Return whether a token mixes letters and digits in a random way.

    Words, dates and versions do not.
    """
    if _DATE.fullmatch(token) or _PLACEHOLDER.fullmatch(token):
        return False
    digits = sum(letter.isdigit() for letter in token)
    return digits > 1 and any(letter.isalpha() for letter in token)


def _is_called_secret(before: str, allowed: Collection[str]) -> bool:
    """Return whether words of the same sentence before a value call it a key."""
    sentence = re.split(r"[.!?;\n]\s", before)[-1]
    words = (word for word in _WORD.findall(sentence) if word.casefold() not in allowed)
    return any(parameter_kind(word) == "credential" for word in words)


WITHHELD = "withheld"
"""The kind of items that hold fingerprints."""

_BYTES = 5
_PERSON = b"dragoman-secret"
_FINGERPRINTED_WORD = re.compile(r"[^\s\"'`<>,;&?=|\\(){}\[\]]{6,}")
_EDGES = ".:!*/-_"


class WithheldValues(msgspec.Struct, frozen=True):
    """Fingerprints of values that a document states for credentials; no value was stored."""

    prints: tuple[str, ...]


def fingerprints_of(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return the fingerprints of secrets, as written and in base64."""
    found = set()
    for secret in secrets:
        if not is_worth_hiding(secret):
            continue
        found |= {_print(token) for token in _tokens(secret) if is_worth_hiding(token)}
        coded = base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode()
        found |= {_print(token) for token in _tokens(coded) if is_worth_hiding(token)}
    return tuple(sorted(found))


def has_fingerprint(text: str, prints: Collection[str]) -> bool:
    """Return whether a word of a text has one of the given fingerprints."""
    return bool(prints) and any(_print(token) in prints for token in _tokens(text))


def _tokens(text: str) -> Iterator[str]:
    for token in _FINGERPRINTED_WORD.findall(text):
        yield token
        if (bare := token.strip(_EDGES)) != token:
            yield bare
        yield from token.split(":") if ":" in token else ()


def _print(token: str) -> str:
    return blake2b(
        token.encode("utf-8", "surrogatepass"), digest_size=_BYTES, person=_PERSON
    ).hexdigest()
