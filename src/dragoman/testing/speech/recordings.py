"""Answers from recorded conversations: whoever asks with a recorded history gets what followed.

A history is looked up by one hash over roles, words, and names and arguments of calls. Ids do not
count. Where conversations that begin alike go on differently, the request's `user` parameter decides
if it names a recording, and else the system message. So one server replays a whole run without keeping
state: out of order, side by side, and as often as one likes.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.answers import Unanswered
from dragoman.testing.chat_requests import Call, ChatBody, ChatMessage
from dragoman.testing.completions import CannedReply

_ENCODER = msgspec.json.Encoder(order="deterministic")
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])
_SYSTEM_ROLES = frozenset({"system", "developer"})


class RecordedConversation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One side's whole conversation as chat messages; each of the assistant's is a reply."""

    name: str
    messages: tuple[ChatMessage, ...]


class _Found(msgspec.Struct, frozen=True):
    reply: CannedReply
    name: str
    differing: str = ""


class RecordedAnswers:
    """Answers every request whose history is the beginning of a recorded conversation."""

    def __init__(self, recordings: Iterable[RecordedConversation]) -> None:
        self._by_history: dict[bytes, _Found] = {}
        self._by_details: dict[bytes, _Found] = {}
        for recording in recordings:
            system, name = _system_key(recording.messages), _text_key(recording.name)
            for history, message in _replies(recording.messages):
                content = None if message.content is None else message.text
                found = _Found(CannedReply(content, message.tool_calls or ()), recording.name)
                _add(self._by_history, history, found)
                _add(self._by_details, history + system, found)
                _add(self._by_details, history + name, found)

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return what followed this history, or that nothing or more than one thing did."""
        history = history_key(request.messages)
        found = self._by_details.get(history + _text_key(request.user)) if request.user else None
        found = found or self._by_history.get(history)
        if found is None:
            return Unanswered(
                f"no recorded conversation begins with these {len(request.messages)} messages"
            )
        if found.differing:
            found = self._by_details.get(history + _system_key(request.messages), found)
        if found.differing:
            return Unanswered(
                f"the recorded conversations {found.name!r} and {found.differing!r} begin with "
                "these messages but go on differently"
            )
        return found.reply


def history_key(messages: Iterable[ChatMessage]) -> bytes:
    """Return the hash that two histories share where they differ in ids and system messages only.

    Arguments are compared as JSON values where they are JSON objects, and as text otherwise.
    """
    digest = hashlib.sha256()
    for message in messages:
        _feed(digest.update, message)
    return digest.digest()


def _feed(update: Callable[[bytes], object], message: ChatMessage) -> None:
    if message.role not in _SYSTEM_ROLES:
        calls = [_comparable(call) for call in message.tool_calls or ()]
        update(_ENCODER.encode((message.role, message.text, calls)))


def _replies(messages: Sequence[ChatMessage]) -> Iterator[tuple[bytes, ChatMessage]]:
    """Yield every message of the assistant's with the key of the history before it."""
    digest = hashlib.sha256()
    for message in messages:
        if message.role == "assistant":
            yield digest.digest(), message
        _feed(digest.update, message)


def _system_key(messages: Iterable[ChatMessage]) -> bytes:
    texts = [message.text for message in messages if message.role in _SYSTEM_ROLES]
    return hashlib.sha256(_ENCODER.encode(texts)).digest()


def _text_key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _comparable(call: Call) -> tuple[str, object]:
    try:
        return call.function.name, _ARGUMENTS.decode(call.function.arguments)
    except DECODING_ERRORS:
        return call.function.name, call.function.arguments


def _add(index: dict[bytes, _Found], key: bytes, found: _Found) -> None:
    known = index.setdefault(key, found)
    if not known.differing and _said(known.reply) != _said(found.reply):
        index[key] = msgspec.structs.replace(known, differing=found.name)


def _said(reply: CannedReply) -> tuple[object, ...]:
    """Return a reply without the ids of its calls."""
    return (reply.content, *map(_comparable, reply.tool_calls))
