import json
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.tau2.result_decoding import Simulation, decode_head, decode_simulation
from dragoman.core.episodes import Termination
from dragoman.core.errors import DataError
from dragoman.core.scores import Scored, Unscored
from dragoman.core.usage import Usage

Record = dict[str, Any]

INFO: Record = {
    "git_commit": "a2c0247",
    "num_trials": 2,
    "max_steps": 100,
    "max_errors": 10,
    "user_info": {"implementation": "user_simulator", "llm": "lab/user"},
    "agent_info": {"implementation": "llm_agent", "llm": "lab/agent"},
    "environment_info": {"domain_name": "retail", "policy": "Be kind."},
    "seed": 300,
}
TASK: Record = {"id": "7", "user_scenario": {"instructions": "Cancel order 1."}}
CALL = {"id": "a", "name": "cancel_pending_order", "arguments": {"order_id": "1"}}
SIMULATION: Record = {
    "id": "s1",
    "task_id": "7",
    "start_time": "2026-01-01T00:00:00",
    "duration": 12.5,
    "termination_reason": "user_stop",
    "reward_info": {"reward": 1.0},
    "messages": [
        {"role": "assistant", "content": "Hi! How can I help you today?", "cost": 0.0},
        {
            "role": "user",
            "content": "Cancel order 1.",
            "usage": {"prompt_tokens": 10, "completion_tokens": 4},
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [CALL],
            "usage": {"prompt_tokens": 50, "completion_tokens": 9, "cached": 3},
        },
        {"role": "tool", "id": "a", "content": "Error: no such order", "error": True},
        {"role": "assistant", "content": "There is none.", "usage": {"prompt_tokens": None}},
        {"role": "user", "content": "###STOP###"},
    ],
    "trial": 1,
    "seed": 42,
}


def head(info: Record = INFO, tasks: object = (TASK,)) -> dict[str, msgspec.Raw]:
    return {name: raw(value) for name, value in {"info": info, "tasks": tasks}.items()}


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value, indent=1).encode())


def read(**changes: object) -> Simulation:
    return decode_simulation(raw({**SIMULATION, **changes}), 1, decode_head(head(), "f.json"))


def test_a_simulation_is_read_with_what_it_took() -> None:
    played = read()

    assert (played.id, played.task.id, played.trial) == ("s1", "7", 1)
    assert played.episode.ending == Termination("user_stop")
    assert (played.episode.steps, played.episode.errors) == (5, 1)
    assert (played.episode.started, played.episode.seconds) == (1767225600.0, 12.5)
    assert played.episode.usage == (
        Usage("agent", "lab/agent", 2, None, None),
        Usage("user", "lab/user", 1, 10, 4),
    )
    assert played.score.reward == Scored(1.0)


def test_only_the_fixed_greeting_is_scripted() -> None:
    scripted = [event for event in read().episode.events if getattr(event, "scripted", False)]
    own = read(messages=[{"role": "assistant", "content": "Hello."}]).episode

    assert scripted == [read().episode.events[0]]
    assert own.steps == 1


def test_the_record_is_kept_value_for_value_on_one_line() -> None:
    numbers = b'{"big": 123456789012345678901234567890, "price": 1.10, "tiny": 1E-7}'
    record = json.dumps({**SIMULATION, "novel": 0}, indent=2).encode()
    record = record.replace(b'"novel": 0', b'"novel": ' + numbers)

    played = decode_simulation(msgspec.Raw(record), 1, decode_head(head(), "f.json"))

    source = bytes(msgspec.json.encode(played.episode.source))
    assert b"\n" not in source
    assert b"123456789012345678901234567890" in source
    assert b"1.10" in source
    assert json.loads(source) == json.loads(record)


@pytest.mark.parametrize("reason", ["max_steps", "too_many_errors", "timeout", "agent_error"])
def test_early_ends_are_ours(reason: str) -> None:
    assert read(termination_reason=reason).episode.ending.reason == reason


@pytest.mark.parametrize("reason", ["context_window_exceeded", "unexpected_error", "novel"])
def test_reasons_that_we_do_not_have_are_faults_by_their_names(reason: str) -> None:
    played = read(termination_reason=reason)

    assert played.episode.ending == Termination("infrastructure_error", reason)
    assert played.score.reward == Unscored(f"infrastructure: {reason}")


def test_a_record_of_broken_infrastructure_is_a_fault_with_its_cause() -> None:
    played = read(
        termination_reason="infrastructure_error",
        messages=[],
        reward_info=None,
        info={"error": "connection reset", "failed_after_attempts": 4},
    )

    assert played.episode.events == ()
    assert played.episode.is_fault
    assert played.score.reward == Unscored("infrastructure: connection reset")


def test_a_simulation_without_a_reward_is_unscored() -> None:
    assert read(reward_info=None).score.reward == Unscored("the file has no reward for it")


@pytest.mark.parametrize(
    ("agent", "name", "suite"),
    [
        ({"implementation": "llm_agent", "llm": "lab/agent"}, "lab/agent", "tau2:telecom"),
        ({"implementation": "mine", "llm": None}, "mine", "tau2:telecom"),
        ({"implementation": "llm_agent_solo", "llm": "lab/x"}, "lab/x", "tau2:telecom-solo"),
    ],
)
def test_agent_and_suite_have_our_names(agent: Record, name: str, suite: str) -> None:
    environment = {"domain_name": "telecom"}
    info = {**INFO, "agent_info": agent, "environment_info": environment}

    file = decode_head(head(info), "f.json")

    assert (file.info.agent.name, file.suite) == (name, suite)


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ({"task_id": "8"}, r"simulation 1 \(s1\) plays the task '8', which the file does not have"),
        ({"task_id": None}, r"simulation 1 \(s1\) names no task: it has no 'task_id'"),
        ({"messages": [{"role": "robot"}]}, r"simulation 1 \(s1\): message 1 is damaged"),
        ({"reward_info": 1}, r"simulation 1 \(s1\): its reward_info is damaged"),
        ({"trial": -1}, "simulation 1 is damaged"),
        ({"trial": 10**30}, "simulation 1 is damaged"),
        ({"termination_reason": None}, "simulation 1 is damaged"),
        ({"id": 5}, "simulation 1 is damaged"),
    ],
)
def test_a_damaged_simulation_is_named(damage: Record, what: str) -> None:
    with pytest.raises(DataError, match=f"^f.json: {what}"):
        read(**damage)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({}, "not a tau2 result file: it has no 'info'"),
        ({"info": raw(INFO)}, "not a tau2 result file: it has no 'tasks'"),
        (head({"git_commit": "x"}), "its info is damaged"),
        (
            head({**INFO, "environment_info": {"domain_name": "../chess"}}),
            "'../chess' cannot be the name of a domain",
        ),
        (head(tasks={}), "not a list of tasks"),
        (head(tasks=[{"id": "1"}]), "task number 1 is damaged"),
        (head(tasks=[TASK, TASK]), "two tasks have the id '7'"),
    ],
)
def test_a_damaged_file_is_named(fields: dict[str, msgspec.Raw], what: str) -> None:
    with pytest.raises(DataError, match=f"^f.json: {what}"):
        decode_head(fields, "f.json")


@pytest.mark.parametrize("messages", [None, []])
def test_a_conversation_without_messages_is_a_fault_and_never_scored(messages: object) -> None:
    played = read(messages=messages, reward_info={"reward": 0.0})

    assert played.episode.ending.reason == "infrastructure_error"
    assert played.score.reward == Unscored(
        "infrastructure: the file has no messages of it (user_stop)"
    )


def test_nulls_stand_for_what_is_not_known() -> None:
    info = dict.fromkeys(INFO) | {"environment_info": {"domain_name": "retail"}}
    file = decode_head(head(info), "f.json")
    optional = ("start_time", "duration", "trial", "seed", "reward_info", "info", "mode")

    played = decode_simulation(raw(SIMULATION | dict.fromkeys(optional)), 1, file)

    assert (file.info.agent.name, file.info.user.name) == ("unnamed", "unnamed")
    assert (played.trial, played.has_trial, played.episode.seconds) == (0, False, 0.0)
    assert played.score.reward == Unscored("the file has no reward for it")


def test_a_domain_that_is_none_of_ours_is_read() -> None:
    info = {**INFO, "environment_info": {"domain_name": "airline_tighter_policy"}}
    task = {
        **TASK,
        "evaluation_criteria": {"actions": [{"action_id": "1", "name": "fly", "arguments": {}}]},
    }
    file = decode_head(head(info, [task]), "f.json")
    assert (file.suite, file.info.is_known) == ("tau2:airline_tighter_policy", False)
    assert decode_simulation(raw(SIMULATION), 1, file).episode.steps == 5
    assert decode_head(head(), "f.json").info.is_known
