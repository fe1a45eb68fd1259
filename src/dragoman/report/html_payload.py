"""The conversations embedded in an HTML report: selection, encoding and compression.

A report has a limited size: failures come first, then a sample of the rest.
"""

import base64
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import msgspec

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.drops import failure_stage
from dragoman.analysis.measure_metrics import newest
from dragoman.core.clarifications import Clarification
from dragoman.core.content_keys import derive_seed
from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import NO_JUDGE, OutcomeStatus
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolResult
from dragoman.report.drilldown import Drilldown, filters_by_place
from dragoman.report.formatting import COMPONENTS, ENDINGS
from dragoman.report.labels import STAGE_NAMES, figure_label, finding_words, measure_label
from dragoman.report.view_model import (
    RunView,
    conversation_status,
    inference_cost,
    inferred_profiles,
    tool_errors,
    user_status,
)

LOST: frozenset[OutcomeStatus] = frozenset({"fail", "unscored", "code", "infrastructure"})
"""The statuses that a reader of a report looks for."""


class SizedConversation(msgspec.Struct, frozen=True):
    """One played conversation: its number among all outcomes, its status, and its size in bytes."""

    number: int
    status: OutcomeStatus
    size: int


class ScannedConversation(msgspec.Struct, frozen=True):
    """The facts that a page needs about a conversation's events: size, and tool errors by role."""

    size: int = 0
    errors: tuple[Role, ...] = ()


def scan_conversations(runs: Sequence[RunView]) -> tuple[ScannedConversation, ...]:
    """Read the events of all outcomes once, in their order."""
    return tuple(_scan(row.episode) for run in runs for row in run.read_conversations())


def _scan(episode: Episode | None) -> ScannedConversation:
    if not isinstance(episode, Episode):
        return ScannedConversation()
    size = len(msgspec.json.encode(tuple(map(without_raw, episode.events))))
    return ScannedConversation(size, tuple(tool_errors(episode)))


def sized_conversations(
    runs: Sequence[RunView], scanned: Sequence[ScannedConversation] | None = None
) -> tuple[SizedConversation, ...]:
    """Return the played conversations, those with priority first."""
    rows = [row for run in runs for row in run.outcomes]
    sizes = scan_conversations(runs) if scanned is None else scanned
    found = [
        (conversation_status(row) not in LOST, _draw(row), number)
        for number, row in enumerate(rows)
        if row.episode is not None
    ]
    return tuple(
        SizedConversation(number, conversation_status(rows[number]), sizes[number].size)
        for _, _, number in sorted(found)
    )


def select_fitting(conversations: Sequence[SizedConversation], room: float) -> frozenset[int]:
    """Return the numbers of the first conversations that fit into the room, in bytes."""
    return frozenset(_select_by_size(conversations, room))


def _select_by_size(conversations: Sequence[SizedConversation], room: float) -> Iterator[int]:
    for each in conversations:
        room -= each.size
        if room < 0:
            return
        yield each.number


def without_raw(event: Event) -> Event:
    """Return an event without a model's raw reply; the parsed reply is shown."""
    if isinstance(event, Message):
        return Message(event.by, event.reply, event.scripted, event.turn)
    return event


def _draw(row: ConversationResult) -> int:
    return derive_seed(f"{row.task} {row.trial}", "sample")


DATA_FIELDS = frozenset({"arguments", "positionals", "sent", "executed", "value", "data"})
TEXT_FIELDS = frozenset({"content", "shown"})

BARE = frozenset({str, int, float, bool, type(None)})
"""Types of values that are packed unchanged outside data fields."""

MAX_PACKED = 20_000_000
"""Maximum number of characters of all packed conversations of a page.

Figures and tables have room with them in 25 MB.
"""

_GZIP = 31
"""zlib's window bits for the largest window in a gzip frame."""

MOST_COMPRESSED = 40
"""Upper bound of the compression factor, for the first selection of conversations."""


class PackedConversations(msgspec.Struct, frozen=True):
    """The packed text of all conversations, and the number of incomplete ones by status."""

    text: str
    left_out: dict[OutcomeStatus, int]


def pack(
    runs: Sequence[RunView],
    behind: Sequence[Drilldown] = (),
    most: int = MAX_PACKED,
    scanned: Sequence[ScannedConversation] | None = None,
) -> PackedConversations:
    """Return conversations of runs as base64 of gzip of JSON.

    Models' raw replies are omitted: the parsed replies are shown.

    Args:
        runs: The runs.
        behind: Filters that show the conversations behind a number.
        most: Maximum size in characters; conversations without room have only their ending and
            score.
        scanned: The scan of their events; None to read them here.
    """
    conversations = sized_conversations(runs, scanned)
    room = float(most * MOST_COMPRESSED)
    while True:
        whole = select_fitting(conversations, room)
        text = _text(runs, behind, whole)
        if len(text) <= most or not whole:
            break
        held = sum(each.size for each in conversations if each.number in whole)
        room = 0.95 * held * most / len(text)
    left_out = [each.status for each in conversations if each.number not in whole]
    return PackedConversations(
        text, {each: left_out.count(each) for each in dict.fromkeys(left_out)}
    )


def _text(runs: Sequence[RunView], behind: Sequence[Drilldown], whole: Container[int]) -> str:
    """Return the packed document; conversations are encoded one by one, never all in memory."""
    # Neighbours in sorted order share beginnings, which is what the compressor looks for.
    texts = sorted(
        {
            text
            for number, _, row in _numbered(runs, whole)
            if number in whole
            for text in _texts(row)
        }
    )
    tasks = _used_tasks(runs)
    cells = _cells(runs)
    places = _Places(list(tasks), cells, {text: place for place, text in enumerate(texts)})
    before = {
        "texts": texts,
        "tasks": [_encode_exactly(msgspec.to_builtins(task)) for task in tasks.values()],
        "cells": [
            dict(zip(("run", "suite", "condition", "agent"), cell, strict=True)) for cell in cells
        ],
    }
    after = {
        "behind": [each.label for each in behind],
        "stages": STAGE_NAMES,
        "endings": ENDINGS,
        "components": COMPONENTS,
        "audio": {run.name: run.audio for run in runs if run.audio},
    }
    compressor = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
    packed = [compressor.compress(msgspec.json.encode(before)[:-1] + b',"conversations":[')]
    entries = _attach_filters(_conversations(runs, places, whole), behind)
    for number, entry in enumerate(entries):
        packed.append(compressor.compress(b"," * bool(number) + msgspec.json.encode(entry)))
    packed += (compressor.compress(b"]," + msgspec.json.encode(after)[1:]), compressor.flush())
    return base64.b64encode(b"".join(packed)).decode()


def _numbered(
    runs: Sequence[RunView], whole: Container[int]
) -> Iterator[tuple[int, RunView, ConversationResult]]:
    """Yield all outcomes with their numbers and runs; those in `whole` have their events."""
    first = 0
    for run in runs:
        numbers = range(first, first + len(run.outcomes))
        wanted = [number in whole for number in numbers]
        yield from zip(numbers, repeat(run), run.read_conversations(wanted), strict=False)
        first += len(run.outcomes)


class _Places(msgspec.Struct, frozen=True):
    """The positions of tasks, cells and texts of results in the packed document."""

    tasks: Sequence[tuple[str, str, str]]
    cells: Sequence[tuple[str, str, str, str]]
    texts: Mapping[str, int]


def _texts(outcome: ConversationResult) -> Iterator[str]:
    for event in outcome.episode.events if outcome.episode else ():
        if isinstance(event, ToolResult):
            yield event.content
            if event.shown is not None:
                yield event.shown


def _task_key(run: RunView, outcome: ConversationResult) -> tuple[str, str, str]:
    task = run.tasks.get(f"{outcome.suite}/{outcome.task}")
    return (outcome.suite, outcome.task, task.digest if task else "")


def _used_tasks(runs: Sequence[RunView]) -> dict[tuple[str, str, str], Task]:
    tasks = {}
    for run in runs:
        for outcome in run.outcomes:
            task = run.tasks.get(f"{outcome.suite}/{outcome.task}")
            if task is not None:
                tasks[_task_key(run, outcome)] = task
    return tasks


def _cells(runs: Sequence[RunView]) -> list[tuple[str, str, str, str]]:
    """Return the cells of all runs in the order in which the report numbers them."""
    return [
        (run.name, cell.suite, cell.condition.label, cell.agent)
        for run in runs
        for cell in run.cells
    ]


def _conversations(
    runs: Sequence[RunView], places: _Places, whole: Container[int]
) -> Iterator[dict[str, object]]:
    tasks = {key: number for number, key in enumerate(places.tasks)}
    cells = {key: number for number, key in enumerate(places.cells)}
    for number, run, outcome in _numbered(runs, whole):
        label = outcome.condition.label
        found = {
            "cell": cells[run.name, outcome.suite, label, outcome.agent],
            "run": run.name,
            "suite": outcome.suite,
            "condition": label,
            "agent": outcome.agent,
            "task": outcome.task,
            "trial": outcome.trial,
            "standing": conversation_status(outcome),
            "user": user_status(outcome),
            "stage": failure_stage(outcome) if conversation_status(outcome) == "fail" else None,
            "brief": tasks.get(_task_key(run, outcome)),
            "assumed": outcome.score is not None and outcome.score.assumed,
        }
        is_whole = number in whole or outcome.episode is None
        yield {**found, **(_whole if is_whole else _encode_omitted)(outcome, places)}


def _whole(outcome: ConversationResult, places: _Places) -> dict[str, object]:
    return {
        "episode": _episode(outcome.episode, places.texts),
        "score": msgspec.to_builtins(outcome.score),
        "measures": [_encode_measurement(entry) for entry in newest(outcome.measures)],
    }


def _encode_omitted(outcome: ConversationResult, _places: _Places) -> dict[str, object]:
    """Return only the ending and the score of a conversation for which the page has no room."""
    ending = None if outcome.episode is None else msgspec.to_builtins(outcome.episode.ending)
    parts = () if outcome.score is None else outcome.score.components
    bare = [msgspec.structs.replace(part, evidence=()) for part in parts]
    score = outcome.score and msgspec.structs.replace(outcome.score, components=tuple(bare))
    return {
        "episode": {"ending": ending, "events": []},
        "score": msgspec.to_builtins(score),
        "measures": [],
        "elsewhere": True,
    }


def _attach_filters(
    conversations: Iterable[dict[str, object]], behind: Sequence[Drilldown]
) -> Iterator[dict[str, object]]:
    """Add to each conversation the filters that show it."""
    filters = filters_by_place(behind)
    return (
        {**entry, "behind": filters[place]} if place in filters else entry
        for place, entry in enumerate(conversations)
    )


def _encode_measurement(entry: MeasureResult) -> dict[str, object]:
    """Return the counts and findings of a measure; findings without text are omitted."""
    return {
        "name": f"{measure_label(entry.measure)} {entry.version}",
        "judge": "" if entry.judge == NO_JUDGE else entry.judge,
        "unscored": entry.unscored,
        "counts": [
            f"{figure_label(entry.measure, name)} {count:g}" for name, count in entry.counts.items()
        ],
        "found": [
            {"event": found.position, "subject": subject, "why": why}
            for found in entry.evidence
            for subject, why in (finding_words(entry.measure, found.subject, found.why),)
            if why
        ],
    }


def _episode(episode: Episode | None, places: Mapping[str, int]) -> object:
    if episode is None:
        return None
    events = tuple(map(without_raw, episode.events))
    readable = msgspec.structs.replace(
        episode, events=events, source=msgspec.UNSET, clarifications=(), contexts=()
    )
    packed = _encode_exactly(msgspec.to_builtins(readable))
    decided = _with_decisions(_with_places(packed, events, places), episode.clarifications)
    return _with_contexts(decided, episode)


def _with_places(
    packed: Any,  # noqa: ANN401 - JSON
    events: Iterable[Event],
    places: Mapping[str, int],
) -> object:
    """Replace the texts of tool results by their positions."""
    for event, shown in zip(events, packed["events"], strict=True):
        if isinstance(event, ToolResult):
            texts = {name: shown.get(name) for name in TEXT_FIELDS}
            shown |= {name: places[text] for name, text in texts.items() if text is not None}
    return packed


def _with_decisions(packed: Any, decisions: Iterable[Clarification]) -> object:  # noqa: ANN401
    """Add the judges' decisions to the agent's messages, except for invalid places."""
    for entry in decisions:
        if 0 <= entry.at < len(packed["events"]):
            packed["events"][entry.at]["decided"] = msgspec.structs.asdict(entry)
    return packed


def _with_contexts(packed: Any, episode: Episode) -> object:  # noqa: ANN401 - JSON
    """Add the inferred profiles of the user to the events that follow them.

    Profiles after the last event are added at the end.
    """
    for entry in inferred_profiles(episode):
        is_next = 0 <= entry.at < len(packed["events"])
        place = packed["events"][entry.at] if is_next else packed
        place.setdefault("inferred", []).append(msgspec.structs.asdict(entry))
    if cost := inference_cost(episode):
        packed["inferring"] = cost
    return packed


def _encode_exactly(node: object) -> object:
    """Encode data fields as JSON text, so that their values survive exactly."""
    if isinstance(node, dict):
        return {
            key: value
            if value is None or (type(value) in BARE and key not in DATA_FIELDS)
            else msgspec.json.encode(value).decode()
            if key in DATA_FIELDS
            else _encode_exactly(value)
            for key, value in node.items()
        }
    if isinstance(node, list | tuple):
        return [item if type(item) in BARE else _encode_exactly(item) for item in node]
    return node
