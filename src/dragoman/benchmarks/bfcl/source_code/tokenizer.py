"""Tokenizer of Java and JavaScript with paired brackets, and a cursor over its tokens.

Linear in time and bounded in depth.
"""

import re
from collections.abc import Mapping
from typing import Literal, cast

import msgspec

from dragoman.benchmarks.bfcl.call_parsers.limits import (
    MAX_SOURCE_DEPTH,
    UnreadableError,
    check_length,
)

SourceLanguage = Literal["java", "javascript"]

Kind = Literal["word", "number", "string", "char", "template", "regex", "mark", "end"]

_SPACE = r"(?P<space>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)|(?P<open>/\*)"
_WORD = r"(?P<word>(?:[^\W\d]|\$)[\w$]*+)"
_NUMBER = r"""(?P<number>(?:0[xX][\da-fA-F_]++|0[bB][01_]++
    |(?:\d[\d_]*+(?:\.[\d_]*+)?|\.\d[\d_]*+)(?:[eE][+-]?\d++)?)[lLfFdDn]?)(?![\w$])"""

_JAVA = re.compile(
    rf'''{_SPACE}|{_WORD}|{_NUMBER}
    |(?P<string>"""(?:[^"\\]|\\.|"(?!""))*+"""|"(?:[^"\\]|\\.)*+")
    |(?P<char>'(?:[^'\\\n]|\\.)++')
    |(?P<mark>->|::|\.\.\.|\+\+|--|&&|\|\||<<=?|[-+*/%&|^!=<]=|[-+*/%&|^!~?:;,.<>=(){{}}\[\]@])''',
    re.VERBOSE | re.DOTALL,
)
_JAVASCRIPT = re.compile(
    rf"""{_SPACE}|{_WORD}|{_NUMBER}
    |(?P<string>'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")
    |(?P<template>`(?:[^`\\]|\\.)*+`)
    |(?P<mark>=>|===|!==|\.\.\.|\*\*=?|\?\?=?|\?\.(?!\d)|&&=?|\|\|=?|\+\+|--|<<=?
      |[-+*/%&|^!=<]=|[-+*/%&|^!~?:;,.<>=(){{}}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_TOKENS: Mapping[SourceLanguage, re.Pattern[str]] = {"java": _JAVA, "javascript": _JAVASCRIPT}
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,99}+\]){1,999}+/\w*+")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_VALUE_ENDS = frozenset({")", "]", "}", "++", "--"})


class SourceToken(msgspec.Struct, frozen=True):
    """One token: what it is, its text and where it stands."""

    kind: Kind
    text: str
    start: int
    end: int


class SourceCode(msgspec.Struct, frozen=True):
    """A text in tokens, with an end token last, and the partner of every bracket by index."""

    text: str
    language: SourceLanguage
    tokens: list[SourceToken]
    partners: dict[int, int]


def tokenize(text: str, language: SourceLanguage) -> SourceCode:
    """Return a text in tokens.

    Raises:
        UnreadableError: For characters and brackets that the language cannot have there.
    """
    check_length(text)
    tokens: list[SourceToken] = []
    position, match = 0, _TOKENS[language].match
    while position < len(text):
        found = match(text, position)
        if found is None or found.lastgroup == "open":
            raise UnreadableError(f"{text[position : position + 20]!r} is no {language}")
        kind, end = found.lastgroup, found.end()
        if kind == "mark" and text[position] == "/" and _begins_value(tokens, language):
            regex = _REGEX.match(text, position)
            if regex is not None:
                kind, end = "regex", regex.end()
        if kind != "space":
            tokens.append(SourceToken(cast("Kind", kind), text[position:end], position, end))
        position = end
    tokens.append(SourceToken("end", "", len(text), len(text)))
    return SourceCode(text, language, tokens, _match_brackets(tokens))


def _begins_value(before: list[SourceToken], language: SourceLanguage) -> bool:
    """Return whether a slash after some tokens begins a pattern instead of an operator."""
    if language == "java" or not before:
        return language == "javascript"
    return before[-1].kind == "mark" and before[-1].text not in _VALUE_ENDS


def _match_brackets(tokens: list[SourceToken]) -> dict[int, int]:
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in _PAIRS.values():
            opened.append(index)
            if len(opened) > MAX_SOURCE_DEPTH:
                raise UnreadableError(f"nested more than {MAX_SOURCE_DEPTH} deep")
        elif token.text in _PAIRS:
            if not opened or tokens[opened[-1]].text != _PAIRS[token.text]:
                raise UnreadableError(f"an unexpected {token.text}")
            partners[opened.pop()] = index
    if opened:
        raise UnreadableError(f"a {tokens[opened[-1]].text} without its partner")
    return partners


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
    are both sides; those of a `new` are the arguments and, where there is one, the block of calls
    in doubled braces, or the elements of the array. `mark` is the operator of an assignment, or `[`
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
        """Return whether this mark is here."""
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
        """Return whether a new line begins between the token before and the one here."""
        before = self.source.tokens[self.position - 1]
        return "\n" in self.source.text[before.end : self.token.start]

    def touches(self) -> bool:
        """Return whether nothing stands between the token before and the one here."""
        return self.source.tokens[self.position - 1].end == self.token.start

    def node(self, kind: NodeKind, first: int, *parts: Node, mark: str = "") -> Node:
        """Return the node that ends here."""
        return Node(kind, first, self.position, parts, mark)
