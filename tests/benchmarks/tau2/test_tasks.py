import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.benchmarks.kit.environment import Domain, MakeDomainEnvironment
from dragoman.benchmarks.tau2.tasks import decode_tasks
from dragoman.core.episodes import Message
from dragoman.core.errors import DataError
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tasks import (
    Action,
    Criteria,
    EnvAssertion,
    FunctionCall,
    InitialState,
    Instructions,
    Scenario,
    Task,
)
from dragoman.core.tools import Role, ToolCall, ToolKind, ToolResult

KINDS: dict[Role, dict[str, ToolKind]] = {
    "agent": {"get_order": "read", "cancel": "write"},
    "user": {"reboot": "write"},
}


def no_environments(databases: Mapping[str, bytes]) -> MakeDomainEnvironment:
    raise NotImplementedError


FUNCTIONS: dict[Role, frozenset[str]] = {
    "agent": frozenset(["break_vpn", "is_paid"]),
    "user": frozenset(["break_vpn", "is_paid"]),
}
DOMAIN = Domain(KINDS, {"agent": "db.json"}, no_environments, functions=FUNCTIONS)
FULL: dict[str, Any] = {
    "id": "7",
    "description": {"purpose": "ignored"},
    "user_scenario": {
        "persona": "hurried",
        "instructions": {
            "domain": "shop",
            "reason_for_call": "cancel",
            "known_info": None,
            "task_instructions": "be brief",
        },
    },
    "ticket": "cancel it",
    "initial_state": {
        "initialization_data": None,
        "initialization_actions": [
            {"env_type": "user", "func_name": "break_vpn", "arguments": {"hard": True}}
        ],
        "message_history": None,
    },
    "evaluation_criteria": {
        "actions": [
            {"action_id": "a", "name": "cancel", "arguments": {"id": 1}, "info": None},
            {
                "action_id": "b",
                "name": "reboot",
                "arguments": {},
                "requestor": "user",
                "compare_args": [],
            },
        ],
        "env_assertions": [
            {
                "env_type": "assistant",
                "func_name": "is_paid",
                "arguments": {},
                "assert_value": False,
                "message": "m",
            }
        ],
        "communicate_info": ["5"],
        "nl_assertions": ["be nice"],
        "reward_basis": ["ACTION", "DB"],
    },
    "annotations": None,
}


def decoded(*records: object) -> tuple[Task, ...]:
    return decode_tasks(json.dumps(records).encode(), "suite", DOMAIN, "file")


def small(**fields: object) -> dict[str, object]:
    return {"id": "1", "user_scenario": {"instructions": "Ask."}, **fields}


def test_every_field_that_counts_is_read() -> None:
    (task,) = decoded(FULL)
    assert task == Task(
        id="7",
        suite="suite",
        digest=task.digest,
        scenario=Scenario(
            Instructions("shop", "cancel", "be brief", known_info=None), persona="hurried"
        ),
        criteria=Criteria(
            reward_basis=("ACTION", "DB"),
            actions=(
                Action("a", "cancel", {"id": 1}),
                Action("b", "reboot", {}, by="user", compare=()),
            ),
            env_assertions=(
                EnvAssertion(FunctionCall("agent", "is_paid", {}), expected=False, message="m"),
            ),
            communicate_info=("5",),
            assertions=("be nice",),
        ),
        initial_state=InitialState(functions=(FunctionCall("user", "break_vpn", {"hard": True}),)),
        ticket="cancel it",
    )


def test_a_task_without_criteria_has_none() -> None:
    assert decoded(small())[0].criteria is None
    assert decoded(small(evaluation_criteria=None))[0].criteria is None


def test_the_default_basis_is_state_and_communication() -> None:
    (task,) = decoded(small(evaluation_criteria={}))
    assert task.criteria == Criteria(reward_basis=("DB", "COMMUNICATE"))


def test_no_list_of_actions_is_not_an_empty_one() -> None:
    absent, empty = decoded(
        small(evaluation_criteria={"actions": None}),
        small(id="2", evaluation_criteria={"actions": []}),
    )
    assert absent.criteria is not None
    assert absent.criteria.actions is None
    assert empty.criteria is not None
    assert empty.criteria.actions == ()


def test_an_initial_state_of_nothing_is_none() -> None:
    assert decoded(small(initial_state={}))[0].initial_state is None


def test_tasks_keep_the_order_of_the_file() -> None:
    assert [task.id for task in decoded(small(id="b"), small(id="a"))] == ["b", "a"]


def test_the_digest_is_of_the_content_and_not_of_its_layout() -> None:
    (one,) = decoded(small(ticket="t"))
    (other,) = decode_tasks(
        b'[ {"ticket":"t" , "user_scenario":{"instructions":"Ask."}, "id":"1"}]',
        "suite",
        DOMAIN,
        "file",
    )
    assert one.digest == other.digest
    assert decoded(small(ticket="u"))[0].digest != one.digest
    assert decoded(small(annotations=1))[0].digest != decoded(small(annotations=1.0))[0].digest


@pytest.mark.parametrize(
    ("record", "named"),
    [
        (small(evaluation_criteria=with_action), message)
        for with_action, message in [
            (
                {"actions": [{"action_id": "x", "name": "fly", "arguments": {}}]},
                "task 1, action x names the unknown agent tool 'fly'",
            ),
            (
                {"actions": [{"action_id": "x", "name": "reboot", "arguments": {}}]},
                "unknown agent tool 'reboot'",
            ),
            (
                {
                    "actions": [
                        {
                            "action_id": "x",
                            "name": "cancel",
                            "arguments": {},
                            "requestor": "user",
                        }
                    ]
                },
                "unknown user tool 'cancel'",
            ),
            ({"reward_basis": ["LUCK"]}, "task number 1 is damaged.*LUCK"),
            ({"actions": [{"action_id": "x", "name": "cancel"}]}, "arguments"),
        ]
    ],
)
def test_criteria_that_make_no_sense_are_refused(record: object, named: str) -> None:
    with pytest.raises(DataError, match=named):
        decoded(record)


def test_two_tasks_of_one_id_are_refused() -> None:
    with pytest.raises(DataError, match="file: two tasks have the id '1'"):
        decoded(small(), small())


def test_a_damaged_task_is_named_by_its_number() -> None:
    with pytest.raises(DataError, match=r"file: task number 2 is damaged.*user_scenario"):
        decoded(small(), {"id": "2"})


def starting(**state: object) -> Task:
    (task,) = decoded(small(initial_state=state))
    return task


def test_a_message_history_is_what_happened_before() -> None:
    call = {"id": "c1", "name": "cancel", "arguments": {"id": 1}, "requestor": "assistant"}
    task = starting(
        message_history=[
            {"role": "user", "content": "Cancel it."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "id": "c1", "content": "done", "requestor": "assistant"},
        ]
    )
    assert task.history == (
        Message("user", text_reply("Cancel it.")),
        Message("agent", ToolCallReply((ToolCall("c1", "cancel", {"id": 1}),))),
        ToolResult("c1", "cancel", "done"),
    )


def test_a_history_out_of_order_is_refused() -> None:
    with pytest.raises(DataError, match="file: task 1: its history is out of order: the result"):
        starting(message_history=[{"role": "tool", "id": "c1", "content": "done"}])


def test_a_damaged_message_is_named() -> None:
    with pytest.raises(DataError, match="file: task 1: message 2 is damaged"):
        starting(message_history=[{"role": "user", "content": "hi"}, {"role": "owner"}])


def test_a_history_in_solo_mode_has_no_user_in_it() -> None:
    solo = msgspec.structs.replace(DOMAIN, is_solo=True)
    history = {"message_history": [{"role": "user", "content": "hi"}]}
    content = json.dumps([small(initial_state=history)]).encode()
    with pytest.raises(DataError, match="task 1: a history in solo mode has no user in it"):
        decode_tasks(content, "suite", solo, "file")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1", b"null", b'"tasks"'])
def test_what_is_no_list_of_tasks_is_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="file: not a list of tasks"):
        decode_tasks(content, "suite", DOMAIN, "file")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FULL, "x"]), inner)
    ),
    max_leaves=6,
)


@given(st.lists(JSON, max_size=3))
@example([FULL, FULL])
def test_any_json_is_decoded_or_refused(records: list[object]) -> None:
    content = json.dumps(records).encode()
    try:
        tasks = decode_tasks(content, "suite", DOMAIN, "file")
    except DataError:
        return
    assert len(tasks) == len(records)


@given(st.integers(0, 10_000), st.sampled_from([b"", b"\x00", b"]", b'"', b"9"]))
def test_a_file_cut_or_changed_anywhere_is_decoded_or_refused(place: int, put: bytes) -> None:
    content = json.dumps([FULL]).encode()
    at = place % len(content)
    for damaged in (content[:at], content[:at] + put + content[at + 1 :]):
        try:
            tasks = decode_tasks(damaged, "suite", DOMAIN, "file")
        except DataError:
            continue
        assert len(tasks) <= 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b'[{"id": "\xff", "user_scenario": {"instructions": "x"}}]', id="bad UTF-8"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    with pytest.raises(DataError):
        decode_tasks(content, "suite", DOMAIN, "file")


def test_a_tasks_own_data_belong_to_the_side_that_they_name() -> None:
    task = starting(initialization_data={"agent_data": {"orders": {}}, "user_data": None})
    assert task.initial_state == InitialState(data={"agent": {"orders": {}}})


def test_data_for_a_side_without_a_database_are_refused() -> None:
    with pytest.raises(DataError, match="data for the user's side, which has no database"):
        starting(initialization_data={"user_data": {"device": {}}})


@pytest.mark.parametrize("side", ["assistant", "user"])
def test_a_function_that_no_side_has_is_named_when_the_tasks_are_read(side: str) -> None:
    call = {"env_type": side, "func_name": "fly", "arguments": {}}
    with pytest.raises(DataError, match=r"unknown (agent|user) function 'fly'"):
        decoded(small(initial_state={"initialization_actions": [call]}))
    with pytest.raises(DataError, match=r"unknown (agent|user) function 'fly'"):
        decoded(small(evaluation_criteria={"env_assertions": [call]}))
