"""Fast path for plain Python calls, `[f(a=1, b='x')]`: one pass, without a syntax tree."""

import re
from collections.abc import Callable
from keyword import kwlist

import msgspec

from dragoman.benchmarks.bfcl.call_parsers.limits import leaves_list_open
from dragoman.core.tools import ToolCall

_MAX_NESTING = 5
_NOWHERE = -1
"""The position behind a value that is not plain."""

_KEYWORDS = frozenset(kwlist)
_WORDS = {"True": True, "False": False, "None": None}

_SPACE = r"[ \n\t]*+"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_CHARACTERS = r"\\\n\r\0\ud800-\udfff]*+"
_VALUE = rf"""(?:'([^'{_CHARACTERS})'|"([^"{_CHARACTERS})"|({_NAME})
    |(-?(?:0|[1-9][0-9]{{0,17}}+)(?![0-9.]))|(-?[0-9]{{1,17}}\.[0-9]{{1,17}})
    |(\[)|(\{{)){_SPACE}"""
_ONE_TEXT = rf"""'[^'{_CHARACTERS}'(?!')|"[^"{_CHARACTERS}"(?!")"""
_KEY = rf"""('[^'{_CHARACTERS}'|"[^"{_CHARACTERS}\")"""
_IS_WORD, _IS_INTEGER, _IS_FLOAT, _IS_LIST = 4, 5, 6, 7

_callee = re.compile(rf"{_SPACE}({_NAME}(?:\.{_NAME}){{0,9}}+)\({_SPACE}").match
_argument = re.compile(rf"{_SPACE}({_NAME}){_SPACE}={_SPACE}{_VALUE}", re.VERBOSE).match
_element = re.compile(rf"(){_SPACE}{_VALUE}", re.VERBOSE).match
_entry = re.compile(rf"{_SPACE}{_KEY}{_SPACE}:{_SPACE}{_VALUE}", re.VERBOSE).match
_text_first = re.compile(rf"\[{_SPACE}(?:{_ONE_TEXT}){_SPACE}[,\]]").match
_object_first = re.compile(rf"\[{_SPACE}\{{").match
_spaces = re.compile(_SPACE).match

_two_words = re.compile(rf"""(?:[^'"\#\\]|{_ONE_TEXT})*?\b({_NAME})[ \t\n]++({_NAME})""").match

Found = re.Match[str]


def read_plain_calls(text: str) -> tuple[ToolCall, ...] | None:
    """Return the calls of a plain text, or None for any other."""
    if not text.startswith("["):
        return None
    calls: list[ToolCall] = []
    mark, position = ",", 0
    while mark == ",":
        start = _behind_spaces(text, position + 1)
        call, position = _call(text, start)
        if call is None:
            return None
        calls.append(call)
        position = _behind_spaces(text, position)
        mark = text[position : position + 1]
    return tuple(calls) if mark == "]" and position + 1 == len(text) else None


def is_no_call(text: str) -> bool:
    """Return whether a text certainly holds no calls; its beginning usually tells.

    Such a text is a list whose first element is a text in quotes, or is JSON other than an empty
    list, or has two adjacent words outside of quotes and comments (no expression has these), or
    lacks a bracket.
    """
    return (
        (_text_first(text) is not None and text.endswith("]") and "#" not in text)
        or (_object_first(text) is not None and _is_json(text))
        or _has_two_words(text)
        or leaves_list_open(text)
    )


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _has_two_words(text: str) -> bool:
    found = _two_words(text)
    while found is not None and not _KEYWORDS.isdisjoint(found.groups()):
        found = _two_words(text, found.start(2))
    return found is not None


def _behind_spaces(text: str, position: int) -> int:
    found = _spaces(text, position)
    return position if found is None else found.end()


def _call(text: str, start: int) -> tuple[ToolCall | None, int]:
    """Return a call and the position behind it; None where it is not plain."""
    callee = _callee(text, start)
    if callee is None or not _KEYWORDS.isdisjoint(callee[1].split(".")):
        return None, _NOWHERE
    arguments: dict[str, object] = {}
    position = callee.end()
    mark = text[position : position + 1]
    if mark == ")":
        position += 1
    while mark != ")":
        found = _argument(text, position)
        if found is None:
            return None, _NOWHERE
        name = found[1]
        if name in arguments or name in _KEYWORDS:
            return None, _NOWHERE
        arguments[name], position = _value(found, 0)
        mark = text[position : position + 1]
        if position == _NOWHERE or mark not in {",", ")"}:
            return None, _NOWHERE
        position += 1
    return ToolCall("", callee[1], arguments, raw=text[start:position]), position


def _value(found: Found, nesting: int) -> tuple[object, int]:
    """Return the value that was found, and the position behind it and its spaces."""
    kind = found.lastindex or 0
    if kind < _IS_WORD:
        return found[kind], found.end()
    if kind == _IS_WORD:
        word = found[kind]
        is_plain = word in _WORDS or word not in _KEYWORDS
        return _WORDS.get(word, word), found.end() if is_plain else _NOWHERE
    if kind < _IS_LIST:
        return (int if kind == _IS_INTEGER else float)(found[kind]), found.end()
    if nesting == _MAX_NESTING:
        return None, _NOWHERE
    if kind == _IS_LIST:
        elements: list[object] = []
        end = _collect(found, "]", _element, lambda _, value: elements.append(value), nesting + 1)
        return elements, end
    entries: dict[object, object] = {}
    end = _collect(found, "}", _entry, entries.__setitem__, nesting + 1)
    return entries, end


def _collect(
    opening: Found,
    closing: str,
    part: Callable[[str, int], Found | None],
    add: Callable[[str, object], None],
    nesting: int,
) -> int:
    """Add the parts between brackets with what is named before each; return the position behind."""
    text, position = opening.string, opening.end()
    mark = text[position : position + 1]
    if mark == closing:
        position += 1
    while mark != closing:
        found = part(text, position)
        if found is None:
            return _NOWHERE
        value, position = _value(found, nesting)
        mark = text[position : position + 1]
        if position == _NOWHERE or mark not in {",", closing}:
            return _NOWHERE
        add(found[1][1:-1], value)
        position += 1
    return _behind_spaces(text, position)
