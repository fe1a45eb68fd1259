"""Java and JavaScript text in tokens, its brackets paired: linear in time and bounded in depth."""

import re
from collections.abc import Mapping
from typing import Literal, cast

import msgspec

from dragoman.benchmarks.bfcl.text.bounds import MAX_SOURCE_DEPTH, UnreadableError, check_length

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
    return SourceCode(text, language, tokens, _paired(tokens))


def _begins_value(before: list[SourceToken], language: SourceLanguage) -> bool:
    """Whether a slash behind some tokens begins a pattern and is no operator."""
    if language == "java" or not before:
        return language == "javascript"
    return before[-1].kind == "mark" and before[-1].text not in _VALUE_ENDS


def _paired(tokens: list[SourceToken]) -> dict[int, int]:
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
