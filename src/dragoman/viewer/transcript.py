"""The transcript of a conversation as a page shows it: turns, calls, changes and findings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.clarifications import Clarification
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.measures import CountedItem, MeasureResult, ReportedError
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, Utterance
from dragoman.core.scores import NO_JUDGE, ComponentScore, Evidence
from dragoman.core.stop_tokens import MARKER
from dragoman.core.tasks import Component
from dragoman.core.tools import Change, Role, ToolCall, ToolResult
from dragoman.report.view_model import InferredProfile, inferred_profiles
from dragoman.scoring.measures.turn_timing import TurnTiming, time_turns
from dragoman.viewer.json_markup import is_json
from dragoman.viewer.word_diff import MAX_SHOWN, ThreeTexts, three_texts


class ShownCall(msgspec.Struct, frozen=True):
    """One call and its result; values of the data are JSON, written over several lines.

    Attributes:
        name: The tool's name as it was called.
        arguments: The parsed arguments, in the caller's language.
        executed: The arguments that the world executed; empty if they are the same.
        executed_name: The name of the tool that answered; empty where that is the same.
        sent: The caller's own arguments, if a counterfactual replaced them.
        written: The arguments as text, if they could not be parsed as they are.
        malformed: The error if they could not be parsed.
        result: The world's answer, in its own values; None if the call has no result.
        shown: The answer as the caller saw it; empty if it is the same.
        is_error: Whether the answer is an error.
        changes: The changes of the world's state.
        is_other: Whether the conversation shown next to it has no such call in that step.
    """

    name: str
    by: Role = "agent"
    arguments: str = ""
    positionals: str = ""
    executed: str = ""
    executed_name: str = ""
    sent: str = ""
    written: str = ""
    malformed: str = ""
    result: str | None = None
    shown: str = ""
    is_error: bool = False
    changes: tuple["ShownChange", ...] = ()
    is_other: bool = False

    @property
    def is_localized(self) -> bool:
        """Whether caller and world use different wordings."""
        return bool(self.executed or self.executed_name or self.shown)


class ShownChange(msgspec.Struct, frozen=True):
    """A value of the world that a call changed; `value` is JSON, empty for a deleted one."""

    path: str
    op: str
    value: str
    side: Role


def texts_of(call: ShownCall) -> tuple[str, ...]:
    """Return all texts of a call and its result."""
    return (
        *(call.arguments, call.positionals, call.executed, call.sent, call.written),
        *(call.result or "", call.shown),
    )


def calls_of(calls: Iterable[ToolCall], results: Sequence[ToolResult]) -> tuple[ShownCall, ...]:
    """Return calls with their results, matched by id; results without a call come last."""
    waiting: dict[str, list[ToolResult]] = {}
    for result in results:
        waiting.setdefault(result.call_id, []).append(result)
    shown = tuple(_call(call, _next(waiting, call.id)) for call in calls)
    return (*shown, *(unmatched_call(result) for left in waiting.values() for result in left))


def unmatched_call(result: ToolResult) -> ShownCall:
    """Return a result without the call that it answers."""
    return _add_result(ShownCall(result.name, result.by), result)


def _next(waiting: dict[str, list[ToolResult]], call_id: str) -> ToolResult | None:
    left = waiting.get(call_id)
    return left.pop(0) if left else None


def _call(call: ToolCall, result: ToolResult | None) -> ShownCall:
    shown = ShownCall(
        call.name,
        call.by,
        readable_json(call.arguments),
        positionals=readable_json(call.positionals) if call.positionals else "",
        sent="" if call.sent is None else readable_json(call.sent),
        written=call.raw,
        malformed=call.malformed,
    )
    return shown if result is None else _add_result(shown, result)


def _add_result(shown: ShownCall, result: ToolResult) -> ShownCall:
    executed = "" if result.executed is None else readable_json(result.executed)
    return msgspec.structs.replace(
        shown,
        executed="" if executed == shown.arguments else executed,
        executed_name="" if result.name == shown.name else result.name,
        result=_readable_text(result.content),
        shown="" if result.shown in {None, result.content} else result.shown,
        is_error=result.error,
        changes=tuple(_shown_changes(result.changes)),
    )


def _shown_changes(changes: Iterable[Change]) -> Iterator[ShownChange]:
    for change in changes:
        value = "" if change.op == "del" else readable_json(change.value)
        yield ShownChange(" / ".join(map(str, change.path)), change.op, value, change.side)


def _readable_text(text: str) -> str:
    """Return JSON over several lines, and any other text as it is."""
    if len(text) <= MAX_LINE or not is_json(text):
        return text
    return msgspec.json.format(text, indent=2)


def readable_json(value: object) -> str:
    """Return a value as JSON over several lines, or on one line if it is small."""
    encoded = msgspec.json.encode(value)
    if len(encoded) <= MAX_LINE:
        return msgspec.json.format(encoded, indent=0).decode()
    return msgspec.json.format(encoded, indent=2).decode()


MAX_LINE = 60
"""Longest JSON on one line, in bytes."""


class Note(msgspec.Struct, frozen=True):
    """One finding at one place.

    Attributes:
        source: The measure.
        judge: The judge; empty if the log alone decides.
        subject: The subject of the finding.
        why: The finding.
        is_error: Whether a judge classified it as an error of a side.
    """

    source: str
    judge: str
    subject: str
    why: str
    is_error: bool = False


def notes_by_place(measures: Iterable[MeasureResult]) -> dict[int, list[Note]]:
    """Return the findings by place among the events.

    Entries without content are omitted.
    """
    found: dict[int, list[Note]] = {}
    for entry in measures:
        for place, note in _notes(entry):
            found.setdefault(place, []).append(note)
    return found


def _notes(entry: MeasureResult) -> Iterator[tuple[int, Note]]:
    reported = {error.position for error in entry.errors}
    for found in entry.evidence:
        # The errors of a judge are listed once, in full.
        if found.position is None or not found.why or found.position in reported:
            continue
        if not _is_as_expected(entry, found):
            yield found.position, _note(entry, found)
    for error in entry.errors:
        yield error.position, _error(entry, error)


def _is_as_expected(entry: MeasureResult, found: CountedItem) -> bool:
    """Return whether a turn was in its language, or too short to judge, as most turns are."""
    is_wrong = any(many for name, many in found.counts.items() if name.endswith(" wrong"))
    return entry.measure == "language" and not is_wrong


def _note(entry: MeasureResult, found: CountedItem) -> Note:
    return Note(entry.measure, judge_of(entry), found.subject, found.why)


def _error(entry: MeasureResult, error: ReportedError) -> Note:
    grave = error.severity.replace("_", ", ")
    quoted = f" \u201c{error.quote}\u201d" if error.quote else ""
    subject = f"{grave} error of the {error.by}: {', '.join(error.tags) or 'no tag'}"
    return Note(entry.measure, judge_of(entry), subject, f"{error.why}{quoted}", is_error=True)


def judge_of(entry: MeasureResult) -> str:
    """Return the judge; empty if the log alone decides."""
    return "" if entry.judge == NO_JUDGE else entry.judge


class LinkedEvidence(msgspec.Struct, frozen=True):
    """One item of evidence, and the turns that it concerns."""

    evidence: Evidence
    turns: tuple[int, ...]


def link_evidence(
    part: ComponentScore, events: Sequence[Event], numbers: Mapping[int, int]
) -> tuple[LinkedEvidence, ...]:
    """Return the evidence of a component with the turns that it concerns.

    Evidence of rewards names no place. A turn is linked if it changes the named record (for
    compared states), says the required phrase, or otherwise calls the tool.

    Args:
        part: The component.
        events: The events.
        numbers: The numbers of turns by the places of their events.
    """
    concerns = _CONCERNS.get(part.component, _calls)
    return tuple(
        LinkedEvidence(
            entry,
            tuple(
                dict.fromkeys(
                    numbers[place] for place, event in enumerate(events) if concerns(entry, event)
                )
            ),
        )
        for entry in part.evidence
    )


def _calls(entry: Evidence, event: Event) -> bool:
    words = entry.subject.split()
    if isinstance(event, ToolResult):
        return event.name in words
    called = event.reply.calls if isinstance(event.reply, ToolCallReply) else ()
    return any(call.name in words for call in called)


def _concerns_change(entry: Evidence, event: Event) -> bool:
    if not isinstance(event, ToolResult):
        return False
    paths = ("/".join(map(str, change.path)) for change in event.changes)
    return any(f"{path}/".startswith(f"{entry.subject}/") for path in paths)


def _says(entry: Evidence, event: Event) -> bool:
    if (
        not isinstance(event, Message)
        or event.by != "agent"
        or not isinstance(event.reply, TextReply)
    ):
        return False
    return bool(entry.subject) and entry.subject.casefold() in event.reply.text.casefold()


_CONCERNS: dict[Component, Callable[[Evidence, Event], bool]] = {
    "DB": _concerns_change,
    "COMMUNICATE": _says,
}


class Sound(msgspec.Struct, frozen=True):
    """Audio of a turn: its content hash, its duration, and whether it is the arrived audio."""

    sha256: str
    seconds: float
    rate_hz: int
    has_arrived: bool


class Turn(msgspec.Struct, frozen=True):
    """One turn.

    Attributes:
        number: From 1; its anchor is `turn-NUMBER`.
        places: The places of its events.
        by: The side.
        texts: The intended, spoken and heard text; None where nothing was said.
        beside: Text that was written next to calls and delivered to nobody.
        reasoning: The model's reasoning before the reply, which was delivered to nobody either.
        near_token: A stop token as it was written, where it was not written exactly.
        calls: The calls and their results.
        unusable: The error of a reply that is neither words nor calls.
        raw: The text of such a reply.
        is_scripted: Whether the harness wrote the words.
        is_clarifying: Whether they answer a question about spelling.
        fixed_turn: The benchmark's own number of the turn, where it fixes them.
        call_form: The form in which calls were asked for as text.
        stages: The steps between mouth and ear, in words.
        sounds: The recordings.
        timing: The turn by the clock.
        seconds: The measured duration of the reply; None where nobody knows.
        first_word: The measured time to its first word.
        decided: The judge's decision on the agent's question.
        inferred_profiles: Profiles of the user that were inferred before it.
        notes: The findings of measures and judges at this turn.
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
    inferred_profiles: tuple[InferredProfile, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def longest(self) -> int:
        """Length of its longest text before cutting, in characters."""
        data = (text for call in self.calls for text in texts_of(call))
        said = 0 if self.texts is None else self.texts.longest
        return max((said, *map(len, (self.beside, self.reasoning, self.raw)), *map(len, data)))

    @property
    def is_silent(self) -> bool:
        """Whether its words are only control tokens."""
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
        notes: The findings, by the place among the events.
        most: Longest shown part of each text, in characters.
    """
    clock = time_turns(episode, language) if is_spoken else ()
    beside = _TurnContext(
        {entry.at: entry for entry in clock},
        {entry.at: entry for entry in episode.clarifications},
        inferred_profiles(episode),
        notes,
        language,
        most,
    )
    groups = list(_group_event_ranges(episode.events))
    return tuple(
        _turn(number, places, episode.events, beside)
        for number, places in enumerate(groups, start=1)
    )


def turn_numbers(turns: Iterable[Turn]) -> dict[int, int]:
    """Return the numbers of turns by the places of their events."""
    return {place: turn.number for turn in turns for place in turn.places}


def later_inferences(episode: Episode) -> tuple[InferredProfile, ...]:
    """Return the profiles of the user that were inferred after the last event."""
    return tuple(entry for entry in inferred_profiles(episode) if entry.at >= len(episode.events))


class _TurnContext(msgspec.Struct, frozen=True):
    """Lookups by place among the events, and settings for how words are shown."""

    clock: dict[int, TurnTiming]
    decided: dict[int, Clarification]
    inferred_profiles: tuple[InferredProfile, ...]
    notes: Mapping[int, Sequence[Note]]
    language: str
    most: int


def _group_event_ranges(events: Sequence[Event]) -> Iterator[range]:
    """Yield the places of each message with the results that follow it."""
    begin = 0
    for place, event in enumerate(events):
        if isinstance(event, Message) and place > begin:
            yield range(begin, place)
            begin = place
    if events:
        yield range(begin, len(events))


def _turn(number: int, places: range, events: Sequence[Event], beside: _TurnContext) -> Turn:
    own = events[places.start : places.stop]
    move, results = own[0], [event for event in own if isinstance(event, ToolResult)]
    found = tuple(note for place in places for note in beside.notes.get(place, ()))
    inferred_profiles = tuple(entry for entry in beside.inferred_profiles if entry.at in places)
    turn = Turn(number, places, move.by, notes=found, inferred_profiles=inferred_profiles)
    if isinstance(move, ToolResult):
        return msgspec.structs.replace(turn, calls=tuple(map(unmatched_call, results)))
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


def _with_reply(
    turn: Turn, move: Message, results: Sequence[ToolResult], beside: _TurnContext
) -> Turn:
    match move.reply:
        case TextReply(utterance=utterance, clarifies=clarifies):
            return msgspec.structs.replace(
                turn,
                texts=three_texts(utterance, beside.language, beside.most),
                stages=tuple(f"{stage.name} ({stage.engine})" for stage in utterance.stages),
                sounds=tuple(_sounds(utterance)),
                is_clarifying=clarifies,
            )
        case ToolCallReply(calls=calls, text=text):
            return msgspec.structs.replace(turn, calls=calls_of(calls, results), beside=text or "")
        case UnparsedReply(raw=raw, error=error):
            return msgspec.structs.replace(turn, raw=raw, unusable=error)


def _sounds(utterance: Utterance) -> Iterator[Sound]:
    """Yield the recordings, the arrived one first; control tokens have none."""
    if not MARKER.sub("", utterance.intended).strip():
        return
    for reference, has_arrived in ((utterance.audio, True), (utterance.clean_audio, False)):
        if reference is not None and reference.seconds > 0:
            yield Sound(reference.sha256, reference.seconds, reference.rate_hz, has_arrived)
