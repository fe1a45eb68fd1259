"""Repairs JSON in which half a character is escaped, as `ud83d` behind a backslash alone.

Some servers cut an emoji in two at the end of a token, and write each half as an escape of its own. JSON
allows that, UTF-8 has no place for it. Two halves that meet are put together; one alone becomes U+FFFD.
Servers in Python write `NaN` and `-Infinity` (log probabilities), which JSON does not have: they become null.
"""

import json
import re

import msgspec

_ODD = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\bNaN\b|\bInfinity\b")
_LONE = re.compile("[\ud800-\udfff]")


def needs_repair(body: bytes) -> bool:
    """Whether a body may hold an escaped half of a character, or a number that JSON does not have."""
    return _ODD.search(body) is not None


def decode_leniently(body: bytes) -> object:
    """Return what a JSON text holds, with its halves of characters.

    Raises:
        ValueError: Where it is no JSON.
        RecursionError: Where it is nested too deeply.
    """
    return json.loads(body)


def repaired_text(text: str) -> str:
    """Return a text with halves that meet as one character, and U+FFFD for each that is alone."""
    if _LONE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def repaired(body: bytes) -> bytes:
    """Return a JSON text with all of its halves of characters repaired.

    Raises:
        ValueError: Where it is no JSON.
        RecursionError: Where it is nested too deeply.
    """
    return msgspec.json.encode(_repaired(decode_leniently(body)))


def _repaired(value: object) -> object:
    if isinstance(value, str):
        return repaired_text(value)
    if isinstance(value, list):
        return [_repaired(each) for each in value]
    if isinstance(value, dict):
        return {repaired_text(str(name)): _repaired(each) for name, each in value.items()}
    return value
