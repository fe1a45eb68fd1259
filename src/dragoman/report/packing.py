"""Packs all conversations into one short text that a browser can decode by itself.

The text is base64 of gzip of JSON: `texts` holds every distinct tool result once, `tasks` every
task once, `cells` the grid's cells, `conversations` everything else. Results are numbers of `texts`; values of the data
(arguments, changes) are JSON texts, because a browser would print 1.0 as 1.
"""

import base64
import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from dragoman.analysis.cells import Outcome
from dragoman.analysis.losses.stages import stage_of
from dragoman.analysis.measure_figures import newest
from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.measures import Measured
from dragoman.core.scores import NO_JUDGE
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolResult
from dragoman.core.voice.clarifications import Clarification
from dragoman.report.behind import Behind, filters_by_place
from dragoman.report.inferring import cost_of_inferring, inferred
from dragoman.report.losses import NAMES
from dragoman.report.view import RunView, standing, user_standing
from dragoman.report.wording import COMPONENTS, ENDINGS

DATA_FIELDS = frozenset({"arguments", "positionals", "sent", "executed", "value", "data"})
TEXT_FIELDS = frozenset({"content", "shown"})


def pack(runs: Sequence[RunView], behind: Sequence[Behind] = ()) -> str:
    """Return all conversations of the runs as base64 of gzip of JSON.

    Models' raw replies are left out: what was understood of them is shown.

    Args:
        runs: The runs.
        behind: Filters that show the conversations behind a number.
    """
    # Neighbours in sorted order share beginnings, which is what the compressor looks for.
    texts = sorted({text for run in runs for text in _texts(run.outcomes)})
    places = {text: place for place, text in enumerate(texts)}
    tasks = _used_tasks(runs)
    cells = _cells(runs)
    document = {
        "texts": texts,
        "tasks": [_packed(msgspec.to_builtins(task)) for task in tasks.values()],
        "cells": [
            dict(zip(("run", "suite", "condition", "agent"), cell, strict=True)) for cell in cells
        ],
        "conversations": _filtered(_conversations(runs, list(tasks), cells, places), behind),
        "behind": [each.label for each in behind],
        "stages": NAMES,
        "endings": ENDINGS,
        "components": COMPONENTS,
        "audio": {run.name: run.audio for run in runs if run.audio},
    }
    return base64.b64encode(gzip.compress(msgspec.json.encode(document), 9, mtime=0)).decode()


def _texts(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        for event in outcome.episode.events if outcome.episode else ():
            if isinstance(event, ToolResult):
                yield event.content
                if event.shown is not None:
                    yield event.shown


def _task_key(run: RunView, outcome: Outcome) -> tuple[str, str, str]:
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
    runs: Sequence[RunView],
    tasks: Sequence[tuple[str, str, str]],
    cells: Sequence[tuple[str, str, str, str]],
    places: Mapping[str, int],
) -> Iterator[dict[str, object]]:
    numbers = {key: number for number, key in enumerate(tasks)}
    numbered = {key: number for number, key in enumerate(cells)}
    for run in runs:
        for outcome in run.outcomes:
            label = outcome.condition.label
            yield {
                "cell": numbered[run.name, outcome.suite, label, outcome.agent],
                "run": run.name,
                "suite": outcome.suite,
                "condition": label,
                "agent": outcome.agent,
                "task": outcome.task,
                "trial": outcome.trial,
                "standing": standing(outcome),
                "user": user_standing(outcome),
                "stage": stage_of(outcome) if standing(outcome) == "fail" else None,
                "brief": numbers.get(_task_key(run, outcome)),
                "episode": _episode(outcome.episode, places),
                "score": msgspec.to_builtins(outcome.score),
                "measures": [_measured(entry) for entry in newest(outcome.measures)],
                "assumed": outcome.score is not None and outcome.score.assumed,
            }


def _filtered(
    conversations: Iterable[dict[str, object]], behind: Sequence[Behind]
) -> list[dict[str, object]]:
    """Say of each conversation behind which numbers it stands."""
    filters = filters_by_place(behind)
    return [
        {**entry, "behind": filters[place]} if place in filters else entry
        for place, entry in enumerate(conversations)
    ]


def _measured(entry: Measured) -> dict[str, object]:
    """Return what a measure counted, and what it found; entries that say nothing are left out."""
    return {
        "name": f"{entry.measure} {entry.version}",
        "judge": "" if entry.judge == NO_JUDGE else entry.judge,
        "unscored": entry.unscored,
        "counts": [f"{name} {count:g}" for name, count in entry.counts.items()],
        "found": [
            {"event": found.position, "subject": found.subject, "why": found.why}
            for found in entry.evidence
            if found.why
        ],
    }


def _episode(episode: Episode | None, places: Mapping[str, int]) -> object:
    if episode is None:
        return None
    events = tuple(map(_without_raw, episode.events))
    readable = msgspec.structs.replace(
        episode, events=events, source=msgspec.UNSET, clarifications=(), contexts=()
    )
    packed = _packed(msgspec.to_builtins(readable))
    decided = _with_decisions(_with_places(packed, events, places), episode.clarifications)
    return _with_contexts(decided, episode)


def _with_places(
    packed: Any,  # noqa: ANN401 - JSON
    events: Iterable[Event],
    places: Mapping[str, int],
) -> object:
    """Put the places of tools' results for their texts, and for these alone."""
    for event, shown in zip(events, packed["events"], strict=True):
        if isinstance(event, ToolResult):
            texts = {name: shown.get(name) for name in TEXT_FIELDS}
            shown |= {name: places[text] for name, text in texts.items() if text is not None}
    return packed


def _with_decisions(packed: Any, decisions: Iterable[Clarification]) -> object:  # noqa: ANN401 - JSON
    """Put what was decided about an agent's words beside them; a place that is none is left out."""
    for entry in decisions:
        if 0 <= entry.at < len(packed["events"]):
            packed["events"][entry.at]["decided"] = msgspec.structs.asdict(entry)
    return packed


def _with_contexts(packed: Any, episode: Episode) -> object:  # noqa: ANN401 - JSON
    """Put what was inferred of the user before the event that came next; what is behind all, at the end."""
    for entry in inferred(episode):
        is_next = 0 <= entry.at < len(packed["events"])
        place = packed["events"][entry.at] if is_next else packed
        place.setdefault("inferred", []).append(msgspec.structs.asdict(entry))
    if cost := cost_of_inferring(episode):
        packed["inferring"] = cost
    return packed


def _without_raw(event: Event) -> Event:
    if isinstance(event, Move):
        return Move(event.by, event.reply, event.scripted, event.turn)
    return event


def _packed(node: object) -> object:
    """Replace what must survive exactly; recursion ends where a record holds foreign data."""
    if isinstance(node, dict):
        return {key: _field(key, value) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [_packed(item) for item in node]
    return node


def _field(name: str, value: object) -> object:
    if name in DATA_FIELDS and value is not None:
        return msgspec.json.encode(value).decode()
    return _packed(value)
