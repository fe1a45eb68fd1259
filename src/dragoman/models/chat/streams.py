"""Reads a streamed chat completion (Server-Sent Events) into the body that it stands for."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from dragoman.core.texts.carried_fields import REASONING_FIELDS
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.texts.reasoning import separated
from dragoman.models.chat.growing_calls import GrowingCalls
from dragoman.models.chat.message_parts import (
    KEPT_WHOLE,
    content_parts,
    reasoning_beside,
    reasoning_field,
    reasoning_text,
    words_of,
    written_calls_of,
)
from dragoman.models.chat.spoken_replies import joined
from dragoman.models.chat.surrogates import (
    decode_leniently,
    needs_repair,
    repaired,
    repaired_text,
)
from dragoman.models.wire.refusals import holds_error, read_refusal
from dragoman.models.wire.sending import Unreadable

MOST_LINES = 400_000
"""Of a stream: three for each event of a reply of 100,000 tokens, and some to spare."""

_DONE = b"[DONE]"
_DONES = frozenset({_DONE, b"[done]", b'"[DONE]"', b"DONE"})
_NO_REASON = frozenset({"", "null", "None"})
_NULL = msgspec.Raw(b"null")
_OF_PARTS = frozenset({"reasoning_details", "thinking_blocks"})
"""Fields that hold reasoning in parts and not as a text."""

_GROWING = frozenset({"text", "summary", "data"})
_MOST_CHOICES = 16


class _AudioDelta(msgspec.Struct):
    data: str | None = None
    transcript: str | None = None


class _Choice(msgspec.Struct):
    """A piece of an answer; some servers send it as a whole message."""

    delta: dict[str, object] | list[object] | str | None = None
    message: dict[str, object] | None = None
    text: object = None
    index: object = 0
    finish_reason: object = None
    error: object = None
    usage: msgspec.Raw = _NULL

    @property
    def place(self) -> int:
        """Which answer it is a piece of."""
        return self.index if isinstance(self.index, int) else 0

    @property
    def piece(self) -> Mapping[str, object]:
        """What is new in it."""
        if isinstance(self.delta, str):
            return {"content": self.delta}
        own = self.delta if isinstance(self.delta, dict) else None
        return own or self.message or ({"content": self.text} if self.text else {})

    @property
    def ending(self) -> str | None:
        """Why the answer ends; some servers write a text that says nothing where it does not."""
        reason = self.finish_reason
        return reason if isinstance(reason, str) and reason not in _NO_REASON else None


class _Chunk(msgspec.Struct):
    choices: list[_Choice | None] | None = None
    usage: msgspec.Raw = _NULL
    error: object = None


class BrokenStream(Unreadable):
    """A stream that ends with an error; `body` is the event that tells it."""

    def __init__(self, body: bytes) -> None:
        super().__init__(f"the stream broke off: {read_refusal(body).message}")
        self.body = body


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
    finish: str | None = None
    thought_field: str = ""
    spoken: _Spoken = msgspec.field(default_factory=_Spoken)


_BEGINNING = re.compile(rb"\s*(?:data|event|id|retry|error)?:")


def is_stream(body: bytes) -> bool:
    """Whether a body is a stream of events."""
    return _BEGINNING.match(body) is not None


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
    replies: dict[int, _Reply] = {}
    usage = _NULL
    has_ended = False
    for data in events_of(body):
        if data in _DONES:
            has_ended = True
            break
        chunk = _chunk(data)
        usage = usage if chunk.usage == _NULL else chunk.usage
        for choice in _choices(chunk):
            if choice.place not in replies and len(replies) >= _MOST_CHOICES:
                continue
            reply = replies.setdefault(choice.place, _Reply())
            reply.finish = choice.ending or reply.finish
            usage = usage if choice.usage == _NULL else choice.usage
            _add_choice(choice, reply)
    if not has_ended and all(reply.finish is None for reply in replies.values()):
        raise Unreadable("the stream stopped before its end")
    if not replies:
        raise Unreadable("the stream holds no reply")
    return _completion(replies, usage)


def _choices(chunk: _Chunk) -> Iterator[_Choice]:
    return filter(None, chunk.choices or ())


def events_of(body: bytes) -> Iterator[bytes]:
    """Yield the data of every event, as it is asked for; an event's data may span lines.

    Some servers leave the blank lines between events out: lines that are each an object are events each.
    Some tell an error in a field or an event of that name, or as a bare object in the midst of the stream.

    Raises:
        Unreadable: Where there are more lines than any reply has.
    """
    if max(body.count(b"\n"), body.count(b"\r")) > MOST_LINES:
        raise Unreadable(f"the stream has more than {MOST_LINES:,} lines")
    lines: list[bytes] = []
    tells_error = False
    for line in (*body.splitlines(), b""):
        if line.startswith((b"data:", b"\xef\xbb\xbfdata:")):
            data = line.partition(b":")[2].strip()
            lines.append(_as_error(data) if tells_error else data)
        elif line.startswith(b"error:"):
            lines.append(_as_error(line[6:].strip()))
        elif line.startswith(b"{"):
            lines.append(line.strip())
        elif line.startswith(b"event:"):
            tells_error = line[6:].strip() == b"error"
        tells_error = tells_error and bool(line)
        if not line and lines:
            if len(lines) > 1 and all(map(_is_event, lines)):
                yield from filter(None, lines)
            elif data := b"\n".join(lines).strip():
                yield data
            lines = []


def _as_error(data: bytes) -> bytes:
    """Return data that a server calls an error as an object that says so."""
    if data.startswith(b'{"error"'):
        return data
    try:
        msgspec.json.decode(data, type=dict)
    except UNREADABLE:
        data = msgspec.json.encode(data.decode("utf-8", "replace"))
    return b'{"error":%b}' % data


def _is_event(line: bytes) -> bool:
    return not line or line in _DONES or (line.startswith(b"{") and line.endswith(b"}"))


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
            if data in _DONES:
                break
            for choice in _choices(_chunk(data)) if data else ():
                if not choice.place and _speaks(choice.piece):
                    return end
                if not choice.place and (words := words_of(choice.piece.get("content"))):
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
        if _tells_error(data):
            raise BrokenStream(data) from error
        try:
            if not needs_repair(data):
                raise
            chunk = msgspec.convert(_raw_parts(decode_leniently(data)), _Chunk)
        except (*UNREADABLE, ValueError):
            raise Unreadable(f"an event of the stream is damaged ({error})") from error
    except UNREADABLE as error:
        raise Unreadable(f"an event of the stream is damaged ({error})") from error
    if chunk.error or any(choice.error for choice in _choices(chunk)):
        raise BrokenStream(data)
    if not chunk.choices and chunk.usage == _NULL and _tells_error(data):
        raise BrokenStream(data)
    return chunk


def _tells_error(data: bytes) -> bool:
    try:
        return holds_error(msgspec.json.decode(data))
    except UNREADABLE:
        return False


def _raw_parts(chunk: object) -> object:
    """Return a chunk with the fields that stay as they are written again as JSON."""
    if not isinstance(chunk, dict):
        return chunk
    written = {name: chunk[name] for name in ("usage",) if name in chunk}
    return {
        **chunk,
        **{name: msgspec.Raw(json.dumps(value).encode()) for name, value in written.items()},
    }


def _add_choice(choice: _Choice, reply: _Reply) -> None:
    """Add what is new in a choice; a message that says all of the reply once more takes its place."""
    if not choice.delta and (message := choice.message):
        for grown, told in (
            (reply.words, words_of(message.get("content"))),
            (reply.thoughts, reasoning_beside(message)),
        ):
            if told.startswith("".join(grown)):
                grown.clear()
        if reply.calls.have_begun and written_calls_of(message):
            reply.calls = GrowingCalls()
    _add(choice.piece, reply)


def _add(piece: Mapping[str, object], reply: _Reply) -> None:
    for text, is_reasoning in content_parts(piece.get("content")):
        (reply.thoughts if is_reasoning else reply.words).append(text)
    if isinstance(refusal := piece.get("refusal"), str):
        reply.refusal.append(refusal)
    if field := reasoning_field(piece):
        reply.thoughts.append(reasoning_text(piece.get(field)))
        reply.thought_field = reply.thought_field or field
    _add_thought_parts(piece.get("reasoning_details"), reply)
    reply.kept |= {name: piece[name] for name in KEPT_WHOLE if piece.get(name)}
    reply.calls.add_all(written_calls_of(piece))
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


def _completion(replies: Mapping[int, _Reply], usage: msgspec.Raw) -> bytes:
    choices = [
        {"index": index, "message": _message(reply), "finish_reason": reply.finish}
        for index, reply in sorted(replies.items())
    ]
    try:
        return msgspec.json.encode({"choices": choices, "usage": usage})
    except UNREADABLE:
        written = json.dumps({"choices": choices, "usage": json.loads(bytes(usage))})
        return repaired(written.encode())


def _message(reply: _Reply) -> dict[str, object]:
    message: dict[str, object] = {
        "role": "assistant",
        "content": repaired_text("".join(reply.words)) or None,
        **reply.kept,
    }
    if any(reply.thoughts):
        own = reply.thought_field
        name = own if own in REASONING_FIELDS and own not in _OF_PARTS else "reasoning_content"
        message[name] = repaired_text("".join(reply.thoughts))
    if reply.thought_parts:
        message["reasoning_details"] = list(reply.thought_parts.values())
    if any(reply.refusal):
        message["refusal"] = "".join(reply.refusal)
    if called := reply.calls.wire():
        message["tool_calls"] = called
    if spoken := reply.spoken.wire():
        message["audio"] = spoken
    return message
