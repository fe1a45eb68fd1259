"""The clock of a spoken conversation: when each side spoke, for how long, and who let whom wait.

Audio has its own length, and how long replies took is kept with them. What neither tells is estimated
by constants that stand in one table, and marked.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import UNSET

from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.speech import Said, Utterance
from dragoman.core.stop_tokens import MARKER
from dragoman.core.tools import Role, ToolResult
from dragoman.core.voice.clock import UNKNOWN, Latency

MINUTE = 60.0

Basis = Literal["first word", "whole reply", "stated", "unknown"]
"""What a response was timed to: the first word, where it was seen to come; the end of the reply; a
constant; or nothing that is known."""

_SPOKEN_APART = re.compile(r"\d|[^\W\d]+(?:['\u2019.-][^\W\d]+)*")
_SIGN = re.compile(r"\w")


class Caller(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands for a caller: how fast it answers, and what it bears, in seconds."""

    reaction_seconds: float
    patience_seconds: float
    window_seconds: float
    bearable_seconds: float
    tool_seconds: float


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands for an agent's work that takes no real time: seconds for a reply and for a call."""

    reply_seconds: float
    tool_seconds: float


class SpeakingRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How fast words are spoken; by language for writing without spaces."""

    words_per_minute: float
    signs_per_minute: dict[str, float]


class Conventions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All constants."""

    caller: Caller
    agent: Program
    speaking: SpeakingRate


class AgentResponse(msgspec.Struct, frozen=True):
    """What passed between the end of a caller's words and what the agent said or did.

    Attributes:
        thinking: Seconds that the agent took; None where that is not known.
        tools: Seconds that its calls took, as stated.
        basis: What it was timed to.
        overlap: For how many seconds it spoke over the caller; None where nothing can overlap.
        is_interrupted: Whether the caller cut the words short; None where no caller can.
    """

    thinking: float | None
    tools: float
    basis: Basis
    overlap: float | None = None
    is_interrupted: bool | None = None

    @property
    def seconds(self) -> float | None:
        """All of it; None where it is not known."""
        return None if self.thinking is None else self.thinking + self.tools


class TurnTiming(msgspec.Struct, frozen=True):
    """One turn by the clock.

    Attributes:
        at: Its place among the conversation's events.
        by: Whose turn it is.
        begins: When the words begin, in seconds from the beginning; None after something unknown.
        speaking: How long they last in seconds; 0 where the agent acted without words.
        is_estimated: Whether that is estimated from the words, without audio.
        response: How long the caller had waited; None for callers and for what nobody had to think of.
    """

    at: int
    by: Role
    begins: float | None
    speaking: float
    is_estimated: bool
    response: AgentResponse | None = None

    @property
    def ends(self) -> float | None:
        """When the words end, in seconds from the beginning."""
        return None if self.begins is None else self.begins + self.speaking


@cache
def conventions() -> Conventions:
    """Return the table beside this module."""
    text = (files("dragoman.scoring") / "conversation_clock.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Conventions)


def turns_by_the_clock(episode: Episode, language: str) -> tuple[TurnTiming, ...]:
    """Return the turns of a spoken conversation, in their order.

    Args:
        episode: What happened. What was said before it began has no time, and neither has what
            reached the agent in writing.
        language: The tag of the language that is spoken.
    """
    clock = _Clock(conventions(), language)
    return tuple(clock.turns(episode.events))


def spoken_seconds(words: str, language: str) -> float:
    """Return how long words take that were said without audio, estimated from their number."""
    speaking = conventions().speaking
    signs = speaking.signs_per_minute.get(language.partition("-")[0])
    if signs is not None:
        return MINUTE * len(_SIGN.findall(words)) / signs
    return MINUTE * len(_SPOKEN_APART.findall(words)) / speaking.words_per_minute


class _Clock:
    """Goes through one conversation; `loop_time` is None after something that took nobody knows how long."""

    def __init__(self, stated: Conventions, language: str) -> None:
        self._stated = stated
        self._language = language
        self._now: float | None = 0.0
        self._has_begun = False
        self._work: list[tuple[int, Latency]] = []
        self._tools = 0

    def turns(self, events: Sequence[Event]) -> Iterator[TurnTiming]:
        for at, event in enumerate(events):
            if isinstance(event, ToolResult):
                self._tool(event)
            elif event.by == "user":
                yield from self._user(at, event)
            else:
                yield from self._agent(at, event)
        yield from self._without_words()

    def _tool(self, result: ToolResult) -> None:
        if result.by == "agent":
            self._tools += bool(self._work)
        elif self._has_begun:
            self._pass(self._stated.caller.tool_seconds)

    def _user(self, at: int, move: Move) -> Iterator[TurnTiming]:
        yield from self._without_words()
        if not isinstance(move.reply, Said) or not _is_aloud(move.reply.utterance):
            return
        if self._has_begun:
            self._pass(self._stated.caller.reaction_seconds)
        yield self._spoken(at, "user", move.reply.utterance, None)

    def _agent(self, at: int, move: Move) -> Iterator[TurnTiming]:
        is_before = move.latency is None and not self._has_begun
        if is_before and not move.scripted:
            return
        if not move.scripted:
            self._work.append((at, move.latency or UNKNOWN))
        if isinstance(move.reply, Said):
            response = self._response(is_said=True)
            yield self._spoken(at, "agent", move.reply.utterance, response)

    def _without_words(self) -> Iterator[TurnTiming]:
        """Yield what the agent did since somebody spoke, where it then said nothing."""
        if self._work:
            at = self._work[-1][0]
            response = self._response(is_said=False)
            yield TurnTiming(at, "agent", self._now, 0.0, is_estimated=False, response=response)

    def _response(self, *, is_said: bool) -> AgentResponse | None:
        """Return what the caller waited for, and let it pass; None where it was for nothing."""
        work, self._work = self._work, []
        tools, self._tools = self._tools, 0
        if not work:
            return None
        *before, last = (latency for _, latency in work)
        seconds = [self._taken(latency) for latency in before]
        seconds.append(self._taken(last, is_said=is_said))
        known = [each for each in seconds if each is not None]
        is_known = len(known) == len(seconds)
        response = AgentResponse(
            sum(known) if is_known else None,
            tools * self._stated.agent.tool_seconds,
            _basis(last, is_said=is_said) if is_known else "unknown",
            _overlap(latency for _, latency in work),
            last.is_interrupted if is_said else None,
        )
        self._pass(response.seconds)
        return response

    def _taken(self, latency: Latency, *, is_said: bool = False) -> float | None:
        if latency.is_stated:
            return self._stated.agent.reply_seconds
        if is_said and latency.first_word is not None:
            return latency.first_word
        return latency.seconds

    def _spoken(
        self, at: int, by: Role, utterance: Utterance, response: AgentResponse | None
    ) -> TurnTiming:
        audio = utterance.audio or utterance.clean_audio
        seconds = audio.seconds if audio else spoken_seconds(_words(utterance), self._language)
        turn = TurnTiming(at, by, self._now, seconds, audio is None, response)
        self._pass(seconds)
        return turn

    def _pass(self, seconds: float | None) -> None:
        self._has_begun = True
        self._now = None if self._now is None or seconds is None else self._now + seconds


def _basis(latency: Latency, *, is_said: bool) -> Basis:
    if latency.is_stated:
        return "stated"
    return "first word" if is_said and latency.first_word is not None else "whole reply"


def _overlap(latencies: Iterable[Latency]) -> float | None:
    known = [latency.overlap for latency in latencies if latency.overlap is not None]
    return sum(known) if known else None


def _is_aloud(utterance: Utterance) -> bool:
    """Whether something of what a user said was to be heard: not what was written, or signs alone."""
    if utterance.audio is not None:
        return utterance.audio.seconds > 0
    return utterance.spoken is not UNSET and bool(_words(utterance))


def _words(utterance: Utterance) -> str:
    said = utterance.intended if utterance.spoken is UNSET else utterance.spoken
    return MARKER.sub("", said).strip()
