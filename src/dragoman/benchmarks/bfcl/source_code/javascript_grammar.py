"""What is JavaScript's own among expressions: arrays, objects, functions, templates."""

from typing import ClassVar

from dragoman.benchmarks.bfcl.source_code.cursor import Node, NodeKind
from dragoman.benchmarks.bfcl.source_code.grammar import Grammar

_KEY_KINDS = frozenset({"word", "string", "number"})
_KEY_PREFIXES = frozenset({"get", "set", "async", "*"})
_KEY_ENDS = frozenset({":", ",", "(", "}", "="})


class JavaScriptGrammar(Grammar):
    """Reads JavaScript."""

    arrow: ClassVar[str] = "=>"
    word_operators: ClassVar[frozenset[str]] = frozenset({"instanceof", "in"})
    word_prefixes: ClassVar[frozenset[str]] = frozenset(
        {"typeof", "void", "delete", "await", "yield"}
    )
    no_names: ClassVar[frozenset[str]] = frozenset(
        {"new", "function", "class", "delete", "typeof", "void", "extends", "await", "yield"}
    )
    assignable: ClassVar[frozenset[NodeKind]] = frozenset(
        {"name", "member", "index", "array", "object"}
    )
    allows_holes: ClassVar[bool] = True
    ends_at_lines: ClassVar[bool] = True

    def element(self) -> Node:
        """Read an argument or element, which may be spread."""
        first = self.position
        if self.takes("..."):
            return self.node("spread", first, self.expression())
        return self.expression()

    def special_word(self, word: str, first: int) -> Node | None:
        """Read a `new`, a function or a class."""
        if self.is_at("="):
            return None
        if word == "new":
            return self._new(first)
        if word in {"function", "class"}:
            return self._function(first, word)
        if word == "async":
            return self._async(first)
        return None

    def special_primary(self) -> Node | None:
        """Read an array or an object."""
        first = self.position
        if self.takes("["):
            return self.node("array", first, *self.elements("]"))
        return self._object() if self.is_at("{") else None

    def special_suffix(self, node: Node, first: int) -> Node | None:
        """Read the template of a tag."""
        if self.token.kind != "template" or self.starts_line():
            return None
        self.position += 1
        return self.node("other", first, node)

    def _new(self, first: int) -> Node:
        if self.takes("."):
            self.needs_word()
            return self.node("other", first)
        self.needs_word()
        while self.takes("."):
            self.needs_word()
        arguments = self.arguments() if self.is_at("(") else []
        return self.node("new", first, *arguments)

    def _function(self, first: int, word: str) -> Node:
        self.takes("*")
        while self.token.kind == "word":
            self.position += 1
        if word == "function":
            self.skip_brackets("(")
        self.skip_brackets("{")
        return self.node("function", first)

    def _async(self, first: int) -> Node | None:
        """Read an asynchronous function; `async` may also be a name."""
        if self.token.text == "function":
            self.position += 1
            return self._function(first, "function")
        if self.token.kind == "word" and self.following.text == self.arrow:
            self.position += 1
            return self.after_arrow(first)
        if self.is_at("(") and self.source.tokens[self.partner + 1].text == self.arrow:
            self.skip_brackets("(")
            return self.after_arrow(first)
        return None

    def _object(self) -> Node:
        first, end = self.position, self.partner
        self.needs("{")
        entries: list[Node] = []
        while self.position < end:
            entries.append(self._entry())
            if self.position < end:
                self.needs(",")
        self.needs("}")
        return self.node("object", first, *entries)

    def _entry(self) -> Node:
        first = self.position
        if self.takes("..."):
            return self.node("spread", first, self.expression())
        key = self._key()
        if self.takes(":"):
            return self.node("pair", first, key, self.expression())
        if self.is_at("("):
            self.skip_brackets("(")
            self.skip_brackets("{")
            return self.node("other", first)
        if key.kind != "name":
            raise self.unexpected()
        if self.takes("="):
            self.expression()
        return self.node("pair", first, key, key)

    def _key(self) -> Node:
        while self.token.text in _KEY_PREFIXES and self.following.text not in _KEY_ENDS:
            self.position += 1
        first, kind = self.position, self.token.kind
        if self.is_at("["):
            self.skip_brackets("[")
            return self.node("other", first)
        if kind not in _KEY_KINDS:
            raise self.unexpected()
        self.position += 1
        return self.node("name" if kind == "word" else "literal", first)
