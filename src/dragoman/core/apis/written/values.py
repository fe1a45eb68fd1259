"""Values in calls: quoted texts, numbers, the words of JSON and of Python, lists and objects.

A quote inside a quoted text that nobody escaped, as in `'Rue de l'Église'`, does not end it: what ends
it is a quote behind which an argument, an element or an entry may end.
"""

import re

from dragoman.core.apis.written.places import TextPlace

MAX_DEPTH = 32
"""How deep lists and objects may stand in one another."""

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
"""What may follow the value of a named argument."""

UNNAMED = re.compile(rf"{_CALL_ENDS}|\s*+,\s*+(?:{_NEXT_KEY}|{_NEXT_VALUE}|\))")
"""What may follow the value of an argument without a name."""

_ELEMENT = re.compile(rf"\s*+[\])]|\s*+,\s*+(?:{_NEXT_VALUE}|[\])])")
_ENTRY = re.compile(rf"\s*+\}}|\s*+,\s*+(?:{_NEXT_KEY}|\}})")
_KEY = re.compile(r"\s*+[:=]")


def read_value(cursor: TextPlace, end: re.Pattern[str], depth: int = 0) -> object:
    """Return the value here and go on behind it.

    Args:
        cursor: Where it begins.
        end: What may follow a quoted text in this place.
        depth: In how many lists and objects it stands.

    Raises:
        UnreadableCallsError: Where there is none, or it nests too deeply.
    """
    if depth > MAX_DEPTH:
        raise cursor.fault(f"nested more than {MAX_DEPTH} deep")
    mark = cursor.peek()
    if mark in _CLOSING and mark:
        return _quoted(cursor, end)
    if mark == "{":
        return _object(cursor, depth)
    if mark == "[":
        return _list(cursor, "]", depth)
    if mark == "(":
        return _list(cursor, ")", depth)
    return _bare(cursor)


def read_key(cursor: TextPlace, end: re.Pattern[str] = _KEY) -> str | None:
    """Return the name before `=` or `:` here and go on behind both; None where there is none."""
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


def _maybe_quoted(cursor: TextPlace, end: re.Pattern[str]) -> str | None:
    """Return the quoted name here; None where the first quote that follows does not end one."""
    close = _CLOSING[cursor.peek()]
    found = cursor.text.find(close, cursor.at + 1, cursor.at + 202)
    if found < 0 or end.match(cursor.text, found + 1) is None:
        return None
    name = cursor.text[cursor.at + 1 : found]
    cursor.at = found + 1
    return name.strip()


def _quoted(cursor: TextPlace, end: re.Pattern[str]) -> str:
    close = _CLOSING[cursor.peek()]
    whole = _bracketed(cursor, close, end)
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


def _bracketed(cursor: TextPlace, close: str, end: re.Pattern[str]) -> str | None:
    """Return a quoted text that is a list or an object whose own quotes nobody escaped; None for others.

    After one that does not end as it should none is looked for any more, so that time stays linear.
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
    """Return the place behind the bracket that closes the one at a place; the text's end without one."""
    depth = 0
    for found in _BRACKETS.finditer(text, start):
        depth += 1 if found[0] in "[{" else -1
        if not depth:
            return found.end()
    return len(text)


def _list(cursor: TextPlace, close: str, depth: int) -> list[object]:
    cursor.at += 1
    found: list[object] = []
    while not cursor.take(close):
        found.append(read_value(cursor, _ELEMENT, depth + 1))
        if not cursor.take(","):
            cursor.need(close)
            break
    return found


def _object(cursor: TextPlace, depth: int) -> dict[str, object]:
    cursor.at += 1
    found: dict[str, object] = {}
    was_plain = cursor.is_plain
    while not cursor.take("}"):
        key = read_key(cursor)
        if key is None:
            raise cursor.fault("a key expected")
        found[key] = read_value(cursor, _ENTRY, depth + 1)
        if not cursor.take(","):
            cursor.need("}")
            break
    cursor.is_plain = was_plain
    return found


def _bare(cursor: TextPlace) -> object:
    """Return a number, a word, or else a text without quotes, which is not plain."""
    run = _BARE.match(cursor.text, cursor.at)
    word = run[0].strip() if run else ""
    if not run or not word:
        raise cursor.fault("a value expected")
    cursor.at = run.end()
    if word in _WORDS:
        return _WORDS[word]
    if len(word) <= _MAX_DIGITS and _NUMBER.fullmatch(word):
        return number_of(word)
    cursor.is_plain = False
    return word


def number_of(digits: str) -> int | float:
    """Return the number that digits stand for, whole where nothing says otherwise."""
    return int(digits) if digits.removeprefix("-").isdigit() else float(digits)
