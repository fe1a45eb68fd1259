"""Calls whose function stands beside the arguments, not with them in one object."""

import re

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.formats.parts import between, fenced, without_ending
from dragoman.benchmarks.bfcl.text.formats.values import call_named, value_of
from dragoman.core.tools import ToolCall

DEEPSEEK_BEGINS = "<\uff5ctool▁call▁begin\uff5c>"
_DEEPSEEK_SEPARATES = "<\uff5ctool▁sep\uff5c>"
_DEEPSEEK_ENDS = "<\uff5ctool▁call▁end\uff5c>"
_NUMBERED = re.compile(r":\d+\Z")
_QUOTED_NAME = re.compile(r"\s*+name\s*+=\s*+[\"']([^\"'<>]{1,200})[\"']")


def read_function_tags(text: str) -> tuple[ToolCall, ...]:
    """Read `<function=f>{"a": 1}</function>` (Llama), or with `<parameter=a>1</parameter>` (Qwen Coder)."""
    calls = []
    for body in between(text, "<function=", "</function>"):
        name, closed, inside = body.partition(">")
        if not closed:
            raise UnreadableError("the name of a function is not closed")
        given = _parameters(inside, "<parameter=", "</parameter>")
        calls.append(call_named(name.strip("\"'"), given or inside.strip() or "{}"))
    return tuple(calls)


def read_invoke_tags(text: str) -> tuple[ToolCall, ...]:
    """Read `<invoke name="f"><parameter name="a">1</parameter></invoke>`."""
    calls = []
    for body in between(text, "<invoke", "</invoke>"):
        opening, _, inside = body.partition(">")
        named = _QUOTED_NAME.match(opening)
        if named is None:
            raise UnreadableError("an invocation without a name")
        calls.append(call_named(named[1], _parameters(inside, "<parameter", "</parameter>")))
    return tuple(calls)


def read_arg_keys(text: str) -> tuple[ToolCall, ...]:
    """Read `<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>` (GLM)."""
    calls = []
    for body in between(text, "<tool_call>", "</tool_call>"):
        name, *pairs = body.split("<arg_key>")
        calls.append(call_named(name, dict(map(_pair, pairs))))
    return tuple(calls)


def read_args(text: str) -> tuple[ToolCall, ...]:
    """Read `[TOOL_CALLS]f[ARGS]{"a": 1}`, once for every call (Mistral)."""
    calls = []
    for body in between(text, "[TOOL_CALLS]", "[/TOOL_CALLS]"):
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
    for body in between(text, DEEPSEEK_BEGINS, _DEEPSEEK_ENDS):
        before, marked, behind = body.partition(_DEEPSEEK_SEPARATES)
        if not marked:
            raise UnreadableError(f"no {_DEEPSEEK_SEPARATES}")
        in_fences = fenced(behind)
        if in_fences:
            calls.append(call_named(behind.partition("\n")[0], in_fences[0]))
        else:
            calls.append(call_named(before, behind))
    return tuple(calls)


def read_kimi(text: str) -> tuple[ToolCall, ...]:
    """Read `<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{...}<|tool_call_end|>` (Kimi)."""
    calls = []
    for body in between(text, "<|tool_call_begin|>", "<|tool_call_end|>"):
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
        in_fences = fenced(arguments)
        calls.append(call_named(name, in_fences[0] if in_fences else without_ending(arguments)))
    if not calls:
        raise UnreadableError("no action")
    return tuple(calls)


def _parameters(inside: str, opening: str, closing: str) -> dict[str, object]:
    """Return what elements of parameters say; none where there are none."""
    given = {}
    for part in inside.split(opening)[1:]:
        name, _, value = part.partition(closing)[0].partition(">")
        quoted = _QUOTED_NAME.match(name)
        given[quoted[1] if quoted else name.strip("\"' ")] = value_of(value)
    return given


def _pair(part: str) -> tuple[str, object]:
    key, _, behind = part.partition("</arg_key>")
    _, marked, value = behind.partition("<arg_value>")
    if not marked:
        raise UnreadableError("an argument without its value")
    return key.strip(), value_of(value.partition("</arg_value>")[0])
