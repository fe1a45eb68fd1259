"""Tasks that follow other tasks: played in order, from the state of the earlier ones."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.benchmarks.bfcl.agentic_suite import PREPARES, AgenticSuite
from dragoman.composition.setup import Setup, chosen_tasks
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message
from dragoman.core.errors import DataError
from dragoman.core.prompts import BARE
from dragoman.core.replies import ToolCallReply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.scores import METRIC_VERSION, Scored, Unscored
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.runs.plan import GridPlace, cells_at, plan_cells
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.participants.oracle import GoldUser
from dragoman.simulation.participants.python_function import FunctionModel
from dragoman.store.run_store import RunStore, open_run

LoadSuite = Callable[..., AgenticSuite]
Messages = list[dict[str, object]]
Act = Callable[[Messages, object], object]

STORE = {
    "memory_kv": ("core_memory_add", "value", {"key": "note"}),
    "memory_rec_sum": ("memory_append", "text", {}),
}


class Remembering:
    """An agent that stores its input under a new key, and answers with its memory."""

    def __init__(self, category: str, down: frozenset[str] = frozenset()) -> None:
        self.down = down
        self.heard: list[str] = []
        self._tool, self._argument, self._more = STORE[category]

    def __call__(self, messages: Messages, tools: object) -> object:  # noqa: ARG002 - an agent's signature
        reported, last = str(messages[0]["content"]), messages[-1]
        if last["role"] == "tool":
            return "Noted."
        words = str(last["content"])
        self.heard.append(words)
        if words in self.down:
            raise ConnectionError("the wire was cut")
        if words.endswith("?"):
            return reported
        key = {"key": f"note_{len(words)}"} if self._more else {}
        return {
            "tool_calls": [{"name": self._tool, "arguments": {self._argument: f"{words}\n", **key}}]
        }


def setup_of(suite: AgenticSuite, agent: Act, **fields: object) -> Setup:
    config = msgspec.structs.replace(RunConfig(suite.name, ("mine",)), **fields)
    participant = LlmParticipant(FunctionModel("mine", agent), BARE)
    pair = (
        ResolvedParticipant("mine", participant, "mine-1"),
        ResolvedParticipant("gold", GoldUser(), "gold-1"),
    )
    tasks = chosen_tasks(suite, config.tasks, config.limit)
    return Setup(
        config, suite, tasks, (pair,), None, DEFAULT_RULES, check=suite.check(DEFAULT_RULES)
    )


def play(setup: Setup, folder: Path, limit: int | None = None) -> None:
    """Start or resume a run, and play the first part of the pending conversations."""
    begun = (folder / "run.sqlite").exists()
    store = open_run(folder, write=True) if begun else start_job(setup, folder, 0.0).store
    with store:
        pending = pending_cells(plan_cells(setup), store)[:limit]
        asyncio.run(execute(setup, pending, store, lambda *_: None))


def by_task(store: RunStore) -> dict[str, Episode]:
    names = {cell.key: f"{cell.task}/{cell.trial}" for cell in store.cells()}
    return {
        names[key]: msgspec.structs.replace(episode, started=0.0, seconds=0.0)
        for key, _, episode in store.episodes()
    }


def stored(folder: Path) -> dict[str, Episode]:
    with open_run(folder, write=False) as store:
        return by_task(store)


def rewards(folder: Path) -> dict[str, object]:
    with open_run(folder, write=False) as store:
        names = {cell.key: cell.task for cell in store.cells()}
        scores = store.scores("dragoman-2", "none", METRIC_VERSION)
        return {names[key]: score.reward for key, score in scores.items()}


@pytest.mark.parametrize("category", ["memory_kv", "memory_rec_sum"])
@pytest.mark.parametrize("concurrency", [1, 2, 64])
def test_an_agent_answers_from_what_it_stored_before(
    tmp_path: Path, load_agentic_suite: LoadSuite, category: str, concurrency: int
) -> None:
    suite = load_agentic_suite(category)
    play(setup_of(suite, Remembering(category), concurrency=concurrency), tmp_path)
    unscored = Unscored(f"CALLS: {PREPARES}")
    assert rewards(tmp_path) == {
        f"{category}_0-customer-0": Scored(1.0),
        f"{category}_1-customer-1": Scored(1.0),
        f"{category}_2-student-0": Scored(1.0),
        f"{category}_prereq_0-customer-0": unscored,
        f"{category}_prereq_1-customer-1": unscored,
        f"{category}_prereq_2-student-0": unscored,
    }


def test_an_agent_that_stores_nothing_knows_nothing(
    tmp_path: Path, load_agentic_suite: LoadSuite
) -> None:
    suite = load_agentic_suite("memory_kv")
    play(setup_of(suite, lambda messages, _: str(messages[0]["content"])), tmp_path)
    assert rewards(tmp_path)["memory_kv_0-customer-0"] == Scored(0.0)


def test_scenarios_do_not_know_of_each_other(tmp_path: Path, load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_rec_sum")
    play(setup_of(suite, Remembering("memory_rec_sum")), tmp_path)
    (answer,) = answers(stored(tmp_path)["memory_rec_sum_2-student-0/0"])
    assert "I study Botany." in answer
    assert "Michael" not in answer


def answers(episode: Episode) -> list[str]:
    return [
        str(getattr(event.reply, "text", ""))
        for event in episode.events
        if isinstance(event, Message)
        and event.by == "agent"
        and not isinstance(event.reply, ToolCallReply)
    ]


def test_what_a_question_changes_is_lost(tmp_path: Path, load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_rec_sum")

    def clearing(messages: Messages, tools: object) -> object:
        if str(messages[-1]["content"]).endswith("?"):
            return {"tool_calls": [{"name": "memory_clear", "arguments": {}}]}
        if messages[-1]["role"] == "tool" and "Short term" in str(messages[-1]["content"]):
            return str(messages[0]["content"])
        return remembering(messages, tools)

    remembering = Remembering("memory_rec_sum")
    play(setup_of(suite, clearing, concurrency=1), tmp_path)
    assert rewards(tmp_path)["memory_rec_sum_0-customer-0"] == Scored(1.0)
    assert rewards(tmp_path)["memory_rec_sum_1-customer-1"] == Scored(1.0)


def test_a_run_in_pieces_is_the_run_in_one_piece(
    tmp_path: Path, load_agentic_suite: LoadSuite
) -> None:
    suite = load_agentic_suite("memory_kv")
    setup = setup_of(suite, Remembering("memory_kv"), trials=2, concurrency=3)
    play(setup, tmp_path / "whole")
    for _ in range(6):
        play(setup, tmp_path / "pieces", limit=2)
    assert stored(tmp_path / "pieces") == stored(tmp_path / "whole")
    assert len(stored(tmp_path / "whole")) == 12
    assert rewards(tmp_path / "pieces") == rewards(tmp_path / "whole")


def test_what_infrastructure_broke_breaks_what_comes_after_until_it_is_played(
    tmp_path: Path, load_agentic_suite: LoadSuite
) -> None:
    suite = load_agentic_suite("memory_kv")
    agent = Remembering("memory_kv", down=frozenset({"The lamp cost $49.99."}))
    setup = setup_of(suite, agent)
    play(setup, tmp_path)
    broken = {name for name, episode in stored(tmp_path).items() if episode.is_fault}
    assert broken == {
        "memory_kv_prereq_1-customer-1/0",
        "memory_kv_0-customer-0/0",
        "memory_kv_1-customer-1/0",
    }
    detail = stored(tmp_path)["memory_kv_0-customer-0/0"].ending.detail
    assert detail.startswith("a conversation that comes before was broken")
    assert "the wire was cut" in detail
    agent.down, agent.heard = frozenset(), []
    play(setup, tmp_path)
    assert sorted(agent.heard) == [
        "How much did I pay?",
        "The lamp cost $49.99.",
        "What is my name?",
    ]
    assert rewards(tmp_path)["memory_kv_1-customer-1"] == Scored(1.0)


def test_what_was_never_played_is_said(tmp_path: Path, load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    setup = setup_of(suite, Remembering("memory_kv"))
    with start_job(setup, tmp_path, 0.0).store as store:
        (question,) = [
            entry
            for entry in pending_cells(plan_cells(setup), store)
            if entry.cell.task.id == "memory_kv_2-student-0"
        ]
        asyncio.run(execute(setup, [question], store, lambda *_: None))
        (episode,) = by_task(store).values()
    assert episode.ending.detail.endswith("it has not been played")


def test_a_chosen_task_brings_what_it_comes_after(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    setup = setup_of(suite, Remembering("memory_kv"), tasks=("memory_kv_1-customer-1",))
    cells = plan_cells(setup)
    assert [cell.task.id for cell in cells] == [
        "memory_kv_prereq_0-customer-0",
        "memory_kv_prereq_1-customer-1",
        "memory_kv_1-customer-1",
    ]
    assert [cell.before for cell in cells] == [(), (cells[0].key,), (cells[0].key, cells[1].key)]


def test_a_chosen_place_brings_what_its_world_begins_after(
    load_agentic_suite: LoadSuite,
) -> None:
    suite = load_agentic_suite("memory_kv")
    places = (GridPlace(PLAIN, "mine", "memory_kv_1-customer-1", 0),)
    setup = setup_of(suite, Remembering("memory_kv"))
    assert [cell.task.id for cell in cells_at(setup, places)] == [
        "memory_kv_prereq_0-customer-0",
        "memory_kv_prereq_1-customer-1",
        "memory_kv_1-customer-1",
    ]


def test_a_limit_counts_what_is_judged(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    names = [task.id for task in chosen_tasks(suite, (), 1)]
    assert names[-1] == "memory_kv_0-customer-0"
    assert len(names) == 3


def test_a_chain_outside_the_suite_is_refused(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_kv")
    suite.tasks = [task for task in suite.tasks if "prereq" not in task.id]
    with pytest.raises(DataError, match="which does not exist"):
        chosen_tasks(suite, (), None)
