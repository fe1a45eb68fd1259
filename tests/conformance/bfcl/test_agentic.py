"""The conversations that fill memories, and what agents are told, against the recorded material.

Prints how much was compared; comparing nothing is a failure.
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.agentic_entries import AGENTIC, MEMORIES
from dragoman.benchmarks.bfcl.agentic_suite import AgenticSuite
from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.categories import load_suite
from dragoman.composition.setup import chosen_tasks
from dragoman.core.protocols import Provenance
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Task, prerequisite_chain

LoadSuite = Callable[[str], AgenticSuite]

CONVERSATIONS = {
    "customer": (10, 109),
    "finance": (7, 35),
    "healthcare": (5, 47),
    "notetaker": (5, 24),
    "student": (10, 108),
}
QUESTIONS = {"customer": 30, "finance": 25, "healthcare": 25, "notetaker": 25, "student": 50}


@pytest.fixture
def load(read_bfcl: Callable[[str], bytes]) -> LoadSuite:
    def loaded(category: str) -> AgenticSuite:
        suite = load_suite(category, read_bfcl, Provenance("BFCL v4", "Apache-2.0", "", ""))
        assert isinstance(suite, AgenticSuite)
        return suite

    return loaded


@pytest.fixture
def recorded(data_folder: Path) -> Mapping[str, Any]:
    """The reference's texts as recorded, under the names of its constants."""
    file = data_folder / "bfcl" / "prompts.json"
    texts: Mapping[str, Any] = json.loads(file.read_text("utf-8"))["default_prompts"]
    return texts


def scenario_of(task: Task) -> str:
    return task.id.split("-")[1]


@pytest.mark.parametrize("category", list(MEMORIES))
def test_every_scenario_has_its_conversations_and_questions(load: LoadSuite, category: str) -> None:
    suite = load(category)
    prepare = [task for task in suite.tasks if "_prereq_" in task.id]
    questions = [task for task in suite.tasks if "_prereq_" not in task.id]
    conversations = Counter(map(scenario_of, prepare))
    turns = Counter(scenario_of(task) for task in prepare for _ in task.turns)
    assert {name: (conversations[name], turns[name]) for name in conversations} == CONVERSATIONS
    assert Counter(map(scenario_of, questions)) == QUESTIONS


@pytest.mark.parametrize("category", list(MEMORIES))
def test_every_question_comes_after_its_whole_scenario_in_order(
    load: LoadSuite, category: str
) -> None:
    suite = load(category)
    tasks = {task.id: task for task in suite.tasks}
    for task in suite.tasks:
        chain = prerequisite_chain(task, tasks)
        own = int(task.id.rpartition("-")[2]) if "_prereq_" in task.id else None
        count = CONVERSATIONS[scenario_of(task)][0] if own is None else own
        places = [int(each.id.rpartition("-")[2]) for each in chain]
        assert places == list(range(count)), task.id
        assert {scenario_of(each) for each in chain} <= {scenario_of(task)}


@pytest.mark.parametrize("category", AGENTIC)
def test_functions_are_those_of_the_category(
    load: LoadSuite, category: str, data_folder: Path
) -> None:
    name = category if category in MEMORIES else "web_search"
    file = data_folder / "bfcl" / "multi_turn_func_doc" / f"{name}.json"
    documented = [json.loads(line)["name"] for line in file.read_text("utf-8").splitlines()]
    suite = load(category)
    environment = suite.factory(DEFAULT_RULES)(suite.tasks[0])
    assert [tool.name for tool in environment.tools("agent")] == documented
    assert all(environment.kind(each) is not None for each in documented)


def expected_text(
    session: Mapping[str, Any], task: Task, recorded: Mapping[str, Any], content: str
) -> str:
    """Return the system text as the notes next to the recorded prompts describe it."""
    kind = "UNIFIED" if session["backend"] == "rec_sum" else "CORE_ARCHIVAL"
    instruction = str(recorded[f"MEMORY_BACKEND_INSTRUCTION_{kind}"])
    before, _, after = instruction.partition("{memory_content}")
    setting = str(recorded["MEMORY_AGENT_SETTINGS"][scenario_of(task)])
    text = before.replace("{scenario_setting}", setting) + content + after
    if "_prereq_" in task.id:
        return text
    return f"{text}\n\n{recorded['ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT']}"


def test_agents_are_told_what_the_reference_tells_them(
    load: LoadSuite, truth_folder: Path, recorded: Mapping[str, Any]
) -> None:
    compared: Counter[str] = Counter()
    suites = {kind: load(f"memory_{kind}") for kind in ("kv", "rec_sum")}
    file = truth_folder / "bfcl" / "memory_exec.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for session in map(json.loads, lines):
            suite, of_class = suites[session["backend"]], f"MemoryAPI_{session['backend']}"
            for state, content in (
                (session["initial_state"], session["initial_context_text"]),
                (session["final_state"], session["final_context_text"]),
            ):
                environment = make_environment([of_class], {of_class: state})
                for task in suite.tasks[:: len(suite.tasks) // 8]:
                    wanted = expected_text(session, task, recorded, content)
                    assert suite.policy(task, environment) == wanted, (session["session"], task.id)
                    compared[session["backend"]] += 1
    print(f"system texts compared: {dict(compared)}")
    assert compared >= Counter(kv=256, rec_sum=176)


def test_who_searches_is_told_how_to_answer(load: LoadSuite, recorded: Mapping[str, Any]) -> None:
    suite = load("web_search_base")
    environment = suite.factory(DEFAULT_RULES)(suite.tasks[0])
    wanted = recorded["ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT"]
    assert {suite.policy(task, environment) for task in suite.tasks} == {wanted}
    assert chosen_tasks(suite, (), None) == tuple(suite.tasks)
