"""Parser of a completion's message: text, reasoning and tool calls in the forms of servers.

Servers agree on OpenAI's names and on little else. Content comes as a text, as typed parts, or as
an object; reasoning comes under three names or within the text; calls come as a list, as one
object, flat, or under the earlier name `function_call`. Arguments that cannot be parsed are the
model's mistake and are kept as written.

Some servers cut an emoji in two at the end of a token and escape each half, as `ud83d` after a
backslash. JSON allows that, UTF-8 does not: two halves that meet are joined, a lone one becomes
U+FFFD. Servers in Python write `NaN` and `-Infinity` for log probabilities: both become null.
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

    These are an escaped half of a character, and a number that JSON does not have.
    """
    return _ODD.search(body) is not None


def decode_leniently(body: bytes) -> object:
    """Return what a JSON text holds, with its halves of characters.

    Raises:
        ValueError: Where it is no JSON.
        RecursionError: Where it is nested too deeply.
    """
    return json.loads(body)


def repair_text(text: str) -> str:
    """Return a text with halves that meet as one character, and U+FFFD for each that is alone."""
    if _LONE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def repair_json(body: bytes) -> bytes:
    """Return a JSON text with all of its halves of characters repaired.

    Raises:
        ValueError: Where it is no JSON.
        RecursionError: Where it is nested too deeply.
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
    """Return calls that each have an id of their own; one that came twice is one call."""
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
    """Return a call as it was understood.

    Args:
        given_id: Its id; one is made where there is none.
        given_name: The tool's name; what is no text is no name.
        given: Its arguments, as text or as what they are. Nothing, `null` and spaces are none.
        index: Its place among the calls of a reply.
    """
    # Servers of gpt-oss leave control tokens behind a name: `track<|channel|>commentary`.
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
    """Return arguments that were encoded twice, as an object within a text, encoded once."""
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
"""Fields of a message that a provider wants back as they came, beside its reasoning."""

ARGUMENT_FIELDS = ("arguments", "input", "parameters")
"""Fields in which servers write what a function is called with."""

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_HAS_REASONING = frozenset({*_REASONING_FIELDS, "reasoning_details"})


def visible_text(content: object) -> str:
    """Return the words in the content of a message, without parts that are reasoning."""
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
    """Return the reasoning that a message, or a piece of one, carries beside its words.

    Servers that changed the field's name send both for a while: the first that has text counts.
    """
    return reasoning_text(message.get(reasoning_field(message)))


def reasoning_field(message: Mapping[str, object]) -> str:
    """Return the field in which a message or a piece of one carries its reasoning.

    The result is "" if there is none.
    """
    fields = (*_REASONING_FIELDS, "reasoning_details")
    return next((field for field in fields if reasoning_text(message.get(field))), "")


def reasoning_text(value: object) -> str:
    """Return reasoning as a text, however deep a server wrapped it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(reasoning_text, value))
    if isinstance(value, dict):
        found = (reasoning_text(value.get(name)) for name in _REASONING_TEXTS)
        return next(filter(None, found), "")
    return ""


class ParsedMessage:
    """A message of a completion after reading.

    Attributes:
        words: What is said; "" where nothing is.
        reasoning: What was thought, from its own field, from parts of the content and from the
            words.
        was_in_words: Whether reasoning stood between the words, where only a parser of ours found
            it.
        ran_on: Whether the words went on behind the mark that ends a turn, where they are cut.
        calls: What is called, each as it was written.
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
            # Parsers of servers leave the blank lines that stood between reasoning and words.
            self.words = self.words.strip()
        self.calls = [
            _call(call, index) for index, call in enumerate(parse_tool_calls(message)) if call
        ]


def _text_and_reasoning(content: object) -> tuple[str, str]:
    """Return the words and the reasoning in the content of a message."""
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
    """Return the words in which a model refuses, which OpenAI gives a field of their own."""
    refusal = message.get("refusal")
    return refusal if isinstance(refusal, str) else ""
