"""Takes keys out of what an endpoint says, so that none is stored, shown or logged."""

import functools
import re

HIDDEN = b"***"

SHORTEST_KEY = 12
"""Shorter ones are taken for the placeholders that local servers are given ("EMPTY", "lm-studio"):
taking every such word out of replies would falsify them."""

_ESCAPE = b"\\u00"
_has_escaped_ascii = re.compile(rb"\\u00[2-7]").search


def hidden(body: bytes, keys: tuple[str, ...]) -> bytes:
    """Return a body without keys, however JSON, or JSON within JSON, writes their characters."""
    for key in keys:
        if len(key) >= SHORTEST_KEY:
            for written in (key, key.replace("/", "\\/")):
                body = body.replace(written.encode(), HIDDEN)
            if _ESCAPE in body and _has_escaped_ascii(body):
                body = _escaped(key).sub(HIDDEN, body)
    return body


@functools.lru_cache(maxsize=64)
def _escaped(key: str) -> re.Pattern[bytes]:
    """Return what finds a key of which any character may be escaped, any number of times over."""
    return re.compile(b"".join(map(_character, key)))


def _character(character: str) -> bytes:
    plain = re.escape(character.encode())
    return rb"(?:\\*%b|\\+u(?i:%04x))" % (plain, ord(character))
