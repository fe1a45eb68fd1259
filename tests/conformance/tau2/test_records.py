"""Our tau2 domains against every record of the reference in the truth folder.

Prints the number of compared records per file, and by class the records excluded from a comparison
with the reason; comparing fewer than are recorded today is a failure. DRAGOMAN_TRUTH and
DRAGOMAN_DATA name other folders of the same format.
"""

import asyncio
import gzip
import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.analysis.pass_hat import task_pass_hat
from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.benchmarks.tau2.suite import DOMAINS, TOOL_FILES, DomainSuite
from dragoman.core.episodes import Episode, Event, Message, Termination, executed_calls
from dragoman.core.protocols import Provenance
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.rules import TAU2_RULES
from dragoman.core.scores import ComponentScore, Score, Scored, Unscored
from dragoman.core.tasks import Task
from dragoman.core.tools import Change, Role, ToolCall, ToolResult, openai_schema
from dragoman.scoring.judges import AssumeMet
from dragoman.scoring.replay import replay
from dragoman.scoring.reward import Scorer

SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}
EXPLICIT = (None, "ValueError")
"""Results whose text is a contract; other exceptions are accidents of the language."""

ACCIDENT = "texts of {}, an accident of the language (error flag, changes and hashes compared)"
REFUSED = (
    "states of trajectories that the reference refuses to replay (compared: Unscored, as replay)"
)
ENDED_EARLY = "parts and states of trajectories that ended early (compared: the reward)"
STUBBED = "verdicts of a stubbed judge, assumed there and here (compared: the reward with them)"
NOTED = "notes in the reference's own words"

RANDOM_ID = re.compile(r"\bB[0-9a-f]{8}\b")
"""An id that the reference draws at random where a sequence says `nondeterministic_ids`."""

LEAST = {
    "tools_airline.jsonl.gz": 1419,
    "tools_retail.jsonl.gz": 1858,
    "tools_telecom.jsonl.gz": 2236,
    "eval_airline.jsonl.gz": 352,
    "eval_retail.jsonl.gz": 954,
    "eval_telecom.jsonl.gz": 924,
    "tool_signatures.json (airline)": 14,
    "tool_signatures.json (retail)": 16,
    "tool_signatures.json (telecom)": 43,
    "pass_hat_k.json": 240,
}
"""Number of records to compare."""

Record = dict[str, Any]
Report = Callable[[str, int, Mapping[str, int]], None]
NOTHING: Mapping[str, int] = {}


@pytest.fixture(params=sorted(DOMAINS))
def domain(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def suite(domain: str, data_folder: Path) -> DomainSuite:
    folder = data_folder / "tau2" / domain
    source = Provenance("tau2-bench", "MIT", "", "")
    return DomainSuite(
        f"tau2:{domain}", lambda name: read_file(folder, name), source, DOMAINS[domain]
    )


def read_file(folder: Path, name: str) -> bytes:
    raw, zipped = folder / name, folder / f"{name}.gz"
    if raw.exists():
        return raw.read_bytes()
    require(zipped)
    return gzip.decompress(zipped.read_bytes())


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    def compared(name: str, count: int, left_out: Mapping[str, int]) -> None:
        with capsys.disabled():
            print(f"\n  {name}: {count} records compared", end="")
            for what, times in left_out.items():
                print(f"\n    left out: {times} {what}", end="")
        assert count >= LEAST[name], f"{name}: only {count} records compared"

    return compared


def records(path: Path) -> Iterator[Record]:
    require(path)
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


def require(path: Path) -> None:
    """Skip where a folder of material lacks a file; with DRAGOMAN_REQUIRE_DATA=1, fail."""
    if path.exists():
        return
    reason = f"{path} is absent: nothing to compare with"
    if os.environ.get("DRAGOMAN_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def recorded_changes(call: Record) -> list[tuple[object, ...]]:
    return sorted(
        (side, json.dumps(entry["path"]), entry["op"], as_text(entry.get("value")))
        for side in ("agent", "user")
        for entry in call.get(f"{side}_diff") or []
    )


def found_changes(changes: tuple[Change, ...]) -> list[tuple[object, ...]]:
    return sorted(
        (change.side, json.dumps(change.path), change.op, as_text(change.value))
        for change in changes
    )


def as_text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def recorded_hashes(record: Record, prefix: str) -> dict[str, str | None]:
    return {side: record[f"{prefix}{side}_db_hash"] for side in ("agent", "user")}


class Ids:
    """The random ids of one recorded sequence and those that our world made instead."""

    def __init__(self, sequence: Record) -> None:
        self.are_random: bool = sequence["nondeterministic_ids"]
        self._ours: dict[str, str] = {}

    def learn(self, call: Record, changes: tuple[Change, ...]) -> None:
        """Pair the ids that a call added there with those that it added here."""
        if self.are_random:
            theirs = RANDOM_ID.findall(repr(recorded_changes(call)))
            self._ours |= dict(
                zip(theirs, RANDOM_ID.findall(repr(found_changes(changes))), strict=True)
            )

    def translated(self, call: Record) -> Record:
        """Return a recorded call with our ids."""
        text = json.dumps(call)
        for theirs, ours in self._ours.items():
            text = text.replace(theirs, ours)
        translated: Record = json.loads(text)
        return translated

    def fingerprint(self, environment: DomainEnvironment) -> dict[str, str | None]:
        """Return the hashes of our state with their ids in it.

        Ids stand in lists and fields and never order anything, so that exchanging them in the text
        gives the text that the reference hashed.
        """
        hashes: dict[str, str | None] = {"agent": None, "user": None}
        for side, text in environment.full_texts().items():
            for theirs, ours in self._ours.items():
                text = text.replace(ours, theirs)  # noqa: PLW2901 - one after the other
            hashes[side] = hashlib.sha256(text.encode()).hexdigest()
        return hashes


def fresh_environment(suite: DomainSuite, task_id: str | None, reference: str) -> DomainEnvironment:
    tasks = {task.id: task for task in suite.tasks}
    task = tasks[task_id] if task_id else suite.tasks[0]
    if reference == "db":
        task = msgspec.structs.replace(task, initial_state=None)
    environment = suite.factory(TAU2_RULES)(task)
    assert isinstance(environment, DomainEnvironment)
    return environment


def test_every_recorded_tool_call_gives_the_recorded_result_changes_and_hashes(
    domain: str, suite: DomainSuite, truth_folder: Path, report: Report
) -> None:
    file = f"tools_{domain}.jsonl.gz"
    count = 0
    left_out: Counter[str] = Counter()
    for sequence in records(truth_folder / "tau2" / file):
        environment = fresh_environment(
            suite, sequence["task_id"], sequence["initial_state"]["ref"]
        )
        assert environment.fingerprint() == recorded_hashes(sequence, "initial_")
        ids = Ids(sequence)
        for index, recorded in enumerate(sequence["calls"]):
            compare_call(environment, f"{sequence['seq_id']} call {index}", recorded, ids)
            if recorded["error_type"] not in EXPLICIT:
                left_out[ACCIDENT.format(recorded["error_type"])] += 1
            count += 1
        assert ids.fingerprint(environment) == recorded_hashes(sequence, "final_")
    report(file, count, left_out)


def compare_call(environment: DomainEnvironment, where: str, recorded: Record, ids: Ids) -> None:
    call = ids.translated(recorded)
    where = f"{where} {call['name']} {call['arguments']}"
    result = environment.call(
        ToolCall("c", call["name"], call["arguments"], SIDES[call["requestor"]])
    )
    changes = environment.take_changes()
    ids.learn(call, changes)
    call = ids.translated(recorded)
    assert result.error == call["error"], where
    if call["error_type"] in EXPLICIT:
        assert result.content == call["content"], where
    assert found_changes(changes) == recorded_changes(call), where
    changed = [side for side in SIDES.values() if call[f"{side}_db_changed"]]
    found = ids.fingerprint(environment) if changed else {}
    assert {side: found[side] for side in changed} == {
        side: recorded[f"{side}_db_hash"] for side in changed
    }, where


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
            events.append(Message(by, text_reply(message["content"])))
        else:
            names |= {call["id"]: call["name"] for call in calls}
            called = tuple(
                ToolCall(call["id"], call["name"], call["arguments"], SIDES[call["requestor"]])
                for call in calls
            )
            events.append(Message(by, ToolCallReply(called, message["content"])))
    return tuple(events)


def test_every_recorded_trajectory_is_scored_as_recorded(
    domain: str, suite: DomainSuite, truth_folder: Path, report: Report
) -> None:
    file = f"eval_{domain}.jsonl.gz"
    scorer = Scorer(suite.factory(TAU2_RULES), TAU2_RULES, AssumeMet())
    tasks = {task.id: task for task in suite.tasks}

    left_out: Counter[str] = Counter()

    async def compare_all() -> int:
        count = 0
        for record in records(truth_folder / "tau2" / file):
            episode = Episode(
                as_events(record["messages"]), Termination(record["termination_reason"]), 0, 0
            )
            task = tasks[record["task_id"]]
            score = await scorer.score(task, episode)
            compare(record, score)
            if (hashes := record["result"].get("hashes")) is not None:
                compare_hashes(suite, task, episode, hashes)
            left_out.update(not_compared(record["result"]))
            count += 1
        return count

    report(file, asyncio.run(compare_all()), left_out)


def not_compared(result: Record) -> Iterator[str]:
    """Yield what a recorded evaluation leaves without comparison."""
    if "exception" in result:
        yield REFUSED
        return
    if result["reward_breakdown"] is None:
        yield ENDED_EARLY
    if result["nl_judge_stubbed"]:
        yield STUBBED
    if any(result["info"].values()):
        yield NOTED


def compare(record: Record, score: Score) -> None:
    where = f"task {record['task_id']}, {record['variant']}"
    result = record["result"]
    if "exception" in result:
        assert isinstance(score.reward, Unscored), where
        assert score.reward.reason.startswith("replay"), where
        return
    assert score.reward == Scored(result["reward"]), where
    if result["reward_breakdown"] is not None:
        compare_parts(result, {part.component: part for part in score.components}, where)
    ignoring = record.get("result_all_ignore_basis")
    if ignoring is not None:
        parts = {part.component: part.verdict for part in score.components}
        assert {name: Scored(value) for name, value in ignoring["reward_breakdown"].items()} == {
            name: parts[name] for name in ignoring["reward_breakdown"]
        }, where
        assert ignoring["reward"] == math.prod(ignoring["reward_breakdown"].values()), where


def compare_parts(result: Record, parts: Mapping[str, ComponentScore], where: str) -> None:
    """Compare an evaluation that went to its end; a check that is null there has nothing here."""
    assert {name for name in parts if parts[name].in_basis} == set(result["reward_basis"]), where
    for name, value in result["reward_breakdown"].items():
        assert parts[name].verdict == Scored(value), (where, name)
    assert parts["DB"].verdict == Scored(float(result["db_match"])), where
    assert [(entry["func_name"], entry["met"]) for entry in result["env_assertions"]] == [
        (entry.subject, entry.met) for entry in parts["ENV_ASSERTION"].evidence
    ], where
    assert [
        (f"{entry['action_id']} {entry['name']}", entry["match"], entry["tool_type"])
        for entry in result["action_checks"] or ()
    ] == [(entry.subject, entry.met, entry.kind) for entry in parts["ACTION"].evidence], where
    assert [(entry["info"], entry["met"]) for entry in result["communicate_checks"] or ()] == [
        (entry.subject, entry.met) for entry in parts["COMMUNICATE"].evidence
    ], where


def compare_hashes(suite: DomainSuite, task: Task, episode: Episode, hashes: Record) -> None:
    fresh = suite.factory(TAU2_RULES)
    reached, planned = fresh(task), fresh(task).unsynchronized()
    replay(list(executed_calls(episode.events)), reached)
    assert reached.fingerprint() == {"agent": hashes["pred_agent"], "user": hashes["pred_user"]}
    assert task.criteria is not None
    for action in task.criteria.actions or ():
        planned.call(ToolCall(action.id, action.name, action.arguments, action.by))
    assert planned.fingerprint() == {"agent": hashes["gold_agent"], "user": hashes["gold_user"]}


def test_schemas_equal_the_recorded_signatures_and_the_recorded_tools(
    domain: str, suite: DomainSuite, data_folder: Path, truth_folder: Path, report: Report
) -> None:
    require(truth_folder / "tau2" / "tool_signatures.json")
    signatures = json.loads((truth_folder / "tau2" / "tool_signatures.json").read_bytes())[domain]
    count = 0
    for side, toolset in suite.toolsets.items():
        recorded = json.loads((data_folder / "tau2" / domain / TOOL_FILES[side]).read_bytes())
        assert [openai_schema(tool) for tool in toolset] == recorded
        tools = signatures["assistant" if side == "agent" else side]
        kinds = {name: entry["tool_type"] for name, entry in tools.items()}
        assert kinds == {tool.name: tool.kind for tool in toolset}
        assert all(
            entry["mutates_state"] == (entry["tool_type"] == "write") for entry in tools.values()
        )
        for tool in toolset:
            assert described(tool.parameters) == tools[tool.name]["parameters"], tool.name
        count += len(tools)
    report(f"tool_signatures.json ({domain})", count, NOTHING)


def described(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a schema without what only describes: titles and descriptions."""
    if isinstance(schema, list):
        return [described(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: described(part)
        for name, part in schema.items()
        if name not in {"title", "description"} or not isinstance(part, str)
    }


def test_pass_hat_k_equals_the_recorded_vectors(truth_folder: Path, report: Report) -> None:
    require(truth_folder / "tau2" / "pass_hat_k.json")
    recorded = json.loads((truth_folder / "tau2" / "pass_hat_k.json").read_bytes())
    assert recorded["columns"] == ["num_trials", "successes", "k", "pass_hat_k"]
    for trials, successes, k, value in recorded["rows"]:
        assert task_pass_hat(trials, successes, k) == value
    report("pass_hat_k.json", len(recorded["rows"]), NOTHING)
