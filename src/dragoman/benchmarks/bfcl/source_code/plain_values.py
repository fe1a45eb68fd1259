"""Java and JavaScript values so plain that no grammar is needed to read them."""

import re

import msgspec

from dragoman.benchmarks.bfcl.source_code.tokens import SourceLanguage
from dragoman.core.texts.decoding import UNREADABLE

WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
"""The words that are values in both languages."""

_WHOLE = re.compile(r"-?[0-9]{1,15}+")
_NOT_SHARED = re.compile(r"\\|[0-9]{400}")
"""What JSON and our grammar read differently: halves of characters, and numbers too long for it."""

_MAX_BRACKETS = 20
"""Few enough that neither reader finds them too deep."""


def plain_value(text: str, language: SourceLanguage) -> object:
    """Return what a text of words, a whole number or JSON stands for; UNSET for any other.

    Words between dots that are no value stand for themselves, whether they can be read or not, as
    does what begins with a bracket of no use in Java.
    """
    if text.isascii() and text.replace(".", "").isidentifier():
        return WORDS.get(text, text)
    if _WHOLE.fullmatch(text):
        return int(text)
    if text[:1] not in {"[", "{"}:
        return msgspec.UNSET
    return text if language == "java" else _json(text)


def _json(text: str) -> object:
    if text.count("[") + text.count("{") > _MAX_BRACKETS or _NOT_SHARED.search(text):
        return msgspec.UNSET
    try:
        return msgspec.json.decode(text)
    except UNREADABLE:
        return msgspec.UNSET
