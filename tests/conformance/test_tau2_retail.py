"""Our retail against every record of the reference in the truth folder.

Prints how many records were compared per file; comparing none is a failure. Works on any folder of the
same format: set DRAGOMAN_TRUTH and DRAGOMAN_DATA.
"""

import asyncio
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dragoman.analysis.pass_hat import task_pass_hat
from dragoman.benchmarks.tau2.retail.tools import RetailTools
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.episodes import Ending, Episode, Event, Move
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import Score, Scored, Unscored
from dragoman.core.speech import Called, say
from dragoman.core.tasks import Task
from dragoman.core.tools import Change, Role, ToolCall, ToolResult, openai_schema
from dragoman.scoring.judges import AssumeMet
from dragoman.scoring.replay import executed_calls, replay
from dragoman.scoring.reward import Scorer

pytestmark = pytest.mark.conformance

SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}
EXPLICIT = (None, "ValueError")
"""Results whose text is a contract; other exceptions are accidents of the language."""

Record = dict[str, Any]
Report = Callable[[str, int], None]


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    def compared(name: str, count: int) -> None:
        with capsys.disabled():
            print(f"\n  {name}: {count} records compared", end="")
        assert count > 0, f"nothing compared in {name}"

    return compared


def records(path: Path) -> Iterator[Record]:
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


def as_changes(diff: list[Record] | None) -> list[tuple[object, ...]]:
    return sorted(
        (json.dumps(entry["path"]), entry["op"], json.dumps(entry.get("value"), sort_keys=True))
        for entry in diff or []
    )


def as_recorded(changes: tuple[Change, ...]) -> list[tuple[object, ...]]:
    return sorted(
        (json.dumps(change.path), change.op, json.dumps(change.value, sort_keys=True))
        for change in changes
    )


def test_every_recorded_tool_call_gives_the_recorded_result_changes_and_hashes(
    retail: DomainSuite, truth_folder: Path, report: Report
) -> None:
    fresh = retail.factory(TAU2_RULES)
    count = 0
    for sequence in records(truth_folder / "tau2" / "tools_retail.jsonl.gz"):
        world = fresh(retail.tasks[0])
        assert world.fingerprint()["agent"] == sequence["initial_agent_db_hash"]
        for index, call in enumerate(sequence["calls"]):
            where = f"{sequence['seq_id']} call {index} {call['name']} {call['arguments']}"
            result = world.call(
                ToolCall(f"c{index}", call["name"], call["arguments"], SIDES[call["requestor"]])
            )
            assert result.error == call["error"], where
            if call["error_type"] in EXPLICIT:
                assert result.content == call["content"], where
            assert as_recorded(world.take_changes()) == as_changes(call.get("agent_diff")), where
            if call["agent_db_changed"]:
                assert world.fingerprint()["agent"] == call["agent_db_hash"], where
            count += 1
        assert world.fingerprint()["agent"] == sequence["final_agent_db_hash"]
    report("tools_retail.jsonl.gz", count)


def as_events(messages: list[Record]) -> tuple[Event, ...]:
    events: list[Event] = []
    names: dict[str, str] = {}
    for message in messages:
        by = SIDES[message.get("requestor") or message["role"]]
        calls = message.get("tool_calls")
        if message["role"] == "tool":
            name = names[message["id"]]
            events.append(ToolResult(message["id"], name, message["content"], by, message["error"]))
        elif calls is None:
            events.append(Move(by, say(message["content"])))
        else:
            names |= {call["id"]: call["name"] for call in calls}
            called = tuple(
                ToolCall(call["id"], call["name"], call["arguments"], SIDES[call["requestor"]])
                for call in calls
            )
            events.append(Move(by, Called(called, message["content"])))
    return tuple(events)


def test_every_recorded_trajectory_is_scored_as_recorded(
    retail: DomainSuite, truth_folder: Path, report: Report
) -> None:
    scorer = Scorer(retail.factory(TAU2_RULES), TAU2_RULES, AssumeMet())
    tasks = {task.id: task for task in retail.tasks}

    async def compare_all() -> int:
        count = 0
        for record in records(truth_folder / "tau2" / "eval_retail.jsonl.gz"):
            episode = Episode(
                as_events(record["messages"]), Ending(record["termination_reason"]), 0, 0
            )
            task = tasks[record["task_id"]]
            score = await scorer.score(task, episode)
            compare(record, score)
            if (hashes := record["result"].get("hashes")) is not None:
                compare_hashes(retail, task, episode, hashes)
            count += 1
        return count

    report("eval_retail.jsonl.gz", asyncio.run(compare_all()))


def compare(record: Record, score: Score) -> None:
    where = f"task {record['task_id']}, {record['variant']}"
    result = record["result"]
    if "exception" in result:
        assert isinstance(score.reward, Unscored), where
        assert score.reward.reason.startswith("replay"), where
        return
    assert score.reward == Scored(result["reward"]), where
    parts = {part.component: part for part in score.components}
    for name, value in (result["reward_breakdown"] or {}).items():
        assert parts[name].in_basis, where
        assert parts[name].verdict == Scored(value), (where, name)
    if result["db_match"] is not None:
        assert parts["DB"].verdict == Scored(float(result["db_match"])), where
    if result["action_checks"] is not None:
        assert [
            (f"{e['action_id']} {e['name']}", e["match"], e["tool_type"])
            for e in result["action_checks"]
        ] == [(entry.subject, entry.met, entry.kind) for entry in parts["ACTION"].evidence], where
    if result["communicate_checks"] is not None:
        assert [(entry["info"], entry["met"]) for entry in result["communicate_checks"]] == [
            (entry.subject, entry.met) for entry in parts["COMMUNICATE"].evidence
        ], where


def compare_hashes(suite: DomainSuite, task: Task, episode: Episode, hashes: Record) -> None:
    fresh = suite.factory(TAU2_RULES)
    reached, planned = fresh(task), fresh(task)
    replay(list(executed_calls(episode.events)), reached)
    assert reached.fingerprint()["agent"] == hashes["pred_agent"], task.id
    assert task.criteria is not None
    for action in task.criteria.actions or ():
        planned.call(ToolCall(action.id, action.name, action.arguments, action.by))
    assert planned.fingerprint()["agent"] == hashes["gold_agent"], task.id


def test_schemas_equal_the_recorded_signatures_and_the_recorded_tools(
    retail: DomainSuite, data_folder: Path, truth_folder: Path, report: Report
) -> None:
    recorded = json.loads((data_folder / "tau2" / "retail" / "tools_openai.json").read_bytes())
    assert [openai_schema(tool) for tool in retail.toolsets["agent"]] == recorded
    signatures = json.loads((truth_folder / "tau2" / "tool_signatures.json").read_bytes())
    tools = signatures["retail"]["assistant"]
    kinds = {name: entry["tool_type"] for name, entry in tools.items()}
    assert kinds == RetailTools.KINDS
    report("tool_signatures.json (retail)", len(tools))


def test_pass_hat_k_equals_the_recorded_vectors(truth_folder: Path, report: Report) -> None:
    recorded = json.loads((truth_folder / "tau2" / "pass_hat_k.json").read_bytes())
    assert recorded["columns"] == ["num_trials", "successes", "k", "pass_hat_k"]
    for trials, successes, k, value in recorded["rows"]:
        assert task_pass_hat(trials, successes, k) == value
    report("pass_hat_k.json", len(recorded["rows"]))
