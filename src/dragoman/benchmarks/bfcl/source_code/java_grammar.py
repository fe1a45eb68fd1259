"""What is Java's own among expressions: `new`, casts, method references."""

from typing import ClassVar

from dragoman.benchmarks.bfcl.source_code.cursor import Node, NodeKind
from dragoman.benchmarks.bfcl.source_code.grammar import Grammar
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

_PRIMITIVES = frozenset({"int", "long", "short", "byte", "char", "float", "double", "boolean"})
_TYPE_MARKS = frozenset({".", "<", ">", ",", "[", "]", "?", "&"})


class JavaGrammar(Grammar):
    """Reads Java."""

    arrow: ClassVar[str] = "->"
    word_operators: ClassVar[frozenset[str]] = frozenset({"instanceof"})
    word_prefixes: ClassVar[frozenset[str]] = frozenset()
    no_names: ClassVar[frozenset[str]] = _PRIMITIVES | {"void"}
    assignable: ClassVar[frozenset[NodeKind]] = frozenset({"name", "member", "index"})
    allows_holes: ClassVar[bool] = False
    ends_at_lines: ClassVar[bool] = False

    def special_word(self, word: str, first: int) -> Node | None:
        """Read a `new`, or the class of a primitive type."""
        if word == "new" and not self.is_at("="):
            return self._new(first)
        if word in _PRIMITIVES and self.is_at(".") and self.following.text == "class":
            self.position += 2
            return self.node("other", first)
        return None

    def special_primary(self) -> Node | None:
        """No other mark begins an expression."""
        return None

    def special_suffix(self, node: Node, first: int) -> Node | None:
        """Read a method reference."""
        if not self.takes("::"):
            return None
        self.needs_word()
        return self.node("other", first, node)

    def takes_cast(self) -> bool:
        """Go on behind a cast: brackets that hold a type, and a value behind them."""
        if not self.is_at("("):
            return False
        inside = self.source.tokens[self.position + 1 : self.partner]
        after = self.source.tokens[self.partner + 1]
        if not inside or any(
            token.kind != "word" and token.text not in _TYPE_MARKS for token in inside
        ):
            return False
        if after.kind == "mark":
            is_cast = after.text in {"(", "!", "~"} or (
                inside[0].text in _PRIMITIVES and after.text in {"+", "-"}
            )
        else:
            is_cast = after.kind != "end" and after.text not in self.word_operators
        if is_cast:
            self.skip_brackets("(")
        return is_cast

    def before_member(self) -> None:
        """Go on behind the type arguments of a method."""
        if self.is_at("<"):
            self._skip_type_arguments()

    def _new(self, first: int) -> Node:
        self.needs_word()
        while self.takes("."):
            self.needs_word()
        if self.is_at("<"):
            self._skip_type_arguments()
        if self.is_at("["):
            return self._new_array(first)
        arguments = self.arguments()
        if self.is_at("{"):
            arguments.extend(self._class_body())
        return self.node("new", first, *arguments)

    def _new_array(self, first: int) -> Node:
        sizes = []
        while self.takes("["):
            if not self.is_at("]"):
                sizes.append(self.expression())
            self.needs("]")
        if self.is_at("{"):
            return self.node("new", first, *self._initializer().parts, mark="[")
        if not sizes:
            raise self.unexpected()
        return self.node("other", first)

    def _initializer(self) -> Node:
        """Read what stands in braces behind a new array; a last comma is allowed."""
        first, end = self.position, self.partner
        self.needs("{")
        elements: list[Node] = []
        while self.position < end:
            elements.append(self._initializer() if self.is_at("{") else self.expression())
            if self.position < end:
                self.needs(",")
        self.needs("}")
        return self.node("array", first, *elements)

    def _class_body(self) -> list[Node]:
        """Read a body of one block of expressions; any other body is passed over."""
        first, end = self.position, self.partner
        if self.source.partners.get(first + 1) != end - 1:
            self.skip_brackets("{")
            return []
        inside = JavaGrammar(self.source)
        inside.position, self.position = first + 2, end + 1
        calls = []
        try:
            while inside.position < end - 1:
                calls.append(inside.expression())
                inside.needs(";")
        except UnreadableError:
            return []
        return [self.node("block", first, *calls)]

    def _skip_type_arguments(self) -> None:
        depth = 0
        while True:
            depth += self.is_at("<") - self.is_at(">")
            if self.token.kind != "word" and self.token.text not in _TYPE_MARKS:
                raise self.unexpected()
            self.position += 1
            if depth == 0:
                return
