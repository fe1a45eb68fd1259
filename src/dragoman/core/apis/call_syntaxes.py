"""Parsers of calls in other syntaxes than the requested one.

These are JSON, XML tags, ReAct, and Python.
"""

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.core.apis.call_list_parser import MAX_CALLS, UnreadableCallsError, parse_calls
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.texts.decoding import is_nested_too_deeply
from dragoman.core.texts.tool_call_parsing import SYNTAXES, parse_text_calls

SEAL_TOOLS, JSON, REACT = "seal-tools", "json", "react"
LISTED, BARE = "listed-calls", "bare-calls"

_NAME_KEYS = (
    "name",
    "api",
    "api_name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "action",
    "recipient_name",
)
_ARGUMENT_KEYS = (
    "arguments", "parameters", "params", "args", "param_dict", "input", "inputs", "kwargs",
    "action_input",
    "action input", "tool_input", "action_parameters",
)  # fmt: skip
_BESIDE = frozenset(("id", "type", "label", "thought", "index", "responses"))
"""Keys that a call without arguments may have in addition to its name."""

_NOTHING = frozenset(("", "none", "null", "n/a", "no_tool", "finish", "final answer"))
_JSON_STARTS = re.compile(r"[\[{]")
_MOST_STARTS = 64
_LONGEST_LITERAL = 8_000
_DEEPEST = 32
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_WRAPPERS = (
    "tool_calls",
    "function_calls",
    "calls",
    "tool_call",
    "function_call",
    "call",
    "function",
    "action",
    "tool",
)
"""Keys of objects that hold one call or several."""

_MARK = re.compile(r"<\|?[\w\uff5c/]|\[TOOL_CALLS\]|\bfunctools\b|(?:\w{1,20}\s)?\bto=|\bprint\(")
"""Pattern of possible beginnings of calls between tags and tokens."""

_OBSERVATION = re.compile(r"^[ \t*]{0,9}Observation", re.MULTILINE | re.IGNORECASE)
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.\-/]*")
_FENCE = re.compile(r"```[\w-]{0,20}[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_LABEL = re.compile(
    r"(?:[-*•>]|\d{1,3}[.)])?\s{0,9}(?:\**(?:[Aa]ctions?|[Aa]nswer|[Cc]alls?|[Ff]unction [Cc]alls?|"
    r"[Tt]ool [Cc]alls?|API-?\s?[Rr]equest|[Oo]utput)\**\s{0,9}[:\N{FULLWIDTH COLON}]\**)?\s{0,9}"
)
"""Pattern of text before a call in its line: a bullet, a number, or "Call:"."""

_ANNOUNCED = re.compile(
    r"(?:^|\n)[ \t*]{0,9}(?:[Aa]ctions?|[Aa]nswer|[Cc]alls?|API-?\s?[Rr]equest"
    r"|[Oo]utput)\**\s{0,3}:\**\s*\Z"
)
_TAIL = re.compile(r"(?:\s|<[|/]?[\w|]{1,30}>|[.;`]){0,20}")
_REACT = re.compile(
    r"^[ \t>*]{0,9}Action\**\s{0,3}:\**[ \t]{0,9}(?P<name>[^\n]{1,200}?)[ \t]{0,9}\n"
    r"\s{0,99}\**Action[ _]?Input\**\s{0,3}:\**\s{0,99}(?:```(?:\w{1,12})?\s{0,9})?",
    re.MULTILINE | re.IGNORECASE,
)
_THOUGHT = re.compile(r"^[ \t*]{0,9}Thought\**\s{0,3}:\**\s*", re.MULTILINE | re.IGNORECASE)
_RESULT_KEYS = frozenset(("result", "results", "output", "response", "error", "observation"))


class FoundCalls(msgspec.Struct, frozen=True):
    """The calls of a reply, their syntax, and the position at which they begin.

    `fault` says why they cannot be read; it is "" for readable calls. `thought` is a thought in the
    same object.
    """

    syntax: str
    calls: tuple[ApiCall, ...]
    begins: int = 0
    fault: str = ""
    thought: str | None = None


def calls_in_any_syntax(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return the calls of a reply in whatever syntax it uses; None if it has no calls.

    Args:
        text: The reply.
        names: Names of the tools that may be called, the longest first.
    """
    for read in _READERS:
        found = read(text, names)
        if found is not None:
            return found
    return None


def offered_name(written: str, names: Sequence[str]) -> str:
    """Return the tool that a name denotes, with any separator between its words.

    If the name does not denote a tool, return the name itself.
    """
    plain = written.strip().strip("\"'`*").strip()
    if plain in names:
        return plain
    alike = [name for name in names if _normalize_name(name) == _normalize_name(plain)]
    return alike[0] if alike else plain


def _normalize_name(name: str) -> str:
    return re.sub(r"[\s.\-/]", "_", name.strip().removeprefix("functions.")).casefold()


def _is_offered(written: str, names: Sequence[str]) -> bool:
    return offered_name(written, names) in names


def _in_marks(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return calls between the tags and tokens of chat templates."""
    if _MARK.search(text) is None:
        return None
    found = _by_templates(text, names)
    # A tag of HTML or a similar language does not name a tool.
    is_said = found is not None and (
        found.syntax not in {"tag", "function_tag"} or _is_known(found, names)
    )
    return found if found and found.syntax in SYNTAXES and is_said else None


def _parse_remaining_syntaxes(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return calls of offered tools in the remaining syntaxes.

    An example is `print(default_api.f(a=1))`.
    """
    found = _by_templates(text, names)
    return found if found and found.syntax != "json" and _is_known(found, names) else None


def _is_known(found: FoundCalls, names: Sequence[str]) -> bool:
    return any(call.tool in names for call in found.calls)


def _by_templates(text: str, names: Sequence[str]) -> FoundCalls | None:
    # That parser knows names without blanks: any other name gets a temporary one without.
    masks = {
        name: f"tool_q{number}z"
        for number, name in enumerate(names)
        if not _PLAIN_NAME.fullmatch(name)
    }
    masked = text
    for name, mask in masks.items():
        masked = masked.replace(name, mask)
    found = parse_text_calls(masked, [masks.get(name, name) for name in names])
    if found is None:
        return None
    calls = [
        ApiCall(
            offered_name(str(_unmask_value(call.name, masks)), names),
            _mapping(_unmask_value(call.arguments, masks)),
        )
        for call in found.calls
    ]
    fault = next((call.malformed for call in found.calls if call.malformed), "")
    mark = _MARK.search(text)
    begins = mark.start() if mark else 0
    return FoundCalls(found.syntax, () if fault else tuple(calls), begins, fault)


def _unmask_value(value: object, masks: Mapping[str, str]) -> object:
    match value:
        case str() as text:
            for name, mask in masks.items():
                text = text.replace(mask, name)
            return text
        case list():
            return [_unmask_value(each, masks) for each in value]
        case dict():
            return {
                _unmask_value(key, masks): _unmask_value(each, masks) for key, each in value.items()
            }
        case _:
            return value


def _in_json(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return calls in JSON, or in Python literals, at any position of a reply."""
    alone = {each.start(1) for each in _FENCE.finditer(text)} | {len(text) - len(text.lstrip())}
    at, tries = 0, 0
    while tries < _MOST_STARTS and (start := _JSON_STARTS.search(text, at)) is not None:
        tries += 1
        values, end = _values(text, start.start())
        try:
            found = _json_calls(values, names, is_alone=start.start() in alone)
        except UnreadableCallsError as error:
            return FoundCalls(JSON, (), start.start(), str(error))
        if found is not None:
            return msgspec.structs.replace(found, begins=start.start())
        if len(values) == 1 and isinstance(values[0], dict):
            found = _behind_name(text, start.start(), values[0], names)
            if found is not None:
                return found
        # A value that is not a call as a whole has no calls in its parts: a description, a result,
        # a list of words.
        at = max(end, start.end())
    return None


def _json_calls(
    values: Sequence[object], names: Sequence[str], *, is_alone: bool
) -> FoundCalls | None:
    """Return the calls among some values; inside prose, only those of offered tools."""
    entries = [
        each for value in values for each in (value if isinstance(value, list) else (value,))
    ]
    calls = [call for each in entries for call in _call_of(each, names)]
    if not calls or not (is_alone or all(call.tool in names for call in calls)):
        return None
    is_seal = all(
        isinstance(each, dict) and {"api", "parameters"} <= each.keys() for each in entries
    )
    thoughts = [_thought_in(each) for each in entries if isinstance(each, dict)]
    return FoundCalls(
        SEAL_TOOLS if is_seal else JSON,
        tuple(calls[:MAX_CALLS]),
        thought=next(filter(None, thoughts), None),
    )


def _behind_name(
    text: str, at: int, value: Mapping[str, object], names: Sequence[str]
) -> FoundCalls | None:
    """Return the call whose arguments are an object after an offered tool's name.

    The name stands alone in its line.
    """
    before = re.sub(r"```(?:json)?\s*\Z", "", text[max(0, at - 400) : at].rstrip()).rstrip()
    line = before[before.rfind("\n") + 1 :]
    label = _LABEL.match(line)
    written = line[label.end() if label else 0 :].strip().strip("`*\"':").strip()
    if not written or not _is_offered(written, names) or is_nested_too_deeply(value):
        return None
    begins = max(0, at - 400) + before.rfind("\n") + 1
    return FoundCalls(JSON, (ApiCall(offered_name(written, names), _mapping(value)),), begins)


def _thought_in(value: Mapping[str, object]) -> str | None:
    said = next((each for key, each in value.items() if str(key).casefold() == "thought"), None)
    return said if isinstance(said, str) else None


def _values(text: str, at: int) -> tuple[list[object], int]:
    """Return the consecutive values from a position on, and the position of their end.

    They are JSON values, otherwise one Python literal, or one value without its last brackets.
    """
    decoder = json.JSONDecoder(strict=False)
    found: list[object] = []
    end = at
    while at < len(text) and text[at] in "[{" and len(found) < MAX_CALLS:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if not found:
                value, length = _literal_or_cut(text[at:])
                return ([], at) if value is None else ([value], at + length)
            break
        found.append(value)
        end = at
        while at < len(text) and text[at] in " \t\r\n,;":
            at += 1
    return found, end


def _literal_or_cut(text: str) -> tuple[object, int]:
    """Return a value in Python syntax, or one without its last brackets, and its length.

    The value is None for other text.
    """
    end, missing = _extent(text[:_LONGEST_LITERAL])
    if end < 0 or len(missing) > _DEEPEST or (missing and len(text) > _LONGEST_LITERAL):
        return None, 0
    whole = text[:end] if not missing else text.rstrip().rstrip("`").rstrip().rstrip(",") + missing
    for read in (json.loads, ast.literal_eval):
        try:
            return read(whole), end
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return None, 0


def _extent(text: str) -> tuple[int, str]:
    """Return the end of the value at a text's beginning, and its missing brackets.

    The end is -1 if the text does not begin with a value.
    """
    open_ones: list[str] = []
    quote, is_escaped = "", False
    for place, sign in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif quote:
            is_escaped = sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _CLOSING:
            open_ones.append(_CLOSING[sign])
        elif sign in "]})":
            if not open_ones or open_ones.pop() != sign:
                return -1, ""
            if not open_ones:
                return place + 1, ""
    return (-1, "") if quote else (len(text), "".join(reversed(open_ones)))


def _call_of(value: object, names: Sequence[str]) -> list[ApiCall]:
    """Return the calls in a JSON object; an empty list for any other value.

    Raises:
        UnreadableCallsError: If it calls a tool and its arguments cannot be read.
    """
    if not isinstance(value, dict) or is_nested_too_deeply(value):
        return []
    fields = {str(key).casefold(): each for key, each in value.items()}
    if _RESULT_KEYS & fields.keys():
        return []
    inner = next(
        (fields[key] for key in _WRAPPERS if isinstance(fields.get(key), dict | list)), None
    )
    if inner is not None:
        entries = inner if isinstance(inner, list) else [inner]
        return [call for each in entries for call in _call_of(each, names)]
    return _named_call(fields, names) or _calls_by_name(value, names)


def _named_call(fields: Mapping[str, object], names: Sequence[str]) -> list[ApiCall]:
    """Return the call of an object with a tool's name and its arguments under two keys."""
    name = next((fields[key] for key in _NAME_KEYS if isinstance(fields.get(key), str)), None)
    if not isinstance(name, str) or name.strip().casefold() in _NOTHING:
        return []
    given = next((key for key in _ARGUMENT_KEYS if key in fields), None)
    if "description" in fields or _is_schema(fields.get("parameters")):
        return []
    if given is not None:
        return [ApiCall(offered_name(name, names), _arguments(fields[given]))]
    is_bare = fields.keys() <= {*_NAME_KEYS, *_BESIDE} and _is_offered(name, names)
    return [ApiCall(offered_name(name, names))] if is_bare else []


def _calls_by_name(value: Mapping[str, object], names: Sequence[str]) -> list[ApiCall]:
    """Return the calls of an object whose keys are offered tools and values are arguments."""
    is_by_name = all(
        _is_offered(str(key), names) and isinstance(given, dict) for key, given in value.items()
    )
    if not is_by_name:
        return []
    return [ApiCall(offered_name(str(key), names), _mapping(each)) for key, each in value.items()]


def _is_schema(value: object) -> bool:
    return isinstance(value, dict) and "properties" in value and "type" in value


def _arguments(given: object) -> dict[str, object]:
    """Return the arguments of a call; a JSON text is parsed first."""
    if given is None:
        return {}
    if isinstance(given, str):
        if not given.strip():
            return {}
        given, _ = _literal_or_cut(given.strip())
    if isinstance(given, list) and not given:
        return {}
    if not isinstance(given, dict):
        raise UnreadableCallsError("the arguments of a call are not an object")
    return _mapping(given)


def _mapping(value: object) -> dict[str, object]:
    return {str(key): each for key, each in value.items()} if isinstance(value, dict) else {}


def _in_react(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return the actions of the first step, `Action:` with `Action Input:`.

    Text after an observation is ignored, since the model invented it.
    """
    calls: list[ApiCall] = []
    begins = -1
    for found in _REACT.finditer(text):
        made_up = _OBSERVATION.search(text, begins, found.start()) if begins >= 0 else None
        if made_up or len(calls) == MAX_CALLS:
            break
        rest = text[found.end() :]
        written = found["name"].strip().strip("`\"'*").strip()
        is_call = _is_offered(written, names) or (
            rest.startswith("{") and written.casefold() not in _NOTHING
        )
        if not is_call:
            continue
        begins = found.start() if begins < 0 else begins
        try:
            calls.append(ApiCall(offered_name(written, names), _react_arguments(rest)))
        except UnreadableCallsError as error:
            return FoundCalls(REACT, (), begins, str(error))
    return FoundCalls(REACT, tuple(calls), begins) if calls else None


def _react_arguments(rest: str) -> dict[str, object]:
    if rest.startswith("{"):
        values, _ = _values(rest, 0)
        if values and isinstance(values[0], dict):
            return _mapping(values[0])
    line = rest.partition("\n")[0].strip().strip("`").strip()
    if line.casefold() in _NOTHING or line == "{}":
        return {}
    # `key='v', other=3`
    return dict(parse_calls(f"[call({line})]").calls[0].arguments)


def _in_list(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return the calls of the first list `[Tool Name(...)]` of offered tools.

    Any text may stand before the list.
    """
    fault: FoundCalls | None = None
    for number, start in enumerate(re.finditer(r"\[\s{0,9}", text)):
        if number == _MOST_STARTS:
            break
        if not _begins_call(text, start.end(), names):
            continue
        try:
            calls = parse_calls(text[start.start() :], names).calls
        except UnreadableCallsError as error:
            fault = fault or FoundCalls(LISTED, (), start.start(), str(error))
            continue
        if calls:
            return FoundCalls(LISTED, _named_as_offered(calls, names), start.start())
    return fault


def _in_lines(text: str, names: Sequence[str]) -> FoundCalls | None:
    """Return calls without a list around them.

    They are a whole reply, a whole fence, or whole lines.
    """
    for found in _FENCE.finditer(text):
        calls = _all_calls(found[1].strip(), names)
        if calls:
            return FoundCalls(BARE, calls, found.start())
    calls = _all_calls(text.strip(), names)
    if calls:
        return FoundCalls(BARE, calls)
    lines: list[ApiCall] = []
    begins, at = -1, 0
    for line in text.splitlines(keepends=True):
        found_calls = _all_calls(line.strip(), names)
        if found_calls:
            begins = at if begins < 0 else begins
            lines += found_calls
        at += len(line)
    return FoundCalls(BARE, tuple(lines[:MAX_CALLS]), begins) if lines else None


def _all_calls(text: str, names: Sequence[str]) -> tuple[ApiCall, ...]:
    """Return the calls of a text that consists only of calls; () for any other text."""
    label = _LABEL.match(text)
    inner = text[label.end() if label else 0 :].strip().strip("`").strip()
    if not _begins_call(inner, 0, names):
        return ()
    closing = inner.rfind(")")
    if closing < 0 or _TAIL.fullmatch(inner, closing + 1) is None:
        return ()
    try:
        calls = parse_calls(f"[{_join_call_lines(inner[: closing + 1])}]", names).calls
    except UnreadableCallsError:
        return ()
    named = _named_as_offered(calls, names)
    return named if all(call.tool in names for call in named) else ()


def _named_as_offered(calls: Sequence[ApiCall], names: Sequence[str]) -> tuple[ApiCall, ...]:
    return tuple(ApiCall(offered_name(call.tool, names), call.arguments) for call in calls)


def _join_call_lines(text: str) -> str:
    """Return calls of several lines with commas between them."""
    return re.sub(r"\)[ \t]*[;\n]\s*", "), ", text)


def _begins_call(text: str, at: int, names: Sequence[str]) -> bool:
    """Return whether an offered tool's name with a bracket begins at a position."""
    for name in names:
        if text.startswith(name, at) and text[at + len(name) : at + len(name) + 2].lstrip(
            " "
        ).startswith("("):
            return True
    head = text[at : at + 120].partition("(")
    return (
        bool(head[1])
        and _PLAIN_NAME.fullmatch(head[0].strip()) is not None
        and _is_offered(head[0], names)
    )


def thought_before(text: str, begins: int) -> str | None:
    """Return the words before calls, without `Thought:` and an announcement of calls."""
    before = text[:begins]
    key = _THOUGHT.search(before)
    said = before[key.end() :] if key else before
    said = _ANNOUNCED.sub("", re.sub(r"```[\w-]{0,20}\s*\Z", "", said.rstrip()).rstrip())
    return said.strip() or None


_READERS: tuple[Callable[[str, Sequence[str]], FoundCalls | None], ...] = (
    _in_marks,
    _in_react,
    _in_json,
    _in_list,
    _in_lines,
    _parse_remaining_syntaxes,
)
