"""Parser of a completion's message: text, reasoning and tool calls in the forms of servers.

Servers agree on OpenAI's field names and on little more. Content comes as a text, as typed parts,
or as an object. Reasoning comes under three names or within the text. Calls come as a list, as one
object, flat, or under the earlier name `function_call`. If the arguments cannot be parsed, the
mistake is the model's, and the arguments are kept as written.

Some servers cut an emoji in two at the end of a token and escape each surrogate, as `ud83d` after a
backslash. JSON allows this, UTF-8 does not: two adjacent surrogates are joined, a lone one becomes
U+FFFD. Servers written in Python write `NaN` and `-Infinity` for log probabilities: both become
null.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.core.texts.decoding import (
    DECODING_ERRORS,
    MOST_DEPTH,
    TOO_DEEP,
    is_nested_too_deeply,
    why_unreadable,
)
from dragoman.core.texts.model_output import separate_reasoning, strip_end_of_turn
from dragoman.core.tools import ToolCall

_ODD = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\bNaN\b|\bInfinity\b")
_LONE = re.compile("[\ud800-\udfff]")


def needs_repair(body: bytes) -> bool:
    """Return whether a body may contain invalid characters or numbers.

    These are an escaped surrogate, and a number that JSON does not have.
    """
    return _ODD.search(body) is not None


def decode_leniently(body: bytes) -> object:
    """Return the value of a JSON text, including lone surrogates.

    Raises:
        ValueError: If the text is not JSON.
        RecursionError: If the text is nested too deeply.
    """
    return json.loads(body)


def repair_text(text: str) -> str:
    """Return a text with surrogate pairs joined, and U+FFFD for each lone surrogate."""
    if _LONE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def repair_json(body: bytes) -> bytes:
    """Return a JSON text with all of its surrogates repaired.

    Raises:
        ValueError: If the text is not JSON.
        RecursionError: If the text is nested too deeply.
    """
    return msgspec.json.encode(_repair_value(decode_leniently(body)))


def _repair_value(value: object) -> object:
    if isinstance(value, str):
        return repair_text(value)
    if isinstance(value, list):
        return [_repair_value(each) for each in value]
    if isinstance(value, dict):
        return {repair_text(str(name)): _repair_value(each) for name, each in value.items()}
    return value


MAX_ARGUMENT_CHARS = 200_000

_WHAT = "the arguments are"
_NO_ID = (None, "")
_NO_ARGUMENTS = frozenset({"", "null"})
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])
_TEXT = msgspec.json.Decoder(str)


def with_unique_ids(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Return calls with distinct ids; a call that came twice is returned once."""
    apart: dict[str, ToolCall] = {}
    for index, call in enumerate(calls):
        if apart.get(call.id) == call:
            continue
        call_id = call.id
        while call_id in apart:
            call_id = f"{call_id}_{index}"
        own = call if call_id == call.id else msgspec.structs.replace(call, id=call_id)
        apart[call_id] = own
    return tuple(apart.values())


def parse_tool_call(given_id: object, given_name: object, given: object, index: int) -> ToolCall:
    """Return a parsed tool call.

    Args:
        given_id: The call's id; the parser makes one if it is missing.
        given_name: The tool's name; a value that is not a text counts as no name.
        given: The call's arguments, as a text or as a JSON value. A missing value, `null` and
            spaces count as no arguments.
        index: The call's position among the calls of a reply.
    """
    # Servers of gpt-oss leave control tokens after a name: `track<|channel|>commentary`.
    name = given_name.partition("<|")[0].strip() if isinstance(given_name, str) else ""
    call_id = f"call_{index}" if given_id in _NO_ID else str(given_id)
    raw = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    if raw.strip() in _NO_ARGUMENTS:
        return ToolCall(call_id, name, {})
    if len(raw) > MAX_ARGUMENT_CHARS:
        shown = raw[:MAX_ARGUMENT_CHARS]
        return ToolCall(call_id, name, {}, raw=shown, malformed="the arguments are too long")
    try:
        arguments = _ARGUMENTS.decode(_once_encoded(raw))
    except DECODING_ERRORS as error:
        return ToolCall(call_id, name, {}, raw=raw, malformed=why_unreadable(error, _WHAT))
    if raw.count("{") + raw.count("[") > MOST_DEPTH and is_nested_too_deeply(arguments):
        return ToolCall(call_id, name, {}, raw=raw, malformed=f"{_WHAT} {TOO_DEEP}")
    return ToolCall(call_id, name, arguments)


def _once_encoded(raw: str) -> str:
    """Return arguments that were encoded twice (an object within a text) as encoded once."""
    if not raw.lstrip().startswith('"'):
        return raw
    try:
        return _TEXT.decode(raw)
    except DECODING_ERRORS:
        return raw


_REASONING_PARTS = frozenset({"thinking", "reasoning", "redacted_thinking", "reasoning_text"})
_WORDS = ("text", "value", "refusal")
_REASONING_TEXTS = ("text", "content", "thinking", "reasoning", "summary")
KEPT_WHOLE = ("extra_content", "thinking_blocks")
"""Fields of a message, other than its reasoning, that a provider wants back unchanged."""

ARGUMENT_FIELDS = ("arguments", "input", "parameters")
"""Fields in which servers write the arguments of a function."""

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_HAS_REASONING = frozenset({*_REASONING_FIELDS, "reasoning_details"})


def visible_text(content: object) -> str:
    """Return the text in the content of a message, without parts that are reasoning."""
    return "".join(text for text, is_reasoning in content_parts(content) if not is_reasoning)


def content_parts(content: object) -> Iterator[tuple[str, bool]]:
    """Yield the texts in the content of a message, each with whether it is reasoning."""
    if isinstance(content, str):
        yield content, False
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield str(content), False
    elif isinstance(content, list):
        for part in content:
            yield from content_parts(part)
    elif isinstance(content, dict):
        if content.get("type") in _REASONING_PARTS:
            yield reasoning_text(content), True
        elif content.get("thought") is True:
            yield from ((text, True) for text, _ in content_parts(content.get("text")))
        else:
            found = (content.get(name) for name in _WORDS)
            yield from content_parts(next((text for text in found if text is not None), None))


def message_reasoning(message: Mapping[str, object]) -> str:
    """Return the reasoning that a message or a piece of one has apart from its content.

    Servers that renamed the field send both for a while: the first field with text counts.
    """
    return reasoning_text(message.get(reasoning_field(message)))


def reasoning_field(message: Mapping[str, object]) -> str:
    """Return the field in which a message or a piece of one carries its reasoning.

    The result is "" if there is none.
    """
    fields = (*_REASONING_FIELDS, "reasoning_details")
    return next((field for field in fields if reasoning_text(message.get(field))), "")


def reasoning_text(value: object) -> str:
    """Return reasoning as a text, however deeply a server nested it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(reasoning_text, value))
    if isinstance(value, dict):
        found = (reasoning_text(value.get(name)) for name in _REASONING_TEXTS)
        return next(filter(None, found), "")
    return ""


class ParsedMessage:
    """A parsed message of a completion.

    Attributes:
        words: The text; "" if the message has none.
        reasoning: The reasoning, from its own field, from parts of the content and from the text.
        was_in_words: Whether a parser of ours found reasoning within the text.
        ran_on: Whether the text continued after the token that ends a turn; the text is cut there.
        calls: The calls, each as the server wrote it.
    """

    __slots__ = ("calls", "ran_on", "reasoning", "was_in_words", "words")

    def __init__(self, message: Mapping[str, object], transcript: str = "") -> None:
        said, thought = _text_and_reasoning(message.get("content"))
        found = separate_reasoning(said)
        self.was_in_words = bool(found.reasoning)
        words = found.words
        if not words or words.isspace():
            words = transcript or _refusal(message) or words
        own = "" if _HAS_REASONING.isdisjoint(message) else message_reasoning(message)
        own = (own or thought).strip()
        self.reasoning = (
            f"{own}\n\n{found.reasoning}" if own and found.reasoning else own or found.reasoning
        )
        self.words = strip_end_of_turn(words)
        self.ran_on = self.words != words
        if self.reasoning:
            # Reasoning parsers of servers leave the blank lines between reasoning and text.
            self.words = self.words.strip()
        self.calls = [
            _call(call, index) for index, call in enumerate(parse_tool_calls(message)) if call
        ]


def _text_and_reasoning(content: object) -> tuple[str, str]:
    """Return the text and the reasoning in the content of a message."""
    if content is None or isinstance(content, str):
        return content or "", ""
    parts = list(content_parts(content))
    said = "".join([text for text, is_reasoning in parts if not is_reasoning])
    return said, "".join([text for text, is_reasoning in parts if is_reasoning])


def parse_tool_calls(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the calls of a message as the server wrote them."""
    given = message.get("tool_calls")
    if isinstance(given, dict):
        given = [given]
    if isinstance(given, list) and given:
        return [call for call in given if isinstance(call, dict)]
    legacy = message.get("function_call")
    return [{"function": legacy}] if isinstance(legacy, dict) and legacy else []


def _call(call: Mapping[str, object], index: int) -> ToolCall:
    function = call.get("function")
    if not isinstance(function, dict):
        custom = call.get("custom")
        function = custom if isinstance(custom, dict) else call
    given_id = call.get("id")
    call_id = given_id if isinstance(given_id, str | int) and given_id != "null" else None
    arguments = next((function[name] for name in ARGUMENT_FIELDS if name in function), None)
    return parse_tool_call(call_id, function.get("name"), arguments, index)


def _refusal(message: Mapping[str, object]) -> str:
    """Return the text of a model's refusal, for which OpenAI has a separate field."""
    refusal = message.get("refusal")
    return refusal if isinstance(refusal, str) else ""
