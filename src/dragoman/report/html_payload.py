"""The conversations embedded in an HTML report: selection, encoding and compression.

A report has a limited size: failures come first, then a sample of the rest.
"""

import base64
import sys
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
from dragoman.core.replies import Reply, TextReply, ToolCallReply
from dragoman.core.scores import NO_JUDGE, OutcomeStatus
from dragoman.core.tasks import Task
from dragoman.core.tools import Change, Role, ToolCall, ToolResult
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

_TEXTS_AT_ONCE = 1_000
"""Number of texts that are encoded together."""

MOST_COMPRESSED = 40
"""Upper bound of the compression factor, for the first selection of conversations."""

_SAMPLED, _SAFELY = 200, 2.0
"""Conversations whose compression is tried first, and the excess that such a trial can prove."""

_FILLED = 0.95
"""Share of the room that a selection by an estimate is meant to fill."""


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
    room = _first_room(runs, conversations, most)
    while True:
        whole = select_fitting(conversations, room)
        frame = _packed(runs, behind, whole, most if whole else sys.maxsize)
        if frame.characters <= most or not whole:
            break
        held = sum(each.size for each in conversations if each.number in whole)
        room = _FILLED * held * most / frame.characters
    left_out = [each.status for each in conversations if each.number not in whole]
    return PackedConversations(
        frame.text(), {each: left_out.count(each) for each in dict.fromkeys(left_out)}
    )


def _first_room(
    runs: Sequence[RunView], conversations: Sequence[SizedConversation], most: int
) -> float:
    """Return the size in bytes of the first selection of conversations.

    A large run would be compressed as a whole only to learn that most of it has no room. A trial
    with the first conversations shows that for a fraction of the time.
    """
    everything = float(most * MOST_COMPRESSED)
    tried = frozenset(each.number for each in conversations[:_SAMPLED])
    held = sum(each.size for each in conversations[:_SAMPLED])
    if len(conversations) <= _SAMPLED or not held:
        return everything
    frame = _Frame(sys.maxsize)
    for number, _, row in _numbered(runs, tried):
        if number in tried and isinstance(row.episode, Episode):
            frame.add(msgspec.json.encode(tuple(map(without_raw, row.episode.events))))
    frame.end()
    expected = frame.characters / held * sum(each.size for each in conversations)
    if expected <= _SAFELY * most:
        return everything
    return _FILLED * most * held / frame.characters


class _Frame:
    """A gzip frame as base64; if it has no room, its size is counted and its content is dropped.

    Args:
        most: Maximum number of characters.
    """

    def __init__(self, most: int) -> None:
        self._compressor = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
        self._most, self._size = most, 0
        self._parts: list[bytes] = []

    @property
    def characters(self) -> int:
        """The number of characters so far."""
        return 4 * -(-self._size // 3)

    def add(self, content: bytes) -> None:
        """Compress further content."""
        self._keep(self._compressor.compress(content))

    def end(self) -> None:
        """Compress the content that still waits for more."""
        self._keep(self._compressor.flush())

    def text(self) -> str:
        """Return the whole frame."""
        return base64.b64encode(b"".join(self._parts)).decode()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self.characters > self._most:
            self._parts.clear()
        elif part:
            self._parts.append(part)


def _packed(
    runs: Sequence[RunView], behind: Sequence[Drilldown], whole: Container[int], most: int
) -> _Frame:
    """Return the packed document.

    Texts and conversations are encoded a few at a time, never all in memory.
    """
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
    before = {
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
    frame = _Frame(most)
    frame.add(b'{"texts":[')
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[first : first + _TEXTS_AT_ONCE]
        frame.add(b"," * bool(first) + msgspec.json.encode(some)[1:-1])
    frame.add(b"]," + msgspec.json.encode(before)[1:-1] + b',"conversations":[')
    places = _Places(list(tasks), cells, {text: place for place, text in enumerate(texts)})
    entries = _attach_filters(_conversations(runs, places, whole), behind)
    for number, entry in enumerate(entries):
        frame.add(b"," * bool(number) + msgspec.json.encode(entry))
    frame.add(b"]," + msgspec.json.encode(after)[1:])
    frame.end()
    return frame


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


class _PackedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call, with the fields that hold data as JSON text."""

    id: str
    name: str
    arguments: str
    by: Role = "agent"
    positionals: str = ""
    raw: str = ""
    malformed: str = ""
    sent: str | None = None


class _PackedCalls(msgspec.Struct, frozen=True, tag="called", omit_defaults=True):
    """A reply that calls tools."""

    calls: tuple[_PackedCall, ...]
    text: str | None = None


class _PackedMessage(msgspec.Struct, frozen=True, tag="move", omit_defaults=True):
    """A message without a model's raw reply."""

    by: Role
    reply: object
    scripted: bool = False
    turn: int = 0


class _PackedChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change in the world, with its value as JSON text."""

    path: tuple[str | int, ...]
    op: str
    value: str | None = None
    side: Role = "agent"


class _PackedResult(msgspec.Struct, frozen=True, tag="result", omit_defaults=True):
    """A tool's answer, with the positions of its texts."""

    call_id: str
    name: str
    content: int
    by: Role = "agent"
    error: bool = False
    changes: tuple[_PackedChange, ...] = ()
    shown: int | None = None
    executed: str | None = None


def _episode(episode: Episode | None, places: Mapping[str, int]) -> object:
    if episode is None:
        return None
    readable = msgspec.structs.replace(
        episode, events=(), source=msgspec.UNSET, clarifications=(), contexts=()
    )
    packed: Any = _encode_exactly(msgspec.to_builtins(readable))
    packed["events"] = [_event(event, places) for event in episode.events]
    return _with_contexts(_with_decisions(packed, episode.clarifications), episode)


def _event(event: Event, places: Mapping[str, int]) -> object:
    """Return an event as it is packed: records, which the encoder writes without copies."""
    if isinstance(event, Message):
        return _PackedMessage(event.by, _reply(event.reply), event.scripted, event.turn)
    return _PackedResult(
        event.call_id,
        event.name,
        places[event.content],
        event.by,
        event.error,
        tuple(map(_change, event.changes)) if event.changes else (),
        None if event.shown is None else places[event.shown],
        _json_text(event.executed),
    )


def _reply(reply: Reply) -> object:
    if isinstance(reply, ToolCallReply):
        return _PackedCalls(tuple(map(_call, reply.calls)), reply.text)
    if isinstance(reply, TextReply) and reply.utterance.stages:
        return _encode_exactly(msgspec.to_builtins(reply))
    return reply


def _call(call: ToolCall) -> _PackedCall:
    return _PackedCall(
        call.id,
        call.name,
        _encoded(call.arguments),
        call.by,
        _encoded(call.positionals) if call.positionals else "",
        call.raw,
        call.malformed,
        _json_text(call.sent),
    )


def _change(change: Change) -> _PackedChange:
    return _PackedChange(change.path, change.op, _json_text(change.value), change.side)


def _json_text(value: object) -> str | None:
    return None if value is None else _encoded(value)


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _with_decisions(packed: Any, decisions: Iterable[Clarification]) -> object:  # noqa: ANN401
    """Add the judges' decisions to the agent's messages, except for invalid places."""
    for entry in decisions:
        if 0 <= entry.at < len(packed["events"]):
            _opened(packed["events"], entry.at)["decided"] = msgspec.structs.asdict(entry)
    return packed


def _opened(events: list[Any], at: int) -> dict[str, Any]:
    """Return an event as a dictionary, which takes its place among the events."""
    opened: dict[str, Any] = msgspec.to_builtins(events[at])
    events[at] = opened
    return opened


def _with_contexts(packed: Any, episode: Episode) -> object:  # noqa: ANN401 - JSON
    """Add the inferred profiles of the user to the events that follow them.

    Profiles after the last event are added at the end.
    """
    for entry in inferred_profiles(episode):
        is_next = 0 <= entry.at < len(packed["events"])
        place = _opened(packed["events"], entry.at) if is_next else packed
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
            else _encoded(value)
            if key in DATA_FIELDS
            else _encode_exactly(value)
            for key, value in node.items()
        }
    if isinstance(node, list | tuple):
        return [item if type(item) in BARE else _encode_exactly(item) for item in node]
    return node
