"""Who answers requests, and the simplest that do: the first rule whose conditions hold."""

import re
from collections.abc import Callable, Iterable
from typing import Literal, Protocol, runtime_checkable

import msgspec

from dragoman.core.errors import UsageError
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.chat_requests import Call, ChatBody, Function
from dragoman.testing.completions import CannedReply

MAX_PATTERN_CHARS = 500
MAX_SEARCHED_CHARS = 10_000


class Unanswered(msgspec.Struct, frozen=True):
    """No reply, and why; the request is answered with status 400 and this reason."""

    reason: str


class Answerer(Protocol):
    """Gives the model's reply to a request; keeps no state between requests."""

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return the reply, or why there is none."""
        ...


@runtime_checkable
class ToldOfEnds(Protocol):
    """What an answerer has besides, where it counts what became of its answers."""

    def ended(self, content: str, outcome: str) -> None:
        """Learn how a request ended, by the hash of its body."""
        ...


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions on a request; those that are given must all hold.

    Args:
        last_role: The role of the last message.
        contains: A text in the last message.
        matches: A regular expression found in the last message's first 10,000 characters. It is
            the script writer's own and no longer than 500 characters.
        tool_names: Tools that are all offered.
        model: The model asked for.
        audio: The SHA-256 of audio in the last message, or how it begins: that of its WAV file.
        longer_than: Seconds that the audio in the last message lasts longer than in all.
    """

    last_role: Literal["system", "developer", "user", "assistant", "tool"] | None = None
    contains: str | None = None
    matches: str | None = None
    tool_names: tuple[str, ...] | None = None
    model: str | None = None
    audio: str | None = None
    longer_than: float | None = None


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One reply and when it is given; without conditions, always."""

    reply: ScriptedReply
    when: When = When()


Condition = Callable[[ChatBody], bool]


class RuleAnswers:
    """Answers by the first rule whose conditions hold."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Prepare the rules.

        Raises:
            UsageError: For a pattern that is too long or no regular expression.
        """
        self._rules = [(_conditions(rule.when), canned(rule.reply)) for rule in rules]

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        """Return the reply of the first rule that applies."""
        for conditions, reply in self._rules:
            if all(holds(request) for holds in conditions):
                return reply
        return Unanswered(f"none of the script's {len(self._rules)} rules fits this request")


def canned(reply: ScriptedReply) -> CannedReply:
    """Return a scripted reply in the form in which servers give it; its calls have no ids yet."""
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
        pattern = _compiled(when.matches)
        found.append(
            lambda request: bool(pattern.search(request.messages[-1].text, 0, MAX_SEARCHED_CHARS))
        )
    if when.tool_names is not None:
        names = frozenset(when.tool_names)
        found.append(lambda request: names <= _offered(request))
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


def _offered(request: ChatBody) -> set[str]:
    return {tool.function.name for tool in request.tools or ()}


def _compiled(pattern: str) -> re.Pattern[str]:
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UsageError(
            f"the pattern {pattern[:40]!r}... has {len(pattern)} characters: "
            f"at most {MAX_PATTERN_CHARS} are allowed"
        )
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"the pattern {pattern!r} is no regular expression: {error}") from error
