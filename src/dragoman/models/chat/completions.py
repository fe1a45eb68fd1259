"""Reads the body of an OpenAI-shaped chat completion.

A well-formed body whose arguments are not a JSON object is the model's mistake, kept raw and marked
on the call; a body that is not a completion at all is the provider's.
"""

from collections.abc import Mapping

import msgspec

from dragoman.core.agent_answers import Tokens
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import Completion
from dragoman.core.speech import Called, Reply, Said, Unparsed, say
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.tools import ToolCall
from dragoman.core.usage import Usage
from dragoman.core.voice.audio import Audio
from dragoman.core.voice.clock import Latency
from dragoman.models.chat.spoken_replies import NOT_SPOKEN, spoken_reply, without_sound
from dragoman.models.written_calls import told_apart, written_call

MAX_REASON_CHARS = 40


_NULL = msgspec.Raw(b"null")


class _Function(msgspec.Struct):
    name: object = None
    arguments: object = "{}"


class _ToolCall(msgspec.Struct):
    function: _Function | None = None
    id: str | int | None = None


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    tool_calls: list[_ToolCall] | None = None
    audio: msgspec.Raw = _NULL


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


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
    """What a body says, before it is known what it took to get it.

    Attributes:
        reply: What the model said or called.
        raw: The body, with the hash of what it spoke instead of the sound.
        tokens: What it consumed, as far as it is told.
        spoken: The sound of words that the model spoke itself.
        heard_sound: Whether there was audio in what it was asked.
    """

    reply: Reply
    raw: msgspec.Raw
    tokens: _Tokens
    spoken: Audio | None
    heard_sound: bool

    def completion(
        self,
        model: str,
        purpose: str,
        latency: Latency | None = None,
        faults: Mapping[str, int] = {},
        seconds: float = 0.0,
    ) -> Completion:
        """Return it as what a model was asked for, with the failed attempts and the seconds it took."""
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
        )
        spoken = self.spoken if isinstance(self.reply, Said) else None
        return Completion(self.reply, self.raw, usage, latency, spoken)


_BODY = msgspec.json.Decoder(_Body)
_USAGE = msgspec.json.Decoder(_Tokens | None)
_UNTOLD = _Tokens()


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
        purpose: What it was asked for.
        latency: How long it took; None where nobody knows.
        heard_sound: Whether there was audio in what it was asked.

    Raises:
        ParticipantError: Where the body is not a chat completion, or speaks without telling what.
    """
    return decode_reply(body, model, heard_sound=heard_sound).completion(model, purpose, latency)


def decode_reply(body: bytes, model: str, *, heard_sound: bool = False) -> DecodedReply:
    """Decode the reply in a chat completion's body; as `decode_completion`."""
    try:
        body.decode("utf-8")
        decoded = _BODY.decode(body)
    except UNREADABLE as error:
        raise ParticipantError(f"{model}: the reply is not a chat completion ({error})") from error
    if not decoded.choices:
        raise ParticipantError(f"{model}: the reply has no choices")
    choice = decoded.choices[0]
    if choice.finish_reason == "error":
        raise ParticipantError(f"{model}: the reply broke off with an error")
    spoken = NOT_SPOKEN if choice.message.audio == _NULL else spoken_reply(choice.message.audio)
    reply = _reply(choice.message, spoken.transcript, choice.finish_reason)
    if isinstance(reply, Unparsed) and spoken.sound is not None:
        raise ParticipantError(f"{model}: the reply was spoken, and has no transcript")
    sound = spoken.sound
    raw = msgspec.Raw(body if sound is None else without_sound(body, sound))
    return DecodedReply(reply, raw, _tokens(decoded.usage), sound, heard_sound)


def _tokens(told: msgspec.Raw) -> _Tokens:
    """Return the tokens told; a count that makes no sense leaves them unknown, not the reply."""
    try:
        return _USAGE.decode(told) or _UNTOLD
    except UNREADABLE:
        return _UNTOLD


def _reply(message: _Message, transcript: str, finish: str | None) -> Reply:
    content = message.content or ""
    words = content if isinstance(content, str) else "".join(part.text for part in content)
    words = words if words.strip() else transcript or words
    text = words if words.strip() else None
    if message.tool_calls:
        calls = [_call(call, index) for index, call in enumerate(message.tool_calls)]
        return Called(told_apart(calls), text)
    if text is None:
        why = f" (finish_reason: {finish[:MAX_REASON_CHARS]})" if finish else ""
        return Unparsed(words, f"the reply has neither words nor calls{why}")
    return say(text)


def _call(call: _ToolCall, index: int) -> ToolCall:
    function = call.function or _Function()
    return written_call(call.id, function.name, function.arguments, index)
