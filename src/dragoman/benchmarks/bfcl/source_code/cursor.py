"""A place in the tokens of Java or JavaScript text, and the tree that is read from there."""

from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.source_code.tokens import SourceCode, SourceToken
from dragoman.benchmarks.bfcl.text.bounds import UnreadableError

NodeKind = Literal[
    "name",
    "literal",
    "call",
    "member",
    "index",
    "new",
    "array",
    "object",
    "pair",
    "assign",
    "spread",
    "chain",
    "sequence",
    "group",
    "function",
    "block",
    "other",
]


class Node(msgspec.Struct, frozen=True):
    """One expression: its kind, its tokens from `first` up to `last`, and its parts in order.

    The parts of a call are what is called and then the arguments; those of an assignment and a pair
    are both sides; those of a `new` are the arguments and, where there is one, the block of calls in
    doubled braces, or the elements of the array. `mark` is the operator of an assignment, or `[`
    for a new array.
    """

    kind: NodeKind
    first: int
    last: int
    parts: "tuple[Node, ...]" = ()
    mark: str = ""


class Cursor:
    """Goes through the tokens of one text."""

    def __init__(self, source: SourceCode) -> None:
        self.source = source
        self.position = 0
        self._tokens = source.tokens

    @property
    def token(self) -> SourceToken:
        """The token here; behind the last there is always one of kind `end`."""
        return self._tokens[self.position]

    @property
    def following(self) -> SourceToken:
        """The token after the one here."""
        return self.source.tokens[min(self.position + 1, len(self.source.tokens) - 1)]

    @property
    def partner(self) -> int:
        """The place of the bracket that closes the one here."""
        return self.source.partners[self.position]

    def unexpected(self) -> UnreadableError:
        """Return the error that names the token here."""
        return UnreadableError(f"unexpected {self.token.text or 'end'!r} in {self.source.language}")

    def is_at(self, mark: str) -> bool:
        """Whether this mark is here."""
        token = self._tokens[self.position]
        return token.text == mark and token.kind == "mark"

    def takes(self, mark: str) -> bool:
        """Go on behind this mark if it is here; whether it was."""
        token = self._tokens[self.position]
        if token.text != mark or token.kind != "mark":
            return False
        self.position += 1
        return True

    def needs(self, mark: str) -> None:
        """Go on behind this mark, or raise UnreadableError."""
        if not self.takes(mark):
            raise self.unexpected()

    def needs_word(self) -> None:
        """Go on behind a word, or raise UnreadableError."""
        if self.token.kind != "word":
            raise self.unexpected()
        self.position += 1

    def skip_brackets(self, mark: str) -> None:
        """Go on behind brackets and what is in them, or raise UnreadableError."""
        if not self.is_at(mark):
            raise self.unexpected()
        self.position = self.partner + 1

    def starts_line(self) -> bool:
        """Whether a new line begins between the token before and the one here."""
        before = self.source.tokens[self.position - 1]
        return "\n" in self.source.text[before.end : self.token.start]

    def touches(self) -> bool:
        """Whether nothing stands between the token before and the one here."""
        return self.source.tokens[self.position - 1].end == self.token.start

    def node(self, kind: NodeKind, first: int, *parts: Node, mark: str = "") -> Node:
        """Return the node that ends here."""
        return Node(kind, first, self.position, parts, mark)
