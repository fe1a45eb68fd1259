"""Reply parser: tool calls in a reply's text, in a requested format or in a known model's.

`FORMATS` lists each format with the marks that show it in a reply.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.call_parsers import model_formats
from dragoman.benchmarks.bfcl.call_parsers.json_calls import read_json_calls
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError, check_length
from dragoman.benchmarks.bfcl.call_parsers.model_formats import ReadReply, ReadValues
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_python_calls
from dragoman.benchmarks.bfcl.call_parsers.xml_calls import read_xml_calls
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.source_code.calls import read_java_calls, read_javascript_calls
from dragoman.core.tools import ToolCall

_OPENING, _CLOSING = "<TOOLCALL>", "</TOOLCALL>"


def in_brackets(text: str) -> str:
    """Return a text without backticks, newlines and spaces around it, in square brackets."""
    text = text.strip("`\n ")
    if not text.startswith("["):
        text = f"[{text}"
    return text if text.endswith("]") else f"{text}]"


def tagged_text(text: str) -> str:
    """Return what stands between the first tags of a tool call, or raise UnreadableError."""
    _, opened, rest = text.partition(_OPENING)
    inside, closed, _ = rest.partition(_CLOSING)
    if not opened or not closed:
        raise UnreadableError(f"no {_OPENING} with its {_CLOSING}")
    return inside.strip()


class ModelFormat(msgspec.Struct, frozen=True):
    """One form: every one of its `signs` stands in a reply that speaks for it."""

    signs: tuple[str, ...]
    read: ReadReply


def _values(read: ReadValues) -> ReadReply:
    return lambda text, _: read(text)


MODEL_FORMATS: Mapping[str, ModelFormat] = {
    "tool_call": ModelFormat(("<tool_call>",), _values(model_formats.read_tool_call)),
    "arg_keys": ModelFormat(("<tool_call>", "<arg_key>"), _values(model_formats.read_arg_keys)),
    "function_tags": ModelFormat(("<function=",), _values(model_formats.read_function_tags)),
    "invoke_tags": ModelFormat(("<invoke",), _values(model_formats.read_invoke_tags)),
    "toolcall_json": ModelFormat(("<TOOLCALL>",), _values(model_formats.read_upper_tag)),
    "function_call": ModelFormat(("<function_call>",), _values(model_formats.read_function_call)),
    "tool_call_token": ModelFormat(("<|tool_call|>",), _values(model_formats.read_tool_call_token)),
    "functools": ModelFormat(("functools",), _values(model_formats.read_functools)),
    "mistral": ModelFormat(("[TOOL_CALLS]",), _values(model_formats.read_mistral)),
    "mistral_args": ModelFormat(("[TOOL_CALLS]", "[ARGS]"), _values(model_formats.read_args)),
    "python_tag": ModelFormat(("<|python_tag|>",), _values(model_formats.read_python_tag)),
    "deepseek": ModelFormat((model_formats.DEEPSEEK_BEGINS,), _values(model_formats.read_deepseek)),
    "kimi": ModelFormat(("<|tool_call_begin|>",), _values(model_formats.read_kimi)),
    "action_token": ModelFormat(("<|START_ACTION|>",), _values(model_formats.read_action_token)),
    "action_list": ModelFormat(("Action:", "tool_name"), _values(model_formats.read_action_list)),
    "react": ModelFormat(("Action:", "Action Input:"), _values(model_formats.read_react)),
    "tool_code": ModelFormat(("```tool_code",), model_formats.read_tool_code),
    "fence": ModelFormat(("```",), model_formats.read_code),
    "json_fence": ModelFormat(("```",), _values(model_formats.read_json_fence)),
    "bare_json": ModelFormat(("{",), _values(model_formats.read_bare)),
    "quoted": ModelFormat(("(",), model_formats.read_quoted),
    "thought": ModelFormat(("</think>",), model_formats.read_code),
}
"""Formats of models, in addition to the forms that BFCL itself asks for."""


def strip_thought(text: str) -> str:
    """Return a reply without the thoughts before it."""
    return text.rpartition("</think>")[2]


Form = Literal["python", "json", "verbose_xml", "concise_xml", "java", "javascript"]
"""The form in which calls are asked for."""

READ_BY_RULES: frozenset[str] = frozenset({"python", "json", "java", "javascript"})
"""The forms in which rule sets can differ in what they read."""

Read = Callable[[str, BfclRules], tuple[ToolCall, ...]]


def read_calls(
    text: str, form: Form, rules: BfclRules, *, in_tags: bool = False
) -> tuple[ToolCall, ...]:
    """Return the calls of a text; with `in_tags`, of the text between `<TOOLCALL>` tags.

    Raises:
        UnreadableError: If the text holds no calls of that form.
    """
    check_length(text)
    framed = in_brackets(text) if form in _BRACKETED else text
    if in_tags:
        framed = tagged_text(framed)
    return _READERS[form](framed, rules)


def read_format(text: str, name: str, code: Form, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a reply in one of `MODEL_FORMATS`.

    Calls that are code have the form `code`.

    Raises:
        UnreadableError: If the reply holds no calls of that form.
    """
    check_length(text)
    found = MODEL_FORMATS[name]
    return found.read(strip_thought(text), lambda part: read_calls(part, code, rules))


def reading_choices(rules: BfclRules) -> tuple[bool, ...]:
    """Return a rule set's choices about reading; equal choices read a text as equal calls."""
    return (
        rules.positionals_are_bound,
        rules.signs_keep_their_meaning,
        rules.odd_calls_are_unreadable,
        rules.json_is_read_whole,
        rules.source_is_read_as_written,
    )


def _python(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    return read_python_calls(text.strip().strip("'"), rules)


def _verbose_xml(text: str, _: BfclRules) -> tuple[ToolCall, ...]:
    return read_xml_calls(text, verbose=True)


def _concise_xml(text: str, _: BfclRules) -> tuple[ToolCall, ...]:
    return read_xml_calls(text, verbose=False)


_BRACKETED = frozenset({"python", "json", "java", "javascript"})

_READERS: Mapping[Form, Read] = {
    "python": _python,
    "json": read_json_calls,
    "verbose_xml": _verbose_xml,
    "concise_xml": _concise_xml,
    "java": read_java_calls,
    "javascript": read_javascript_calls,
}
