"""Redaction of API keys in an endpoint's answers, before these are stored or shown.

Keys are found plain, quoted, escaped, in hex and in base64.
"""

import base64
import functools
import html
import re
import string
from collections.abc import Iterator
from itertools import takewhile

REDACTED = b"***"

SHORTEST_KEY = 12
"""Length of the shortest key that is redacted, in characters.

Shorter ones are taken for placeholders of local servers ("EMPTY", "lm-studio"); the removal of
every such word would falsify replies.
"""


def redact(body: bytes, keys: tuple[str, ...]) -> bytes:
    """Return a body without keys, in any way to write their characters.

    Each character may be escaped as in JSON, JSON within JSON, addresses or pages. The whole key
    may be in hex or in base64, at any position of a coded text.
    """
    long_keys = [key for key in keys if len(key) >= SHORTEST_KEY]
    lower = body.lower() if long_keys else b""
    for key in long_keys:
        for part, forms in _forms(key):
            # Very few bodies have a key, and one search is cheaper than one for each form.
            if part in body:
                for written in forms:
                    body = body.replace(written, REDACTED)
        for hexed in _hex_forms(key):
            if hexed in lower:
                body = re.sub(hexed, REDACTED, body, flags=re.IGNORECASE)
        if any(sign in body for sign in _SIGNS_OF_ESCAPES) and _escapes(key).search(body):
            body = _escaped_key_pattern(key).sub(REDACTED, body)
    return body


def redact_text(text: str, keys: tuple[str, ...]) -> str:
    """Return an error text without keys and without the beginnings of truncated keys."""
    body = redact(text.encode("utf-8", "surrogatepass"), keys)
    said = body.decode("utf-8", "surrogatepass")
    for key in keys:
        begun = key[:SHORTEST_KEY]
        while len(begun) == SHORTEST_KEY and begun in said:
            before, _, after = said.partition(begun)
            alike = takewhile(
                lambda pair: pair[0] == pair[1], zip(key[SHORTEST_KEY:], after, strict=False)
            )
            said = f"{before}{REDACTED.decode()}{after[sum(1 for _ in alike) :]}"
    return said


@functools.lru_cache(maxsize=64)
def _forms(key: str) -> tuple[tuple[bytes, tuple[bytes, ...]], ...]:
    """Return the ways to write a key, grouped by a common part: plain ones, and base64."""
    quoted = (_percent_encode(key, _UNRESERVED), _percent_encode(key, _UNRESERVED + b"/"))
    lower = re.sub("%..", lambda code: code.group().lower(), quoted[0])
    plain = (key, key.replace("/", "\\/"), *quoted, lower, html.escape(key))
    written = tuple(dict.fromkeys(each.encode() for each in plain))
    return (_longest_word(key.encode()), written), *_base64_forms(key)


def _base64_forms(key: str) -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
    """Yield the certain characters of a key in base64, at any position of a coded text."""
    for before in range(3):
        # Only the middle characters do not depend on the text before and behind the key.
        coded = base64.b64encode(bytes(before) + key.encode())
        sure = coded[-(-before * 8 // 6) : (before + len(key.encode())) * 8 // 6]
        written = (
            sure.replace(b"+", plus).replace(b"/", slash) for plus, slash in _SIGNS_OF_BASE64
        )
        yield _longest_word(sure), tuple(dict.fromkeys(written))


def _longest_word(text: bytes) -> bytes:
    """Return the longest part that is the same in all ways to write a text."""
    words: list[bytes] = re.findall(rb"[A-Za-z0-9]*", text)
    return max(words, key=len)


@functools.lru_cache(maxsize=64)
def _hex_forms(key: str) -> tuple[bytes, ...]:
    """Return a key in hex, in lower case, as one word or byte by byte."""
    code = key.encode()
    return code.hex().encode(), code.hex(":").encode(), code.hex(" ").encode()


def _percent_encode(key: str, kept: bytes) -> str:
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in key.encode())


_UNRESERVED = (string.ascii_letters + string.digits + "-._~").encode()
_SIGNS_OF_BASE64 = (
    *((b"+", b"/"), (b"-", b"_"), (b"+", b"\\/"), (b"%2B", b"%2F"), (b"%2b", b"%2f")),
    *((b"\\u002b", b"/"), (b"\\u002b", b"\\u002f"), (b"\\u002B", b"\\u002F")),
)
"""The ways to write the two signs of base64: alphabets, JSON and addresses."""


@functools.lru_cache(maxsize=64)
def _escapes(key: str) -> re.Pattern[bytes]:
    """Return a pattern that finds any escaped character of a key.

    Without a match, no long search is needed.
    """
    codes = {ord(character) for character in key}
    hexed = b"|".join(b"%02x" % code for code in sorted(codes) if code < _ASCII)
    numbers = b"|".join(b"0*%d|[xX]0*(?i:%x)" % (code, code) for code in sorted(codes))
    units = b"|".join(b"%04x" % code for code in sorted(codes))
    names = b"|".join(_NAMED[sign] for sign in sorted(_NAMED) if sign in key) or b"(?!)"
    return re.compile(
        rb"\\(?:u(?i:%b)|x(?i:%b))|%%(?:25)*(?i:%b)|&(?:amp;)*(?:#(?:%b)|(?:%b);)"
        % (units, hexed, hexed, numbers, names)
    )


@functools.lru_cache(maxsize=64)
def _escaped_key_pattern(key: str) -> re.Pattern[bytes]:
    """Return a pattern of a key whose characters may be escaped, any number of times."""
    return re.compile(b"".join(map(_character, key)))


def _character(character: str) -> bytes:
    """Return a pattern of one character with its escaped forms.

    Each form begins with a sign of its own, so the pattern is fast.
    """
    plain = re.escape(character.encode())
    code = ord(character)
    # Percent signs and backslashes may be escaped themselves, any number of times over.
    # The codes come first: `u` and `x` may be the character that is written.
    ways = [plain, rb"\\+(?:u(?i:%04x)|x(?i:%02x)|%b)" % (code, code, plain)]
    if character.isascii():
        ways.append(b"%%(?:25)*(?i:%02x)" % code)
    ways.append(b"&(?:amp;)*#(?:0*%d|[xX]0*(?i:%x))(?:;|(?![0-9A-Fa-f]))" % (code, code))
    if character in _NAMED:
        ways.append(b"&(?:amp;)*%b;" % _NAMED[character])
    return b"(?:" + b"|".join(ways) + b")"


_SIGNS_OF_ESCAPES = (b"%", b"&", b"\\u00", b"\\x")
_ASCII = 128
_NAMED = {"&": b"amp", "<": b"lt", ">": b"gt", '"': b"quot", "'": b"apos"}
