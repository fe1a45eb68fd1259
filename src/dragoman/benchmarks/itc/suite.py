"""The ITC suite: one query per task, answered by calls in one reply or step by step."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.benchmarks.itc.gold_calls_check import GoldCallsCheck, answer_reader
from dragoman.benchmarks.itc.task_sets import (
    ApiReplyEnvironment,
    CallSet,
    SetTask,
    alternative_plans,
    plan_actions,
)
from dragoman.benchmarks.kit.api_tools import (
    ThoughtAndActionFormat,
    native_tool_names,
    operation_tool,
    prompt_text,
)
from dragoman.benchmarks.kit.environment import OfferedTools
from dragoman.benchmarks.kit.turn_protocols import SingleTurn
from dragoman.core.apis.documents import Operation, operations
from dragoman.core.apis.itc_answers import FORM
from dragoman.core.apis.metrics import (
    CATEGORY_LABEL,
    COUNTRY_LABEL,
    KIND_LABEL,
    LANGUAGE_LABEL,
    NO_ARGUMENTS,
    NO_TOOLS,
)
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.conditions import ENGLISH, Condition
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import (
    Environment,
    EnvironmentFactory,
    Limits,
    Provenance,
    TurnProtocol,
)
from dragoman.core.rules import Rules
from dragoman.core.tasks import Action, Criteria, FixedTurn, InitialState, Scenario, Task
from dragoman.core.texts.entities import expected_value
from dragoman.core.texts.expected_values import ExpectedValue
from dragoman.core.tools import Toolset

MAX_STEPS = 12
"""Replies with calls that are executed in a nested task; one more ends it."""

MEASURES = ("calls", "thoughts")
"""Measures that summarize a run by default."""


class ApiSuite:
    """The tasks of one set."""

    asks_for_text = False
    measures: Sequence[str] = MEASURES

    def __init__(self, given: CallSet) -> None:
        self.name = given.name
        self._set = given
        self._operations = dict(
            each for document in given.documents for each in operations(document)
        )
        self._wire = native_tool_names(each.name for each in self._operations.values())
        self._defaults = {
            self._wire[each.name]: _declared_defaults(each) for each in self._operations.values()
        }
        self._offered = {each.task.id: each.task.offered for each in given.tasks}
        self.tasks: Sequence[Task] = tuple(map(self._task, given.tasks))
        self._instructions = {each.task.id: each.instructions for each in given.tasks}
        self._policy = prompt_text("policy")
        self._toolsets: dict[str, Toolset] = {}
        digests = content_key(*(task.digest for task in self.tasks))
        self.provenance: Provenance = msgspec.structs.replace(given.provenance, digest=digests)

    def not_applicable(self, condition: Condition) -> str:
        """Return why the suite cannot be played under a condition; "" where it can."""
        if condition.is_localized:
            return "its queries have languages of their own"
        if condition.persona != "none":
            return "one fixed query leaves no room for a persona"
        if condition.voice != "text" and any(_language(task) != ENGLISH for task in self.tasks):
            return f"not all of its queries are English: speak {self.name}/en"
        return ""

    def policy(self, task: Task, environment: Environment) -> str:  # noqa: ARG002
        """Return what agents are told, with calls in either way."""
        return "\n\n".join(
            filter(None, (self._policy, self._set.instructions, self._instructions[task.id]))
        )

    def factory(self, rules: Rules) -> EnvironmentFactory:  # noqa: ARG002
        """Return what makes the functions of a task."""
        replies = self._set.replies
        if replies is None:
            return lambda task: OfferedTools(self.tools(task))
        own = {wire: name for name, wire in self._wire.items()}
        return lambda task: ApiReplyEnvironment(self.tools(task), own, replies)

    def tools(self, task: Task) -> Toolset:
        """Return the functions that a task offers, encoded once."""
        found = self._toolsets.get(task.id)
        if found is None:
            offered = map(self._operation, self._offered[task.id])
            tools = {self._wire[each.name]: each for each in offered}
            specs = tuple(operation_tool(each, name) for name, each in tools.items())
            found = self._toolsets[task.id] = Toolset(specs)
        return found

    def turn_protocol(
        self,
        task: Task,
        environment: Environment,
        rules: Rules,  # noqa: ARG002 - a task has its own
        limits: Limits,  # noqa: ARG002 - a task has its own
    ) -> TurnProtocol:
        """Return the protocol of one query: one reply, or as many as nested calls need."""
        is_nested = task.labels[KIND_LABEL] == "nested" and self._set.replies is not None
        return SingleTurn(task, environment, MAX_STEPS if is_nested else 0)

    def check(self, rules: Rules) -> GoldCallsCheck:
        """Return what judges calls."""
        return GoldCallsCheck(self.tools, self._names, rules)

    def expected_values(self, task: Task) -> Sequence[ExpectedValue]:
        """Return the values that will do for each argument."""
        actions = () if task.criteria is None else task.criteria.actions or ()
        return [
            expected_value(0, name, (value, *action.also.get(name, ())))
            for action in actions
            for name, value in action.arguments.items()
        ]

    def texts(self) -> Mapping[str, object]:
        """Return the functions on offer; no query is among them."""
        return {"tools": [msgspec.to_builtins(each) for each in self._operations.values()]}

    def text_protocol(self, options: Mapping[str, str], rules: Rules) -> ThoughtAndActionFormat:
        """Return how functions are offered and called as text.

        Raises:
            UsageError: For another form than `calls=thought-action`.
        """
        if dict(options) != {"calls": FORM}:
            raise UsageError(
                f"{self.name} has one form for calls in text: write calls={FORM} alone"
            )
        return ThoughtAndActionFormat(self._names, answer_reader(rules))

    def _criteria(self, task: ApiTask, actions: Sequence[Action]) -> Criteria:
        replies = self._set.replies
        plans: tuple[tuple[Action, ...], ...] = ()
        try:
            if replies is not None:
                plans = alternative_plans(task, self._wire, replies)
        except DataError as error:
            raise DataError(f"{self.name}, task {task.id:.120}: {error}") from error
        return Criteria(
            ("CALLS",),
            tuple(map(self._with_defaults, actions)),
            plans=tuple(tuple(map(self._with_defaults, plan)) for plan in plans),
        )

    def _with_defaults(self, action: Action) -> Action:
        return msgspec.structs.replace(action, defaults=self._defaults.get(action.name, {}))

    def _names(self, task: Task) -> Mapping[str, str]:
        own = {wire: name for name, wire in self._wire.items()}
        return {tool.name: own[tool.name] for tool in self.tools(task)}

    def _operation(self, name: str) -> Operation:
        found = self._operations.get(name)
        if found is None:
            raise DataError(f"{self.name}: a task offers {name!r:.120}, which no document has")
        return found

    def _task(self, given: SetTask) -> Task:
        task = given.task
        unresolved = given.no_arguments
        try:
            actions = plan_actions(task.gold, self._wire, None if unresolved else self._set.replies)
        except DataError as error:
            unresolved = str(error)
            actions = plan_actions(task.gold, self._wire, None)
        offered = [self._operation(name) for name in task.offered]
        labels = dict(_labels(given, unresolved, _category(task, offered)))
        # Plans change no conversation, and no cell's key: only rules from itc-2 on look at them.
        alone = msgspec.structs.replace(given, task=msgspec.structs.replace(task, plans=()))
        return Task(
            task.id,
            self.name,
            content_key(msgspec.to_builtins(alone), msgspec.to_builtins(actions), offered),
            Scenario(task.query),
            self._criteria(task, actions),
            InitialState(history=given.history) if given.history else None,
            turns=(FixedTurn((task.query,) if task.query else ()),),
            labels=labels,
        )


def _declared_defaults(operation: Operation) -> dict[str, object]:
    """Return the defaults of optional arguments."""
    return {
        each.name: each.default
        for each in operation.optional_parameters
        if each.default is not None and each.default != ""
    }


def _category(task: ApiTask, offered: Sequence[Operation]) -> str:
    """Return the category of what the first gold call reaches; "" where there is none."""
    first = task.gold[0].tool if task.gold else ""
    return next((each.category for each in offered if each.name == first), "")


def _labels(given: SetTask, no_arguments: str, category: str) -> Iterator[tuple[str, str]]:
    found = {
        LANGUAGE_LABEL: given.task.language,
        COUNTRY_LABEL: given.task.country,
        CATEGORY_LABEL: category,
        KIND_LABEL: given.task.kind,
        NO_TOOLS: given.no_tools,
        NO_ARGUMENTS: no_arguments,
    }
    yield from ((name, value) for name, value in found.items() if value)


def _language(task: Task) -> str:
    return task.labels.get(LANGUAGE_LABEL, ENGLISH).partition("-")[0]
