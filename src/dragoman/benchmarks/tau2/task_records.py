"""Tasks written in tau2-bench's format: what `tasks` reads, the other way round.

A field that we do not keep (a description, notes, issues) is null: nothing depends on it.
"""

from dragoman.benchmarks.tau2.messages import SPEAKERS, encode_messages
from dragoman.core.tasks import (
    Action,
    Criteria,
    EnvAssertion,
    FunctionCall,
    InitialState,
    Scenario,
    Task,
)

Record = dict[str, object]


def encode_task(task: Task) -> Record:
    """Return a task as a record of the format."""
    return {
        "id": task.id,
        "description": None,
        "user_scenario": _scenario(task.scenario),
        "ticket": task.ticket,
        "initial_state": None if task.initial_state is None else _initial_state(task.initial_state),
        "evaluation_criteria": None if task.criteria is None else _criteria(task.criteria),
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
        **_function(assertion.call),
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


def _initial_state(state: InitialState) -> Record:
    data = {"agent_data": state.data.get("agent"), "user_data": state.data.get("user")}
    return {
        "initialization_data": data if state.data else None,
        "initialization_actions": list(map(_function, state.functions)) or None,
        "message_history": encode_messages(state.history) or None,
    }


def _criteria(criteria: Criteria) -> Record:
    actions, assertions = criteria.actions, criteria.env_assertions
    return {
        "actions": None if actions is None else list(map(encode_action, actions)),
        "env_assertions": None if assertions is None else list(map(encode_assertion, assertions)),
        "communicate_info": criteria.must_say,
        "nl_assertions": criteria.assertions,
        "reward_basis": criteria.basis,
    }


def _function(call: FunctionCall) -> Record:
    return {
        "env_type": SPEAKERS[call.side],
        "func_name": call.name,
        "arguments": call.arguments,
    }
