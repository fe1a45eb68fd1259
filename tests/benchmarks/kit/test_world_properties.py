"""Environments are independent, for any calls, order, thread or process.

Calls are drawn from the tools' schemas and the tasks' own values, mixed with wrong, absent, surplus
and hostile values. Run as a program, this file plays its input and writes the outcome, so that
processes can be compared.
"""

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dragoman.benchmarks.courier.domain import courier_suite
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.benchmarks.kit.tables import SingleObject, Table
from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.benchmarks.tau2.suite import DOMAINS, DomainSuite
from dragoman.core.protocols import Provenance
from dragoman.core.rules import DEFAULT_RULES, RULES, TAU2_RULES, Rules
from dragoman.core.tasks import FunctionCall, Task
from dragoman.core.tools import Change, Role, ToolCall, ToolResult
from dragoman.scoring.replay import replay

SHOP, COURIER = "sample:shop", "courier"
BUNDLED: Mapping[str, Callable[[], ConversationSuite]] = {
    SHOP: sample_suite,
    COURIER: courier_suite,
}
BOTH = st.sampled_from([DEFAULT_RULES, TAU2_RULES])


def nested(depth: int) -> list[object]:
    """Return lists in lists."""
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE: st.SearchStrategy[object] = st.sampled_from(
    [
        *(None, True, False, 0, 1, -1, 7, 2**63, 10**30, -(10**30), 10**400),
        *(0.5, -0.0, 2.0, 1e308, -1e308, 5e-324),
        *("", " ", "7", "-1", "NaN", "null", "x" * 5_000, "\x00", "\n", "🛫" * 40, "ﬀ", "İ"),
        *("__class__", "{0.__class__}", "%s%n", "' OR 1=1 --", "../../etc/passwd", "9**9**9"),
        *([], {}, [[]], [None], [1, "a"], ["", ""], [{}], {"": {}}, {"apn_name": "broken"}),
        nested(100),
        nested(800),
    ]
)
NAMES = st.sampled_from(["self", "", "id", "order_id", "user_id", "customer_id", "summary", "名前"])
NO_TOOLS_NAMES = st.sampled_from(["fly", "", "__init__", "_user", "KINDS", "call", "break_vpn"])


class Play(msgspec.Struct, frozen=True):
    """Calls in one environment, in order."""

    task: str
    calls: tuple[ToolCall, ...]


class Outcome(msgspec.Struct, frozen=True):
    """Result of a play: answers with their changes, and the final state."""

    answers: list[ToolResult]
    delta: dict[str, str]
    fingerprint: Mapping[Role, str | None]


class Job(msgspec.Struct, frozen=True):
    """Plays for another process."""

    suite: str
    data: str
    rules: str
    plays: list[Play]


def load(name: str, data: str) -> ConversationSuite:
    """Return a suite that shares nothing with any that was loaded before."""
    if name in BUNDLED:
        return BUNDLED[name]()

    def read(file: str) -> bytes:
        raw, zipped = Path(data) / "tau2" / name / file, Path(data) / "tau2" / name / f"{file}.gz"
        return raw.read_bytes() if raw.exists() else gzip.decompress(zipped.read_bytes())

    source = Provenance("tau2-bench", "MIT", "", "")
    return DomainSuite(f"tau2:{name}", read, source, DOMAINS[name], "base")


def fresh(suite: ConversationSuite, task: str, rules: Rules) -> DomainEnvironment:
    environment = suite.factory(rules)(next(entry for entry in suite.tasks if entry.id == task))
    assert isinstance(environment, DomainEnvironment)
    return environment


def answered(environment: DomainEnvironment, call: ToolCall) -> ToolResult:
    return msgspec.structs.replace(environment.call(call), changes=environment.take_changes())


def outcome(environment: DomainEnvironment, answers: Iterable[ToolResult]) -> bytes:
    """Return an outcome as JSON, so that types count and values that cannot be stored fail."""
    given_answers = list(answers)
    delta = {"/".join(path): text.decode() for path, text in environment.delta().items()}
    return msgspec.json.encode(Outcome(given_answers, delta, environment.fingerprint()))


def played(suite: ConversationSuite, play: Play, rules: Rules) -> bytes:
    environment = fresh(suite, play.task, rules)
    return outcome(environment, [answered(environment, call) for call in play.calls])


# Calls


class Known(msgspec.Struct, frozen=True):
    """A suite with the calls of its tasks' reference plans, and the texts of its data.

    `values` are the plans' arguments by name, `ids` fields of records by name.
    """

    name: str
    data: str
    suite: ConversationSuite
    tasks: list[Task]
    calls: list[ToolCall]
    values: dict[str, list[object]]
    ids: dict[str, list[object]]
    loaded: dict[tuple[str, ...], str]

    def __repr__(self) -> str:
        return self.name


def known_of(name: str, data: str) -> Known:
    suite = load(name, data)
    tasks = list(suite.tasks)
    calls = [call for task in tasks for call in plan_of(task)]
    values: dict[str, list[object]] = {}
    for call in calls:
        for argument, value in call.arguments.items():
            values.setdefault(argument, []).append(value)
    loaded = texts(documents(untouched(suite)))
    ids: dict[str, list[object]] = {}
    for record in map(json.loads, loaded.values()):
        for field, value in record.items() if isinstance(record, dict) else ():
            ids.setdefault(field, []).append(value)
    return Known(name, data, suite, tasks, calls, values, ids, loaded)


def untouched(suite: ConversationSuite) -> DomainEnvironment:
    """Return a world in the state of the databases, without any task's own."""
    environment = suite.factory(DEFAULT_RULES)(
        msgspec.structs.replace(suite.tasks[0], initial_state=None)
    )
    assert isinstance(environment, DomainEnvironment)
    return environment


def plan_of(task: Task) -> list[ToolCall]:
    actions = () if task.criteria is None else task.criteria.actions or ()
    return [ToolCall(entry.id, entry.name, entry.arguments, entry.by) for entry in actions]


def value_of(known: Known, argument: str, schema: Mapping[str, Any]) -> st.SearchStrategy[object]:
    enum: Sequence[object] = schema.get("enum", ())
    pools = [known.values.get(argument), known.ids.get(argument), enum]
    own = [st.sampled_from(pool) for pool in pools if pool]
    return st.one_of(own) if own else HOSTILE


@st.composite
def spoiled(draw: st.DrawFn, known: Known, arguments: dict[str, object]) -> dict[str, object]:
    """Return arguments of which one is another, absent or hostile, or that have one too many."""
    names = st.sampled_from(sorted(arguments)) if arguments else NAMES
    name = draw(names)
    match draw(st.sampled_from(["other", "absent", "hostile", "surplus"])):
        case "other":
            return {**arguments, name: draw(value_of(known, name, {}))}
        case "absent":
            return {key: value for key, value in arguments.items() if key != name}
        case "hostile":
            return {**arguments, name: draw(HOSTILE)}
        case _:
            return {**arguments, draw(NAMES): draw(HOSTILE)}


@st.composite
def drawn_calls(draw: st.DrawFn, known: Known) -> ToolCall:
    """Return a call of any tool, with values that its arguments have somewhere in the tasks."""
    side, tool = draw(
        st.sampled_from(
            [(side, tool) for side, tools in known.suite.toolsets.items() for tool in tools]
        )
    )
    properties: Any = tool.parameters.get("properties", {})
    arguments = {name: draw(value_of(known, name, part)) for name, part in properties.items()}
    return ToolCall("drawn", tool.name, arguments, side)


@st.composite
def any_call(draw: st.DrawFn, known: Known, plan: Sequence[ToolCall]) -> ToolCall:
    """Return a call, mostly of the plan at hand."""
    planned = [st.sampled_from(plan)] * 3 if plan else []
    call: ToolCall = draw(st.one_of(*planned, st.sampled_from(known.calls), drawn_calls(known)))
    match draw(st.sampled_from(["right", "right", "spoiled", "spoiled", "no tool", "wrong side"])):
        case "spoiled":
            arguments = draw(spoiled(known, call.arguments))
            return msgspec.structs.replace(call, arguments=arguments)
        case "no tool":
            return msgspec.structs.replace(call, name=draw(NO_TOOLS_NAMES))
        case "wrong side":
            return msgspec.structs.replace(call, by="user" if call.by == "agent" else "agent")
        case _:
            return call


@st.composite
def plays(draw: st.DrawFn, known: Known) -> Play:
    """Return a task's reference plan in part, with other calls among its own."""
    task = draw(st.sampled_from(known.tasks))
    plan = plan_of(task)
    kept = draw(st.lists(st.booleans(), min_size=len(plan), max_size=len(plan)))
    calls = [call for call, is_kept in zip(plan, kept, strict=True) if is_kept]
    for call in draw(st.lists(any_call(known, plan), max_size=6)):
        calls.insert(draw(st.integers(0, len(calls))), call)
    return Play(task.id, tuple(calls))


@pytest.fixture(scope="module", params=[*BUNDLED, *sorted(DOMAINS)])
def known(request: pytest.FixtureRequest) -> Known:
    """A suite whose tools are called: a bundled one, or a domain with available data."""
    name = str(request.param)
    return known_of(name, "" if name in BUNDLED else str(request.getfixturevalue("data_folder")))


@pytest.fixture(scope="module")
def telecom(data_folder: Path) -> Known:
    return known_of("telecom", str(data_folder))


UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
"""Health checks to ignore: environments over real data take milliseconds."""


def examples(count: int, *phases: Phase) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Set the number of examples, out of 300 in a nightly run.

    For examples that take seconds, name phases without shrinking.
    """
    share = max(1, count * settings().max_examples // 300)
    settled = settings(max_examples=share, suppress_health_check=SLOW)
    return settings(settled, phases=phases) if phases else settled


# One world and others


@pytest.mark.slow
@examples(100)
@given(data=st.data(), rules=BOTH)
def test_every_call_is_answered_and_none_reaches_another_world(
    known: Known, data: st.DataObject, rules: Rules
) -> None:
    play = data.draw(plays(known))
    idle = fresh(known.suite, play.task, rules)
    loaded, before, delta = shared_data(idle), idle.full_texts(), idle.delta()
    environment = fresh(known.suite, play.task, rules)
    for call in play.calls:
        result = environment.call(call)
        assert (result.call_id, result.name, result.by) == (call.id, call.name, call.by)
        assert result.content.startswith("Error: ") or not result.error
    assert (idle.full_texts(), idle.delta(), idle.take_changes()) == (before, delta, ())
    assert fresh(known.suite, play.task, rules).full_texts() == before
    assert shared_data(idle) == loaded


def shared_data(environment: DomainEnvironment) -> dict[tuple[str, str], bytes]:
    """Return the data that all environments share, encoded again."""
    shared: dict[tuple[str, str], bytes] = {}
    for side, part in environment._sides.items():
        for name, table in part.tables.by_name():
            assert isinstance(table, Table | SingleObject)
            data = table.shared.records if isinstance(table, Table) else table._shared
            shared[side, name] = msgspec.json.encode(data)
    return shared


@examples(60)
@given(data=st.data(), rules=BOTH)
def test_two_worlds_used_in_turns_are_two_worlds_used_one_after_the_other(
    known: Known, data: st.DataObject, rules: Rules
) -> None:
    """Cover environments that are not kept in step, and different rule sets, too."""
    pair = [data.draw(plays(known)), data.draw(plays(known))]
    both_rules = [rules, data.draw(BOTH)]
    in_step = data.draw(st.lists(st.booleans(), min_size=2, max_size=2))

    def new_environment(which: int) -> DomainEnvironment:
        environment = fresh(known.suite, pair[which].task, both_rules[which])
        return environment if in_step[which] else environment.unsynchronized()

    alone = []
    for which, play in enumerate(pair):
        environment = new_environment(which)
        alone.append(outcome(environment, [answered(environment, call) for call in play.calls]))
    environments = [new_environment(0), new_environment(1)]
    todo = [list(play.calls) for play in pair]
    answers: list[list[ToolResult]] = [[], []]
    turns = [0] * len(todo[0]) + [1] * len(todo[1])
    for which in data.draw(st.permutations(turns)):
        answers[which].append(answered(environments[which], todo[which].pop(0)))
    assert [outcome(*each) for each in zip(environments, answers, strict=True)] == alone


# Orders, threads, processes


@pytest.mark.nightly
@examples(5, *UNSHRUNK)
@given(data=st.data(), rules=BOTH)
def test_neither_order_nor_threads_change_what_comes_of_calls(
    known: Known, data: st.DataObject, rules: Rules
) -> None:
    todo = data.draw(st.lists(plays(known), min_size=8, max_size=16))
    expected = [played(known.suite, play, rules) for play in todo]
    backwards = [played(known.suite, play, rules) for play in reversed(todo)]
    assert backwards[::-1] == expected
    untouched = load(known.name, known.data)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda play: played(untouched, play, rules), [*todo, *todo]))
    assert together == [*expected, *expected]


@pytest.mark.slow
@examples(2, *UNSHRUNK)
@given(data=st.data(), rules=BOTH)
def test_other_processes_get_the_same_of_the_same_calls(
    known: Known, data: st.DataObject, rules: Rules
) -> None:
    planned = [Play(task.id, tuple(plan_of(task))) for task in known.tasks]
    todo = [*data.draw(st.lists(plays(known), min_size=8, max_size=16)), *planned]
    expected = [played(known.suite, play, rules) for play in todo]
    job = Job(known.name, known.data, rules.name, todo)
    backwards = msgspec.structs.replace(job, plays=todo[::-1])
    assert in_another_process(job, hash_seed="1") == expected
    assert in_another_process(backwards, hash_seed="2") == expected[::-1]


def in_another_process(job: Job, hash_seed: str) -> list[bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, __file__]
    done = subprocess.run(
        command, input=msgspec.json.encode(job), capture_output=True, env=environment, check=True
    )
    return done.stdout.splitlines()


def main() -> None:
    """Play a job from standard input; write one outcome a line."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    suite = load(job.suite, job.data)
    for play in job.plays:
        sys.stdout.buffer.write(played(suite, play, RULES[job.rules]) + b"\n")


# Changes, deltas and replays


@pytest.mark.slow
@examples(30)
@given(data=st.data(), rules=BOTH)
def test_the_changes_of_all_calls_add_up_to_the_state_and_its_delta(
    known: Known, data: st.DataObject, rules: Rules
) -> None:
    play = data.draw(plays(known))
    environment = fresh(known.suite, play.task, rules)
    reported = documents(environment)
    for call in play.calls:
        apply(reported, answered(environment, call).changes)
    reached = texts(documents(environment))
    assert texts(reported) == reached
    changed = {path: text for path, text in reached.items() if known.loaded.get(path) != text}
    assert {path: as_text(json.loads(text)) for path, text in environment.delta().items()} == {
        path: as_text(json.loads(text, parse_constant=no_number)) for path, text in changed.items()
    }


def documents(environment: DomainEnvironment) -> dict[str, Any]:
    return {side: json.loads(text) for side, text in environment.full_texts().items()}


def apply(document: dict[str, Any], changes: Sequence[Change]) -> None:
    for change in changes:
        *way, last = (change.side, *change.path)
        place: Any = document
        for step in way:
            place = place[step]
        if change.op == "del":
            del place[last]
        elif isinstance(place, list) and last == len(place):
            place.append(change.value)
        else:
            place[last] = change.value


def texts(document: dict[str, Any]) -> dict[tuple[str, ...], str]:
    """Return the text of every record, and of every field of a single object."""
    return {
        (side, name, key): as_text(value)
        for side, tables in document.items()
        for name, table in tables.items()
        for key, value in by_id(name, table).items()
    }


def by_id(name: str, table: Any) -> dict[str, object]:  # noqa: ANN401 - JSON
    return table if isinstance(table, dict) else {row[f"{name[:-1]}_id"]: row for row in table}


def as_text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def no_number(_: str) -> None:
    """Return null, because standard JSON has no non-finite numbers."""


@examples(100)
@given(data=st.data(), rules=BOTH)
def test_repeating_the_writes_alone_repeats_their_answers_and_the_state(
    known: Known, data: st.DataObject, rules: Rules
) -> None:
    play = data.draw(plays(known))
    live, repeated = (fresh(known.suite, play.task, rules) for _ in range(2))
    executed = [(call, live.call(call)) for call in play.calls]
    assert replay(executed, repeated) == ()
    assert repeated.full_texts() == live.full_texts()
    assert repeated.delta() == live.delta()


# Telecom


@pytest.mark.slow
def test_a_vpn_broken_in_one_world_is_excellent_in_all_others(telecom: Known) -> None:
    early, broken = untouched(telecom.suite), untouched(telecom.suite)
    broken.run_function(FunctionCall("user", "break_vpn", {}))
    for environment in (early, untouched(telecom.suite)):
        by_user(environment, "connect_vpn")
        assert "'excellent'" in by_user(environment, "check_vpn_status")
    by_user(broken, "disconnect_vpn")
    by_user(broken, "connect_vpn")
    assert "'poor'" in by_user(broken, "check_vpn_status")


def by_user(environment: DomainEnvironment, name: str) -> str:
    return environment.call(ToolCall("1", name, {}, "user")).content


def test_what_one_world_synchronizes_stays_unknown_to_a_world_out_of_step(telecom: Known) -> None:
    request = next(call for call in telecom.calls if call.name == "send_payment_request")
    task = next(task.id for task in telecom.tasks if request in plan_of(task))
    kept = fresh(telecom.suite, task, DEFAULT_RULES)
    apart = fresh(telecom.suite, task, DEFAULT_RULES).unsynchronized()
    assert not apart.call(request).error
    assert by_user(kept, "check_payment_request") == "No payment request has been made."
    assert not kept.call(request).error
    assert by_user(kept, "check_payment_request").startswith("You have a payment request")
    assert by_user(apart, "check_payment_request") == "No payment request has been made."


@pytest.mark.slow
def test_a_bill_that_a_charge_makes_has_the_same_id_everywhere(telecom: Known) -> None:
    calls = tuple(
        ToolCall("1", "refuel_data", {"customer_id": owner, "line_id": line, "gb_amount": 1.0})
        for owner in telecom.ids["customer_id"]
        for line in telecom.ids["line_id"]
    )
    play = Play(telecom.tasks[0].id, calls)
    expected = played(telecom.suite, play, DEFAULT_RULES)
    assert re.search(rb'"agent/bills/B[0-9a-f]{8}"', expected)
    assert played(telecom.suite, play, DEFAULT_RULES) == expected
    job = Job(telecom.name, telecom.data, DEFAULT_RULES.name, [play])
    assert in_another_process(job, hash_seed="1") == [expected]


if __name__ == "__main__":
    main()
