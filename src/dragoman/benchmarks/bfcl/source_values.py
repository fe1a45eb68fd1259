"""The value of a Java or JavaScript argument, which arrives as source text."""

from dragoman.benchmarks.bfcl import java_patterns, javascript_patterns
from dragoman.benchmarks.bfcl.bounds import UnreadableError
from dragoman.benchmarks.bfcl.schema_types import Slot
from dragoman.benchmarks.bfcl.source_literals import is_text, text_of, value_of
from dragoman.benchmarks.bfcl.source_parsing import grammar_of
from dragoman.benchmarks.bfcl.source_tokens import SourceLanguage, tokenize

_JAVA_SUFFIXES = {
    "byte": "",
    "short": "",
    "integer": "",
    "long": "lL",
    "float": "lLfF",
    "double": "lLfFdD",
}


def read_value(text: str, slot: Slot, language: SourceLanguage) -> object:
    """Return the value of a source text where it has the type asked for; else the text.

    Raises:
        UndecidableError: For types on which the reference breaks, where its patterns are asked for.
    """
    if slot.rules.source_values_are_read:
        return _read(text, slot, language)
    patterns = java_patterns if language == "java" else javascript_patterns
    items = slot.schema.items
    return patterns.convert(text, slot.schema.type or "", None if items is None else items.type)


def _read(text: str, slot: Slot, language: SourceLanguage) -> object:
    try:
        source = tokenize(text, language)
        node = grammar_of(source).whole_expression()
        if is_text(node, source):
            return text_of(node, source)
        if slot.expected is str:
            return text
        value = value_of(node, source)
    except (UnreadableError, RecursionError):
        return text
    if isinstance(value, str):
        return text
    if type(value) in {int, float}:
        return _number(value, text, slot)
    return value


def _number(value: object, text: str, slot: Slot) -> object:
    """Return a number if the type takes it: Java widens and never narrows, JavaScript has one."""
    kind = slot.schema.type
    if slot.language == "java":
        last = text.strip()[-1]
        suffix = "" if last.isdigit() or last == "." else last
        if kind not in _JAVA_SUFFIXES or suffix not in {"", *_JAVA_SUFFIXES[kind]}:
            return text
        return text if kind == "float" and isinstance(value, float) and not suffix else value
    if kind == "Bigint" or text.strip().endswith("n"):
        return value if kind == "Bigint" and text.strip().endswith("n") else text
    is_whole = isinstance(value, float) and value.is_integer() and kind == "integer"
    return int(str(value).partition(".")[0]) if is_whole and "e" not in str(value) else value
