"""The values of Java and JavaScript expressions, as the languages mean them."""

import re

from dragoman.benchmarks.bfcl.source_code.cursor import Node
from dragoman.benchmarks.bfcl.source_code.plain_values import WORDS
from dragoman.benchmarks.bfcl.source_code.tokens import SourceCode
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

_ESCAPE = re.compile(r"\\(u\{?[\da-fA-F]{1,6}\}?|x[\da-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "v": "\v", "\n": ""}
_MAX_DIGITS = 400
_LISTS = frozenset({"Array", "ArrayList", "LinkedList", "List", "Vector"})
_MAPS = frozenset({"HashMap", "LinkedHashMap", "TreeMap", "Hashtable", "Map"})
_LISTED = frozenset({"Arrays.asList", "List.of", "Collections.emptyList", "Array.of"})
_MAPPED = frozenset({"Map.of", "Collections.emptyMap"})


def is_text(node: Node, source: SourceCode) -> bool:
    """Whether an expression is a string: a literal in quotes, or a template without holes."""
    token = source.tokens[node.first]
    if node.kind != "literal" or token.kind not in {"string", "char", "template"}:
        return False
    return token.kind != "template" or "${" not in token.text


def text_of(node: Node, source: SourceCode) -> str:
    """Return the text that a string stands for."""
    text = source.tokens[node.first].text
    quotes = 3 if text.startswith('"""') and len(text) > 5 else 1  # noqa: PLR2004 - two of three
    return _ESCAPE.sub(_unescaped, text[quotes:-quotes])


def _unescaped(found: re.Match[str]) -> str:
    code = found.group(1)
    if code[0] in "ux" and len(code) > 1:
        number = int(code[1:].strip("{}"), 16)
        return chr(number) if number <= 0x10FFFF else code  # noqa: PLR2004 - the last character
    if code.isdigit() and code != "0":
        return chr(int(code, 8)) if code.isascii() and "8" not in code and "9" not in code else code
    return _ESCAPED.get(code, code)


def number_of(text: str) -> int | float:
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
        raise UnreadableError(f"{text:.50} is no number") from error


def source_of(node: Node, source: SourceCode) -> str:
    """Return the text of an expression as it is written."""
    first, last = source.tokens[node.first], source.tokens[node.last - 1]
    return source.text[first.start : last.end]


def value_of(node: Node, source: SourceCode) -> object:
    """Return the value of an expression; what is no literal stands for itself, as source text.

    Java's collections are read in their usual spellings, blocks of `add` and `put` among them.
    """
    token = source.tokens[node.first]
    if is_text(node, source):
        return text_of(node, source)
    if node.kind == "literal" and token.kind == "number":
        return number_of(token.text)
    if node.kind == "literal" and token.text in WORDS:
        return WORDS[token.text]
    if node.kind == "chain" and token.text == "-" and node.last == node.first + 2:
        number = value_of(node.parts[0], source)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number
        return source_of(node, source)
    return _collection(node, source)


def _collection(node: Node, source: SourceCode) -> object:
    if node.kind == "array" or (node.kind == "new" and node.mark == "["):
        return [value_of(part, source) for part in node.parts]
    if node.kind == "object":
        return _entries(node, source)
    if node.kind == "new":
        name = _class_name(node, source)
        if name in _LISTS:
            return _new_list(node, source)
        if name in _MAPS:
            return _new_map(node, source)
    if node.kind == "call":
        return _called(node, source)
    return source_of(node, source)


def _called(node: Node, source: SourceCode) -> object:
    name = source_of(node.parts[0], source)
    values = [value_of(part, source) for part in node.parts[1:]]
    if name in _LISTED:
        return values
    if name in _MAPPED and len(values) % 2 == 0:
        return _paired(values[::2], values[1::2])
    return source_of(node, source)


def _class_name(node: Node, source: SourceCode) -> str:
    """Return the last part of the name behind `new`."""
    last = node.first + 1
    while source.tokens[last + 1].text == ".":
        last += 2
    return source.tokens[last].text


def _new_list(node: Node, source: SourceCode) -> object:
    given = [value_of(part, source) for part in node.parts if part.kind != "block"]
    if source.language == "javascript":
        return given
    first = given[0] if given else []
    added = _block_calls(node, source, "add", 1)
    if not isinstance(first, list) or added is None:
        return [] if isinstance(first, int) and not added else source_of(node, source)
    return [*first, *(values[0] for values in added)]


def _new_map(node: Node, source: SourceCode) -> object:
    given = [value_of(part, source) for part in node.parts if part.kind != "block"]
    first = given[0] if given else {}
    put = _block_calls(node, source, "put", 2)
    if not isinstance(first, dict) or put is None:
        return source_of(node, source)
    return {**first, **_paired([values[0] for values in put], [values[1] for values in put])}


def _block_calls(
    node: Node, source: SourceCode, name: str, count: int
) -> list[list[object]] | None:
    """Return the arguments of the calls in a block, or None where something else is in it."""
    calls = [call for part in node.parts if part.kind == "block" for call in part.parts]
    if any(
        call.kind != "call"
        or source_of(call.parts[0], source) != name
        or len(call.parts) != count + 1
        for call in calls
    ):
        return None
    return [[value_of(part, source) for part in call.parts[1:]] for call in calls]


def _paired(keys: list[object], values: list[object]) -> dict[object, object]:
    if any(isinstance(key, list | dict) for key in keys):
        raise UnreadableError("a collection cannot be a key")
    return dict(zip(keys, values, strict=True))


def _entries(node: Node, source: SourceCode) -> object:
    """Return a JavaScript object; one with methods or spreads stays text."""
    if any(part.kind != "pair" or part.parts[0].kind == "other" for part in node.parts):
        return source_of(node, source)
    keys: list[object] = [str(value_of(part.parts[0], source)) for part in node.parts]
    return _paired(keys, [value_of(part.parts[1], source) for part in node.parts])
