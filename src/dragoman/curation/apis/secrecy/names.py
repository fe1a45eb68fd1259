"""Names that say what a parameter is: a credential, or an id by which requests are followed."""

import functools
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Literal

import msgspec

from dragoman.core.texts.characters import unaccented
from dragoman.web.exchange import is_secret

Kind = Literal["credential", "tracing", ""]

_LONGEST = 200
_PARTS = re.compile(
    r"[a-z0-9]+|[^\W_a-z0-9A-Z]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", re.UNICODE
)  # accents are gone, so that other letters are other scripts
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
def kind_of_name(name: str, *, is_header: bool = False) -> Kind:
    """Return what the name of a parameter, a header or a field says of its values; "" for nothing.

    Args:
        name: As it travels, in any of some twenty languages.
        is_header: Whether it is a header's: more names follow requests there.
    """
    words = _words()
    parts = _parts(name[:_LONGEST])
    whole = "".join(parts)
    if whole in words.tracing or (is_header and whole in words.tracing_headers):
        return "tracing"
    # A session may be one of a parliament; its id lets somebody in.
    is_known = is_secret(name) and whole != "session"
    if is_known or whole in words.wholes or whole in words.credentials:
        return "credential"
    return "credential" if _is_credential(parts, words) else ""


def is_bare_key(name: str) -> bool:
    """Whether a name says "key" in some language, and no more."""
    parts = _parts(name[:_LONGEST])
    return len(parts) == 1 and parts[0] in _words().keys


def _is_credential(parts: Sequence[str], words: _Words) -> bool:
    # "X-" before a name says nothing, but that what follows is a header.
    parts = parts[1:] if len(parts) > 1 and parts[0] == "x" else parts
    if any(part in words.credentials for part in parts):
        return True
    if any(one in parts and other in parts for one, other in words.pairs):
        return True
    if len(parts) == 1 and parts[0] in words.tokens | words.keys:
        return True
    return any(_opens(parts, at, words) for at in range(len(parts)))


def _opens(parts: Sequence[str], at: int, words: _Words) -> bool:
    """Whether one word of a name is a token or a key that lets somebody in."""
    part = parts[at]
    before, after = parts[at - 1] if at else "", parts[at + 1] if at + 1 < len(parts) else ""
    if part in words.tokens:
        is_of_list = any(each in words.of_lists for each in parts[:at])
        return (not after and not is_of_list) or after in words.of_access
    if part in words.keys:
        # French and Spanish put a preposition between: "cle_d_acces", "clave_de_api".
        behind = parts[at + 2] if len(after) <= _LISTED and at + 2 < len(parts) else ""
        return bool({before, after, behind} & words.of_access)
    end = next((each for each in words.ends if part.endswith(each)), "")
    return bool(end) and part.removesuffix(end) not in words.of_lists


@functools.cache
def _words() -> _Words:
    content = files(__package__).joinpath("names.toml").read_bytes()
    raw = msgspec.toml.decode(content, type=dict[str, list[str | list[str]]])
    plain = {
        name: [unaccented(each) if isinstance(each, str) else each for each in listed]
        for name, listed in raw.items()
    }
    return msgspec.convert(plain, _Words)


def _parts(name: str) -> list[str]:
    """Return the words of a name, in small letters without accents."""
    bare = "".join(_bare(letter) for letter in name)
    return [each.casefold() for each in _PARTS.findall(bare)]


def _bare(letter: str) -> str:
    plain = unaccented(letter)
    return plain.upper() if letter.isupper() else plain
