"""Takes keys out of what an endpoint says, so that none is stored, shown or logged."""

HIDDEN = b"***"

SHORTEST_KEY = 12
"""Shorter ones are taken for the placeholders that local servers are given ("EMPTY", "lm-studio"):
taking every such word out of replies would falsify them."""


def hidden(body: bytes, keys: tuple[str, ...]) -> bytes:
    """Return a body without keys, also where JSON escapes their slashes."""
    for key in keys:
        if len(key) >= SHORTEST_KEY:
            for written in (key, key.replace("/", "\\/")):
                body = body.replace(written.encode(), HIDDEN)
    return body
