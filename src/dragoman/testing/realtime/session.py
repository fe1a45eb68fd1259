"""The state of a realtime session: conversation, audio buffer, and a simple speech backend."""

import hashlib
import math
import struct
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from dragoman.core.audio import SAMPLE_BYTES, Audio
from dragoman.core.recordings import Recordings
from dragoman.models.realtime_protocol import (
    BYTES_PER_SECOND,
    RATE_HZ,
    SHORTEST_SECONDS,
    prepare_audio,
)
from dragoman.testing.chat_requests import (
    Call,
    ChatBody,
    ChatMessage,
    Function,
    OfferedTool,
    ToolName,
)
from dragoman.testing.realtime.client_events import (
    CallItem,
    CallOutput,
    ItemCreated,
    ItemCut,
    MessageItem,
    RefusedEvent,
    SessionSettings,
)
from dragoman.testing.responses import decoded_text

Speak = Callable[[str], Awaitable[Audio]]
"""Function that returns words as audio at 24 kHz."""

Hear = Callable[[Audio], str]
"""Function that returns the words of audio."""

SECONDS_PER_CHARACTER = 0.06
"""Approximate duration of speech per character."""

PERIOD_SAMPLES, LOUDNESS = 100, 6_000
"""Period and amplitude of a quiet tone of 240 Hz."""

_PERIOD = struct.pack(
    f"<{PERIOD_SAMPLES}h",
    *(
        int(LOUDNESS * math.sin(2 * math.pi * place / PERIOD_SAMPLES))
        for place in range(PERIOD_SAMPLES)
    ),
)


async def speak_tone(text: str) -> Audio:
    """Return a tone that lasts as long as the spoken words would."""
    count = int(len(text) * SECONDS_PER_CHARACTER * RATE_HZ)
    whole = _PERIOD * (count // PERIOD_SAMPLES + 1)
    return Audio(whole[: count * SAMPLE_BYTES], RATE_HZ)


def hear_code(audio: Audio) -> str:
    """Return the words of audio in the code of `dragoman.testing.speech`.

    For other audio, the result describes the audio.
    """
    # Short audio was padded with silence, which is not part of the code.
    if words := decoded_text(Audio(audio.pcm.rstrip(b"\0"), audio.rate_hz)):
        return words
    reference = audio.reference()
    return f"(audio of {reference.seconds:.2f} s, {reference.sha256})"


def hear_known(known: Mapping[str, str]) -> Hear:
    """Return a function that recognizes known audio.

    Args:
        known: Words by the hash of their audio at 24 kHz, as `known_sound` returns it.
    """
    return lambda audio: known.get(audio.reference().sha256) or hear_code(audio)


def hear_recorded(recordings: Recordings) -> Hear:
    """Return a function that recognizes recorded messages as they were typed.

    Raises:
        DataError: If their audio is missing or damaged.
    """
    messages = (message for task in recordings.tasks for message in recordings.of(task))
    texts = {message.audio: message.text for message in messages if message.audio is not None}
    return hear_known({known_sound(recordings.sound(audio)): text for audio, text in texts.items()})


def known_sound(audio: Audio) -> str:
    """Return the hash of audio in the form in which a client sends it."""
    return prepare_audio(audio).reference().sha256


class SpeechBackend(msgspec.Struct, frozen=True):
    """Functions that speak and recognize speech."""

    speak: Speak = speak_tone
    hear: Hear = hear_code


MOST_BUFFERED_BYTES = 64 * 1024 * 1024


class KeptItem(msgspec.Struct):
    """One item: its chat message, and its length if the model spoke it."""

    id: str
    message: ChatMessage
    spoken_seconds: float | None = None
    heard_seconds: float = 0.0


class SessionState:
    """The state of one session.

    Args:
        model: The model's name.
        hear: Hearing function.
    """

    def __init__(self, model: str, hear: Hear) -> None:
        self.model = model
        self.settings: dict[str, object] = {}
        self.items: list[KeptItem] = []
        self.has_spoken = False
        self._hear = hear
        self._tools: tuple[OfferedTool, ...] = ()
        self._instructions = ""
        self._voice, self._modality = "", "audio"
        self._buffer = bytearray()
        self._count = 0

    @property
    def speaks(self) -> bool:
        """Whether text replies are spoken."""
        return self._modality == "audio"

    def update(self, settings: SessionSettings) -> dict[str, object]:
        """Change settings, and return all current ones.

        Raises:
            RefusedEvent: For another voice after the model has spoken.
        """
        given: dict[str, object] = msgspec.to_builtins(settings)
        voice = _voice_of(settings)
        if voice and voice != self._voice and self.has_spoken:
            raise RefusedEvent("the voice cannot change any more", "cannot_update_voice", "voice")
        self._voice = voice or self._voice
        if isinstance(settings.tools, tuple):
            self._tools = tuple(OfferedTool(ToolName(t.name), "function") for t in settings.tools)
        if isinstance(settings.instructions, str):
            self._instructions = settings.instructions
        if isinstance(settings.output_modalities, tuple):
            (self._modality,) = settings.output_modalities
        self.settings |= given
        return self.settings

    def append(self, pcm: bytes) -> None:
        """Add samples to the buffer.

        Raises:
            RefusedEvent: If the buffer is full.
        """
        if len(self._buffer) + len(pcm) > MOST_BUFFERED_BYTES:
            raise RefusedEvent("the audio buffer is full", "input_audio_buffer_full")
        self._buffer += pcm

    def clear(self) -> None:
        """Empty the buffer."""
        self._buffer.clear()

    def commit(self) -> KeptItem:
        """Turn the buffer into a message.

        Raises:
            RefusedEvent: If the buffer is almost empty.
        """
        if len(self._buffer) < SHORTEST_SECONDS * BYTES_PER_SECOND:
            raise RefusedEvent("the audio buffer is too small", "input_audio_buffer_commit_empty")
        audio = Audio(bytes(self._buffer), RATE_HZ)
        self._buffer.clear()
        item = KeptItem(self.new_id(), ChatMessage("user", self._hear(audio)))
        item.heard_seconds = audio.seconds
        self.items.append(item)
        return item

    def create(self, event: ItemCreated) -> KeptItem:
        """Add an item.

        Raises:
            RefusedEvent: For the output of an unknown call, or of one that already has an output.
        """
        given = event.item
        if given.id is not None and any(item.id == given.id for item in self.items):
            raise RefusedEvent(f"there is an item {given.id}", "item_already_exists", "item.id")
        item = KeptItem(given.id or self.new_id(), self._message(given))
        self.items.append(item)
        return item

    def truncate(self, event: ItemCut) -> None:
        """Remove the unheard part of a spoken message; its words are then unknown.

        Raises:
            RefusedEvent: If the message does not exist, or is shorter.
        """
        found = next((item for item in self.items if item.id == event.item_id), None)
        if found is None or found.spoken_seconds is None:
            raise RefusedEvent(f"no spoken item {event.item_id}", "item_not_found", "item_id")
        if event.audio_end_ms > found.spoken_seconds * 1_000:
            raise RefusedEvent("the audio is shorter", "invalid_value", "audio_end_ms")
        found.spoken_seconds = event.audio_end_ms / 1_000

    def request(self) -> ChatBody:
        """Return the conversation as a chat request.

        Raises:
            RefusedEvent: If calls have no output yet.
        """
        if missing := self._unanswered():
            raise RefusedEvent(f"calls without output: {', '.join(missing)}", "missing_output")
        messages = [ChatMessage("system", self._instructions)] if self._instructions else []
        for item in self.items:
            _add(messages, item.message)
        body = ChatBody(self.model, tuple(messages), self._tools or None)
        as_object = msgspec.json.encode([self.model, messages, self._tools])
        return msgspec.structs.replace(body, content=hashlib.sha256(as_object).hexdigest()[:32])

    def new_id(self) -> str:
        """Return an id for an item."""
        self._count += 1
        return f"item_{self._count}"

    def _message(self, given: MessageItem | CallItem | CallOutput) -> ChatMessage:
        match given:
            case MessageItem(role=role, content=content):
                return ChatMessage(role, "".join(part.text for part in content))
            case CallItem(call_id=call_id, name=name, arguments=arguments):
                call = Call(call_id, Function(name, arguments))
                return ChatMessage("assistant", None, (call,))
            case CallOutput(call_id=call_id, output=output):
                if call_id not in self._unanswered():
                    raise RefusedEvent(
                        f"no call {call_id} waits for output", "invalid_tool_call_id"
                    )
                return ChatMessage("tool", output, tool_call_id=call_id)

    def _unanswered(self) -> list[str]:
        made = [call.id for item in self.items for call in item.message.tool_calls or ()]
        answered = {item.message.tool_call_id for item in self.items}
        return [call_id for call_id in made if call_id not in answered]


def _voice_of(settings: SessionSettings) -> str:
    audio = settings.audio
    output = audio.output if isinstance(audio, msgspec.Struct) else None
    voice = output.voice if isinstance(output, msgspec.Struct) else None
    return voice if isinstance(voice, str) else ""


def _add(messages: list[ChatMessage], message: ChatMessage) -> None:
    """Add a message; calls are merged with the text before them into one chat message."""
    last = messages[-1] if messages else None
    if last is None or last.role != "assistant" or not message.tool_calls:
        messages.append(message)
        return
    calls = (*(last.tool_calls or ()), *message.tool_calls)
    messages[-1] = msgspec.structs.replace(last, tool_calls=calls)
