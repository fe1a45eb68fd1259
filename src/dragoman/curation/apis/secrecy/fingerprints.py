"""Fingerprints of secrets: what tells that one stands somewhere, without holding it."""

import base64
import re
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b

import msgspec

from dragoman.curation.apis.secrecy.texts import is_worth_hiding

WITHHELD = "withheld"
"""The kind of the items that hold fingerprints."""

_BYTES = 5
_PERSON = b"dragoman-secret"
_TOKEN = re.compile(r"[^\s\"'`<>,;&?=|\\(){}\[\]]{6,}")
_EDGES = ".:!*/-_"


class WithheldValues(msgspec.Struct, frozen=True):
    """Fingerprints of what a document states for credentials, none of which was stored."""

    prints: tuple[str, ...]


def fingerprints_of(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return the fingerprints of secrets, as they stand in texts and in base64."""
    found = set()
    for secret in secrets:
        if not is_worth_hiding(secret):
            continue
        found |= {_print(token) for token in _tokens(secret) if is_worth_hiding(token)}
        coded = base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode()
        found |= {_print(token) for token in _tokens(coded) if is_worth_hiding(token)}
    return tuple(sorted(found))


def has_fingerprint(text: str, prints: Collection[str]) -> bool:
    """Whether a word of a text has one of some fingerprints."""
    return bool(prints) and any(_print(token) in prints for token in _tokens(text))


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        yield token
        if (bare := token.strip(_EDGES)) != token:
            yield bare
        yield from token.split(":") if ":" in token else ()


def _print(token: str) -> str:
    return blake2b(
        token.encode("utf-8", "surrogatepass"), digest_size=_BYTES, person=_PERSON
    ).hexdigest()
