"""Scripted answers of the model server: by rules, or from recorded conversations.

The first rule with matching conditions answers. A recorded history is found by one hash over roles,
text, and names and arguments of calls. Ids do not count. If conversations with the same beginning
continue differently, the request's `user` parameter decides if it names a recording, and otherwise
the system message. One server can therefore replay a whole run without state: out of order,
concurrently, and any number of times.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, Protocol, runtime_checkable

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.chat_requests import Call, ChatBody, ChatMessage, Function
from dragoman.testing.responses import CannedReply

MAX_PATTERN_CHARS = 500
MAX_SEARCHED_CHARS = 10_000


class Unanswered(msgspec.Struct, frozen=True):
    """The reason why no reply is given; the request gets status 400 with this reason."""

    reason: str


class Answerer(Protocol):
    """Protocol of answerers, which give the model's reply to a request.

    They keep no state between requests.
    """

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return the reply, or why there is none."""
        ...


@runtime_checkable
class NotifiedOfEnds(Protocol):
    """Protocol of answerers that count the outcomes of their answers."""

    def ended(self, content: str, outcome: str) -> None:
        """Record the outcome of a request, by the hash of its body."""
        ...


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions on a request; all given ones must hold.

    Args:
        last_role: The role of the last message.
        contains: A text in the last message.
        matches: A regular expression found in the last message's first 10,000 characters. The
            author of the script writes it; it has at most 500 characters.
        tool_names: Tools that must all be offered.
        model: The requested model.
        audio: SHA-256, or its beginning, of audio in the last message, as a WAV file.
        longer_than: Minimum total length of the audio in the last message, in seconds, exclusive.
    """

    last_role: Literal["system", "developer", "user", "assistant", "tool"] | None = None
    contains: str | None = None
    matches: str | None = None
    tool_names: tuple[str, ...] | None = None
    model: str | None = None
    audio: str | None = None
    longer_than: float | None = None


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reply and its conditions; without conditions, it always applies."""

    reply: ScriptedReply
    when: When = When()


Condition = Callable[[ChatBody], bool]


class RuleAnswers:
    """Answers by the first rule whose conditions hold."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Prepare the rules.

        Raises:
            UsageError: For a pattern that is too long or not a regular expression.
        """
        self._rules = [(_conditions(rule.when), canned_reply(rule.reply)) for rule in rules]

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return the reply of the first rule that applies."""
        for conditions, reply in self._rules:
            if all(holds(request) for holds in conditions):
                return reply
        return Unanswered(f"none of the script's {len(self._rules)} rules fits this request")


def canned_reply(reply: ScriptedReply) -> CannedReply:
    """Return a scripted reply in the form of servers; its calls have no ids yet."""
    calls = (Call("", Function(call.name, _text_of(call.arguments))) for call in reply.tool_calls)
    return CannedReply(reply.content, tuple(calls))


def _text_of(arguments: dict[str, object] | str) -> str:
    if isinstance(arguments, str):
        return arguments
    return msgspec.json.encode(arguments).decode()


def _conditions(when: When) -> list[Condition]:
    found: list[Condition] = []
    if (role := when.last_role) is not None:
        found.append(lambda request: request.messages[-1].role == role)
    if (text := when.contains) is not None:
        found.append(lambda request: text in request.messages[-1].text)
    if when.matches is not None:
        pattern = _compile_pattern(when.matches)
        found.append(
            lambda request: bool(pattern.search(request.messages[-1].text, 0, MAX_SEARCHED_CHARS))
        )
    if when.tool_names is not None:
        names = frozenset(when.tool_names)
        found.append(lambda request: names <= _offered_tool_names(request))
    if (model := when.model) is not None:
        found.append(lambda request: request.model == model)
    if (hash_ := when.audio) is not None:
        found.append(lambda request: any(each.startswith(hash_) for each in _hashes(request)))
    if (seconds := when.longer_than) is not None:
        found.append(lambda request: _seconds(request) > seconds)
    return found


def _hashes(request: ChatBody) -> list[str]:
    return [sound.reference().sha256 for sound in request.messages[-1].sounds]


def _seconds(request: ChatBody) -> float:
    return sum(sound.seconds for sound in request.messages[-1].sounds)


def _offered_tool_names(request: ChatBody) -> set[str]:
    return {tool.function.name for tool in request.tools or ()}


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UsageError(
            f"the pattern {pattern[:40]!r}... has {len(pattern)} characters: "
            f"at most {MAX_PATTERN_CHARS} are allowed"
        )
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"the pattern {pattern!r} is not a regular expression: {error}") from error


_ENCODER = msgspec.json.Encoder(order="deterministic")
_ARGUMENTS = msgspec.json.Decoder(dict[str, object])
_SYSTEM_ROLES = frozenset({"system", "developer"})


class RecordedConversation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One side's whole conversation as chat messages; each message of the assistant is a reply."""

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
        """Return the continuation of this history.

        The result is a refusal if there is none or more than one.
        """
        history = history_key(request.messages)
        found = self._by_details.get(history + _text_key(request.user)) if request.user else None
        found = found or self._by_history.get(history)
        if found is None:
            many = len(request.messages)
            begun = "this message" if many == 1 else f"these {many} messages"
            return Unanswered(f"no recorded conversation begins with {begun}")
        if found.differing:
            found = self._by_details.get(history + _system_key(request.messages), found)
        if found.differing:
            return Unanswered(
                f"the recorded conversations {found.name!r} and {found.differing!r} begin with "
                "these messages but go on differently"
            )
        return found.reply


def history_key(messages: Iterable[ChatMessage]) -> bytes:
    """Return a hash that ignores ids and system messages of a history.

    Arguments that are JSON objects are compared as values, others as text.
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
    """Yield every message of the assistant with the key of the history before it."""
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
    if not known.differing and _comparable_reply(known.reply) != _comparable_reply(found.reply):
        index[key] = msgspec.structs.replace(known, differing=found.name)


def _comparable_reply(reply: CannedReply) -> tuple[object, ...]:
    """Return a reply without the ids of its calls."""
    return (reply.content, *map(_comparable, reply.tool_calls))
