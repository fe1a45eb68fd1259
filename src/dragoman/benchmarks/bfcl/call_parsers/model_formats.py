"""Tool-call formats of model families (Hermes, Llama, Mistral, DeepSeek, ...): a reader each.

`bfcl.reply_parser` lists them in a table with the marks by which they are recognized.
"""

import json
import re
from collections.abc import Callable, Mapping

from dragoman.benchmarks.bfcl.call_parsers.json_calls import check_json_bounds, read_json
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_literal
from dragoman.core.tools import ToolCall

ReadCode = Callable[[str], tuple[ToolCall, ...]]
"""A reader of calls that are written as code.

It reads them in the language of the question and by the rules in force.
"""

ReadReply = Callable[[str, ReadCode], tuple[ToolCall, ...]]
"""Reads the calls of a reply; UnreadableError where it holds none of its form."""

ReadValues = Callable[[str], tuple[ToolCall, ...]]
"""The same for forms in which no call is code."""


_ENDINGS = ("<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end_of_text|>", "<|end|>", "</s>")
_FENCE = "```"


def text_after(text: str, mark: str) -> str:
    """Return the text after a mark, or raise UnreadableError if the mark is missing."""
    _, marked, rest = text.partition(mark)
    if not marked:
        raise UnreadableError(f"no {mark}")
    return strip_end_tokens(rest)


def texts_between(text: str, opening: str, closing: str) -> list[str]:
    """Return the texts from each opening mark to its closing mark, the next one or the end.

    Raises:
        UnreadableError: If the opening mark is missing.
    """
    _, *parts = text.split(opening)
    if not parts:
        raise UnreadableError(f"no {opening}")
    return [strip_end_tokens(part.partition(closing)[0]) for part in parts]


def fenced_blocks(text: str) -> list[str]:
    """Return the contents of a reply's fenced blocks, without their language names."""
    insides = text.split(_FENCE)[1::2]
    return [_without_language(inside) for inside in insides]


def strip_end_tokens(text: str) -> str:
    """Return a text without spaces around it and special tokens at its end."""
    text = text.strip()
    while ending := next((each for each in _ENDINGS if text.endswith(each)), ""):
        text = text.removesuffix(ending).rstrip()
    return text


def _without_language(inside: str) -> str:
    first, _, rest = inside.partition("\n")
    names_one = first.strip().replace("_", "").isalnum()
    return (rest if names_one else inside).strip()


NAMES = ("name", "tool_name", "function", "function_name", "tool", "action")
"""The keys under which an object may name its function, the first that it has counts."""

ARGUMENTS = ("arguments", "parameters", "params", "args", "action_input", "input")
"""The keys under which its arguments may stand."""

_NAME = re.compile(r"[^\s()\[\]{}<>\"']{1,500}")
_BETWEEN = " \t\r\n,;"
_decode_at = json.JSONDecoder().raw_decode


def calls_in(text: str) -> tuple[ToolCall, ...]:
    """Return the calls of a text that consists of objects, or of lists of objects.

    Several may follow one another, with commas or semicolons between them. A text that is not JSON
    is read as one Python literal.

    Raises:
        UnreadableError: If the text is neither, or an object is not a call.
    """
    try:
        values = _json_values(text)
    except UnreadableError:
        values = [read_literal(text.strip())]
    return tuple(call for value in values for call in calls_of(value))


def calls_of(value: object) -> tuple[ToolCall, ...]:
    """Return the calls of an object or a list, or raise UnreadableError for a non-call."""
    if isinstance(value, list | tuple):
        return tuple(_call(item) for item in value)
    if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
        return tuple(_call(item) for item in value["tool_calls"])
    return (_call(value),)


def call_named(name: str, arguments: object) -> ToolCall:
    """Return the call of a function by name; arguments may be an object, or its JSON text.

    Raises:
        UnreadableError: If the name is missing, or the arguments are not an object.
    """
    name = name.strip()
    if _NAME.fullmatch(name) is None:
        raise UnreadableError("a call without the name of a function")
    given = read_json(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(given, dict):
        raise UnreadableError("arguments are not an object", is_format=True)
    return ToolCall("", name, {str(key): value for key, value in given.items()})


def json_value_or_text(text: str) -> object:
    """Return the JSON value of a text, or the text itself if it is not JSON."""
    try:
        return read_json(text.strip())
    except UnreadableError:
        return text.strip()


def _json_values(text: str) -> list[object]:
    """Return the JSON values that follow one another in a text."""
    check_json_bounds(text)
    values: list[object] = []
    text = text.strip(_BETWEEN)
    position = 0
    while position < len(text):
        try:
            value, position = _decode_at(text, position)
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"no JSON: {error}") from error
        values.append(value)
        while position < len(text) and text[position] in _BETWEEN:
            position += 1
    return values


def _call(item: object) -> ToolCall:
    if not isinstance(item, dict):
        raise UnreadableError("an item is not a call")
    inner = item.get("function")
    fields: dict[object, object] = inner if isinstance(inner, dict) else item
    name, arguments = _first(fields, NAMES), _first(fields, ARGUMENTS)
    if isinstance(name, str) and arguments is not None:
        return call_named(name, arguments)
    if len(fields) == 1:
        ((key, value),) = fields.items()
        return call_named(str(key), value)
    raise UnreadableError("an object names no function with arguments")


def _first(item: Mapping[object, object], keys: tuple[str, ...]) -> object:
    return next((item[key] for key in keys if key in item), None)


_PRINTED = re.compile(r"print\((.*)\)", re.DOTALL)
_API = "default_api."


def read_code(text: str, read: ReadCode) -> tuple[ToolCall, ...]:
    """Read the code of the first fence that holds calls, or all of a reply without fences."""
    problem: UnreadableError | None = None
    for inside in fenced_blocks(text) or [text]:
        try:
            return read(inside)
        except UnreadableError as error:
            problem = problem or error
    raise problem or UnreadableError("nothing in the fences")


def read_tool_code(text: str, read: ReadCode) -> tuple[ToolCall, ...]:
    """Read fences of `tool_code`: a list, or a call on each line, printed or not (Gemma)."""
    calls: list[ToolCall] = []
    for inside in text.split("```tool_code")[1:]:
        calls += _listed_or_by_line(inside.partition("```")[0].strip(), read)
    if not calls:
        raise UnreadableError("no fence of tool_code")
    return tuple(calls)


def read_quoted(text: str, read: ReadCode) -> tuple[ToolCall, ...]:
    """Read a list of strings, or one string, that each hold calls (Arctic, DBRX)."""
    value = read_literal(text.strip())
    strings = value if isinstance(value, list) else [value]
    if not strings or not all(isinstance(entry, str) for entry in strings):
        raise UnreadableError("no list of strings")
    return tuple(call for entry in strings for call in read(str(entry)))


def _listed_or_by_line(code: str, read: ReadCode) -> tuple[ToolCall, ...]:
    try:
        return read(_plain(code))
    except UnreadableError:
        lines = [line for line in code.splitlines() if line.strip()]
        return tuple(call for line in lines for call in read(_plain(line)))


def _plain(code: str) -> str:
    """Return code without the printing around it and the name of the interface before its calls."""
    code = code.strip()
    printed = _PRINTED.fullmatch(code)
    code = code if printed is None else printed[1].strip()
    return code.replace(_API, "") if code.startswith((_API, f"[{_API}")) else code


def read_tool_call(text: str) -> tuple[ToolCall, ...]:
    """Read `<tool_call>{"name": "f", "arguments": {}}</tool_call>` (Hermes, Qwen)."""
    return _all(texts_between(text, "<tool_call>", "</tool_call>"))


def read_upper_tag(text: str) -> tuple[ToolCall, ...]:
    """Read `<TOOLCALL>[{"name": "f", "arguments": {}}]</TOOLCALL>` (Nemotron)."""
    return _all(texts_between(text, "<TOOLCALL>", "</TOOLCALL>"))


def read_function_call(text: str) -> tuple[ToolCall, ...]:
    """Read `<function_call> {"name": "f", "arguments": {}}`, once for every call (Granite 20B)."""
    return _all(texts_between(text, "<function_call>", "</function_call>"))


def read_tool_call_token(text: str) -> tuple[ToolCall, ...]:
    """Read `<|tool_call|>[{"name": "f", "arguments": {}}]` (Granite, Phi-4)."""
    return _all(texts_between(text, "<|tool_call|>", "<|/tool_call|>"))


def read_functools(text: str) -> tuple[ToolCall, ...]:
    """Read `functools[{"name": "f", "arguments": {}}]` (Phi, Functionary)."""
    return calls_in(text_after(text, "functools"))


def read_mistral(text: str) -> tuple[ToolCall, ...]:
    """Read `[TOOL_CALLS] [{"name": "f", "arguments": {}}]` (Mistral)."""
    return calls_in(text_after(text, "[TOOL_CALLS]").partition("[/TOOL_CALLS]")[0])


def read_python_tag(text: str) -> tuple[ToolCall, ...]:
    """Read `<|python_tag|>{"name": "f", "parameters": {}}; {...}` (Llama)."""
    return calls_in(text_after(text, "<|python_tag|>"))


def read_action_token(text: str) -> tuple[ToolCall, ...]:
    """Read `<|START_ACTION|>[{"tool_name": "f", "parameters": {}}]<|END_ACTION|>` (Command)."""
    return _all(texts_between(text, "<|START_ACTION|>", "<|END_ACTION|>"))


def read_action_list(text: str) -> tuple[ToolCall, ...]:
    """Read `Action:` before a fence with `[{"tool_name": "f", "parameters": {}}]` (Command R)."""
    return _all(fenced_blocks(text_after(text, "Action:")))


def read_json_fence(text: str) -> tuple[ToolCall, ...]:
    """Read objects, or lists of them, in fences."""
    return _all(fenced_blocks(text))


def read_bare(text: str) -> tuple[ToolCall, ...]:
    """Read objects, or a list of them, that stand there without any mark (xLAM, Llama)."""
    inside = strip_end_tokens(text)
    if not inside.startswith(("[", "{")):
        raise UnreadableError("neither an object nor a list")
    return calls_in(inside)


def _all(bodies: list[str]) -> tuple[ToolCall, ...]:
    calls = tuple(call for body in bodies for call in calls_in(body))
    if not calls:
        raise UnreadableError("no call between the marks")
    return calls


DEEPSEEK_BEGINS = "<\uff5ctool▁call▁begin\uff5c>"
_DEEPSEEK_SEPARATES = "<\uff5ctool▁sep\uff5c>"
_DEEPSEEK_ENDS = "<\uff5ctool▁call▁end\uff5c>"
_NUMBERED = re.compile(r":\d+\Z")
_QUOTED_NAME = re.compile(r"\s*+name\s*+=\s*+[\"']([^\"'<>]{1,200})[\"']")


def read_function_tags(text: str) -> tuple[ToolCall, ...]:
    """Read calls in function tags: `<function=f>{"a": 1}</function>` (Llama).

    The arguments may also have the form `<parameter=a>1</parameter>` (Qwen Coder).
    """
    calls = []
    for body in texts_between(text, "<function=", "</function>"):
        name, closed, inside = body.partition(">")
        if not closed:
            raise UnreadableError("the name of a function is not closed")
        given = _parameters(inside, "<parameter=", "</parameter>")
        calls.append(call_named(name.strip("\"'"), given or inside.strip() or "{}"))
    return tuple(calls)


def read_invoke_tags(text: str) -> tuple[ToolCall, ...]:
    """Read `<invoke name="f"><parameter name="a">1</parameter></invoke>`."""
    calls = []
    for body in texts_between(text, "<invoke", "</invoke>"):
        opening, _, inside = body.partition(">")
        named = _QUOTED_NAME.match(opening)
        if named is None:
            raise UnreadableError("an invocation without a name")
        calls.append(call_named(named[1], _parameters(inside, "<parameter", "</parameter>")))
    return tuple(calls)


def read_arg_keys(text: str) -> tuple[ToolCall, ...]:
    """Read `<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>` (GLM)."""
    calls = []
    for body in texts_between(text, "<tool_call>", "</tool_call>"):
        name, *pairs = body.split("<arg_key>")
        calls.append(call_named(name, dict(map(_pair, pairs))))
    return tuple(calls)


def read_args(text: str) -> tuple[ToolCall, ...]:
    """Read `[TOOL_CALLS]f[ARGS]{"a": 1}`, once for every call (Mistral)."""
    calls = []
    for body in texts_between(text, "[TOOL_CALLS]", "[/TOOL_CALLS]"):
        name, marked, arguments = body.partition("[ARGS]")
        if not marked:
            raise UnreadableError("no [ARGS]")
        calls.append(call_named(name, arguments))
    return tuple(calls)


def read_deepseek(text: str) -> tuple[ToolCall, ...]:
    """Read a name and its arguments between tokens that begin, separate and end (DeepSeek).

    Older models write `function` before the separator, then the name, and the arguments in a fence.
    """
    calls = []
    for body in texts_between(text, DEEPSEEK_BEGINS, _DEEPSEEK_ENDS):
        before, marked, behind = body.partition(_DEEPSEEK_SEPARATES)
        if not marked:
            raise UnreadableError(f"no {_DEEPSEEK_SEPARATES}")
        in_fences = fenced_blocks(behind)
        if in_fences:
            calls.append(call_named(behind.partition("\n")[0], in_fences[0]))
        else:
            calls.append(call_named(before, behind))
    return tuple(calls)


def read_kimi(text: str) -> tuple[ToolCall, ...]:
    """Read calls in the Kimi format.

    The format is
    `<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{...}<|tool_call_end|>`.
    """
    calls = []
    for body in texts_between(text, "<|tool_call_begin|>", "<|tool_call_end|>"):
        name, _, arguments = body.partition("<|tool_call_argument_begin|>")
        name = _NUMBERED.sub("", name.strip()).removeprefix("functions.")
        calls.append(call_named(name, arguments))
    return tuple(calls)


def read_react(text: str) -> tuple[ToolCall, ...]:
    """Read lines `Action: f` with `Action Input: {"a": 1}` behind each (ReAct)."""
    _, *parts = text.split("Action:")
    calls = []
    for part in parts:
        name, marked, behind = part.partition("Action Input:")
        if not marked:
            raise UnreadableError("an action without its input")
        arguments = behind.partition("\nObservation")[0].partition("\nThought")[0]
        in_fences = fenced_blocks(arguments)
        calls.append(call_named(name, in_fences[0] if in_fences else strip_end_tokens(arguments)))
    if not calls:
        raise UnreadableError("no action")
    return tuple(calls)


def _parameters(inside: str, opening: str, closing: str) -> dict[str, object]:
    """Return what elements of parameters say; none where there are none."""
    given = {}
    for part in inside.split(opening)[1:]:
        name, _, value = part.partition(closing)[0].partition(">")
        quoted = _QUOTED_NAME.match(name)
        given[quoted[1] if quoted else name.strip("\"' ")] = json_value_or_text(value)
    return given


def _pair(part: str) -> tuple[str, object]:
    key, _, behind = part.partition("</arg_key>")
    _, marked, value = behind.partition("<arg_value>")
    if not marked:
        raise UnreadableError("an argument without its value")
    return key.strip(), json_value_or_text(value.partition("</arg_value>")[0])
