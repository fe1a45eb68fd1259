"""Stored conversations become rows for training: what the agent saw, and what it said and called."""

from collections import Counter

import msgspec

from dragoman.core.apis.labels import LANGUAGE
from dragoman.core.conditions import ENGLISH, Condition
from dragoman.core.episodes import Episode, Move
from dragoman.core.protocols import Suite
from dragoman.core.rules import RULES, Rules
from dragoman.core.scores import METRIC_VERSION, Score, Scored
from dragoman.core.speech import Called
from dragoman.core.tasks import Task
from dragoman.core.tools import openai_schema
from dragoman.core.training.rows import RowOrigin, TrainingRow
from dragoman.runs.jobs import read_manifest
from dragoman.simulation.llm import past
from dragoman.store.run import RunStore, StoredCell
from dragoman.wiring.suites import load_suite


class RunRows(msgspec.Struct, frozen=True):
    """The rows of a run, and how many conversations became none, by reason."""

    rows: tuple[TrainingRow, ...]
    left_out: dict[str, int]


def rows_of_run(store: RunStore, scoring: tuple[str, str], *, only_passed: bool) -> RunRows:
    """Return the conversations of a run as rows with native calls; the policy is the system message.

    Args:
        store: The run.
        scoring: Rules and judge that say what passed.
        only_passed: Whether the others are left out; what is unscored did not pass.

    Raises:
        UsageError: Where its suite is not known.
        DataError: Where its suite's data are missing.
        StoreError: Where the run cannot be read.
    """
    config = read_manifest(store).config
    suite, rules = load_suite(config.suite), RULES.find(config.rules)
    tasks, cells = store.tasks(), {cell.key: cell for cell in store.cells()}
    scores = store.scores(*scoring, METRIC_VERSION)
    rows, left_out = [], Counter[str]()
    for key, _, episode in store.episodes():
        cell = cells[key]
        task = tasks[cell.task]
        why = _why_not(cell, task, episode)
        if only_passed and not why and not _passed(scores.get(key)):
            why = "not passed"
        if why:
            left_out[why] += 1
        else:
            rows.append(_row(cell, task, episode, suite, rules))
    return RunRows(tuple(rows), dict(left_out))


def _passed(score: Score | None) -> bool:
    return score is not None and isinstance(score.reward, Scored) and score.reward.value == 1


def _why_not(cell: StoredCell, task: Task, episode: Episode) -> str:
    """Return why nothing can be learnt from a conversation as it is stored; "" where it can."""
    own = [each for each in episode.events if isinstance(each, Move) and each.by == "agent"]
    if episode.is_fault or not own:
        return "broken off"
    if cell.condition != Condition():
        return "its condition changes what the agent was shown"
    if any(each.call_form for each in own):
        return "calls in text"
    if task.withheld_tools or task.after or episode.briefed:
        return "what the agent was shown changed in between"
    return ""


def _row(cell: StoredCell, task: Task, episode: Episode, suite: Suite, rules: Rules) -> TrainingRow:
    world = suite.factory(rules)(task)
    policy = suite.policy(task, world)
    messages = past((*task.history, *episode.events), "agent")
    if policy:
        messages = [{"role": "system", "content": policy}, *messages]
    called = (
        call.name
        for event in episode.events
        if isinstance(event, Move) and event.by == "agent" and isinstance(event.reply, Called)
        for call in event.reply.calls
    )
    origin = RowOrigin(
        cell.suite,
        task.id,
        tuple(dict.fromkeys(called)),
        task.labels.get(LANGUAGE, ENGLISH),
        suite.provenance.licence,
        cell.agent,
        task.digest,
    )
    tools = tuple(map(openai_schema, world.tools("agent")))
    return TrainingRow(f"{cell.suite} {task.id} {cell.key}", tuple(messages), tools, origin)
