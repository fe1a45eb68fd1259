"""Values of Java and JavaScript expressions by the rules of the languages.

Words, whole numbers and JSON take a fast path without a parser.
"""

import re

import msgspec

from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.source_code.tokenizer import Node, SourceCode, SourceLanguage
from dragoman.core.texts.decoding import DECODING_ERRORS

WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
"""The words that are values in both languages."""

_WHOLE = re.compile(r"-?[0-9]{1,15}+")
_NOT_SHARED = re.compile(r"\\|[0-9]{400}")
"""Text that JSON and our grammar read differently: lone surrogates and long numbers."""

_MAX_BRACKETS = 20
"""Number of brackets that neither reader finds too deep."""


def plain_value(text: str, language: SourceLanguage) -> object:
    """Return the value of words, a whole number or JSON; UNSET for any other text.

    Dotted words that are not values stand for themselves, whether they can be read or not. So does
    a text that begins with a bracket that has no use in Java.
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
    except DECODING_ERRORS:
        return msgspec.UNSET


_ESCAPE = re.compile(r"\\(u\{?[\da-fA-F]{1,6}\}?|x[\da-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "v": "\v", "\n": ""}
_MAX_DIGITS = 400
_LISTS = frozenset({"Array", "ArrayList", "LinkedList", "List", "Vector"})
_MAPS = frozenset({"HashMap", "LinkedHashMap", "TreeMap", "Hashtable", "Map"})
_LISTED = frozenset({"Arrays.asList", "List.of", "Collections.emptyList", "Array.of"})
_MAPPED = frozenset({"Map.of", "Collections.emptyMap"})


def is_text(node: Node, source: SourceCode) -> bool:
    """Return whether an expression is a string: quoted, or a template without holes."""
    token = source.tokens[node.first]
    if node.kind != "literal" or token.kind not in {"string", "char", "template"}:
        return False
    return token.kind != "template" or "${" not in token.text


def string_value(node: Node, source: SourceCode) -> str:
    """Return the text that a string stands for."""
    text = source.tokens[node.first].text
    quotes = 3 if text.startswith('"""') and len(text) > 5 else 1  # noqa: PLR2004 - two of three
    return _ESCAPE.sub(_unescape_match, text[quotes:-quotes])


def _unescape_match(found: re.Match[str]) -> str:
    code = found.group(1)
    if code[0] in "ux" and len(code) > 1:
        number = int(code[1:].strip("{}"), 16)
        return chr(number) if number <= 0x10FFFF else code  # noqa: PLR2004 - the last character
    if code.isdigit() and code != "0":
        return chr(int(code, 8)) if code.isascii() and "8" not in code and "9" not in code else code
    return _ESCAPED.get(code, code)


def number_value(text: str) -> int | float:
    """Return the value of a number, whatever its suffix, or raise UnreadableError."""
    if len(text) > _MAX_DIGITS:
        raise UnreadableError(f"a number of {len(text)} digits")
    lower = text.lower().replace("_", "")
    try:
        if lower.startswith(("0x", "0b")):
            return int(lower.rstrip("ln"), 0)
        plain = lower.rstrip("lnfd")
        return int(plain) if plain.isdigit() and lower[-1] not in "fd" else float(plain)
    except ValueError as error:
        raise UnreadableError(f"{text:.50} is not a number") from error


def expression_source(node: Node, source: SourceCode) -> str:
    """Return the text of an expression as it is written."""
    first, last = source.tokens[node.first], source.tokens[node.last - 1]
    return source.text[first.start : last.end]


def expression_value(node: Node, source: SourceCode) -> object:
    """Return the value of an expression; a non-literal stands for itself, as source text.

    Java's collections are read in their usual spellings, including blocks of `add` and `put`.
    """
    token = source.tokens[node.first]
    if is_text(node, source):
        return string_value(node, source)
    if node.kind == "literal" and token.kind == "number":
        return number_value(token.text)
    if node.kind == "literal" and token.text in WORDS:
        return WORDS[token.text]
    if node.kind == "chain" and token.text == "-" and node.last == node.first + 2:
        number = expression_value(node.parts[0], source)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number
        return expression_source(node, source)
    return _collection(node, source)


def _collection(node: Node, source: SourceCode) -> object:
    if node.kind == "array" or (node.kind == "new" and node.mark == "["):
        return [expression_value(part, source) for part in node.parts]
    if node.kind == "object":
        return _entries(node, source)
    if node.kind == "new":
        name = _class_name(node, source)
        if name in _LISTS:
            return _new_list(node, source)
        if name in _MAPS:
            return _new_map(node, source)
    if node.kind == "call":
        return _evaluate_call(node, source)
    return expression_source(node, source)


def _evaluate_call(node: Node, source: SourceCode) -> object:
    name = expression_source(node.parts[0], source)
    values = [expression_value(part, source) for part in node.parts[1:]]
    if name in _LISTED:
        return values
    if name in _MAPPED and len(values) % 2 == 0:
        return _build_mapping(values[::2], values[1::2])
    return expression_source(node, source)


def _class_name(node: Node, source: SourceCode) -> str:
    """Return the last part of the name behind `new`."""
    last = node.first + 1
    while source.tokens[last + 1].text == ".":
        last += 2
    return source.tokens[last].text


def _new_list(node: Node, source: SourceCode) -> object:
    given = [expression_value(part, source) for part in node.parts if part.kind != "block"]
    if source.language == "javascript":
        return given
    first = given[0] if given else []
    added = _block_calls(node, source, "add", 1)
    if not isinstance(first, list) or added is None:
        return [] if isinstance(first, int) and not added else expression_source(node, source)
    return [*first, *(values[0] for values in added)]


def _new_map(node: Node, source: SourceCode) -> object:
    given = [expression_value(part, source) for part in node.parts if part.kind != "block"]
    first = given[0] if given else {}
    put = _block_calls(node, source, "put", 2)
    if not isinstance(first, dict) or put is None:
        return expression_source(node, source)
    return {**first, **_build_mapping([values[0] for values in put], [values[1] for values in put])}


def _block_calls(
    node: Node, source: SourceCode, name: str, count: int
) -> list[list[object]] | None:
    """Return the arguments of the calls in a block, or None where something else is in it."""
    calls = [call for part in node.parts if part.kind == "block" for call in part.parts]
    if any(
        call.kind != "call"
        or expression_source(call.parts[0], source) != name
        or len(call.parts) != count + 1
        for call in calls
    ):
        return None
    return [[expression_value(part, source) for part in call.parts[1:]] for call in calls]


def _build_mapping(keys: list[object], values: list[object]) -> dict[object, object]:
    if any(isinstance(key, list | dict) for key in keys):
        raise UnreadableError("a collection cannot be a key")
    return dict(zip(keys, values, strict=True))


def _entries(node: Node, source: SourceCode) -> object:
    """Return a JavaScript object; one with methods or spreads stays text."""
    if any(part.kind != "pair" or part.parts[0].kind == "other" for part in node.parts):
        return expression_source(node, source)
    keys: list[object] = [str(expression_value(part.parts[0], source)) for part in node.parts]
    return _build_mapping(keys, [expression_value(part.parts[1], source) for part in node.parts])
