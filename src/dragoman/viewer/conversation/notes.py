"""What measures and judges found at places of a conversation, and what components rest on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.episodes import Event, Move
from dragoman.core.judged_errors import ReportedError
from dragoman.core.measures import Counted, Measured
from dragoman.core.scores import NO_JUDGE, ComponentScore, Evidence
from dragoman.core.speech import Called, Said
from dragoman.core.tasks import Component
from dragoman.core.tools import ToolResult


class Note(msgspec.Struct, frozen=True):
    """One thing that was found at one place.

    Attributes:
        source: The measure that found it.
        judge: Who judged; empty where the log alone tells.
        subject: What was looked at.
        why: What was found.
        is_error: Whether a judge calls it an error of a side.
    """

    source: str
    judge: str
    subject: str
    why: str
    is_error: bool = False


def notes_by_place(measures: Iterable[Measured]) -> dict[int, list[Note]]:
    """Return by place among the events what was found there; entries that say nothing are left out."""
    found: dict[int, list[Note]] = {}
    for entry in measures:
        for place, note in _notes(entry):
            found.setdefault(place, []).append(note)
    return found


def _notes(entry: Measured) -> Iterator[tuple[int, Note]]:
    reported = {error.position for error in entry.errors}
    for found in entry.evidence:
        # A judge's errors are told once, in full.
        if found.position is not None and found.why and found.position not in reported:
            yield found.position, _note(entry, found)
    for error in entry.errors:
        yield error.position, _error(entry, error)


def _note(entry: Measured, found: Counted) -> Note:
    return Note(entry.measure, judge_of(entry), found.subject, found.why)


def _error(entry: Measured, error: ReportedError) -> Note:
    grave = error.severity.replace("_", ", ")
    quoted = f" \u201c{error.quote}\u201d" if error.quote else ""
    subject = f"{grave} error of the {error.by}: {', '.join(error.tags) or 'no tag'}"
    return Note(entry.measure, judge_of(entry), subject, f"{error.why}{quoted}", is_error=True)


def judge_of(entry: Measured) -> str:
    """Return who judged; empty where the log alone tells."""
    return "" if entry.judge == NO_JUDGE else entry.judge


class Linked(msgspec.Struct, frozen=True):
    """One thing that was checked, and the turns that it concerns."""

    evidence: Evidence
    turns: tuple[int, ...]


def linked(
    part: ComponentScore, events: Sequence[Event], numbers: Mapping[int, int]
) -> tuple[Linked, ...]:
    """Return what a component rests on with the turns that it concerns.

    Evidence of rewards names no place. A turn concerns it that changes the record which is named, where
    states were compared; that says the words which had to be said; else that calls the tool.

    Args:
        part: The component.
        events: What happened.
        numbers: The numbers of turns by the places of their events.
    """
    concerns = _CONCERNS.get(part.component, _calls)
    return tuple(
        Linked(
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
    called = event.reply.calls if isinstance(event.reply, Called) else ()
    return any(call.name in words for call in called)


def _changes(entry: Evidence, event: Event) -> bool:
    if not isinstance(event, ToolResult):
        return False
    paths = ("/".join(map(str, change.path)) for change in event.changes)
    return any(f"{path}/".startswith(f"{entry.subject}/") for path in paths)


def _says(entry: Evidence, event: Event) -> bool:
    if not isinstance(event, Move) or event.by != "agent" or not isinstance(event.reply, Said):
        return False
    return bool(entry.subject) and entry.subject.casefold() in event.reply.text.casefold()


_CONCERNS: dict[Component, Callable[[Evidence, Event], bool]] = {
    "DB": _changes,
    "COMMUNICATE": _says,
}
