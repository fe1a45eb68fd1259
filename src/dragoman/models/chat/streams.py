"""Reads a streamed chat completion (Server-Sent Events) into the body that it stands for."""

import json
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.texts.reasoning import separated
from dragoman.models.chat.growing_calls import GrowingCalls
from dragoman.models.chat.message_parts import (
    KEPT_WHOLE,
    content_parts,
    reasoning_beside,
    words_of,
    written_calls_of,
)
from dragoman.models.chat.spoken_replies import joined
from dragoman.models.chat.surrogates import (
    decode_with_halves,
    has_halves,
    repaired,
    repaired_text,
)
from dragoman.models.wire.sending import Unreadable

MOST_LINES = 400_000
"""Of a stream: three for each event of a reply of 100,000 tokens, and some to spare."""

_DONE = b"[DONE]"
_NULL = msgspec.Raw(b"null")
_GROWING = frozenset({"text", "summary", "data"})


class _AudioDelta(msgspec.Struct):
    data: str | None = None
    transcript: str | None = None


class _Choice(msgspec.Struct):
    """A piece of an answer; some servers send it as a whole message."""

    delta: dict[str, object] | None = None
    message: dict[str, object] | None = None
    text: object = None
    index: object = 0
    finish_reason: object = None

    @property
    def piece(self) -> Mapping[str, object]:
        """What is new in it."""
        return self.delta or self.message or ({"content": self.text} if self.text else {})


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: msgspec.Raw = _NULL
    error: msgspec.Raw = _NULL


class BrokenStream(Unreadable):
    """A stream that ends with an error; `body` is the error as a body of its own holds it."""

    def __init__(self, error: bytes) -> None:
        super().__init__(f"the stream broke off: {error[:200].decode('utf-8', 'replace')}")
        self.body = b'{"error":%b}' % error


_CHUNK = msgspec.json.Decoder(_Chunk)


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
    """A reply while it grows.

    `thought_parts` are the reasoning details of gateways, put together by type and index. `kept` are
    fields that a provider wants back as they came.
    """

    words: list[str] = []
    thoughts: list[str] = []
    refusal: list[str] = []
    thought_parts: dict[tuple[object, object], dict[str, object]] = {}
    kept: dict[str, object] = {}
    calls: GrowingCalls = msgspec.field(default_factory=GrowingCalls)
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
        for choice in chunk.choices or ():
            if not choice.index:
                has_begun = True
                finish = choice.finish_reason if isinstance(choice.finish_reason, str) else finish
                _add(choice.piece, reply)
    if not has_ended and finish is None:
        raise Unreadable("the stream stopped before its end")
    if not has_begun:
        raise Unreadable("the stream holds no reply")
    return _completion(reply, usage, finish)


def events_of(body: bytes) -> Iterator[bytes]:
    """Yield the data of every event, as it is asked for; an event's data may span lines.

    Some servers leave the blank lines between events out: lines that are each an object are events each.

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
            if len(lines) > 1 and all(map(_is_event, lines)):
                yield from filter(None, lines)
            elif data := b"\n".join(lines).strip():
                yield data
            lines = []


def _is_event(line: bytes) -> bool:
    return not line or line == _DONE or (line.startswith(b"{") and line.endswith(b"}"))


def first_words(body: bytes) -> int | None:
    """Return how many bytes of a stream hold its first words; None where they cannot be told.

    Reasoning is no words, also where a server leaves it between them, and neither are calls; what is
    spoken is.
    """
    said: list[tuple[str, int]] = []
    end = 0
    while end < len(body):
        begin, end = end, body.find(b"\n", end) + 1 or len(body)
        line = body[begin:end]
        if not line.startswith(b"data:"):
            continue
        data = line[5:].strip()
        try:
            if data == _DONE:
                break
            for choice in _chunk(data).choices or () if data else ():
                if not choice.index and _speaks(choice.piece):
                    return end
                if not choice.index and (words := words_of(choice.piece.get("content"))):
                    said.append((words, end))
        except Unreadable:
            break
    return _end_of_first_words(said)


def _end_of_first_words(said: Iterable[tuple[str, int]]) -> int | None:
    """Return where the piece ends in which the words begin that are no reasoning."""
    pieces = list(said)
    text = "".join(words for words, _ in pieces)
    start = separated(text).start
    start += len(text[start:]) - len(text[start:].lstrip())
    come = 0
    for words, end in pieces:
        come += len(words)
        if come > start:
            return end
    return None


def _speaks(piece: Mapping[str, object]) -> bool:
    audio = piece.get("audio")
    return isinstance(audio, dict) and bool(audio.get("data") or audio.get("transcript"))


def _chunk(data: bytes) -> _Chunk:
    try:
        chunk = _CHUNK.decode(data)
    except msgspec.MsgspecError as error:
        try:
            if not has_halves(data):
                raise
            chunk = msgspec.convert(_raw_parts(decode_with_halves(data)), _Chunk)
        except (*UNREADABLE, ValueError):
            raise Unreadable(f"an event of the stream is damaged ({error})") from error
    except UNREADABLE as error:
        raise Unreadable(f"an event of the stream is damaged ({error})") from error
    if chunk.error != _NULL:
        raise BrokenStream(bytes(chunk.error))
    return chunk


def _raw_parts(chunk: object) -> object:
    """Return a chunk with the fields that stay as they are written again as JSON."""
    if not isinstance(chunk, dict):
        return chunk
    written = {name: chunk[name] for name in ("usage", "error") if name in chunk}
    return {
        **chunk,
        **{name: msgspec.Raw(json.dumps(value).encode()) for name, value in written.items()},
    }


def _add(piece: Mapping[str, object], reply: _Reply) -> None:
    for text, is_reasoning in content_parts(piece.get("content")):
        (reply.thoughts if is_reasoning else reply.words).append(text)
    if isinstance(refusal := piece.get("refusal"), str):
        reply.refusal.append(refusal)
    reply.thoughts.append(reasoning_beside(piece))
    _add_thought_parts(piece.get("reasoning_details"), reply)
    reply.kept |= {name: piece[name] for name in KEPT_WHOLE if piece.get(name)}
    for call in written_calls_of(piece):
        reply.calls.add(call)
    if isinstance(audio := piece.get("audio"), dict):
        try:
            reply.spoken.add(msgspec.convert(audio, _AudioDelta))
        except UNREADABLE as error:
            raise Unreadable(f"an event of the stream is damaged ({error})") from error


def _add_thought_parts(details: object, reply: _Reply) -> None:
    """Add reasoning details: texts of one type and index grow, everything else is replaced."""
    for detail in details if isinstance(details, list) else ():
        if not isinstance(detail, dict):
            continue
        key = (str(detail.get("type")), str(detail.get("index")))
        part = reply.thought_parts.setdefault(key, {})
        for name, value in detail.items():
            before = part.get(name)
            grows = name in _GROWING and isinstance(before, str) and isinstance(value, str)
            if value is not None or name not in part:
                part[name] = before + value if grows else value


def _completion(reply: _Reply, usage: msgspec.Raw, finish: str | None) -> bytes:
    message: dict[str, object] = {
        "role": "assistant",
        "content": repaired_text("".join(reply.words)) or None,
        **reply.kept,
    }
    if any(reply.thoughts):
        message["reasoning_content"] = repaired_text("".join(reply.thoughts))
    if reply.thought_parts:
        message["reasoning_details"] = list(reply.thought_parts.values())
    if any(reply.refusal):
        message["refusal"] = "".join(reply.refusal)
    if called := reply.calls.wire():
        message["tool_calls"] = called
    if spoken := reply.spoken.wire():
        message["audio"] = spoken
    choice = {"index": 0, "message": message, "finish_reason": finish}
    try:
        return msgspec.json.encode({"choices": [choice], "usage": usage})
    except UNREADABLE:
        written = json.dumps({"choices": [choice], "usage": json.loads(bytes(usage))})
        return repaired(written.encode())
