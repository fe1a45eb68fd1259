"""Parser of OpenAI-compatible chat completions.

If the body is well-formed and the arguments are not a JSON object, the mistake is the model's: the
parser keeps the arguments raw and marks them on the call. A body that is not a completion is a
fault of the provider.
"""

import re
from collections.abc import Mapping

import msgspec

from dragoman.core.agent_replies import Tokens
from dragoman.core.audio import Audio
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import Completion
from dragoman.core.replies import (
    Latency,
    Reply,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    text_reply,
)
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import CUT_AT_END_MARK, SEPARATED_REASONING, Usage
from dragoman.models.chat.message_parsing import (
    ParsedMessage,
    needs_repair,
    parse_tool_calls,
    repair_json,
    with_unique_ids,
)
from dragoman.models.response_audio import (
    NOT_SPOKEN,
    SpokenReply,
    decode_spoken_reply,
    without_sound,
)

MAX_REASON_CHARS = 40

_NOTHING = "neither words nor calls"

_BROKEN_OFF = frozenset(
    [
        "error",
        "abort",
        "aborted",
        "cancelled",
        "canceled",
        "timeout",
        "network_error",
        "server_error",
        "internal_error",
        "insufficient_system_resource",
        "engine_error",
    ]
)
"""Finish reasons of the server: the reply then holds only a part of the model's text."""

_MODELS_ENDS = re.compile(r"filter|length|malformed|safety|refusal|recitation", re.IGNORECASE)
"""Finish reasons of the model that leave no message."""

_NULL = msgspec.Raw(b"null")


class _Choice(msgspec.Struct):
    """One choice of a completion.

    `text` comes from servers that answer in the shape of a text completion. `delta` comes from
    servers that send a whole reply in the shape of a stream's only chunk.
    """

    message: dict[str, object] | None = None
    delta: dict[str, object] | None = None
    text: object = None
    finish_reason: object = None
    index: object = 0


class _PromptDetails(msgspec.Struct):
    cached_tokens: Tokens | None = None
    audio_tokens: Tokens | None = None


class _CompletionDetails(msgspec.Struct):
    reasoning_tokens: Tokens | None = None
    audio_tokens: Tokens | None = None


class _Tokens(msgspec.Struct):
    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Body(msgspec.Struct):
    choices: list[_Choice]
    usage: msgspec.Raw = _NULL


class DecodedReply(msgspec.Struct, frozen=True):
    """A parsed body, before the cost of the call is known.

    Attributes:
        reply: The model's text and calls.
        raw: The body, with the hash of its speech in place of the audio.
        tokens: The token counts that the body reports.
        spoken: The audio of the model's own speech.
        heard_sound: Whether the request contained audio.
        reasoning: The model's reasoning before its reply.
        remarks: Remarks on the reply, counted by kind.
    """

    reply: Reply
    raw: msgspec.Raw
    tokens: _Tokens
    spoken: Audio | None
    heard_sound: bool
    reasoning: str = ""
    remarks: Mapping[str, int] = {}

    def completion(
        self,
        model: str,
        purpose: str,
        latency: Latency | None = None,
        faults: Mapping[str, int] = {},
        seconds: float = 0.0,
    ) -> Completion:
        """Return the reply as a completion of a model.

        It includes the failed attempts and the duration in seconds.
        """
        tokens = self.tokens
        sent, received = tokens.prompt_tokens_details, tokens.completion_tokens_details
        into = None if self.heard_sound else 0
        if sent is not None and sent.audio_tokens is not None:
            into = sent.audio_tokens
        out = None if self.spoken is not None else 0
        if received is not None and received.audio_tokens is not None:
            out = received.audio_tokens
        usage = Usage(
            purpose,
            model,
            input_tokens=tokens.prompt_tokens,
            output_tokens=tokens.completion_tokens,
            cached_tokens=None if sent is None else sent.cached_tokens,
            reasoning_tokens=None if received is None else received.reasoning_tokens,
            faults=dict(faults),
            seconds=seconds,
            input_audio_tokens=into,
            output_audio_tokens=out,
            remarks=dict(self.remarks),
        )
        spoken = self.spoken if isinstance(self.reply, TextReply) else None
        return Completion(self.reply, self.raw, usage, latency, spoken, self.reasoning)


_BODY = msgspec.json.Decoder(_Body)
_USAGE = msgspec.json.Decoder(_Tokens | None)
_UNKNOWN_TOKENS = _Tokens()


def decode_completion(
    body: bytes,
    model: str,
    purpose: str,
    latency: Latency | None = None,
    *,
    heard_sound: bool = False,
) -> Completion:
    """Decode a chat completion's body.

    Args:
        body: The bytes.
        model: The model's name, for ledgers.
        purpose: The purpose of the request.
        latency: The duration of the call; None if it is unknown.
        heard_sound: Whether the request contained audio.

    Raises:
        ParticipantError: If the body is not a chat completion, or holds speech without its
            transcript.
    """
    return decode_reply(body, model, heard_sound=heard_sound).completion(model, purpose, latency)


def decode_reply(body: bytes, model: str, *, heard_sound: bool = False) -> DecodedReply:
    """Decode the reply in a chat completion's body.

    Arguments and errors as in `decode_completion`.
    """
    try:
        body.decode("utf-8")
        body, decoded = _decode_body(body)
        choice = _choice(decoded, model)
        spoken = _decode_spoken_choice(choice)
        message = {"content": choice.text} if choice.message is None else choice.message
        read = ParsedMessage(message, spoken.transcript)
    except (*DECODING_ERRORS, ValueError) as error:
        raise ParticipantError(f"{model}: the reply is not a chat completion ({error})") from error
    finish = choice.finish_reason if isinstance(choice.finish_reason, str) else None
    if finish is not None and finish.lower() in _BROKEN_OFF:
        raise ParticipantError(f"{model}: the reply broke off ({finish[:MAX_REASON_CHARS]})")
    reply = _reply(read, finish)
    if isinstance(reply, UnparsedReply) and spoken.sound is not None:
        raise ParticipantError(f"{model}: the reply was spoken, and has no transcript")
    sound = spoken.sound
    raw = msgspec.Raw(body if sound is None else without_sound(body, sound))
    remarks: dict[str, int] = {SEPARATED_REASONING: 1} if read.was_in_words else {}
    if read.ran_on:
        remarks[CUT_AT_END_MARK] = 1
    tokens = _tokens(decoded.usage)
    return DecodedReply(reply, raw, tokens, sound, heard_sound, read.reasoning, remarks)


def _decode_body(body: bytes) -> tuple[bytes, _Body]:
    """Return a body and its parsed content; lone surrogates in the body are repaired."""
    try:
        return body, _BODY.decode(body)
    except msgspec.MsgspecError:
        if not needs_repair(body):
            raise
    whole = repair_json(body)
    return whole, _BODY.decode(whole)


def _choice(body: _Body, model: str) -> _Choice:
    """Return the choice that holds the reply.

    Requests ask for one choice. Some gateways put the text of a reply into the first choice and its
    calls into another.
    """
    if not body.choices:
        raise ParticipantError(f"{model}: the reply has no choices")
    ordered = body.choices
    if len(ordered) > 1:
        ordered = sorted(ordered, key=lambda each: each.index if isinstance(each.index, int) else 0)
    first = ordered[0]
    if first.message is None and (first.delta or _is_models_end(first.finish_reason)):
        first = msgspec.structs.replace(first, message=first.delta or {})
    if first.message is None and first.text is None:
        raise ParticipantError(
            f"{model}: the reply is not a chat completion (its choice has no message)"
        )
    if len(ordered) == 1 or first.message is None or parse_tool_calls(first.message):
        return first
    other = next((each.message for each in ordered if parse_tool_calls(each.message or {})), None)
    if other is None:
        return first
    return msgspec.structs.replace(
        first, message={**other, **{name: value for name, value in first.message.items() if value}}
    )


def _is_models_end(finish: object) -> bool:
    return isinstance(finish, str) and _MODELS_ENDS.search(finish) is not None


def _decode_spoken_choice(choice: _Choice) -> SpokenReply:
    audio = (choice.message or {}).get("audio")
    return decode_spoken_reply(msgspec.Raw(msgspec.json.encode(audio))) if audio else NOT_SPOKEN


def _tokens(reported: msgspec.Raw) -> _Tokens:
    """Return the reported token counts.

    A malformed count makes the counts unknown, and the reply stays valid.
    """
    try:
        return _USAGE.decode(reported) or _UNKNOWN_TOKENS
    except DECODING_ERRORS:
        return _UNKNOWN_TOKENS


def _reply(read: ParsedMessage, finish: str | None) -> Reply:
    text = read.words if read.words.strip() else None
    if read.calls:
        return ToolCallReply(with_unique_ids(read.calls), text)
    if text is None:
        held = "reasoning alone, neither words nor calls" if read.reasoning else _NOTHING
        why = f" (finish_reason: {finish[:MAX_REASON_CHARS]})" if finish else ""
        return UnparsedReply(read.words, f"the reply has {held}{why}")
    return text_reply(text)
