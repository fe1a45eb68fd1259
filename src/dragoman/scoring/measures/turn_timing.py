"""Measure `timing`: turn timing, response latency and interruptions of a spoken conversation.

Audio has its own length, and the latency of replies is stored with them. Times that neither gives
are estimated by the constants of `conversation_clock.toml`, and marked as estimates.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import UNSET

from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.measures import (
    CountedItem,
    MeasureSetting,
    Quantile,
    Rate,
    ScoringContext,
    Total,
)
from dragoman.core.replies import UNKNOWN_LATENCY, Latency, TextReply, Utterance
from dragoman.core.scores import Unscored
from dragoman.core.stop_tokens import MARKER
from dragoman.core.tools import Role, ToolResult
from dragoman.scoring.measures.count_measure import CountMeasure

MINUTE = 60.0

Basis = Literal["first word", "whole reply", "stated", "unknown"]
"""End point of a response time.

It is the first word, if its time is known; the end of the reply; a stated constant; or unknown.
"""

_SPOKEN_APART = re.compile(r"\d|[^\W\d]+(?:['\u2019.-][^\W\d]+)*")
_SIGN = re.compile(r"\w")


class CallerTiming(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Timing of a simulated caller: its speed and its tolerance, in seconds."""

    reaction_seconds: float
    max_silence_seconds: float = msgspec.field(name="patience_seconds")
    window_seconds: float
    bearable_seconds: float
    tool_seconds: float


class AgentDelays(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The substitute durations for an agent's work that takes no real time.

    They are seconds for a reply and for a call.
    """

    reply_seconds: float
    tool_seconds: float


class SpeakingRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Speech rate in words per minute, or in signs per minute for scripts without spaces."""

    words_per_minute: float
    signs_per_minute: dict[str, float]


class TimingConventions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All timing constants."""

    caller: CallerTiming
    agent: AgentDelays
    speaking: SpeakingRate


class AgentResponse(msgspec.Struct, frozen=True):
    """The agent's work between the end of a caller's words and the agent's reply or action.

    Attributes:
        thinking: Seconds that the agent took; None if not known.
        tools: Seconds that its calls took, as stated.
        basis: End point of the measured time.
        overlap: Seconds that it spoke over the caller; None if nothing can overlap.
        is_interrupted: Whether the caller interrupted the words; None if no caller can.
    """

    thinking: float | None
    tools: float
    basis: Basis
    overlap: float | None = None
    is_interrupted: bool | None = None

    @property
    def seconds(self) -> float | None:
        """Total seconds; None if not known."""
        return None if self.thinking is None else self.thinking + self.tools


class TurnTiming(msgspec.Struct, frozen=True):
    """Timing of one turn.

    Attributes:
        at: Place of the turn among the conversation's events.
        by: Side that has the turn.
        begins: Start of the words, in seconds from the beginning; None after an unknown time.
        speaking: Duration of the words in seconds; 0 if the agent acted without words.
        is_estimated: Whether the duration is estimated from the words, without audio.
        response: The response that the caller waited for; None for callers and for fixed messages.
    """

    at: int
    by: Role
    begins: float | None
    speaking: float
    is_estimated: bool
    response: AgentResponse | None = None

    @property
    def ends(self) -> float | None:
        """End of the words, in seconds from the beginning."""
        return None if self.begins is None else self.begins + self.speaking


@cache
def timing_conventions() -> TimingConventions:
    """Return the table next to this module."""
    text = (files("dragoman.scoring") / "conversation_clock.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), TimingConventions)


def time_turns(episode: Episode, language: str) -> tuple[TurnTiming, ...]:
    """Return the turns of a spoken conversation, in their order.

    Args:
        episode: The conversation. Messages before its beginning, and messages that reached the
            agent in writing, have no time.
        language: The tag of the spoken language.
    """
    clock = _Clock(timing_conventions(), language)
    return tuple(clock.turns(episode.events))


def estimate_speech_seconds(words: str, language: str) -> float:
    """Return how long words take that were said without audio, estimated from their number."""
    speaking = timing_conventions().speaking
    signs = speaking.signs_per_minute.get(language.partition("-")[0])
    if signs is not None:
        return MINUTE * len(_SIGN.findall(words)) / signs
    return MINUTE * len(_SPOKEN_APART.findall(words)) / speaking.words_per_minute


class _Clock:
    """A clock that follows one conversation.

    `now` is None after an event of unknown duration.
    """

    def __init__(self, stated: TimingConventions, language: str) -> None:
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

    def _user(self, at: int, move: Message) -> Iterator[TurnTiming]:
        yield from self._without_words()
        if not isinstance(move.reply, TextReply) or not _is_aloud(move.reply.utterance):
            return
        if self._has_begun:
            self._pass(self._stated.caller.reaction_seconds)
        yield self._spoken(at, "user", move.reply.utterance, None)

    def _agent(self, at: int, move: Message) -> Iterator[TurnTiming]:
        is_before = move.latency is None and not self._has_begun
        if is_before and not move.scripted:
            return
        if not move.scripted:
            self._work.append((at, move.latency or UNKNOWN_LATENCY))
        if isinstance(move.reply, TextReply):
            response = self._response(is_said=True)
            yield self._spoken(at, "agent", move.reply.utterance, response)

    def _without_words(self) -> Iterator[TurnTiming]:
        """Yield what the agent did since somebody spoke, where it then said nothing."""
        if self._work:
            at = self._work[-1][0]
            response = self._response(is_said=False)
            yield TurnTiming(at, "agent", self._now, 0.0, is_estimated=False, response=response)

    def _response(self, *, is_said: bool) -> AgentResponse | None:
        """Return what the caller waited for, and let it pass; None if it was for nothing."""
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
        seconds = (
            audio.seconds if audio else estimate_speech_seconds(_words(utterance), self._language)
        )
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
    """Return whether a part of a user's words was audible.

    Written words and signs alone are not audible.
    """
    if utterance.audio is not None:
        return utterance.audio.seconds > 0
    return utterance.spoken is not UNSET and bool(_words(utterance))


def _words(utterance: Utterance) -> str:
    said = utterance.intended if utterance.spoken is UNSET else utterance.spoken
    return MARKER.sub("", said).strip()


RESPONSE = "response seconds"
"""The count of each response's own time: what quantiles are taken of."""

MEDIAN = Quantile("response time, median", RESPONSE, 0.5, "seconds")
HIGH = Quantile("response time, 95th percentile", RESPONSE, 0.95, "seconds")


def _is_spoken(setting: MeasureSetting) -> bool:
    return setting.is_spoken


def count_timing(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for the conversation and one for each turn.

    A conversation of which anything is unknown is unscored: the rest would make it faster than it
    was.
    """
    if case.fault:
        return Unscored(case.fault)
    turns = time_turns(case.episode, case.setting.language)
    if not turns:
        return Unscored("nobody spoke")
    responses = [turn.response for turn in turns if turn.response is not None]
    unknown = sum(response.seconds is None for response in responses)
    if unknown or (end := turns[-1].ends) is None:
        return Unscored(f"how long {unknown} of {len(responses)} responses took is not known")
    return _count_timing(turns, end)


def _count_timing(turns: Sequence[TurnTiming], end: float) -> Iterator[CountedItem]:
    responses = [turn.response for turn in turns if turn.response is not None]
    can_overlap = any(response.overlap is not None for response in responses)
    own = [response.seconds for response in responses if response.seconds is not None]
    of_its_own = {} if not own else {"median seconds": MEDIAN.of(own), "95 % seconds": HIGH.of(own)}
    yield CountedItem(
        {"conversations": 1, "seconds": end, "full duplex": int(can_overlap), **of_its_own}
    )
    for turn in turns:
        counts: dict[str, int | float] = {
            "speaking seconds": turn.speaking,
            "estimated seconds": turn.speaking if turn.is_estimated else 0.0,
        }
        why = ""
        if turn.response is not None and turn.response.seconds is not None:
            counts |= _of_response(turn.response, turn.response.seconds)
            why = _late(turn.response.seconds)
        if turn.by == "agent" and turn.speaking > timing_conventions().caller.bearable_seconds:
            counts["long speeches"] = 1
            why = "; ".join(filter(None, (why, f"spoke for {turn.speaking:.1f} s")))
        yield CountedItem(counts, turn.at, why=why)


def _of_response(response: AgentResponse, seconds: float) -> dict[str, int | float]:
    caller = timing_conventions().caller
    return {
        "responses": 1,
        RESPONSE: seconds,
        "tool seconds": response.tools,
        "to first word": int(response.basis == "first word"),
        "stated": int(response.basis == "stated"),
        "silences": int(seconds > caller.max_silence_seconds),
        "silent seconds": max(0.0, seconds - caller.max_silence_seconds),
        "missed windows": int(seconds > caller.window_seconds),
        "overlap seconds": response.overlap or 0.0,
        "interruptible": int(response.is_interrupted is not None),
        "interrupted": int(response.is_interrupted is True),
    }


def _late(seconds: float) -> str:
    caller = timing_conventions().caller
    if seconds <= caller.max_silence_seconds:
        return ""
    missed = ", a missed window" if seconds > caller.window_seconds else ""
    return f"silent for {seconds:.1f} s before it{missed}"


TIMING = CountMeasure(
    "timing",
    "1",
    count_timing,
    (
        Total("responses", ("responses",)),
        MEDIAN,
        HIGH,
        Rate("time per task", ("seconds",), ("conversations",), reads="seconds"),
        Total("silences beyond patience", ("silences",)),
        Rate(
            "silence beyond patience per task",
            ("silent seconds",),
            ("conversations",),
            reads="seconds",
        ),
        Total("missed windows", ("missed windows",)),
        Total("speeches longer than is heard out", ("long speeches",)),
        Rate("speeches that the caller interrupted", ("interrupted",), ("interruptible",)),
        Rate(
            "spoken over the caller per task",
            ("overlap seconds",),
            ("full duplex",),
            reads="seconds",
        ),
        Rate("responses timed to the first word", ("to first word",), ("responses",)),
        Rate("responses of a stated time", ("stated",), ("responses",)),
        Rate("speech of an estimated length", ("estimated seconds",), ("speaking seconds",)),
    ),
    _is_spoken,
)
"""Constants and their reasons: `conversation_clock.toml` and docs/reference/timing.md."""
