"""Base of deterministic measures, and iteration over a conversation's calls and spoken words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from dragoman.core.episodes import Episode, Event, Message, executed_calls
from dragoman.core.measures import (
    CountedItem,
    MeasureResult,
    MeasureSetting,
    MetricDefinition,
    ScoringContext,
    sum_counts,
)
from dragoman.core.replies import TextReply, ToolCallReply, Utterance
from dragoman.core.scores import NO_JUDGE, Unscored
from dragoman.core.tools import Role, ToolCall, ToolResult


class PositionedCall(NamedTuple):
    """A call as the world executed it, its result, and the place of the move that made it."""

    position: int
    call: ToolCall
    result: ToolResult | None

    @property
    def succeeded(self) -> bool:
        """Whether it has a result that is not an error."""
        return self.result is not None and not self.result.error


def positioned_calls(events: Sequence[Event]) -> Iterator[PositionedCall]:
    """Yield every call in order.

    Raises:
        ReplayError: If results do not follow their calls in order and by id.
    """
    places = [
        place
        for place, event in enumerate(events)
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for _ in event.reply.calls
    ]
    for place, (call, result) in zip(places, executed_calls(events), strict=True):
        yield PositionedCall(place, call, result)


def spoken_utterances(episode: Episode, side: Role) -> Iterator[tuple[int, Utterance]]:
    """Yield the place and utterance of each spoken message of a side.

    The agent's greeting is excluded.
    """
    for position, event in enumerate(episode.events):
        if isinstance(event, Message) and event.by == side and isinstance(event.reply, TextReply):
            utterance, is_greeting = event.reply.utterance, event.scripted and side == "agent"
            if utterance.spoken is not UNSET and not is_greeting:
                yield position, utterance


NATIVE_AUDIO_REASON = "the agent was given the audio itself: nobody knows which words it heard"


def transcribed_utterances(episode: Episode) -> list[tuple[int, Utterance]] | Unscored:
    """Return the transcribed utterances of the user, or the reason why there are none."""
    said = list(spoken_utterances(episode, "user"))
    heard = [(place, utterance) for place, utterance in said if utterance.received is not None]
    return Unscored(NATIVE_AUDIO_REASON) if said and not heard else heard


CountFunction = Callable[[ScoringContext], Iterable[CountedItem] | Unscored]
"""Counts one conversation: an entry for each thing that counts, or why nothing can be counted."""


def _always(_setting: MeasureSetting) -> bool:
    return True


class CountMeasure(msgspec.Struct, frozen=True):
    """A deterministic measure.

    Attributes:
        name: Name of the measure.
        version: Version of the measure; every change of a count is a new version.
        count: Function that counts one conversation.
        figures: Metrics to compute from the counts.
        where: Whether there is anything to count under a condition.
        judge: Always no judge.
        rules: Always empty, because rule sets do not matter.
    """

    name: str
    version: str
    count: CountFunction
    figures: tuple[MetricDefinition, ...]
    where: Callable[[MeasureSetting], bool] = _always
    judge: str = NO_JUDGE
    rules: str = ""

    def applies(self, setting: MeasureSetting) -> bool:
        """Return whether there is anything to count under a condition."""
        return self.where(setting)

    async def measure(self, case: ScoringContext) -> MeasureResult:
        """Count one conversation."""
        found = self.count(case)
        if isinstance(found, Unscored):
            return MeasureResult(self.name, self.version, unscored=found.reason)
        entries = tuple(found)
        return MeasureResult(self.name, self.version, counts=sum_counts(entries), evidence=entries)
