"""Answers of International Tool Calling: `{"Thought": "...", "Action": "[f(a='x')]"}`.

The module parses answers of models, and formats calls and answers in the same form.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.apis.call_list_parser import (
    MAX_CHARS,
    ParsedCalls,
    UnreadableCallsError,
    parse_calls,
)
from dragoman.core.apis.call_syntaxes import calls_in_any_syntax, thought_before
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.texts.decoding import DECODING_ERRORS, strip_code_fence

THOUGHT, ACTION = "Thought", "Action"

FORM = "thought-action"
"""The name of this form in the moves of conversations."""

_OBJECTS = msgspec.json.Decoder(dict[str, object])
_LENIENT = json.JSONDecoder(strict=False)
_THOUGHT_KEY = re.compile(
    r"(?:\\{0,4}[\"'“]|^)thought(?:\\{0,4}[\"'”])?\s*+[:\N{FULLWIDTH COLON}]",
    re.IGNORECASE | re.MULTILINE,
)
_ACTION_KEY = re.compile(
    r"(?:\\{0,4}[\"'“]|^)action(?:\\{0,4}[\"'”])?\s*+[:\N{FULLWIDTH COLON}]",
    re.IGNORECASE | re.MULTILINE,
)
_EDGES = " \t\r\n\\\"'“”,{}"
_CALL_LIKE = re.compile(r"\w\(")
_NO_CALLS = ParsedCalls((), is_plain=False)


class ParsedItcAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A parsed answer.

    Attributes:
        thought: The words of its thought; None without a thought.
        calls: The calls of its action; None without a readable action.
        is_strict: Whether it keeps exactly to the form.
        fault: Why its action cannot be read; "" for a readable or missing action.
        syntax: The syntax of the calls: `FORM`, or one of `calls_in_any_syntax`; "" without calls.
    """

    thought: str | None = None
    calls: tuple[ApiCall, ...] | None = None
    is_strict: bool = False
    fault: str = ""
    syntax: str = ""


ITS_FORM_ALONE, ANY_SYNTAX = 1, 2
"""The versions of the reader of calls.

The first reads calls in the requested form, the second in any syntax that models know.
"""


def parse_itc_answer(
    text: str, names: Sequence[str] = (), version: int = ITS_FORM_ALONE
) -> ParsedItcAnswer:
    """Return the parsed form of an answer, without evaluating or failing on any text.

    Args:
        text: The answer.
        names: Names of the tools that may be called (`longest_first`).
        version: `ITS_FORM_ALONE` or `ANY_SYNTAX`; they differ if the former finds no calls.
    """
    read = _in_its_form(text, names)
    if version == ITS_FORM_ALONE or len(text) > MAX_CHARS:
        return read
    action = _written_action(text)
    if read.calls and _is_prose(action, read.calls, names):
        return ParsedItcAnswer(read.thought, ())
    is_in_form = read.is_strict or read.calls or (read.calls is not None and _calls_nothing(action))
    if is_in_form:
        return msgspec.structs.replace(read, syntax=FORM)
    own = next((_get_ignoring_case(each, ACTION) for each in _objects(text)), None)
    found = calls_in_any_syntax(own, names) if isinstance(own, str) else None
    thought = read.thought
    if found is None:
        found = calls_in_any_syntax(text, names)
        has_own = any(_get_ignoring_case(each, THOUGHT) for each in _objects(text))
        if found is not None and not has_own:
            thought = thought_before(text, found.begins)
    if found is not None:
        calls = None if found.fault else found.calls
        return ParsedItcAnswer(
            found.thought or thought, calls, fault=found.fault, syntax=found.syntax
        )
    is_call = action is not None and _CALL_LIKE.search(str(action)) is not None
    if read.fault and not is_call:
        return ParsedItcAnswer(read.thought, () if action is not None else None)
    return read


def _is_prose(action: object, calls: Sequence[ApiCall], names: Sequence[str]) -> bool:
    """Return whether text that was parsed as calls of unknown tools is prose with brackets.

    An example is `more details (which?)`.
    """
    is_unknown = all(
        call.tool not in names and all(name.startswith("#") for name in call.arguments)
        for call in calls
    )
    return is_unknown and isinstance(action, str) and _CALL_LIKE.search(action) is None


def _in_its_form(text: str, names: Sequence[str]) -> ParsedItcAnswer:
    """Return the parsed answer in the requested form, strictly or leniently."""
    if len(text) > MAX_CHARS:
        return ParsedItcAnswer(fault=f"{len(text)} characters, more than {MAX_CHARS}")
    inner = _unwrap_text(text)
    whole = _decode_object(inner)
    match whole:
        case None:
            return _lenient(text, inner, names)
        case {"Thought": str() as thought, "Action": str() as action} if len(whole) == 2:  # noqa: PLR2004
            return _of_action(thought, action, names, is_strict=True)
        case _:
            return _lenient(text, inner, names)


def _written_action(text: str) -> object:
    """Return the action of an answer as written; None if it has none."""
    for candidate in _objects(text):
        action = _get_ignoring_case(candidate, ACTION)
        if action is not None:
            return action
    key = _ACTION_KEY.search(text)
    return None if key is None else text[key.end() :]


def _calls_nothing(action: object) -> bool:
    """Return whether an action says that nothing is called."""
    plain = action.strip(_EDGES).casefold() if isinstance(action, str) else action
    return plain in ("", "[]", "[ ]", "none", "null", [], {}) or plain is None


def _of_action(
    thought: str | None, action: object, names: Sequence[str], *, is_strict: bool = False
) -> ParsedItcAnswer:
    try:
        written = _calls_in(action, names)
    except UnreadableCallsError as error:
        return ParsedItcAnswer(thought, fault=str(error))
    return ParsedItcAnswer(thought, written.calls, is_strict and written.is_plain)


def _calls_in(action: object, names: Sequence[str]) -> ParsedCalls:
    match action:
        case str() as text:
            return parse_calls(text, names) if "(" in text or "[" in text else _NO_CALLS
        case list() as entries:
            calls = [call for entry in entries for call in _calls_of(entry, names)]
            return ParsedCalls(tuple(calls), is_plain=False)
        case dict() as entry:
            return ParsedCalls(tuple(_calls_of(entry, names)), is_plain=False)
        case _:
            return _NO_CALLS


def _calls_of(entry: object, names: Sequence[str]) -> Iterator[ApiCall]:
    """Yield the calls of one entry of an action that is itself JSON."""
    match entry:
        case str() as text:
            yield from parse_calls(text, names).calls
        case {"name": str() as name, "arguments": dict() as arguments}:
            yield ApiCall(name, arguments)
        case {"name": str() as name, "parameters": dict() as arguments}:
            yield ApiCall(name, arguments)
        case _:
            raise UnreadableCallsError(f"no call: {entry!r:.80}")


def _lenient(text: str, inner: str, names: Sequence[str]) -> ParsedItcAnswer:
    for candidate in _objects(text):
        thought, action = (
            _get_ignoring_case(candidate, THOUGHT),
            _get_ignoring_case(candidate, ACTION),
        )
        if action is not None:
            return _of_action(thought if isinstance(thought, str) else None, action, names)
    key = _ACTION_KEY.search(text)
    if key is not None:
        action = _unescape_quotes(text[key.end() :], is_escaped="\\" in key[0])
        return _of_action(_thought_before(text, key.start()), _trim_before_bracket(action), names)
    if inner.startswith("[") and "(" in inner:
        return _of_action(None, inner, names)
    thought = _thought_before(text, len(text))
    return ParsedItcAnswer(thought)


def _objects(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the first object in a text, if there is one."""
    start = text.find("{")
    if start < 0:
        return
    try:
        found, _ = _LENIENT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return
    if isinstance(found, dict):
        yield found


def _get_ignoring_case(found: Mapping[str, object], name: str) -> object:
    return next((value for key, value in found.items() if key.casefold() == name.casefold()), None)


def _thought_before(text: str, end: int) -> str | None:
    key = _THOUGHT_KEY.search(text, 0, end)
    if key is None:
        return None
    thought = _unescape_quotes(text[key.end() : end], is_escaped=True)
    return thought.strip(_EDGES) or None


def _trim_before_bracket(action: str) -> str:
    """Return an action from its bracket on, without the quote before it."""
    start = action.lstrip(_EDGES)
    return start if start.startswith("[") else start.rstrip(_EDGES)


def _unescape_quotes(text: str, *, is_escaped: bool) -> str:
    """Return a text without the backslashes that escaped its quotes in an outer object."""
    escaped = is_escaped or text.lstrip().startswith('"')
    return text.replace('\\"', '"') if escaped else text


def _unwrap_text(text: str) -> str:
    inner = strip_code_fence(text).strip().removeprefix("json").strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1].strip()
    return inner


def _decode_object(text: str) -> Mapping[str, object] | None:
    if not text.startswith("{"):
        return None
    try:
        return _OBJECTS.decode(text)
    except DECODING_ERRORS:
        return None


_PLAIN_NAME = re.compile(r"[^\W\d]\w{0,99}")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def format_calls(calls: Iterable[ApiCall]) -> str:
    """Return calls as a list in text."""
    return f"[{', '.join(map(_call, calls))}]"


def format_itc_answer(thought: str, calls: Iterable[ApiCall]) -> str:
    """Return a thought and calls as the JSON object that agents must write."""
    return msgspec.json.encode({THOUGHT: thought, ACTION: format_calls(calls)}).decode()


def _call(call: ApiCall) -> str:
    arguments = (f"{_name(name)}={_value(value)}" for name, value in call.arguments.items())
    return f"{call.tool}({', '.join(arguments)})"


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    match value:
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            inner = (f"{_value(str(key))}: {_value(each)}" for key, each in value.items())
            return f"{{{', '.join(inner)}}}"
        case None | bool() | int() | float():
            return _scalar(value)
        case _:
            return f"'{''.join(_ESCAPES.get(letter, letter) for letter in str(value))}'"


def _scalar(value: float | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    is_number = value is not None and math.isfinite(value)
    return str(value) if is_number else "null"
