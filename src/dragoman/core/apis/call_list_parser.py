"""Parser of call lists in text: `[Tool Name(key='v', 'other'=3), ...]`.

Names may hold any characters. The parser makes one pass, is bounded in size and depth, and
evaluates nothing.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from dragoman.core.apis.tasks import ApiCall

MAX_CHARS = 100_000
"""Longest answer that is parsed, in characters; a longer one is unreadable."""

_SPACES = re.compile(r"\s*+")
_UNICODE = re.compile(r"(?:\\u[0-9a-fA-F]{4})++")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_THEMSELVES = frozenset("'\"\\/`")


class UnreadableCallsError(Exception):
    """A text without calls in the requested form; the message says what is wrong and where."""


class TextCursor:
    """A position in a text.

    `is_plain` becomes false if the text departs from the requested form.
    """

    __slots__ = ("at", "has_open_brackets", "is_plain", "names", "text")

    def __init__(self, text: str, names: Sequence[str] = ()) -> None:
        """Begin at the start of the text.

        Args:
            text: The text to parse.
            names: Names of the tools that may be called, the longest first.

        Raises:
            UnreadableCallsError: If the text is too long.
        """
        if len(text) > MAX_CHARS:
            raise UnreadableCallsError(f"{len(text)} characters, more than {MAX_CHARS}")
        self.text = text
        self.names = names
        self.at = 0
        self.is_plain = True
        self.has_open_brackets = False

    def peek(self) -> str:
        """Return the next character after spaces; "" at the end."""
        self.skip()
        return self.text[self.at : self.at + 1]

    def skip(self) -> None:
        """Move over spaces."""
        found = _SPACES.match(self.text, self.at)
        if found is not None:
            self.at = found.end()

    def take(self, mark: str) -> bool:
        """Move over spaces and a character; return whether the character was found."""
        if self.peek() != mark:
            return False
        self.at += 1
        return True

    def need(self, mark: str) -> None:
        """Move over a required character."""
        if not self.take(mark):
            raise self.fault(f"{mark!r} expected")

    def fault(self, why: str) -> UnreadableCallsError:
        """Return an error with the fault and the current position."""
        found = self.text[self.at : self.at + 20]
        return UnreadableCallsError(f"{why} at character {self.at + 1}: {found!r}")

    def escaped(self) -> str:
        """Return the text of the escape sequence at the cursor, and move over it."""
        run = _UNICODE.match(self.text, self.at)
        if run is not None:
            self.at = run.end()
            units = bytes.fromhex(run[0].replace("\\u", ""))
            return units.decode("utf-16-be", "replace")
        mark = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if mark in _THEMSELVES and mark:
            return mark
        return _ESCAPED.get(mark, f"\\{mark}")


MAX_DEPTH = 32
"""Deepest nesting of lists and objects."""

_MAX_DIGITS = 30
_WORDS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "None": None,
    "NULL": None,
}
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_BARE = re.compile(r"[^,()\[\]{}\"]*+")
_BARE_KEY = re.compile(r"[^,()\[\]{}\"'=:]{1,200}+")
_CLOSING = {
    '"': '"',
    "'": "'",
    "“": "”",
    "\N{LEFT SINGLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}",
    "`": "`",
}
_BRACKETS = re.compile(r"[\[\]{}]")
_UNTIL = {mark: re.compile(rf"[^\\{mark}]*+") for mark in _CLOSING.values()}

_NEXT_KEY = r"""(?:['"][^'"\n]{1,100}['"]|[^\W\d][^'"=:,()\[\]{}]{0,99}+)\s*+[=:]"""
_NEXT_VALUE = r"""(?:['"“\u2018\[{(]|-?\d|[tTfFnN][a-zA-Z]{3,4}+\b)"""
_CALL_ENDS = r"\s*+\)\s*+(?:[,;\]\"'\\}]|[^()\[\]{}'\"=]{1,100}\(|$)"
ARGUMENT = re.compile(rf"{_CALL_ENDS}|\s*+,\s*+(?:{_NEXT_KEY}|\))")
"""Pattern of the text after the value of a named argument."""

UNNAMED = re.compile(rf"{_CALL_ENDS}|\s*+,\s*+(?:{_NEXT_KEY}|{_NEXT_VALUE}|\))")
"""Pattern of the text after the value of an argument without a name."""

_ELEMENT = re.compile(rf"\s*+[\])]|\s*+,\s*+(?:{_NEXT_VALUE}|[\])])")
_ENTRY = re.compile(rf"\s*+\}}|\s*+,\s*+(?:{_NEXT_KEY}|\}})")
_KEY = re.compile(r"\s*+[:=]")


def parse_call_value(cursor: TextCursor, end: re.Pattern[str], depth: int = 0) -> object:
    """Return the value at the cursor and move over it.

    Args:
        cursor: The cursor at the beginning of the value.
        end: Pattern of the text that may follow a quoted value in this place.
        depth: Number of enclosing lists and objects.

    Raises:
        UnreadableCallsError: If the value is missing or nested too deeply.
    """
    if depth > MAX_DEPTH:
        raise cursor.fault(f"nested more than {MAX_DEPTH} deep")
    mark = cursor.peek()
    if mark in _CLOSING and mark:
        return _read_quoted(cursor, end)
    if mark == "{":
        return _object(cursor, depth)
    if mark == "[":
        return _list(cursor, "]", depth)
    if mark == "(":
        return _list(cursor, ")", depth)
    return _bare(cursor)


def parse_call_key(cursor: TextCursor, end: re.Pattern[str] = _KEY) -> str | None:
    """Return the name before `=` or `:` at the cursor and move over both; None if missing."""
    start = cursor.at
    if cursor.peek() in _CLOSING and cursor.peek():
        name = _maybe_quoted(cursor, end)
    else:
        found = _BARE_KEY.match(cursor.text, cursor.at)
        name = found[0].strip() if found else None
        cursor.at = found.end() if found else cursor.at
    if name and cursor.peek() in {"=", ":"}:
        cursor.is_plain = cursor.is_plain and cursor.peek() == "="
        cursor.at += 1
        return name
    cursor.at = start
    return None


def _maybe_quoted(cursor: TextCursor, end: re.Pattern[str]) -> str | None:
    """Return the quoted name at the cursor; None if the next quote does not end a name."""
    close = _CLOSING[cursor.peek()]
    found = cursor.text.find(close, cursor.at + 1, cursor.at + 202)
    if found < 0 or end.match(cursor.text, found + 1) is None:
        return None
    name = cursor.text[cursor.at + 1 : found]
    cursor.at = found + 1
    return name.strip()


def _read_quoted(cursor: TextCursor, end: re.Pattern[str]) -> str:
    close = _CLOSING[cursor.peek()]
    whole = _read_unescaped_json(cursor, close, end)
    if whole is not None:
        return whole
    start, text = cursor.at, cursor.text
    cursor.at += 1
    until, parts = _UNTIL[close], []
    while cursor.at < len(text):
        run = until.match(text, cursor.at)
        if run is not None:
            parts.append(run[0])
            cursor.at = run.end()
        if text.startswith("\\", cursor.at):
            parts.append(cursor.escaped())
            continue
        if cursor.at == len(text):
            break
        cursor.at += 1
        if end.match(text, cursor.at) is not None:
            return "".join(parts)
        parts.append(close)
    cursor.at = start
    raise cursor.fault("a text in quotes does not end")


def _read_unescaped_json(cursor: TextCursor, close: str, end: re.Pattern[str]) -> str | None:
    """Return a quoted list or object whose inner quotes were not escaped.

    None for other text. After one with an incorrect end, no other is searched, so that the time
    stays linear.
    """
    text, start = cursor.text, cursor.at + 1
    if cursor.has_open_brackets or text[start : start + 1] not in {"[", "{"}:
        return None
    behind = _behind_brackets(text, start)
    is_whole = text.startswith(close, behind) and end.match(text, behind + 1) is not None
    if not is_whole or "\\" in text[start:behind]:
        cursor.has_open_brackets = True
        return None
    cursor.at = behind + 1
    return text[start:behind]


def _behind_brackets(text: str, start: int) -> int:
    """Return the position after the bracket that closes the one at a position.

    Without such a bracket, return the end of the text.
    """
    depth = 0
    for found in _BRACKETS.finditer(text, start):
        depth += 1 if found[0] in "[{" else -1
        if not depth:
            return found.end()
    return len(text)


def _list(cursor: TextCursor, close: str, depth: int) -> list[object]:
    cursor.at += 1
    found: list[object] = []
    while not cursor.take(close):
        found.append(parse_call_value(cursor, _ELEMENT, depth + 1))
        if not cursor.take(","):
            cursor.need(close)
            break
    return found


def _object(cursor: TextCursor, depth: int) -> dict[str, object]:
    cursor.at += 1
    found: dict[str, object] = {}
    was_plain = cursor.is_plain
    while not cursor.take("}"):
        key = parse_call_key(cursor)
        if key is None:
            raise cursor.fault("a key expected")
        found[key] = parse_call_value(cursor, _ENTRY, depth + 1)
        if not cursor.take(","):
            cursor.need("}")
            break
    cursor.is_plain = was_plain
    return found


def _bare(cursor: TextCursor) -> object:
    """Return a number or a word; otherwise a text without quotes, which is not plain."""
    run = _BARE.match(cursor.text, cursor.at)
    word = run[0].strip() if run else ""
    if not run or not word:
        raise cursor.fault("a value expected")
    cursor.at = run.end()
    if word in _WORDS:
        return _WORDS[word]
    if len(word) <= _MAX_DIGITS and _NUMBER.fullmatch(word):
        return parse_call_number(word)
    cursor.is_plain = False
    return word


def parse_call_number(digits: str) -> int | float:
    """Return the number of a text; an integer unless it has a point or an exponent."""
    return int(digits) if digits.removeprefix("-").isdigit() else float(digits)


MAX_CALLS = 128
MAX_ARGUMENTS = 256
MAX_NAME = 200

_NAME = re.compile(rf"[^()\[\]{{}}]{{1,{MAX_NAME}}}+")
_ANOTHER = re.compile(rf"\s*+[^()\[\]{{}}'\"=]{{1,{MAX_NAME}}}\(")
_QUOTES = "'\"“”\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}`"


class ParsedCalls(msgspec.Struct, frozen=True):
    """Parsed calls; `is_plain` says whether the text keeps exactly to the form.

    An argument without a name is called "#1" by its position.
    """

    calls: tuple[ApiCall, ...]
    is_plain: bool


def longest_first(names: Iterable[str]) -> tuple[str, ...]:
    """Return tools' names in the order in which `parse_calls` tries them."""
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


def parse_calls(text: str, names: Sequence[str] = ()) -> ParsedCalls:
    """Return the calls that a text lists.

    Brackets around the list may be missing, and other text may follow it; neither is plain.

    Args:
        text: The text with the list.
        names: Names of the tools that may be called, in the order of `longest_first`. They may hold
            brackets and commas. Any other name ends at its bracket.

    Raises:
        UnreadableCallsError: If the text is not such a list, is too long, or holds too many calls.
    """
    cursor = TextCursor(text, names)
    is_listed = cursor.take("[")
    cursor.is_plain = is_listed
    calls: list[ApiCall] = []
    while cursor.peek() not in {"", "]"}:
        if len(calls) == MAX_CALLS:
            raise cursor.fault(f"more than {MAX_CALLS} calls")
        calls.append(_call(cursor))
        if not cursor.take(",") and not _goes_on(cursor):
            break
    if is_listed and not cursor.take("]"):
        _require_end(cursor)
        cursor.is_plain = False
    return ParsedCalls(tuple(calls), cursor.is_plain and not cursor.peek())


def _goes_on(cursor: TextCursor) -> bool:
    """Return whether another call follows without a comma, which is not plain."""
    found = _ANOTHER.match(cursor.text, cursor.at)
    cursor.is_plain = cursor.is_plain and found is None
    return found is not None


def _require_end(cursor: TextCursor) -> None:
    """Raise an error if other text follows a list.

    A missing closing bracket at the end is accepted.
    """
    if cursor.peek() not in {"", '"', "'", "}"}:
        raise cursor.fault("',' or ']' expected")


def _call(cursor: TextCursor) -> ApiCall:
    tool = _tool(cursor)
    cursor.need("(")
    arguments: dict[str, object] = {}
    while not cursor.take(")"):
        if len(arguments) == MAX_ARGUMENTS:
            raise cursor.fault(f"more than {MAX_ARGUMENTS} arguments")
        name = parse_call_key(cursor)
        if name is None:
            cursor.is_plain = False
            arguments[f"#{len(arguments) + 1}"] = parse_call_value(cursor, UNNAMED)
        else:
            arguments[name] = parse_call_value(cursor, ARGUMENT)
        if not cursor.take(","):
            cursor.need(")")
            break
    return ApiCall(tool, _unwrap_arguments(arguments))


def _tool(cursor: TextCursor) -> str:
    cursor.skip()
    for name in cursor.names:
        if cursor.text.startswith(name, cursor.at):
            start, cursor.at = cursor.at, cursor.at + len(name)
            if cursor.peek() == "(":
                return name
            cursor.at = start
    found = _NAME.match(cursor.text, cursor.at)
    name = " ".join(found[0].split()).strip(_QUOTES) if found else ""
    if found is None or not name or not cursor.text.startswith("(", found.end()):
        raise cursor.fault("a call expected")
    cursor.at = found.end()
    return name


def _unwrap_arguments(arguments: dict[str, object]) -> dict[str, object]:
    """Return the arguments inside a single object that holds all of them."""
    match arguments:
        case {"#1": dict() as inner} if len(arguments) == 1:
            return {str(name): value for name, value in inner.items()}
        case _:
            return arguments


__all__ = ["ParsedCalls", "UnreadableCallsError", "longest_first", "parse_calls"]
