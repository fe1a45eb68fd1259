"""Task sets over web APIs, reference plans made from gold calls, and their environment.

Gold calls become actions with native tool names and with values filled in from earlier results. A
task may have alternative plans, which must return every value that the gold calls return. The
environment answers a call as the API would, and has no state to change.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.grading import canonical_value
from dragoman.core.apis.tasks import (
    ApiCall,
    ApiTask,
    parse_reference,
    parse_result,
    resolve_reference,
)
from dragoman.core.episodes import Event
from dragoman.core.errors import DataError
from dragoman.core.protocols import Provenance, StateDelta
from dragoman.core.tasks import Action
from dragoman.core.tools import NO_TOOLS, Change, Role, ToolCall, ToolKind, ToolResult, Toolset


class ApiReply(msgspec.Struct, frozen=True):
    """An API's answer: the text, and whether it is an error."""

    text: str
    is_error: bool = False


Replies = Callable[[str, Mapping[str, object]], ApiReply]
"""A function that answers a call from the operation's name and arguments.

It answers an unknown operation with an error message.
"""


class SetTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task, with the additions of third-party sets.

    Attributes:
        task: The task.
        no_tools: Reason why its gold tools are unknown; "" if they are known.
        no_arguments: Reason why its gold arguments are unknown; "" if they are known.
        history: The conversation before the query.
        instructions: Additional instructions for an agent, of this task alone.
    """

    task: ApiTask
    no_tools: str = ""
    no_arguments: str = ""
    history: tuple[Event, ...] = ()
    instructions: str = msgspec.field(default="", name="told")


class CallSet(msgspec.Struct, frozen=True):
    """A set of tasks.

    Attributes:
        name: The suite's, such as `itc:world`.
        documents: The APIs.
        tasks: The tasks.
        provenance: The origin of the tasks.
        instructions: Additional instructions for an agent, such as today's date.
        replies: Function that returns an API's answer; None if nothing answers, so that calls are
            judged and not executed.
    """

    name: str
    documents: tuple[ApiDocument, ...]
    tasks: tuple[SetTask, ...]
    provenance: Provenance
    instructions: str = ""
    replies: Replies | None = None


def plan_actions(
    gold: Sequence[ApiCall], names: Mapping[str, str], replies: Replies | None
) -> tuple[Action, ...]:
    """Return gold calls as actions, with values filled in from earlier results.

    Args:
        gold: The calls.
        names: Native names of the operations, by their own names.
        replies: Function that returns an API's answer; None leaves references as they are written.

    Raises:
        DataError: If an earlier result does not hold a value that a call takes from it.
    """
    results: list[object] = []
    actions = []
    for number, call in enumerate(gold, 1):
        arguments = {
            name: _resolve_value(value, results, replies is not None)
            for name, value in call.arguments.items()
        }
        if replies is not None and any(_refers(later, number) for later in gold):
            results += [None] * (number - 1 - len(results)) + [
                parse_result(replies(call.tool, arguments).text)
            ]
        name = names.get(call.tool, call.tool)
        actions.append(Action(str(number), name, arguments, also=call.also))
    return tuple(actions)


def takes_results(call: ApiCall) -> bool:
    """Return whether a call takes values from the results of others."""
    return any(parse_reference(value) is not None for value in call.arguments.values())


def _refers(call: ApiCall, number: int) -> bool:
    found = map(parse_reference, call.arguments.values())
    return any(each is not None and each.call == number for each in found)


def _resolve_value(value: object, results: Sequence[object], is_answered: bool) -> object:
    reference = parse_reference(value)
    if reference is None or not is_answered:
        return value
    found = resolve_reference(reference, results)
    if found is None:
        raise DataError(
            f"{reference.written}: the result of call {reference.call} does not hold it"
        )
    return found


def alternative_plans(
    task: ApiTask, names: Mapping[str, str], replies: Replies
) -> tuple[tuple[Action, ...], ...]:
    """Return a task's other plans as actions, each made and compared with gold.

    Args:
        task: The task.
        names: Native names of the operations, by their own names.
        replies: Function that returns an API's answer.

    Raises:
        DataError: If an API refuses a plan, or a plan does not return the values that gold returns;
            the message names the plan and the call or the values.
    """
    if not task.plans:
        return ()
    own = {wire: name for name, wire in names.items()}
    wanted = _values(plan_actions(task.gold, names, replies), own, replies, "its gold")
    found = []
    for number, plan in enumerate(task.plans, 1):
        where = f"its plan {number}"
        actions = plan_actions(plan, names, replies)
        lacking = sorted(map(str, wanted - _values(actions, own, replies, where)))
        if lacking:
            raise DataError(f"{where} does not give what gold gives: {', '.join(lacking)[:200]}")
        found.append(actions)
    return tuple(found)


def _values(
    actions: Sequence[Action], own: Mapping[str, str], replies: Replies, where: str
) -> frozenset[tuple[str, object]]:
    """Return the values that calls return, with the names of their fields."""
    found: set[tuple[str, object]] = set()
    for action in actions:
        reply = replies(own.get(action.name, action.name), action.arguments)
        if reply.is_error:
            raise DataError(f"{where} is refused: {action.name}: {reply.text[:120]}")
        found |= set(_leaf_values(parse_result(reply.text), ""))
    return frozenset(found)


def _leaf_values(value: object, name: str) -> Iterator[tuple[str, object]]:
    match value:
        case dict():
            for key, each in value.items():
                yield from _leaf_values(each, str(key))
        case list():
            for each in value:
                yield from _leaf_values(each, name)
        case _:
            yield name, canonical_value(value)


MAX_RESULT = 20_000
"""Characters of an answer that an agent is shown."""


class ApiReplyEnvironment:
    """The functions of one task, answered.

    Args:
        tools: The functions on offer.
        operations: The operations' own names by those of native calls.
        replies: Function that returns an API's answer.
    """

    def __init__(self, tools: Toolset, operations: Mapping[str, str], replies: Replies) -> None:
        self._tools = tools
        self._operations = operations
        self._replies = replies

    def tools(self, side: Role) -> Toolset:
        """Return the functions on offer."""
        return self._tools if side == "agent" else NO_TOOLS

    def kind(self, name: str) -> ToolKind | None:
        """Return that every API only tells something."""
        return "read" if name in self._tools else None

    def owner(self, call: ToolCall) -> Role | None:
        """Return the agent for every function on offer."""
        return "agent" if call.name in self._tools and call.by == "agent" else None

    def call(self, call: ToolCall) -> ToolResult:
        """Answer a call; one of a function that is not offered is refused."""
        if call.name not in self._tools or call.malformed:
            why = call.malformed or f"there is no function {call.name!r:.80}"
            return ToolResult(call.id, call.name, f"Error: {why}", call.by, error=True)
        reply = self._replies(self._operations[call.name], call.arguments)
        return ToolResult(
            call.id, call.name, reply.text[:MAX_RESULT], call.by, error=reply.is_error
        )

    def take_changes(self) -> tuple[Change, ...]:
        """Return no changes."""
        return ()

    def delta(self) -> StateDelta:
        """Return no differences."""
        return {}
