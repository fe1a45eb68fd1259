"""The expressions that Java and JavaScript share, as far as calls and their arguments need them.

A recursive descent over tokens. Operators are read as a chain without precedence, and the bodies of
functions and classes as what stands between their braces: neither matters to calls and values.
"""

from typing import ClassVar, NamedTuple

from dragoman.benchmarks.bfcl.source_code.cursor import Cursor, Node, NodeKind
from dragoman.benchmarks.bfcl.text.bounds import MAX_SOURCE_DEPTH, UnreadableError

_ASSIGNMENTS = frozenset(
    {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "**=", "??=", "&&=", "||="}
)
_OPERATORS = frozenset(
    {"+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "==", "!=", "<", ">", "<=", "<<"}
    | {"===", "!==", "**", "??"}
)
_PREFIXES = frozenset({"+", "-", "!", "~", "++", "--"})
_STEPS = frozenset({"++", "--"})
_LITERAL_WORDS = frozenset({"true", "false", "null"})
_LITERAL_KINDS = frozenset({"number", "string", "char", "template", "regex"})
_LEAVING = frozenset({"return", "throw"})


class Statement(NamedTuple):
    """One statement: its expression, if it is nothing else, its tokens, and whether it was closed."""

    expression: Node | None
    first: int
    last: int
    is_closed: bool


class Grammar(Cursor):
    """Reads expressions and statements of one language; the two languages fill in their own."""

    arrow: ClassVar[str]
    word_operators: ClassVar[frozenset[str]]
    word_prefixes: ClassVar[frozenset[str]]
    no_names: ClassVar[frozenset[str]]
    assignable: ClassVar[frozenset[NodeKind]]
    allows_holes: ClassVar[bool]
    ends_at_lines: ClassVar[bool]

    _depth = 0

    def statements(self) -> list[Statement]:
        """Return all statements of the text, or raise UnreadableError."""
        statements = []
        while self.token.kind != "end":
            if not self.takes(";"):
                statements.append(self._statement())
        return statements

    def whole_expression(self) -> Node:
        """Return the text as one expression, or raise UnreadableError."""
        node = self.sequence()
        if self.token.kind != "end":
            raise self.unexpected()
        return node

    def sequence(self) -> Node:
        """Read an expression; commas make it a sequence."""
        first = self.position
        node = self.expression()
        if not self.is_at(","):
            return node
        parts = [node]
        while self.takes(","):
            parts.append(self.expression())
        return self.node("sequence", first, *parts)

    def expression(self) -> Node:
        """Read an expression without commas, or raise UnreadableError."""
        self._depth += 1
        if self._depth > MAX_SOURCE_DEPTH:
            raise UnreadableError(f"nested more than {MAX_SOURCE_DEPTH} deep")
        node = self._assignment()
        self._depth -= 1
        return node

    def elements(self, closing: str) -> list[Node]:
        """Read expressions between commas up to a closing mark, and that mark."""
        elements: list[Node] = []
        while not self.takes(closing):
            if self.allows_holes and self.takes(","):
                continue
            elements.append(self.element())
            if not self.is_at(closing):
                self.needs(",")
                if not self.allows_holes and self.is_at(closing):
                    raise self.unexpected()
        return elements

    def arguments(self) -> list[Node]:
        """Read the arguments of a call with their brackets."""
        self.needs("(")
        return self.elements(")")

    def element(self) -> Node:
        """Read one argument or element."""
        return self.expression()

    def special_word(self, word: str, first: int) -> Node | None:
        """Read what a word of the language begins; it has been passed."""
        raise NotImplementedError

    def special_primary(self) -> Node | None:
        """Read what a mark of the language begins."""
        raise NotImplementedError

    def special_suffix(self, node: Node, first: int) -> Node | None:
        """Read what the language can put behind an operand."""
        raise NotImplementedError

    def takes_cast(self) -> bool:
        """Go on behind a type in brackets before an operand; whether there was one."""
        return False

    def before_member(self) -> None:
        """Go on behind what the language can put between a dot and a name."""

    def after_arrow(self, first: int) -> Node:
        """Read a function from its arrow on."""
        self.needs(self.arrow)
        if self.is_at("{"):
            self.skip_brackets("{")
        else:
            self.expression()
        return self.node("function", first)

    def _statement(self) -> Statement:
        first = self.position
        leaves = self.token.kind == "word" and self.token.text in _LEAVING
        leaves = leaves and self.following.text != "="
        self.position += leaves
        node = self.sequence()
        last = self.position
        closed = self.takes(";")
        ended = self.token.kind == "end" or (self.ends_at_lines and self.starts_line())
        if not (closed or ended):
            raise self.unexpected()
        return Statement(None if leaves else node, first, last, closed)

    def _assignment(self) -> Node:
        first = self.position
        left = self._conditional()
        mark = self.token.text
        if self.token.kind != "mark" or mark not in _ASSIGNMENTS:
            return left
        if left.kind not in self.assignable:
            raise self.unexpected()
        self.position += 1
        return self.node("assign", first, left, self.expression(), mark=mark)

    def _conditional(self) -> Node:
        first = self.position
        node = self._chain()
        if not self.takes("?"):
            return node
        then = self.expression()
        self.needs(":")
        return self.node("chain", first, node, then, self.expression())

    def _chain(self) -> Node:
        first = self.position
        parts = [self._unary()]
        while self._takes_operator():
            parts.append(self._unary())
        return parts[0] if len(parts) == 1 else self.node("chain", first, *parts)

    def _takes_operator(self) -> bool:
        token = self.token
        if token.kind == "word" and token.text in self.word_operators:
            self.position += 1
            return True
        if token.kind != "mark" or token.text not in _OPERATORS:
            return False
        self.position += 1
        while token.text == ">" and self.token.text in {">", "=", "=="} and self.touches():
            self.position += 1
        return True

    def _unary(self) -> Node:
        first = self.position
        while self._takes_prefix():
            pass
        operand = self._suffixed()
        if self.token.text in _STEPS and self.token.kind == "mark" and not self.starts_line():
            self.position += 1
        is_plain = first == operand.first and self.position == operand.last
        return operand if is_plain else self.node("chain", first, operand)

    def _takes_prefix(self) -> bool:
        token = self.token
        is_mark = token.kind == "mark" and token.text in _PREFIXES
        is_word = token.kind == "word" and token.text in self.word_prefixes
        if is_mark or (is_word and self.following.text != "="):
            self.position += 1
            return True
        return self.takes_cast()

    def _suffixed(self) -> Node:
        first = self.position
        node = self._primary()
        while (longer := self._suffix(node, first)) is not None:
            node = longer
        return node

    def _suffix(self, node: Node, first: int) -> Node | None:
        """Read one suffix of an operand, or return None where there is none."""
        if self.is_at("("):
            return self.node("call", first, node, *self.arguments())
        if self.takes("["):
            index = self.sequence()
            self.needs("]")
            return self.node("index", first, node, index)
        if self.takes(".") or self.takes("?."):
            if self.source.tokens[self.position - 1].text == "?." and self.token.text in {"(", "["}:
                return node
            self.before_member()
            self.needs_word()
            return self.node("member", first, node)
        return self.special_suffix(node, first)

    def _primary(self) -> Node:
        token, first = self.token, self.position
        if token.kind == "word":
            return self._word(token.text)
        if token.kind in _LITERAL_KINDS:
            self.position += 1
            return self.node("literal", first)
        node = self._group() if self.is_at("(") else self.special_primary()
        if node is None:
            raise self.unexpected()
        return node

    def _group(self) -> Node:
        first = self.position
        if self.source.tokens[self.partner + 1].text == self.arrow:
            self.skip_brackets("(")
            return self.after_arrow(first)
        self.needs("(")
        inside = self.sequence()
        self.needs(")")
        return self.node("group", first, inside)

    def _word(self, word: str) -> Node:
        first = self.position
        self.position += 1
        if self.is_at(self.arrow):
            return self.after_arrow(first)
        node = self.special_word(word, first)
        if node is not None:
            return node
        if word in self.no_names:
            raise self.unexpected()
        return self.node("literal" if word in _LITERAL_WORDS else "name", first)
