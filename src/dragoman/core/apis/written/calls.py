"""A list of calls in text, `[Tool Name(key='v', 'other'=3), ...]`: any characters in names, one pass."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from dragoman.core.apis.tasks import ApiCall
from dragoman.core.apis.written.places import TextPlace, UnreadableCallsError
from dragoman.core.apis.written.values import ARGUMENT, UNNAMED, read_key, read_value

MAX_CALLS = 128
MAX_ARGUMENTS = 256
MAX_NAME = 200

_NAME = re.compile(rf"[^()\[\]{{}}]{{1,{MAX_NAME}}}+")
_ANOTHER = re.compile(rf"\s*+[^()\[\]{{}}'\"=]{{1,{MAX_NAME}}}\(")
_QUOTES = "'\"“”\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}`"


class WrittenCalls(msgspec.Struct, frozen=True):
    """Calls that were read; `is_plain` says whether the text keeps to the form, not only near it.

    An argument without a name is called "#1" by its place.
    """

    calls: tuple[ApiCall, ...]
    is_plain: bool


def longest_first(names: Iterable[str]) -> tuple[str, ...]:
    """Return tools' names in the order in which `read_calls` tries them."""
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


def read_calls(text: str, names: Sequence[str] = ()) -> WrittenCalls:
    """Return the calls that a text lists.

    Brackets around the list may be missing, and other text may stand behind it; neither is plain.

    Args:
        text: The list.
        names: Tools that may be called, as `sort_longest_first` orders them: their names may hold
            brackets and commas. Any other name ends at its bracket.

    Raises:
        UnreadableCallsError: Where the text is no such list, is too long, or holds too many calls.
    """
    cursor = TextPlace(text, names)
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
    return WrittenCalls(tuple(calls), cursor.is_plain and not cursor.peek())


def _goes_on(cursor: TextPlace) -> bool:
    """Whether another call follows without a comma, which is not plain."""
    found = _ANOTHER.match(cursor.text, cursor.at)
    cursor.is_plain = cursor.is_plain and found is None
    return found is not None


def _require_end(cursor: TextPlace) -> None:
    """Refuse a list that goes on with something else; one whose bracket is missing at the end will do."""
    if cursor.peek() not in {"", '"', "'", "}"}:
        raise cursor.fault("',' or ']' expected")


def _call(cursor: TextPlace) -> ApiCall:
    tool = _tool(cursor)
    cursor.need("(")
    arguments: dict[str, object] = {}
    while not cursor.take(")"):
        if len(arguments) == MAX_ARGUMENTS:
            raise cursor.fault(f"more than {MAX_ARGUMENTS} arguments")
        name = read_key(cursor)
        if name is None:
            cursor.is_plain = False
            arguments[f"#{len(arguments) + 1}"] = read_value(cursor, UNNAMED)
        else:
            arguments[name] = read_value(cursor, ARGUMENT)
        if not cursor.take(","):
            cursor.need(")")
            break
    return ApiCall(tool, _unwrapped(arguments))


def _tool(cursor: TextPlace) -> str:
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


def _unwrapped(arguments: dict[str, object]) -> dict[str, object]:
    """Return arguments that were given as one object by themselves."""
    match arguments:
        case {"#1": dict() as inner} if len(arguments) == 1:
            return {str(name): value for name, value in inner.items()}
        case _:
            return arguments


__all__ = ["UnreadableCallsError", "WrittenCalls", "longest_first", "read_calls"]
