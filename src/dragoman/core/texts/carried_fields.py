"""Fields of a model's reply that the same model may want back in its history: reasoning, signatures.

Providers document that they must come back as they were: DeepSeek's `reasoning_content` with calls, the
thought signatures in Gemini's `extra_content`, OpenRouter's `reasoning_details`, the thinking parts in
Mistral's content. They stand in the reply's body, which records keep, so that a history that is built from
a record has them, too.
"""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.core.texts.decoding import UNREADABLE

REASONING_FIELDS = (
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "reasoning_details",
    "thinking_blocks",
)
"""Fields of a message in which providers tell reasoning."""

CALL_FIELDS = ("extra_content", "thought_signature", "provider_specific_fields")
"""Fields of a call that providers want back with it."""

WHOLE_CONTENT = "whole_content"
"""The field of our messages that holds content as it came, where its words alone are the message."""

_MESSAGE_FIELDS = (*REASONING_FIELDS, "extra_content")


class CarriedFields(msgspec.Struct, frozen=True):
    """What a reply carried beside its words and calls.

    Attributes:
        message: Fields of the message.
        calls: Fields of each call, in order; none where no call carried any.
        content: The content as it came; None where the words are all of it.
    """

    message: Mapping[str, object] = {}
    calls: Sequence[Mapping[str, object]] = ()
    content: object = None


NOTHING_CARRIED = CarriedFields()


class _Choice(msgspec.Struct):
    message: dict[str, object]


class _Body(msgspec.Struct):
    choices: list[_Choice]


_BODY = msgspec.json.Decoder(_Body)


def carried_fields(raw: msgspec.Raw | msgspec.UnsetType, words: str) -> CarriedFields:
    """Return what a reply carried that its model may want back.

    Args:
        raw: The body of the reply; what is no chat completion carried nothing.
        words: The reply's words, without reasoning.
    """
    if isinstance(raw, msgspec.UnsetType):
        return NOTHING_CARRIED
    body = bytes(raw)
    if not _may_carry(body):
        return NOTHING_CARRIED
    try:
        message = _BODY.decode(body).choices[0].message
    except (*UNREADABLE, IndexError):
        return NOTHING_CARRIED
    fields = {name: message[name] for name in _MESSAGE_FIELDS if message.get(name)}
    given = message.get("tool_calls")
    calls = [
        {name: call[name] for name in CALL_FIELDS if call.get(name)}
        if isinstance(call, dict)
        else {}
        for call in (given if isinstance(given, list) else ())
    ]
    content = message.get("content")
    return CarriedFields(
        fields,
        calls if any(calls) else (),
        content if content and content != words else None,
    )


def _may_carry(body: bytes) -> bool:
    """Whether a body may hold any of the fields, or reasoning in its content; most hold none."""
    return (
        b"reasoning" in body
        or b"think" in body
        or b"thought" in body
        or b"THINK" in body
        or b"<|channel" in body
        or b'"extra_content"' in body
        or b'"provider_specific_fields"' in body
    )
