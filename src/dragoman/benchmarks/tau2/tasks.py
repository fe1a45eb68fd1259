"""Task files in tau2-bench's format: decode and encode.

Decoding is strict for fields that are used here and lenient for all others.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from dragoman.benchmarks.kit.environment import Domain
from dragoman.benchmarks.kit.task_validation import require_known_names
from dragoman.benchmarks.tau2.messages import SPEAKERS, decode_messages, encode_messages
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import executed_calls
from dragoman.core.errors import DataError, ReplayError
from dragoman.core.tasks import (
    Action,
    Component,
    Criteria,
    EnvAssertion,
    FunctionCall,
    InitialState,
    Instructions,
    Scenario,
    Task,
)
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.tools import Role

Record = dict[str, object]


def encode_task(task: Task) -> Record:
    """Return a task as a record of the format."""
    return {
        "id": task.id,
        "description": None,
        "user_scenario": _scenario(task.scenario),
        "ticket": task.ticket,
        "initial_state": None
        if task.initial_state is None
        else _encode_initial_state(task.initial_state),
        "evaluation_criteria": None if task.criteria is None else _encode_criteria(task.criteria),
    }


def encode_action(action: Action) -> Record:
    """Return a call of the reference plan as a record of the format."""
    return {
        "action_id": action.id,
        "requestor": SPEAKERS[action.by],
        "name": action.name,
        "arguments": action.arguments,
        "info": None,
        "compare_args": action.compare,
    }


def encode_assertion(assertion: EnvAssertion) -> Record:
    """Return an assertion about the world as a record of the format."""
    return {
        **_encode_function(assertion.call),
        "assert_value": assertion.expected,
        "message": assertion.message,
    }


def _scenario(scenario: Scenario) -> Record:
    instructions = scenario.instructions
    if isinstance(instructions, str):
        return {"persona": scenario.persona, "instructions": instructions}
    parts = {
        "domain": instructions.domain,
        "reason_for_call": instructions.reason_for_call,
        "known_info": instructions.known_info,
        "unknown_info": instructions.unknown_info,
        "task_instructions": instructions.task_instructions,
    }
    return {"persona": scenario.persona, "instructions": parts}


def _encode_initial_state(state: InitialState) -> Record:
    data = {"agent_data": state.data.get("agent"), "user_data": state.data.get("user")}
    return {
        "initialization_data": data if state.data else None,
        "initialization_actions": list(map(_encode_function, state.functions)) or None,
        "message_history": encode_messages(state.history) or None,
    }


def _encode_criteria(criteria: Criteria) -> Record:
    actions, assertions = criteria.actions, criteria.env_assertions
    return {
        "actions": None if actions is None else list(map(encode_action, actions)),
        "env_assertions": None if assertions is None else list(map(encode_assertion, assertions)),
        "communicate_info": criteria.communicate_info,
        "nl_assertions": criteria.assertions,
        "reward_basis": criteria.reward_basis,
    }


def _encode_function(call: FunctionCall) -> Record:
    return {
        "env_type": SPEAKERS[call.side],
        "func_name": call.name,
        "arguments": call.arguments,
    }


_Requestor = Literal["assistant", "user"]
_SIDES: Mapping[str, Role] = {"assistant": "agent", "user": "user"}


class _Action(msgspec.Struct):
    action_id: str
    name: str
    arguments: dict[str, Any] | None
    requestor: _Requestor | None = None
    compare_args: list[str] | None = None


class _EnvCall(msgspec.Struct):
    env_type: _Requestor
    func_name: str
    arguments: dict[str, Any] | None


class _EnvAssertion(_EnvCall):
    assert_value: bool | None = None
    message: str | None = None


class _Criteria(msgspec.Struct):
    actions: list[_Action] | None = None
    env_assertions: list[_EnvAssertion] | None = None
    communicate_info: list[str] | None = None
    nl_assertions: list[str] | None = None
    reward_basis: list[Component] | None = None


_BASIS: tuple[Component, ...] = ("DB", "COMMUNICATE")
"""Of tasks that name none."""


class _Scenario(msgspec.Struct):
    instructions: str | Instructions
    persona: str | None = None


class _InitialData(msgspec.Struct):
    agent_data: dict[str, Any] | None = None
    user_data: dict[str, Any] | None = None


class _InitialState(msgspec.Struct):
    initialization_data: _InitialData | None = None
    initialization_actions: list[_EnvCall] | None = None
    message_history: list[msgspec.Raw] | None = None


class _Task(msgspec.Struct):
    id: str
    user_scenario: _Scenario
    ticket: str | None = None
    initial_state: _InitialState | None = None
    evaluation_criteria: _Criteria | None = None


def decode_tasks(content: bytes, suite: str, domain: Domain | None, where: str) -> tuple[Task, ...]:
    """Decode a task file and check it against the tools that exist.

    Args:
        content: The file: a JSON array of task records.
        suite: The suite's name, kept in every task.
        domain: The domain, whose tools and functions the tasks may name; None if it is unknown.
        where: The file's name for errors.

    Raises:
        DataError: Naming the task and what is wrong with it.
    """
    with TranslatedErrors(DataError, f"{where}: not a list of tasks"):
        records = msgspec.json.decode(content, type=list[msgspec.Raw])
    tasks = tuple(_decode_task(record, index, suite, where) for index, record in enumerate(records))
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise DataError(f"{where}: two tasks have the id {task.id!r}")
        seen.add(task.id)
        if domain is not None:
            require_known_names(task, domain, where)
            _require_fitting_start(task, domain, where)
    return tasks


def _decode_task(record: msgspec.Raw, index: int, suite: str, where: str) -> Task:
    with TranslatedErrors(DataError, f"{where}: task number {index + 1} is damaged"):
        task = msgspec.json.decode(record, type=_Task)
        digest = content_key(msgspec.json.decode(record))
    scenario = task.user_scenario
    return Task(
        id=task.id,
        suite=suite,
        digest=digest,
        scenario=Scenario(scenario.instructions, scenario.persona),
        criteria=None
        if task.evaluation_criteria is None
        else _decode_criteria(task.evaluation_criteria),
        initial_state=None
        if task.initial_state is None
        else _decode_initial_state(task.initial_state, f"{where}: task {task.id}"),
        ticket=task.ticket,
    )


def _decode_criteria(record: _Criteria) -> Criteria:
    return Criteria(
        reward_basis=_BASIS if record.reward_basis is None else tuple(record.reward_basis),
        actions=None if record.actions is None else tuple(map(_action, record.actions)),
        env_assertions=None
        if record.env_assertions is None
        else tuple(
            EnvAssertion(_decode_function(entry), entry.assert_value is not False, entry.message)
            for entry in record.env_assertions
        ),
        communicate_info=tuple(record.communicate_info or ()),
        assertions=tuple(record.nl_assertions or ()),
    )


def _action(record: _Action) -> Action:
    return Action(
        id=record.action_id,
        name=record.name,
        arguments=record.arguments or {},
        by=_SIDES[record.requestor or "assistant"],
        compare=None if record.compare_args is None else tuple(record.compare_args),
    )


def _decode_function(record: _EnvCall) -> FunctionCall:
    return FunctionCall(_SIDES[record.env_type], record.func_name, record.arguments or {})


def _decode_initial_state(record: _InitialState, where: str) -> InitialState | None:
    given = record.initialization_data or _InitialData()
    by_side: dict[Role, dict[str, object] | None] = {
        "agent": given.agent_data,
        "user": given.user_data,
    }
    data = {side: own for side, own in by_side.items() if own}
    functions = tuple(map(_decode_function, record.initialization_actions or ()))
    history = decode_messages(record.message_history or (), where)
    if not data and not functions and not history:
        return None
    return InitialState(data, functions, history)


def _require_fitting_start(task: Task, domain: Domain, where: str) -> None:
    for side in () if task.initial_state is None else task.initial_state.data:
        if side not in domain.databases:
            raise DataError(
                f"{where}: task {task.id} brings data for the {side}'s side, which has no database"
            )
    if domain.is_solo and any(event.by == "user" for event in task.history):
        raise DataError(f"{where}: task {task.id}: a history in solo mode has no user in it")
    try:
        list(executed_calls(task.history))
    except ReplayError as error:
        raise DataError(f"{where}: task {task.id}: its history is out of order: {error}") from error
