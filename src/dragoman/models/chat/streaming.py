"""Reader of streamed chat completions (Server-Sent Events), assembled into one completion.

OpenAI numbers the calls of a stream by `index`, gives id and name once, and sends the arguments in
pieces. Servers differ in the index (one for all calls, none, or a text), in the id (another one
with every piece, or the text "null"), in the name (late, in pieces, or with every piece) and in the
arguments (an object, the whole text once more at the end, or cumulative texts). The reader assigns
a piece to a call by its id, then by its index, then by whether that call is complete.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.texts.model_output import CALL_FIELDS, REASONING_FIELDS, separate_reasoning
from dragoman.models.chat.message_parsing import (
    ARGUMENT_FIELDS,
    KEPT_WHOLE,
    MAX_ARGUMENT_CHARS,
    content_parts,
    decode_leniently,
    message_reasoning,
    needs_repair,
    parse_tool_calls,
    reasoning_field,
    reasoning_text,
    repair_json,
    repair_text,
    visible_text,
)
from dragoman.models.endpoints.error_responses import contains_error, parse_error_response
from dragoman.models.http.transport import MalformedResponse
from dragoman.models.response_audio import join_base64

_NO_ID = frozenset({"", "null", "None"})
_MOST_CALLS = 1_000
_MOST_DIGITS = 10
_MOST_CHARS = 2 * MAX_ARGUMENT_CHARS
"""Longest arguments that are kept, in characters.

Longer ones are too long to be parsed in any case.
"""

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _PartialCall:
    """A tool call that is not complete yet."""

    __slots__ = ("_is_repeated", "_last", "_length", "_pieces", "id", "kept", "name")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.kept: dict[str, object] = {}
        self._pieces: list[str] = []
        self._length = 0
        # The last piece, and whether every piece so far repeated the piece before it.
        self._is_repeated = True
        self._last = ""

    @property
    def whole_arguments(self) -> str:
        """The arguments at the end.

        If each piece repeated all of the arguments so far, the last piece.
        """
        is_better = self._is_repeated and not self.is_whole and _is_object(self._last)
        return self._last if is_better else self.arguments

    @property
    def arguments(self) -> str:
        """The arguments so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are a JSON object."""
        arguments = self.arguments
        return arguments.rstrip().endswith("}") and _is_object(arguments)

    def add(self, name: str, arguments: str) -> None:
        """Add a piece."""
        self._add_name(name)
        if not arguments or self._length > _MOST_CHARS:
            return
        self._length += len(arguments)
        self._is_repeated = self._is_repeated and arguments.startswith(self._last)
        self._last = arguments
        starts = arguments.lstrip().startswith("{")
        if starts and self._pieces and self.is_whole:
            if arguments == self.arguments:
                return  # the piece repeats the arguments as a whole
            if self.arguments.strip() == "{}":
                self._pieces = []
        elif starts and self._pieces and _repeats(self.arguments, arguments):
            self._pieces = []
        self._pieces.append(arguments)

    def _add_name(self, name: str) -> None:
        if not name or name == self.name or self._pieces:
            self.name = self.name or name
        elif name.startswith(self.name):
            self.name = name
        else:
            self.name += name


class StreamedToolCalls:
    """The tool calls of a reply that is being streamed."""

    def __init__(self) -> None:
        self._begun: list[_PartialCall] = []
        self._by_index: dict[int, _PartialCall] = {}
        self._by_id: dict[str, _PartialCall] = {}

    @property
    def have_begun(self) -> bool:
        """Whether any call has begun."""
        return bool(self._begun)

    def add_all(self, pieces: Sequence[Mapping[str, object]]) -> None:
        """Add the pieces of one chunk.

        If several pieces have neither index nor id, their positions distinguish them.
        """
        are_placed = len(pieces) > 1 and all(piece.get("index") is None for piece in pieces)
        for place, piece in enumerate(pieces):
            self._add(piece, place if are_placed else _index_of(piece.get("index")))

    def _add(self, piece: Mapping[str, object], index: int | None) -> None:
        function = piece.get("function")
        if not isinstance(function, dict):
            function = piece
        name = function.get("name")
        name = name if isinstance(name, str) else ""
        call_id = _id_of(piece.get("id"))
        written = next((function[field] for field in ARGUMENT_FIELDS if field in function), None)
        arguments = _text_of(written)
        call = self._call_of(call_id, index, name, arguments)
        if call is None:
            if len(self._begun) >= _MOST_CALLS or not (call_id or name or arguments):
                return
            call = _PartialCall()
            self._begun.append(call)
        if index is not None or not self._by_index:
            self._by_index[index or 0] = call
        if call_id:
            call.id = call.id or call_id
            self._by_id[call_id] = call
        call.kept |= {field: piece[field] for field in CALL_FIELDS if piece.get(field)}
        call.add(name, arguments)

    def _call_of(
        self, call_id: str, index: int | None, name: str, arguments: str
    ) -> _PartialCall | None:
        """Return the call that a piece belongs to; None if the piece begins another call."""
        last = self._begun[-1] if self._begun else None
        if call_id and (known := self._by_id.get(call_id)) is not None:
            # Some gateways give parallel calls one id: a new index begins another call.
            is_other_place = index is not None and self._by_index.get(index) is not known
            return None if is_other_place and name and known.is_whole else known
        current = last if index is None else self._by_index.get(index)
        if current is None and last is not None and not (call_id or name or last.is_whole):
            return last  # the rest of a call has another index than its beginning
        if current is None or not name:
            return current
        is_other = bool(call_id and current.id and call_id != current.id)
        return None if _begins_another(current, name, arguments, is_other=is_other) else current

    def wire(self) -> list[dict[str, object]]:
        """Return the calls in the form of a completion."""
        return [
            {
                **call.kept,
                "id": call.id,
                "type": "function",
                "function": {
                    "name": repair_text(call.name),
                    "arguments": repair_text(call.whole_arguments),
                },
            }
            for call in self._begun
        ]


def _begins_another(call: _PartialCall, name: str, arguments: str, *, is_other: bool) -> bool:
    """Return whether a piece begins another call than the current one.

    The piece has a name, and its id is unknown.

    Args:
        call: The current call.
        name: The piece's name.
        arguments: The piece's arguments.
        is_other: Whether the call and the piece have ids, and the ids differ.
    """
    if not call.name:
        return False
    if not call.arguments:
        return is_other
    if call.is_whole:
        return is_other or not (name == call.name and arguments in {"", call.arguments})
    # Some servers invent an id for every piece: a piece that completes the call does not begin
    # another.
    goes_on = bool(arguments) and not arguments.lstrip().startswith("{")
    return is_other and not (goes_on or _is_object(call.arguments + arguments))


def _repeats(begun: str, arguments: str) -> bool:
    """Return whether a piece repeats all arguments of an incomplete call."""
    return (
        _is_object(arguments) and arguments.startswith(begun) and not _is_object(begun + arguments)
    )


def _is_object(text: str) -> bool:
    try:
        _OBJECT.decode(text)
    except DECODING_ERRORS:
        return False
    return True


def _id_of(given: object) -> str:
    call_id = str(given) if isinstance(given, str | int) and given is not True else ""
    return "" if call_id in _NO_ID else call_id


def _index_of(given: object) -> int | None:
    """Return the index of a call; some servers write it as a text or with a decimal point."""
    if isinstance(given, str) and given.isdecimal() and len(given) < _MOST_DIGITS:
        return int(given)
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if isinstance(given, int) else None


def _text_of(arguments: object) -> str:
    """Return a piece of arguments as text; some servers send the object itself."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else msgspec.json.encode(arguments).decode()


MOST_LINES = 400_000
"""Largest number of lines of a stream.

A reply of 100,000 tokens needs three for each event; the limit has a margin.
"""

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
    """A piece of a choice; some servers send it as a whole message."""

    delta: dict[str, object] | list[object] | str | None = None
    message: dict[str, object] | None = None
    text: object = None
    index: object = 0
    finish_reason: object = None
    error: object = None
    usage: msgspec.Raw = _NULL

    @property
    def place(self) -> int:
        """Index of the choice that the piece belongs to."""
        return self.index if isinstance(self.index, int) else 0

    @property
    def piece(self) -> Mapping[str, object]:
        """The new content of the piece."""
        if isinstance(self.delta, str):
            return {"content": self.delta}
        own = self.delta if isinstance(self.delta, dict) else None
        return own or self.message or ({"content": self.text} if self.text else {})

    @property
    def ending(self) -> str | None:
        """The finish reason; some servers write a placeholder text while the reply goes on."""
        reason = self.finish_reason
        return reason if isinstance(reason, str) and reason not in _NO_REASON else None


class _Chunk(msgspec.Struct):
    choices: list[_Choice | None] | None = None
    usage: msgspec.Raw = _NULL
    error: object = None


class StreamError(MalformedResponse):
    """A stream that ends with an error; `body` is the event that reports it."""

    def __init__(self, body: bytes) -> None:
        super().__init__(f"the stream broke off: {parse_error_response(body).message}")
        self.body = body


_CHUNK = msgspec.json.Decoder(_Chunk)


class _Spoken:
    """Speech of a model that is being streamed."""

    def __init__(self) -> None:
        self._data: list[str] = []
        self._words: list[str] = []

    def add(self, part: _AudioDelta) -> None:
        """Add one delta."""
        self._data += [part.data] if part.data else []
        self._words.append(part.transcript or "")

    def wire(self) -> dict[str, str] | None:
        """Return the speech in the form of a completion; None if nothing was spoken."""
        if not self._data and not any(self._words):
            return None
        return {"data": join_base64(self._data), "transcript": "".join(self._words)}


class _Reply(msgspec.Struct):
    """A reply that is being streamed.

    `thought_parts` are the reasoning details of gateways, combined by type and index. `kept` are
    fields that a provider wants back unchanged.
    """

    words: list[str] = []
    thoughts: list[str] = []
    refusal: list[str] = []
    thought_parts: dict[tuple[object, object], dict[str, object]] = {}
    kept: dict[str, object] = {}
    calls: StreamedToolCalls = msgspec.field(default_factory=StreamedToolCalls)
    finish: str | None = None
    thought_field: str = ""
    spoken: _Spoken = msgspec.field(default_factory=_Spoken)


_BEGINNING = re.compile(rb"\s*(?:data|event|id|retry|error)?:")


def is_stream(body: bytes) -> bool:
    """Return whether a body is a stream of events."""
    return _BEGINNING.match(body) is not None


def _require_text(body: bytes) -> None:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedResponse(f"the stream is damaged ({error})") from error


def assemble_completion(body: bytes) -> bytes:
    """Return the chat completion that the chunks of a stream form.

    Raises:
        MalformedResponse: If an event is damaged or reports an error, or the stream stops before
            its end.
    """
    _require_text(body)
    replies: dict[int, _Reply] = {}
    usage = _NULL
    has_ended = False
    for data in sse_events(body):
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
        raise MalformedResponse("the stream stopped before its end")
    if not replies:
        raise MalformedResponse("the stream holds no reply")
    return _completion(replies, usage)


def _choices(chunk: _Chunk) -> Iterator[_Choice]:
    return filter(None, chunk.choices or ())


def sse_events(body: bytes) -> Iterator[bytes]:
    """Yield the data of the events lazily; an event's data may span lines.

    Some servers omit the blank lines between events: if each line is an object, each line is an
    event. Some servers report an error in a field or an event of that name, or as a bare object
    within the stream.

    Raises:
        MalformedResponse: If the stream has more lines than any valid reply.
    """
    if max(body.count(b"\n"), body.count(b"\r")) > MOST_LINES:
        raise MalformedResponse(f"the stream has more than {MOST_LINES:,} lines")
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
    """Return the data of an error event as an object that contains the error."""
    if data.startswith(b'{"error"'):
        return data
    try:
        msgspec.json.decode(data, type=dict)
    except DECODING_ERRORS:
        data = msgspec.json.encode(data.decode("utf-8", "replace"))
    return b'{"error":%b}' % data


def _is_event(line: bytes) -> bool:
    return not line or line in _DONES or (line.startswith(b"{") and line.endswith(b"}"))


def first_text_offset(body: bytes) -> int | None:
    """Return the number of bytes of a stream up to the end of its first text.

    The result is None if it is unknown.

    Reasoning does not count as text, even if a server leaves it within the text, and neither do
    calls. Speech counts.
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
                if not choice.place and (words := visible_text(choice.piece.get("content"))):
                    said.append((words, end))
        except MalformedResponse:
            break
    return _end_of_first_words(said)


def _end_of_first_words(said: Iterable[tuple[str, int]]) -> int | None:
    """Return the end of the piece in which the first text outside of reasoning begins."""
    pieces = list(said)
    text = "".join(words for words, _ in pieces)
    start = separate_reasoning(text).start
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
            raise StreamError(data) from error
        try:
            if not needs_repair(data):
                raise
            chunk = msgspec.convert(_raw_parts(decode_leniently(data)), _Chunk)
        except (*DECODING_ERRORS, ValueError):
            raise MalformedResponse(f"an event of the stream is damaged ({error})") from error
    except DECODING_ERRORS as error:
        raise MalformedResponse(f"an event of the stream is damaged ({error})") from error
    if chunk.error or any(choice.error for choice in _choices(chunk)):
        raise StreamError(data)
    if not chunk.choices and chunk.usage == _NULL and _tells_error(data):
        raise StreamError(data)
    return chunk


def _tells_error(data: bytes) -> bool:
    try:
        return contains_error(msgspec.json.decode(data))
    except DECODING_ERRORS:
        return False


def _raw_parts(chunk: object) -> object:
    """Return a chunk in which fields that stay unchanged are encoded as JSON again."""
    if not isinstance(chunk, dict):
        return chunk
    written = {name: chunk[name] for name in ("usage",) if name in chunk}
    return {
        **chunk,
        **{name: msgspec.Raw(json.dumps(value).encode()) for name, value in written.items()},
    }


def _add_choice(choice: _Choice, reply: _Reply) -> None:
    """Add the new content of a choice to a reply.

    A message that repeats the whole reply replaces it.
    """
    if not choice.delta and (message := choice.message):
        for grown, whole_arguments in (
            (reply.words, visible_text(message.get("content"))),
            (reply.thoughts, message_reasoning(message)),
        ):
            if whole_arguments.startswith("".join(grown)):
                grown.clear()
        if reply.calls.have_begun and parse_tool_calls(message):
            reply.calls = StreamedToolCalls()
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
    reply.calls.add_all(parse_tool_calls(piece))
    if isinstance(audio := piece.get("audio"), dict):
        try:
            reply.spoken.add(msgspec.convert(audio, _AudioDelta))
        except DECODING_ERRORS as error:
            raise MalformedResponse(f"an event of the stream is damaged ({error})") from error


def _add_thought_parts(details: object, reply: _Reply) -> None:
    """Add reasoning details.

    Texts with one type and index are joined, other fields are replaced.
    """
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
    except DECODING_ERRORS:
        written = json.dumps({"choices": choices, "usage": json.loads(bytes(usage))})
        return repair_json(written.encode())


def _message(reply: _Reply) -> dict[str, object]:
    message: dict[str, object] = {
        "role": "assistant",
        "content": repair_text("".join(reply.words)) or None,
        **reply.kept,
    }
    if any(reply.thoughts):
        own = reply.thought_field
        name = own if own in REASONING_FIELDS and own not in _OF_PARTS else "reasoning_content"
        message[name] = repair_text("".join(reply.thoughts))
    if reply.thought_parts:
        message["reasoning_details"] = list(reply.thought_parts.values())
    if any(reply.refusal):
        message["refusal"] = "".join(reply.refusal)
    if called := reply.calls.wire():
        message["tool_calls"] = called
    if spoken := reply.spoken.wire():
        message["audio"] = spoken
    return message
