"""A conversation as turns: what one side said or called, with all that is known of it beside it.

A turn is one move with the results of its calls. Turns are numbered from 1; whatever names a place
among a conversation's events (evidence, decisions, judges' labels) is led to the turn it belongs to.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.speech import Called, Said, Unparsed, Utterance
from dragoman.core.stop_tokens import MARKER
from dragoman.core.tools import Role, ToolResult
from dragoman.core.voice.clarifications import Clarification
from dragoman.report.inferring import Inferred, inferred
from dragoman.scoring.measures.turn_timing import TurnTiming, time_turns
from dragoman.viewer.conversation.calls import ShownCall, calls_of, stray_call, texts_of
from dragoman.viewer.conversation.notes import Note
from dragoman.viewer.conversation.words import MAX_SHOWN, ThreeTexts, three_texts


class Sound(msgspec.Struct, frozen=True):
    """Audio of a turn: its content hash, how long it lasts, and which of the two it is."""

    sha256: str
    seconds: float
    rate_hz: int
    has_arrived: bool


class Turn(msgspec.Struct, frozen=True):
    """One turn.

    Attributes:
        number: From 1; its anchor is `turn-NUMBER`.
        places: The places of its events.
        by: Whose it is.
        texts: What was meant, spoken and heard; None where nothing was said.
        beside: What was written beside calls, which nobody was given.
        reasoning: What the model thought before it replied, which nobody was given either.
        near_token: A stop token as it was written, where it was not written exactly.
        calls: What was called, and what came of it.
        unusable: What is wrong with a reply that is neither words nor calls.
        raw: Such a reply.
        is_scripted: Whether the harness wrote the words.
        is_clarifying: Whether they answer a question about how something is written.
        fixed_turn: The benchmark's own number of the turn, where it fixes them.
        call_form: The form in which calls were asked for as text.
        stages: What happened between mouth and ear, in words.
        sounds: What can be heard of it.
        timing: The turn by the clock.
        seconds: How long the reply took, as it was measured; None where nobody knows.
        first_word: The same to its first word.
        decided: What was decided about the agent's question.
        told: What was inferred of the user before it.
        notes: What measures and judges found here.
    """

    number: int
    places: range
    by: Role
    texts: ThreeTexts | None = None
    beside: str = ""
    reasoning: str = ""
    near_token: str = ""
    calls: tuple[ShownCall, ...] = ()
    unusable: str = ""
    raw: str = ""
    is_scripted: bool = False
    is_clarifying: bool = False
    fixed_turn: int = 0
    call_form: str = ""
    stages: tuple[str, ...] = ()
    sounds: tuple[Sound, ...] = ()
    timing: TurnTiming | None = None
    seconds: float | None = None
    first_word: float | None = None
    decided: Clarification | None = None
    told: tuple[Inferred, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def longest(self) -> int:
        """Characters of the longest of its texts, before any is cut."""
        data = (text for call in self.calls for text in texts_of(call))
        said = 0 if self.texts is None else self.texts.longest
        return max((said, *map(len, (self.beside, self.reasoning, self.raw)), *map(len, data)))

    @property
    def is_silent(self) -> bool:
        """Whether its words are signs between the programs alone."""
        return self.texts is not None and all(
            span.mark == "sign" or not span.text.strip() for span in self.texts.intended
        )


def turns_of(
    episode: Episode,
    language: str,
    *,
    is_spoken: bool,
    notes: Mapping[int, Sequence[Note]],
    most: int = MAX_SHOWN,
) -> tuple[Turn, ...]:
    """Return the turns of a conversation.

    Args:
        episode: What happened.
        language: The tag of the language that is spoken.
        is_spoken: Whether anybody speaks aloud.
        notes: What was found, by the place among the events.
        most: Characters of each text that are shown.
    """
    clock = time_turns(episode, language) if is_spoken else ()
    beside = _Beside(
        {entry.at: entry for entry in clock},
        {entry.at: entry for entry in episode.clarifications},
        inferred(episode),
        notes,
        language,
        most,
    )
    groups = list(_grouped(episode.events))
    return tuple(
        _turn(number, places, episode.events, beside)
        for number, places in enumerate(groups, start=1)
    )


def turn_numbers(turns: Iterable[Turn]) -> dict[int, int]:
    """Return the numbers of turns by the places of their events."""
    return {place: turn.number for turn in turns for place in turn.places}


def later_inferences(episode: Episode) -> tuple[Inferred, ...]:
    """Return what was inferred of the user after the last event."""
    return tuple(entry for entry in inferred(episode) if entry.at >= len(episode.events))


class _Beside(msgspec.Struct, frozen=True):
    """What is known of places among the events, and how words are read and shown."""

    clock: dict[int, TurnTiming]
    decided: dict[int, Clarification]
    told: tuple[Inferred, ...]
    notes: Mapping[int, Sequence[Note]]
    language: str
    most: int


def _grouped(events: Sequence[Event]) -> Iterator[range]:
    """Yield the places of each move with the results behind it."""
    begin = 0
    for place, event in enumerate(events):
        if isinstance(event, Move) and place > begin:
            yield range(begin, place)
            begin = place
    if events:
        yield range(begin, len(events))


def _turn(number: int, places: range, events: Sequence[Event], beside: _Beside) -> Turn:
    own = events[places.start : places.stop]
    move, results = own[0], [event for event in own if isinstance(event, ToolResult)]
    found = tuple(note for place in places for note in beside.notes.get(place, ()))
    told = tuple(entry for entry in beside.told if entry.at in places)
    turn = Turn(number, places, move.by, notes=found, told=told)
    if isinstance(move, ToolResult):
        return msgspec.structs.replace(turn, calls=tuple(map(stray_call, results)))
    latency = move.latency
    turn = msgspec.structs.replace(
        turn,
        is_scripted=move.scripted,
        fixed_turn=move.turn,
        call_form=move.call_form,
        reasoning=move.reasoning,
        near_token=move.near_token,
        timing=beside.clock.get(places.start),
        seconds=None if latency is None else latency.seconds,
        first_word=None if latency is None else latency.first_word,
        decided=beside.decided.get(places.start),
    )
    return _with_reply(turn, move, results, beside)


def _with_reply(turn: Turn, move: Move, results: Sequence[ToolResult], beside: _Beside) -> Turn:
    match move.reply:
        case Said(utterance=utterance, clarifies=clarifies):
            return msgspec.structs.replace(
                turn,
                texts=three_texts(utterance, beside.language, beside.most),
                stages=tuple(f"{stage.name} ({stage.engine})" for stage in utterance.stages),
                sounds=tuple(_sounds(utterance)),
                is_clarifying=clarifies,
            )
        case Called(calls=calls, text=text):
            return msgspec.structs.replace(turn, calls=calls_of(calls, results), beside=text or "")
        case Unparsed(raw=raw, error=error):
            return msgspec.structs.replace(turn, raw=raw, unusable=error)


def _sounds(utterance: Utterance) -> Iterator[Sound]:
    """Yield what can be heard: what arrived first; of signs alone there is nothing to hear."""
    if not MARKER.sub("", utterance.intended).strip():
        return
    for reference, has_arrived in ((utterance.audio, True), (utterance.clean_audio, False)):
        if reference is not None and reference.seconds > 0:
            yield Sound(reference.sha256, reference.seconds, reference.rate_hz, has_arrived)
