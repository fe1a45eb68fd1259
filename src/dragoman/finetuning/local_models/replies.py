"""Parsing of a local model's output into a chat completion: text, reasoning, tool calls.

Calls are read in the form of Qwen, Hermes and our tiny model, `<tool_call>{JSON}</tool_call>`. An
unreadable call stays a call, as it was written: it counts as the agent's mistake.
"""

import re

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.texts.model_output import separate_reasoning

_BEGIN, _END = "<tool_call>", "</tool_call>"
_OTHER_FORM = "<function="
_NAMED = re.compile(r'\s*\{\s*"name"\s*:\s*"([^"\\]{0,200})"')


class DecodedText(msgspec.Struct, frozen=True):
    """One answer of a model; `is_cut` where it had no room to end."""

    text: str
    input_tokens: int
    output_tokens: int
    is_cut: bool


class _Call(msgspec.Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


def knows_calls(template: str) -> bool:
    """Return whether the calls that a chat template asks for are in the form that is read here."""
    return _BEGIN in template and _OTHER_FORM not in template


def completion_body(written: DecodedText, *, with_calls: bool) -> bytes:
    """Return an answer as the body of a chat completion.

    Args:
        written: The answer.
        with_calls: Whether functions were offered: else what looks like a call is words.
    """
    found = separate_reasoning(written.text)
    words, calls = _split_tool_calls(found.words) if with_calls else (found.words, [])
    message: dict[str, object] = {"role": "assistant", "content": words.strip() or None}
    if found.reasoning:
        message["reasoning_content"] = found.reasoning
    if calls:
        message["tool_calls"] = calls
    reason = "length" if written.is_cut else "tool_calls" if calls else "stop"
    return msgspec.json.encode(
        {
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {
                "prompt_tokens": written.input_tokens,
                "completion_tokens": written.output_tokens,
            },
        }
    )


def _split_tool_calls(text: str) -> tuple[str, list[dict[str, object]]]:
    words, *rest = text.split(_BEGIN)
    calls: list[dict[str, object]] = []
    spoken = [words]
    for index, piece in enumerate(rest):
        inner, _, after = piece.partition(_END)
        calls.append({"id": f"call_{index}", "type": "function", "function": _function(inner)})
        spoken.append(after)
    return "".join(spoken), calls


def _function(inner: str) -> dict[str, str]:
    """Return the function of a call.

    For a text that is not a call, it has the name that can be recognized, and all of the text.
    """
    try:
        call = msgspec.json.decode(inner.strip(), type=_Call)
    except DECODING_ERRORS:
        named = _NAMED.match(inner)
        return {"name": named[1] if named else "", "arguments": inner.strip() or "?"}
    arguments = bytes(call.arguments).decode()
    return {"name": call.name, "arguments": _as_object(arguments)}


def _as_object(arguments: str) -> str:
    """Return arguments as JSON; some models write the object as a text."""
    try:
        return msgspec.json.decode(arguments, type=str)
    except DECODING_ERRORS:
        return arguments
