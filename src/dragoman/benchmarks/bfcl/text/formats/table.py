"""The forms by name: what shows each in a reply, and what reads it."""

from collections.abc import Mapping

import msgspec

from dragoman.benchmarks.bfcl.text.formats import code, marked, named
from dragoman.benchmarks.bfcl.text.formats.reader import ReadReply, ReadValues


class Format(msgspec.Struct, frozen=True):
    """One form: every one of its `signs` stands in a reply that speaks for it."""

    signs: tuple[str, ...]
    read: ReadReply


def _values(read: ReadValues) -> ReadReply:
    return lambda text, _: read(text)


FORMATS: Mapping[str, Format] = {
    "tool_call": Format(("<tool_call>",), _values(marked.read_tool_call)),
    "arg_keys": Format(("<tool_call>", "<arg_key>"), _values(named.read_arg_keys)),
    "function_tags": Format(("<function=",), _values(named.read_function_tags)),
    "invoke_tags": Format(("<invoke",), _values(named.read_invoke_tags)),
    "toolcall_json": Format(("<TOOLCALL>",), _values(marked.read_upper_tag)),
    "function_call": Format(("<function_call>",), _values(marked.read_function_call)),
    "tool_call_token": Format(("<|tool_call|>",), _values(marked.read_tool_call_token)),
    "functools": Format(("functools",), _values(marked.read_functools)),
    "mistral": Format(("[TOOL_CALLS]",), _values(marked.read_mistral)),
    "mistral_args": Format(("[TOOL_CALLS]", "[ARGS]"), _values(named.read_args)),
    "python_tag": Format(("<|python_tag|>",), _values(marked.read_python_tag)),
    "deepseek": Format((named.DEEPSEEK_BEGINS,), _values(named.read_deepseek)),
    "kimi": Format(("<|tool_call_begin|>",), _values(named.read_kimi)),
    "action_token": Format(("<|START_ACTION|>",), _values(marked.read_action_token)),
    "action_list": Format(("Action:", "tool_name"), _values(marked.read_action_list)),
    "react": Format(("Action:", "Action Input:"), _values(named.read_react)),
    "tool_code": Format(("```tool_code",), code.read_tool_code),
    "fence": Format(("```",), code.read_code),
    "json_fence": Format(("```",), _values(marked.read_json_fence)),
    "bare_json": Format(("{",), _values(marked.read_bare)),
    "quoted": Format(("(",), code.read_quoted),
    "thought": Format(("</think>",), code.read_code),
}
"""Beside the forms that BFCL itself asks for."""


def behind_thought(text: str) -> str:
    """Return a reply without the thoughts before it."""
    return text.rpartition("</think>")[2]
