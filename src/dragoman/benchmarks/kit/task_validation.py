"""Task validation before a run: scenarios, reward criteria, tool names and arguments."""

from collections.abc import Iterator, Mapping

from dragoman.benchmarks.kit.environment import Domain
from dragoman.benchmarks.kit.tool_schemas import Validator, compile_validators
from dragoman.core.errors import DataError, ToolError
from dragoman.core.tasks import Component, Criteria, Instructions, RiskProfile, Scenario, Task
from dragoman.core.tools import NO_TOOLS, Role, Toolset

STATED: tuple[Component, ...] = ("ENV_ASSERTION", "COMMUNICATE", "NL_ASSERTION")
"""Components that an author lists to have them judged.

Actions are not among them, because they also define the end state.
"""


Validators = Mapping[Role, Mapping[str, Validator]]
"""Validators of the arguments of each side's tools."""


def task_faults(task: Task, validators: Validators) -> Iterator[str]:
    """Yield the faults of a task, given the validators of each side's tools."""
    yield from _scenario_faults(task.scenario, validators.get("user", {}))
    if task.criteria is None:
        yield "it has no criteria"
        return
    yield from _basis_faults(task.criteria)
    actions = task.criteria.actions or ()
    arguments = {action.id: action.arguments for action in actions}
    if len(arguments) < len(actions):
        yield "two actions have the same id"
    for action in actions:
        validate = validators.get(action.by, {}).get(action.name)
        yield from _argument_faults(validate, action.arguments, f"action {action.id}")
    for field in task.critical:
        if field.argument not in arguments.get(field.action, {}):
            yield f"critical: no action {field.action!r} has an argument {field.argument!r}"


def risk_profile_faults(risk_profile: RiskProfile, tools: Mapping[Role, Toolset]) -> Iterator[str]:
    """Yield what is wrong with what a suite says to be at stake."""
    agent = tools.get("agent", NO_TOOLS)
    for name in risk_profile.irreversible:
        if name not in agent:
            yield f"the irreversible tool {name!r} does not exist"
    if not risk_profile.escalations and not risk_profile.escalation_tool:
        return
    if risk_profile.escalation_tool not in agent:
        yield f"the escalation tool {risk_profile.escalation_tool!r} does not exist"
        return
    validate = compile_validators(agent)[risk_profile.escalation_tool]
    for escalation in risk_profile.escalations:
        arguments: dict[str, object] = {"reason": escalation.reason, "summary": ""}
        yield from _argument_faults(validate, arguments, f"escalation {escalation.reason}")


def require_known_names(task: Task, domain: Domain, where: str) -> None:
    """Refuse a task that names tools or functions that its domain does not have."""
    criteria = task.criteria
    for action in () if criteria is None else criteria.actions or ():
        if action.name not in domain.kinds.get(action.by, {}):
            raise DataError(
                f"{where}: task {task.id}, action {action.id} names the unknown {action.by} tool "
                f"{action.name!r}"
            )
    assertions = () if criteria is None else criteria.env_assertions or ()
    functions = () if task.initial_state is None else task.initial_state.functions
    for call in (*functions, *(assertion.call for assertion in assertions)):
        known = {*domain.kinds.get(call.side, ()), *domain.functions.get(call.side, ())}
        if call.name not in known:
            raise DataError(
                f"{where}: task {task.id} names the unknown {call.side} function {call.name!r}"
            )


def _basis_faults(criteria: Criteria) -> Iterator[str]:
    if not criteria.reward_basis:
        yield "its basis is empty"
    for component in criteria.reward_basis:
        if not criteria.lists(component):
            yield f"{component} is in the basis and has nothing to judge"
    for component in STATED:
        if criteria.lists(component) and component not in criteria.reward_basis:
            yield f"{component} has something to judge and is not in the basis"


def _scenario_faults(scenario: Scenario, validators: Mapping[str, Validator]) -> Iterator[str]:
    script = _script(scenario)
    for fact in scenario.facts:
        if fact.value not in script:
            yield f"fact {fact.name}: {fact.value!r} does not stand in the instructions"
        if not fact.keywords:
            yield f"fact {fact.name} has no keywords"
    for user_action in scenario.user_actions:
        if user_action.name not in validators:
            yield f"user action {user_action.name}: the user has no such tool"
        if not user_action.keywords:
            yield f"user action {user_action.name} has no keywords"
        where = f"user action {user_action.name}"
        yield from _argument_faults(validators.get(user_action.name), user_action.arguments, where)


def _script(scenario: Scenario) -> str:
    script = scenario.instructions
    if not isinstance(script, Instructions):
        return script
    parts = (script.reason_for_call, script.known_info, script.task_instructions)
    return "\n".join(part for part in parts if part)


def _argument_faults(
    validate: Validator | None, arguments: dict[str, object], where: str
) -> Iterator[str]:
    if validate is None:
        return
    try:
        validate(arguments)
    except ToolError as error:
        yield f"{where}: {error}"
