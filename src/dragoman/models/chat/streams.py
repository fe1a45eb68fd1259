"""Reads a streamed chat completion (Server-Sent Events) into the body that it stands for."""

from collections.abc import Iterator

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.models.chat.spoken_replies import joined
from dragoman.models.wire.sending import Unreadable

MOST_LINES = 400_000
"""Of a stream: three for each event of a reply of 100,000 tokens, and some to spare."""

_DONE = b"[DONE]"
_NULL = msgspec.Raw(b"null")


class _FunctionDelta(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _CallDelta(msgspec.Struct):
    index: int = 0
    id: str | None = None
    function: _FunctionDelta | None = None


class _Part(msgspec.Struct):
    text: str = ""


class _AudioDelta(msgspec.Struct):
    data: str | None = None
    transcript: str | None = None


class _Delta(msgspec.Struct):
    content: str | list[_Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_CallDelta] | None = None
    audio: _AudioDelta | None = None


class _Choice(msgspec.Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    index: int = 0
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] = []
    usage: msgspec.Raw = _NULL
    error: msgspec.Raw = _NULL


class _Call(msgspec.Struct):
    id: str = ""
    name: str = ""
    arguments: list[str] = []


class _Calls:
    """The calls of a reply while they grow.

    Deltas go by index. Some servers leave the index out or give every call the same: a name under an
    id of its own begins another call.
    """

    def __init__(self) -> None:
        self._begun: list[_Call] = []
        self._at: dict[int, _Call] = {}

    def add(self, part: _CallDelta) -> None:
        """Add what one delta says."""
        function = part.function or _FunctionDelta()
        call = self._at.get(part.index)
        if call is None or (part.id and function.name and call.id not in {"", part.id}):
            call = self._at[part.index] = _Call()
            self._begun.append(call)
        call.id = part.id or call.id
        call.name = function.name or call.name
        call.arguments.append(function.arguments or "")

    def wire(self) -> list[dict[str, object]]:
        """Return them as a completion holds them."""
        return [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": "".join(call.arguments)},
            }
            for call in self._begun
        ]


class _Spoken:
    """What a model speaks, while it grows."""

    def __init__(self) -> None:
        self._data: list[str] = []
        self._words: list[str] = []

    def add(self, part: _AudioDelta) -> None:
        """Add what one delta says."""
        self._data += [part.data] if part.data else []
        self._words.append(part.transcript or "")

    def wire(self) -> dict[str, str] | None:
        """Return it as a completion holds it; None where nothing was spoken."""
        if not self._data and not any(self._words):
            return None
        return {"data": joined(self._data), "transcript": "".join(self._words)}


class _Reply(msgspec.Struct):
    """A reply while it grows."""

    words: list[str] = []
    thoughts: list[str] = []
    calls: _Calls = msgspec.field(default_factory=_Calls)
    spoken: _Spoken = msgspec.field(default_factory=_Spoken)


_BEGINNINGS = (b"data:", b"event:", b"id:", b"retry:", b":")


def is_stream(body: bytes) -> bool:
    """Whether a body is a stream of events."""
    return body[:1_000].lstrip().startswith(_BEGINNINGS)


def _require_text(body: bytes) -> None:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"the stream is damaged ({error})") from error


def whole_completion(body: bytes) -> bytes:
    """Return the chat completion that a stream of chunks adds up to.

    Raises:
        Unreadable: Where an event is damaged, tells of an error, or the stream stops before its end.
    """
    _require_text(body)
    reply = _Reply()
    usage = _NULL
    finish: str | None = None
    has_begun = has_ended = False
    for data in events_of(body):
        if data == _DONE:
            has_ended = True
            break
        chunk = _chunk(data)
        usage = usage if chunk.usage == _NULL else chunk.usage
        for choice in chunk.choices:
            if choice.index == 0:
                has_begun = True
                finish = choice.finish_reason or finish
                _add(choice.delta, reply)
    if not has_ended and finish is None:
        raise Unreadable("the stream stopped before its end")
    if not has_begun:
        raise Unreadable("the stream holds no reply")
    return _completion(reply, usage, finish)


def events_of(body: bytes) -> Iterator[bytes]:
    """Yield the data of every event, as it is asked for; an event's data may span lines.

    Raises:
        Unreadable: Where there are more lines than any reply has.
    """
    if max(body.count(b"\n"), body.count(b"\r")) > MOST_LINES:
        raise Unreadable(f"the stream has more than {MOST_LINES:,} lines")
    lines: list[bytes] = []
    for line in (*body.splitlines(), b""):
        if line.startswith(b"data:"):
            lines.append(line[5:].strip())
        elif not line and lines:
            yield b"\n".join(lines)
            lines = []


def first_words(body: bytes) -> int | None:
    """Return how many bytes of a stream hold its first words; None where they cannot be told.

    Thoughts are no words, and neither are calls; what is spoken is.
    """
    end = 0
    while end < len(body):
        begin, end = end, body.find(b"\n", end) + 1 or len(body)
        line = body[begin:end]
        if not line.startswith(b"data:"):
            continue
        data = line[5:].strip()
        try:
            if data == _DONE or any(map(_says, _chunk(data).choices)):
                return None if data == _DONE else end
        except Unreadable:
            return None
    return None


def _says(choice: _Choice) -> bool:
    return choice.index == 0 and (bool(_words(choice.delta).strip()) or _speaks(choice.delta))


def _speaks(delta: _Delta) -> bool:
    return delta.audio is not None and bool(delta.audio.data or delta.audio.transcript)


def _chunk(data: bytes) -> _Chunk:
    try:
        chunk = msgspec.json.decode(data, type=_Chunk)
    except UNREADABLE as error:
        raise Unreadable(f"an event of the stream is damaged ({error})") from error
    if chunk.error != _NULL:
        shown = bytes(chunk.error)[:200].decode("utf-8", "replace")
        raise Unreadable(f"the stream broke off: {shown}")
    return chunk


def _add(delta: _Delta, reply: _Reply) -> None:
    reply.words.append(_words(delta))
    reply.thoughts.append(delta.reasoning_content or delta.reasoning or "")
    for part in delta.tool_calls or ():
        reply.calls.add(part)
    if delta.audio is not None:
        reply.spoken.add(delta.audio)


def _words(delta: _Delta) -> str:
    content = delta.content or ""
    return content if isinstance(content, str) else "".join(part.text for part in content)


def _completion(reply: _Reply, usage: msgspec.Raw, finish: str | None) -> bytes:
    message: dict[str, object] = {"role": "assistant", "content": "".join(reply.words) or None}
    if any(reply.thoughts):
        message["reasoning_content"] = "".join(reply.thoughts)
    if called := reply.calls.wire():
        message["tool_calls"] = called
    if spoken := reply.spoken.wire():
        message["audio"] = spoken
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return msgspec.json.encode({"choices": [choice], "usage": usage})
