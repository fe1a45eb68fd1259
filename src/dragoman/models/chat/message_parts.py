"""Reads the message of a chat completion: its words, its reasoning and its calls, in the forms of servers.

Servers agree on OpenAI's names and on little else: content comes as a text, as typed parts, as an object;
reasoning comes under three names or between the words; calls come as a list, as one object, flat, or under
the earlier name `function_call`.
"""

from collections.abc import Iterator, Mapping

from dragoman.core.texts.end_marks import without_end_marks
from dragoman.core.texts.reasoning import separated
from dragoman.core.tools import ToolCall
from dragoman.models.written_calls import written_call

_REASONING_PARTS = frozenset({"thinking", "reasoning", "redacted_thinking", "reasoning_text"})
_WORDS = ("text", "value", "refusal")
_REASONING_TEXTS = ("text", "content", "thinking", "reasoning", "summary")
KEPT_WHOLE = ("extra_content", "thinking_blocks")
"""Fields of a message that a provider wants back as they came, beside its reasoning."""

ARGUMENT_FIELDS = ("arguments", "input", "parameters")
"""Fields in which servers write what a function is called with."""

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_HAS_REASONING = frozenset({*_REASONING_FIELDS, "reasoning_details"})


def words_of(content: object) -> str:
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


def reasoning_beside(message: Mapping[str, object]) -> str:
    """Return the reasoning that a message, or a piece of one, carries beside its words.

    Servers that changed the field's name send both for a while: the first that has text counts.
    """
    return reasoning_text(message.get(reasoning_field(message)))


def reasoning_field(message: Mapping[str, object]) -> str:
    """Return the field in which a message, or a piece of one, carries its reasoning; "" where it has none."""
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


class ReadMessage:
    """A message of a completion after reading.

    Attributes:
        words: What is said; "" where nothing is.
        reasoning: What was thought, from its own field, from parts of the content and from the words.
        was_in_words: Whether reasoning stood between the words, where only a parser of ours found it.
        ran_on: Whether the words went on behind the mark that ends a turn, where they are cut.
        calls: What is called, each as it was written.
    """

    __slots__ = ("calls", "ran_on", "reasoning", "was_in_words", "words")

    def __init__(self, message: Mapping[str, object], transcript: str = "") -> None:
        said, thought = _said_and_thought(message.get("content"))
        found = separated(said)
        self.was_in_words = bool(found.reasoning)
        words = found.words
        if not words or words.isspace():
            words = transcript or _refusal(message) or words
        own = "" if _HAS_REASONING.isdisjoint(message) else reasoning_beside(message)
        own = (own or thought).strip()
        self.reasoning = (
            f"{own}\n\n{found.reasoning}" if own and found.reasoning else own or found.reasoning
        )
        self.words = without_end_marks(words)
        self.ran_on = self.words != words
        if self.reasoning:
            # Parsers of servers leave the blank lines that stood between reasoning and words.
            self.words = self.words.strip()
        self.calls = [
            _call(call, index) for index, call in enumerate(written_calls_of(message)) if call
        ]


def _said_and_thought(content: object) -> tuple[str, str]:
    """Return the words and the reasoning in the content of a message."""
    if content is None or isinstance(content, str):
        return content or "", ""
    parts = list(content_parts(content))
    said = "".join([text for text, is_reasoning in parts if not is_reasoning])
    return said, "".join([text for text, is_reasoning in parts if is_reasoning])


def written_calls_of(message: Mapping[str, object]) -> list[Mapping[str, object]]:
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
    return written_call(call_id, function.get("name"), arguments, index)


def _refusal(message: Mapping[str, object]) -> str:
    """Return the words in which a model refuses, which OpenAI gives a field of their own."""
    refusal = message.get("refusal")
    return refusal if isinstance(refusal, str) else ""
