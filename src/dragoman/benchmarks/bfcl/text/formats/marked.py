"""Calls as values behind marks of a model's own: tags, special tokens, a word before a list."""

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.formats.parts import after, between, fenced, without_ending
from dragoman.benchmarks.bfcl.text.formats.values import calls_in
from dragoman.core.tools import ToolCall


def read_tool_call(text: str) -> tuple[ToolCall, ...]:
    """Read `<tool_call>{"name": "f", "arguments": {}}</tool_call>` (Hermes, Qwen)."""
    return _all(between(text, "<tool_call>", "</tool_call>"))


def read_upper_tag(text: str) -> tuple[ToolCall, ...]:
    """Read `<TOOLCALL>[{"name": "f", "arguments": {}}]</TOOLCALL>` (Nemotron)."""
    return _all(between(text, "<TOOLCALL>", "</TOOLCALL>"))


def read_function_call(text: str) -> tuple[ToolCall, ...]:
    """Read `<function_call> {"name": "f", "arguments": {}}`, once for every call (Granite 20B)."""
    return _all(between(text, "<function_call>", "</function_call>"))


def read_tool_call_token(text: str) -> tuple[ToolCall, ...]:
    """Read `<|tool_call|>[{"name": "f", "arguments": {}}]` (Granite, Phi-4)."""
    return _all(between(text, "<|tool_call|>", "<|/tool_call|>"))


def read_functools(text: str) -> tuple[ToolCall, ...]:
    """Read `functools[{"name": "f", "arguments": {}}]` (Phi, Functionary)."""
    return calls_in(after(text, "functools"))


def read_mistral(text: str) -> tuple[ToolCall, ...]:
    """Read `[TOOL_CALLS] [{"name": "f", "arguments": {}}]` (Mistral)."""
    return calls_in(after(text, "[TOOL_CALLS]").partition("[/TOOL_CALLS]")[0])


def read_python_tag(text: str) -> tuple[ToolCall, ...]:
    """Read `<|python_tag|>{"name": "f", "parameters": {}}; {...}` (Llama)."""
    return calls_in(after(text, "<|python_tag|>"))


def read_action_token(text: str) -> tuple[ToolCall, ...]:
    """Read `<|START_ACTION|>[{"tool_name": "f", "parameters": {}}]<|END_ACTION|>` (Command)."""
    return _all(between(text, "<|START_ACTION|>", "<|END_ACTION|>"))


def read_action_list(text: str) -> tuple[ToolCall, ...]:
    """Read `Action:` before a fence with `[{"tool_name": "f", "parameters": {}}]` (Command R)."""
    return _all(fenced(after(text, "Action:")))


def read_json_fence(text: str) -> tuple[ToolCall, ...]:
    """Read objects, or lists of them, in fences."""
    return _all(fenced(text))


def read_bare(text: str) -> tuple[ToolCall, ...]:
    """Read objects, or a list of them, that stand there without any mark (xLAM, Llama)."""
    inside = without_ending(text)
    if not inside.startswith(("[", "{")):
        raise UnreadableError("neither an object nor a list")
    return calls_in(inside)


def _all(bodies: list[str]) -> tuple[ToolCall, ...]:
    calls = tuple(call for body in bodies for call in calls_in(body))
    if not calls:
        raise UnreadableError("no call between the marks")
    return calls
