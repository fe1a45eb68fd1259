"""Takes keys out of what an endpoint says, so that none is stored, shown or logged."""

import base64
import functools
import html
import re
import string
from itertools import takewhile

HIDDEN = b"***"

SHORTEST_KEY = 12
"""Shorter ones are taken for the placeholders that local servers are given ("EMPTY", "lm-studio"):
taking every such word out of replies would falsify them."""

_ESCAPE = b"\\u00"
_has_escaped_ascii = re.compile(rb"\\u00[2-7]").search


def hidden(body: bytes, keys: tuple[str, ...]) -> bytes:
    """Return a body without keys, however JSON, or JSON within JSON, writes their characters.

    They are found as pages and addresses write them, too.
    """
    for key in keys:
        if len(key) >= SHORTEST_KEY:
            for written in _forms(key):
                body = body.replace(written, HIDDEN)
            if _ESCAPE in body and _has_escaped_ascii(body):
                body = _escaped(key).sub(HIDDEN, body)
    return body


def hidden_in_error(body: bytes, keys: tuple[str, ...]) -> bytes:
    """Return what a refusal says without keys, in base64 neither: it may quote whole requests."""
    body = hidden(body, keys)
    for key in keys:
        if len(key) >= SHORTEST_KEY:
            for written in _base64_forms(key):
                body = body.replace(written, HIDDEN)
    return body


def without_keys(text: str, keys: tuple[str, ...]) -> str:
    """Return what an error says without keys, and without the beginnings of keys that were cut off."""
    body = hidden_in_error(text.encode("utf-8", "surrogatepass"), keys)
    said = body.decode("utf-8", "surrogatepass")
    for key in keys:
        begun = key[:SHORTEST_KEY]
        while len(begun) == SHORTEST_KEY and begun in said:
            before, _, after = said.partition(begun)
            alike = takewhile(
                lambda pair: pair[0] == pair[1], zip(key[SHORTEST_KEY:], after, strict=False)
            )
            said = f"{before}{HIDDEN.decode()}{after[sum(1 for _ in alike) :]}"
    return said


@functools.lru_cache(maxsize=64)
def _forms(key: str) -> tuple[bytes, ...]:
    """Return a key as it is written plainly, in JSON, in addresses and in pages."""
    quoted = (_quoted(key, _UNRESERVED), _quoted(key, _UNRESERVED + b"/"))
    lower = re.sub("%..", lambda code: code.group().lower(), quoted[0])
    plain = (key, key.replace("/", "\\/"), *quoted, lower, html.escape(key))
    return tuple(dict.fromkeys(each.encode() for each in plain))


@functools.lru_cache(maxsize=64)
def _base64_forms(key: str) -> tuple[bytes, ...]:
    """Return what is sure of a key in base64, wherever in a text it stands."""
    found: dict[bytes, None] = {}
    for before in range(3):
        # Of what is coded together with its neighbours, the characters in the midst are sure.
        coded = base64.b64encode(bytes(before) + key.encode())
        sure = coded[-(-before * 8 // 6) : (before + len(key.encode())) * 8 // 6]
        found |= dict.fromkeys((sure, sure.translate(_OF_ADDRESSES)))
    return tuple(found)


def _quoted(key: str, kept: bytes) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in key.encode())


_UNRESERVED = (string.ascii_letters + string.digits + "-._~").encode()
_OF_ADDRESSES = bytes.maketrans(b"+/", b"-_")


@functools.lru_cache(maxsize=64)
def _escaped(key: str) -> re.Pattern[bytes]:
    """Return what finds a key of which any character may be escaped, any number of times over."""
    return re.compile(b"".join(map(_character, key)))


def _character(character: str) -> bytes:
    plain = re.escape(character.encode())
    return rb"(?:\\*%b|\\+u(?i:%04x))" % (plain, ord(character))
