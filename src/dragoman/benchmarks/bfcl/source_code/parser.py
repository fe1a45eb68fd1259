"""Expression parsers of Java and JavaScript, as far as calls and their arguments need them.

Java adds `new`, casts and method references; JavaScript arrays, objects, functions and templates.
"""

from typing import ClassVar, NamedTuple

from dragoman.benchmarks.bfcl.call_parsers.limits import MAX_SOURCE_DEPTH, UnreadableError
from dragoman.benchmarks.bfcl.source_code.tokenizer import Cursor, Node, NodeKind, SourceCode

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
    """One statement of source code.

    It has its expression (None if it is not a mere expression), its tokens, and whether it was
    closed.
    """

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


def grammar_for(source: SourceCode) -> Grammar:
    """Return the grammar of a text's language, at the text's first token."""
    return JavaGrammar(source) if source.language == "java" else JavaScriptGrammar(source)
