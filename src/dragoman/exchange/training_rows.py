"""Stored conversations become rows for training: what the agent saw, and what it said and called.

An agent that called in its text is shown what it was shown: the functions in the system message, results
in the user's. What was called natively may be written in such a form too, where a suite has one.
"""

from collections import Counter

import msgspec

from dragoman.config.agent_specs import specs_of
from dragoman.core.apis.metrics import LANGUAGE_LABEL
from dragoman.core.conditions import ENGLISH, Condition
from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import ToolCallReply
from dragoman.core.rules import RULES
from dragoman.core.scores import METRIC_VERSION, Score, Scored
from dragoman.core.tasks import Task
from dragoman.core.tools import openai_schema
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.exchange.written_rows import (
    TextForms,
    ToldConversation,
    why_unwritten,
    written_messages,
)
from dragoman.registry.suites import load_suite
from dragoman.runs.jobs import read_manifest
from dragoman.simulation.participants.llm import past_messages
from dragoman.store.run_store import RunStore, StoredCell


class RunRows(msgspec.Struct, frozen=True):
    """The rows of a run, and how many conversations became none, by reason."""

    rows: tuple[TrainingExample, ...]
    left_out: dict[str, int]


def rows_of_run(
    store: RunStore, scoring: tuple[str, str], *, only_passed: bool, form: str = ""
) -> RunRows:
    """Return the conversations of a run as rows; the policy is in the system message.

    Args:
        store: The run.
        scoring: Rules and judge that say what passed.
        only_passed: Whether the others are left out; what is unscored did not pass.
        form: In which form of text native calls are written; "" for native ones.

    Raises:
        UsageError: Where its suite is not known, or has no such form.
        DataError: Where its suite's data are missing.
        StoreError: Where the run cannot be read.
    """
    config = read_manifest(store).config
    suite, rules = load_suite(config.suite), RULES.find(config.rules)
    forms, specs = TextForms(suite, rules, form), specs_of(config.agents)
    tasks, cells = store.tasks(), {cell.key: cell for cell in store.cells()}
    scores = store.scores(*scoring, METRIC_VERSION)
    rows, left_out = [], Counter[str]()
    for key, _, episode in store.episodes():
        cell = cells[key]
        task = tasks[cell.task]
        protocol = forms.of(specs.get(cell.agent, cell.agent), episode)
        why = _why_not(cell, task, episode)
        if only_passed and not why and not _passed(scores.get(key)):
            why = "not passed"
        if not why and protocol is not None:
            why = why_unwritten(protocol, episode)
        if why:
            left_out[why] += 1
        else:
            rows.append(_row(cell, ToldConversation(task, episode, suite, rules, protocol)))
    return RunRows(tuple(rows), dict(left_out))


def _passed(score: Score | None) -> bool:
    return score is not None and isinstance(score.reward, Scored) and score.reward.value == 1


def _why_not(cell: StoredCell, task: Task, episode: Episode) -> str:
    """Return why nothing can be learnt from a conversation as it is stored; "" where it can."""
    own = [each for each in episode.events if isinstance(each, Message) and each.by == "agent"]
    if episode.is_fault or not own:
        return "broken off"
    if cell.condition != Condition():
        return "its condition changes what the agent was shown"
    if task.withheld_tools or task.after or episode.briefed:
        return "what the agent was shown changed in between"
    return ""


def _row(cell: StoredCell, played: ToldConversation) -> TrainingExample:
    task, suite = played.task, played.suite
    world = suite.factory(played.rules)(task)
    policy, offered = suite.policy(task, world), world.tools("agent")
    if played.protocol is None:
        messages = past_messages((*task.history, *played.episode.events), "agent")
        system = policy
        tools = tuple(map(openai_schema, offered))
    else:
        messages = written_messages(played)
        system = "\n\n".join(filter(None, (played.protocol.offer(task, offered), policy)))
        tools = ()
    if system:
        messages = [{"role": "system", "content": system}, *messages]
    called = (
        call.name
        for event in played.episode.events
        if isinstance(event, Message)
        and event.by == "agent"
        and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    )
    origin = ExampleOrigin(
        cell.suite,
        task.id,
        tuple(dict.fromkeys(called)),
        task.labels.get(LANGUAGE_LABEL, ENGLISH),
        suite.provenance.licence,
        cell.agent,
        task.digest,
    )
    return TrainingExample(f"{cell.suite} {task.id} {cell.key}", tuple(messages), tools, origin)
