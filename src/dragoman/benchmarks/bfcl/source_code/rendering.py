"""Java and JavaScript source text rendered from parsed expressions and from values.

Expressions are rendered as the reference does it, values as a fluent agent would write them.
"""

import json
from collections.abc import Callable, Mapping

from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.entry_files import ParameterSchema
from dragoman.benchmarks.bfcl.source_code.tokenizer import Node, SourceCode, SourceLanguage

_QUOTES = "\"'"


class ReferenceRenderer:
    """Writes the expressions of one text down as the reference does.

    Positions are those of bytes and used as those of characters, so that every character beyond
    ASCII shifts what follows.
    """

    def __init__(self, source: SourceCode) -> None:
        self._source = source
        self._bytes = None if source.text.isascii() else _byte_positions(source.text)

    def raw(self, node: Node) -> str:
        """Return the text of an expression with the spaces in it."""
        tokens = self._source.tokens
        return self._slice(tokens[node.first].start, tokens[node.last - 1].end)

    def name(self, callee: Node) -> str:
        """Return the name of what is called."""
        if self._is_javascript or callee.kind != "member":
            return self.raw(callee)
        last = self._source.tokens[callee.last - 1]
        return f"{self.raw(callee.parts[0])}.{self._slice(last.start, last.end)}"

    def is_bare(self, node: Node) -> bool:
        """Return whether an argument without a name is kept: a name, and what passes for one."""
        if node.kind == "name":
            return True
        text = self.raw(node)
        return text == "true" if self._is_javascript else text.endswith(".class")

    def argument(self, node: Node) -> str:
        """Return the value of an argument: a string without its quotes."""
        if self._is_javascript:
            text = self.raw(node)
            quoted = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES
            return text[1:-1] if quoted else text
        if self._source.tokens[node.first].kind in {"string", "char"} and node.kind == "literal":
            return self.raw(node)[1:-1]
        return self._java(node)

    @property
    def _is_javascript(self) -> bool:
        return self._source.language == "javascript"

    def _slice(self, start: int, end: int) -> str:
        if self._bytes is None:
            return self._source.text[start:end]
        return self._source.text[self._bytes[start] : self._bytes[end]]

    def _java(self, node: Node) -> str:
        """Return Java without spaces between tokens; calls keep theirs, class bodies are lost."""
        if node.kind == "call":
            return self.raw(node)
        if node.kind == "new":
            return self._new(node)
        if node.kind == "other" and self._source.tokens[node.first].text == "new":
            raise UnreadableError("the reference breaks on an array without elements")
        return self._joined(node.first, node.last, node)

    def _new(self, node: Node) -> str:
        tokens, opening = self._source.tokens, node.first + 1
        marks = {"["} if node.mark == "[" else {"("}
        while tokens[opening].text not in marks:
            opening += 1
        name = self._joined(node.first + 1, opening, node)
        if node.mark != "[":
            arguments = [part for part in node.parts if part.kind != "block"]
            return f"new {name}({', '.join(map(self._java, arguments))})"
        while tokens[opening].text != "{":
            opening += 1
        return f"new {name}[]{self._joined(opening, node.last, node)}"

    def _joined(self, first: int, last: int, node: Node) -> str:
        """Return tokens without the spaces between them; parts are written in their own way."""
        texts = []
        position = first
        starts = {part.first: part for part in node.parts if part.first >= first}
        while position < last:
            part = starts.get(position)
            if part is not None and part.last <= last:
                texts.append(self._java(part))
                position = part.last
                continue
            token = self._source.tokens[position]
            texts.append(self._slice(token.start, token.end))
            position += 1
        return "".join(texts)


def _byte_positions(text: str) -> list[int]:
    positions = [0]
    for char in text:
        positions.append(positions[-1] + len(char.encode(errors="surrogatepass")))
    return positions


_JAVA_ELEMENTS = {"integer": "int", "any": "Object"}
_JAVA_SUFFIXES = {"long": "L", "float": "f"}


def render_value(value: object, schema: ParameterSchema, language: SourceLanguage) -> str:
    """Return a value as the source text of an argument of that type.

    A text is its own source: names of variables and expressions are texts in BFCL's answers.
    """
    if isinstance(value, str):
        return value
    return _RENDERERS[language](value, schema)


def _java(value: object, schema: ParameterSchema) -> str:
    match value:
        case list():
            return _java_list(value, schema)
        case dict():
            puts = "".join(
                f" put({_java_literal(k)}, {_java_literal(v)});" for k, v in value.items()
            )
            return f"new HashMap<String, Object>() {{{{{puts} }}}}" if puts else "new HashMap<>()"
        case _:
            return _java_literal(value) + _JAVA_SUFFIXES.get(schema.type or "", "")


def _java_list(values: list[object], schema: ParameterSchema) -> str:
    kind = (schema.items.type if schema.items is not None else None) or "any"
    suffix = _JAVA_SUFFIXES.get(kind, "")
    written = ", ".join(_java_literal(value) + suffix for value in values)
    if schema.type == "Array":
        return f"new {_JAVA_ELEMENTS.get(kind, kind)}[]{{{written}}}"
    boxed = {"integer": "Integer", "long": "Long", "any": "Object"}.get(kind, kind)
    return f"new ArrayList<{boxed}>(Arrays.asList({written}))"


def _java_literal(value: object) -> str:
    match value:
        case list():
            return f"Arrays.asList({', '.join(map(_java_literal, value))})"
        case dict():
            return _java(value, ParameterSchema("HashMap"))
        case _:
            return json.dumps(value, ensure_ascii=False)


def _javascript(value: object, schema: ParameterSchema) -> str:
    suffix = "n" if schema.type == "Bigint" else ""
    return _javascript_literal(value) + suffix


def _javascript_literal(value: object) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_javascript_literal, value))}]"
        case dict():
            pairs = (f"{json.dumps(k)}: {_javascript_literal(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        case _:
            return json.dumps(value, ensure_ascii=False)


_RENDERERS: Mapping[SourceLanguage, Callable[[object, ParameterSchema], str]] = {
    "java": _java,
    "javascript": _javascript,
}
