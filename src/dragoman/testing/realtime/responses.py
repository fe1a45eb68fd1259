"""The events of one response, in the order and under the names of the protocol."""

import base64
from collections.abc import Iterator, Mapping

import msgspec

from dragoman.core.audio import Audio
from dragoman.models.realtime_protocol import BYTES_PER_SECOND
from dragoman.testing.chat_requests import Call
from dragoman.testing.completions import count_tokens

ServerEvent = dict[str, object]

DELTA_SECONDS = 0.5
INPUT_TOKENS_PER_SECOND, OUTPUT_TOKENS_PER_SECOND = 10, 20
"""What a second of audio is charged as: a token for 100 ms heard, for 50 ms said."""

BETA = {
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
    "response.output_text.delta": "response.text.delta",
    "response.output_text.done": "response.text.done",
    "conversation.item.added": "conversation.item.created",
}
"""The names of the beta; it has no event for an item that is done."""


class Consumption(msgspec.Struct):
    """What a response consumed: text in bytes, audio in seconds."""

    text_in: int = 0
    audio_in: float = 0.0
    text_out: int = 0
    audio_out: float = 0.0

    def told(self) -> dict[str, object]:
        """Return it as a response tells it."""
        heard = round(self.audio_in * INPUT_TOKENS_PER_SECOND)
        said = round(self.audio_out * OUTPUT_TOKENS_PER_SECOND)
        read, written = count_tokens(self.text_in), count_tokens(self.text_out)
        return {
            "total_tokens": heard + said + read + written,
            "input_tokens": heard + read,
            "output_tokens": said + written,
            "input_token_details": {"text_tokens": read, "audio_tokens": heard, "cached_tokens": 0},
            "output_token_details": {"text_tokens": written, "audio_tokens": said},
        }


def begun(response_id: str) -> ServerEvent:
    """Return the beginning of a response."""
    response = {"id": response_id, "object": "realtime.response", "status": "in_progress"}
    return {"type": "response.created", "response": {**response, "output": [], "usage": None}}


def ended(
    response_id: str,
    status: str,
    output: list[ServerEvent],
    usage: Mapping[str, object],
    details: Mapping[str, object] | None = None,
) -> ServerEvent:
    """Return the end of a response."""
    response = {
        "id": response_id,
        "object": "realtime.response",
        "status": status,
        "status_details": details,
        "output": output,
        "usage": usage,
    }
    return {"type": "response.done", "response": response}


def item_events(
    item: ServerEvent, where: Mapping[str, object], pieces: Iterator[ServerEvent]
) -> Iterator[ServerEvent]:
    """Yield the events of an item: that it begins, its pieces, that it is done."""
    head = {name: value for name, value in item.items() if name not in {"content", "arguments"}}
    added = {**head, "status": "in_progress"}
    yield {"type": "response.output_item.added", **_place(where), "item": added}
    yield {"type": "conversation.item.added", "previous_item_id": None, "item": added}
    yield from pieces
    yield {"type": "response.output_item.done", **_place(where), "item": item}
    yield {"type": "conversation.item.done", "previous_item_id": None, "item": item}


def spoken_pieces(text: str, audio: Audio, where: Mapping[str, object]) -> Iterator[ServerEvent]:
    """Yield what is said, its words beside its sound."""
    here = {**where, "content_index": 0}
    size = int(DELTA_SECONDS * BYTES_PER_SECOND)
    count = max(1, -(-len(audio.pcm) // size))
    for index in range(count):
        words = text[len(text) * index // count : len(text) * (index + 1) // count]
        pcm = audio.pcm[index * size : (index + 1) * size]
        yield {"type": "response.output_audio_transcript.delta", **here, "delta": words}
        sound = base64.b64encode(pcm).decode()
        yield {"type": "response.output_audio.delta", **here, "delta": sound}
    yield {"type": "response.output_audio.done", **here}
    yield {"type": "response.output_audio_transcript.done", **here, "transcript": text}


def written_pieces(text: str, where: Mapping[str, object]) -> Iterator[ServerEvent]:
    """Yield what is written."""
    here = {**where, "content_index": 0}
    half = len(text) // 2
    for words in (text[:half], text[half:]):
        yield {"type": "response.output_text.delta", **here, "delta": words}
    yield {"type": "response.output_text.done", **here, "text": text}


def call_pieces(call: Call, where: Mapping[str, object]) -> Iterator[ServerEvent]:
    """Yield a call's arguments."""
    here = {**where, "call_id": call.id}
    arguments = call.function.arguments
    yield {"type": "response.function_call_arguments.delta", **here, "delta": arguments}
    yield {"type": "response.function_call_arguments.done", **here, "arguments": arguments}


def message_item(item_id: str, text: str, *, spoken: bool, status: str) -> ServerEvent:
    """Return a message as an item."""
    part: ServerEvent = {"type": "output_text", "text": text}
    if spoken:
        part = {"type": "output_audio", "transcript": text}
    return _item(item_id, "message", status) | {"role": "assistant", "content": [part]}


def call_item(item_id: str, call: Call) -> ServerEvent:
    """Return a call as an item."""
    return _item(item_id, "function_call", "completed") | {
        "call_id": call.id,
        "name": call.function.name,
        "arguments": call.function.arguments,
    }


def _item(item_id: str, kind: str, status: str) -> ServerEvent:
    return {"id": item_id, "object": "realtime.item", "type": kind, "status": status}


def _place(where: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in where.items() if name != "item_id"}
