"""The value of a Java or JavaScript argument, which arrives as source text."""

import re

from msgspec import UNSET

from dragoman.benchmarks.bfcl.checking.schema_types import TypeSlot
from dragoman.benchmarks.bfcl.source_code import java_patterns, javascript_patterns
from dragoman.benchmarks.bfcl.source_code.literals import is_text, text_of, value_of
from dragoman.benchmarks.bfcl.source_code.parsing import grammar_of
from dragoman.benchmarks.bfcl.source_code.plain_values import plain_value
from dragoman.benchmarks.bfcl.source_code.tokens import SourceLanguage, tokenize
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

_MAY_BE_QUOTED = re.compile(r"[\s/]*+[\"'`/]")

_JAVA_SUFFIXES = {
    "byte": "",
    "short": "",
    "integer": "",
    "long": "lL",
    "float": "lLfF",
    "double": "lLfFdD",
}


def read_value(text: str, slot: TypeSlot, language: SourceLanguage) -> object:
    """Return the value of a source text where it has the type asked for; else the text.

    Raises:
        UndecidableError: For types on which the reference breaks, where its patterns are asked for.
    """
    if slot.rules.source_values_are_read:
        is_bare = slot.known is str and _MAY_BE_QUOTED.match(text) is None
        return text if is_bare else _read(text, slot, language)
    patterns = java_patterns if language == "java" else javascript_patterns
    items = slot.schema.items
    return patterns.convert(text, slot.schema.type or "", None if items is None else items.type)


def _read(text: str, slot: TypeSlot, language: SourceLanguage) -> object:
    try:
        value, is_quoted = _meant(text, language)
    except (UnreadableError, RecursionError):
        return text
    if is_quoted:
        return value
    if slot.expected is str or isinstance(value, str):
        return text
    if isinstance(value, int | float) and not isinstance(value, bool):
        read = _java_number if language == "java" else _javascript_number
        return read(value, text.rstrip(), slot.schema.type)
    return value


def _meant(text: str, language: SourceLanguage) -> tuple[object, bool]:
    """Return what a text stands for, and whether it is a string in quotes."""
    value = plain_value(text, language)
    if value is not UNSET:
        return value, False
    source = tokenize(text, language)
    node = grammar_of(source).whole_expression()
    if is_text(node, source):
        return text_of(node, source), True
    return value_of(node, source), False


def _java_number(value: float, text: str, kind: str | None) -> object:
    """Return a number if the type takes it: Java widens and never narrows."""
    suffix = "" if text[-1].isdigit() or text[-1] == "." else text[-1]
    allowed = _JAVA_SUFFIXES.get(kind or "")
    narrows = kind == "float" and not suffix and not isinstance(value, int)
    return text if allowed is None or suffix not in {"", *allowed} or narrows else value


def _javascript_number(value: float, text: str, kind: str | None) -> object:
    """Return a number if the type takes it: there is one kind, beside that of big integers."""
    if (kind == "Bigint") != text.endswith("n"):
        return text
    whole = kind == "integer" and not isinstance(value, int) and value.is_integer()
    return int(value) if whole else value
