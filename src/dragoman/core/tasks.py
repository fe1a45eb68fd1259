"""Tasks of benchmarks: user scenario, initial state, reference plan and success criteria."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from dragoman.core.episodes import Event
from dragoman.core.errors import DataError
from dragoman.core.renamed_members import RenamedFields
from dragoman.core.tools import Role

Component = Literal["DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE", "NL_ASSERTION", "CALLS"]
"""The parts of a reward, named as in tau2-bench; CALLS is a suite's own check of calls."""


class Action(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call of the reference plan.

    `compare` names the arguments that must be equal; None leaves the choice to the rules. `turn`
    and `positionals` serve benchmarks that fix the turns and write calls as code. `also` has other
    right values, by argument. `defaults` are the values that the tool declares for optional
    arguments.
    """

    id: str
    name: str
    arguments: dict[str, object]
    by: Role = "agent"
    compare: tuple[str, ...] | None = None
    turn: int = 0
    positionals: tuple[object, ...] = ()
    also: dict[str, tuple[object, ...]] = {}
    defaults: dict[str, object] = {}


class FunctionCall(msgspec.Struct, frozen=True):
    """A call of a world's function that no participant sees (set-up and assertions)."""

    side: Role
    name: str
    arguments: dict[str, object]


class EnvAssertion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A function of the world whose result must equal `expected` in the end."""

    call: FunctionCall
    expected: bool = True
    message: str | None = None


class Criteria(msgspec.Struct, frozen=True, omit_defaults=True):
    """The success criteria; the reward is the product of the components in `reward_basis`.

    `actions` and `env_assertions` are None if the task has no such list at all, which differs from
    an empty list: the reference compares states only if one of them exists. `plans` are alternative
    lists of actions that are equally right as a whole.
    """

    reward_basis: tuple[Component, ...] = msgspec.field(name="basis")
    actions: tuple[Action, ...] | None = None
    env_assertions: tuple[EnvAssertion, ...] | None = None
    communicate_info: tuple[str, ...] = msgspec.field(default=(), name="must_say")
    assertions: tuple[str, ...] = ()
    plans: tuple[tuple[Action, ...], ...] = ()

    def lists(self, component: Component) -> bool:
        """Return whether the task gives a component something to judge."""
        match component:
            case "DB":
                return self.actions is not None or self.env_assertions is not None
            case "ENV_ASSERTION":
                return bool(self.env_assertions)
            case "ACTION":
                return bool(self.actions)
            case "COMMUNICATE":
                return bool(self.communicate_info)
            case "NL_ASSERTION":
                return bool(self.assertions)
            case "CALLS":
                return "CALLS" in self.reward_basis


class Instructions(msgspec.Struct, frozen=True, omit_defaults=True):
    """A user's script in parts."""

    domain: str
    reason_for_call: str
    task_instructions: str
    known_info: str | None = None
    unknown_info: str | None = None


class KnownFact(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fact that a user knows and states on request.

    `keywords` are the words of a question for it.
    """

    name: str
    value: str
    keywords: tuple[str, ...] = ()


class UserAction(msgspec.Struct, frozen=True, omit_defaults=True):
    """An action of a user on request: a call of its own tool, whose result it reports."""

    name: str
    arguments: dict[str, object] = {}
    keywords: tuple[str, ...] = ()


class Scenario(RenamedFields, frozen=True, omit_defaults=True):
    """The identity and the goal of the user.

    `opening`, `facts` and `user_actions` say the same as data, for users that are played without a
    model.
    """

    instructions: str | Instructions
    persona: str | None = None
    opening: str = ""
    facts: tuple[KnownFact, ...] = ()
    user_actions: tuple[UserAction, ...] = msgspec.field(default=(), name="deeds")


class FixedTurn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn whose user messages the benchmark fixes; tools may appear with it.

    `answer` is the final answer of the reference plan, if it matters.
    """

    messages: tuple[str, ...]
    adds_tools: tuple[str, ...] = ()
    answer: str = ""


class InitialState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The difference from the benchmark's world before the first word.

    `data` is laid over each side's database before `functions` run. `history` holds the words and
    calls before the measured conversation; the effects of its writes are in the world.
    """

    data: dict[Role, dict[str, object]] = {}
    functions: tuple[FunctionCall, ...] = ()
    history: tuple[Event, ...] = ()


class CriticalField(msgspec.Struct, frozen=True):
    """An argument of a reference action (by its id) that must not be misrecognized."""

    action: str
    argument: str


class Escalation(msgspec.Struct, frozen=True):
    """A case that a suite's policy leaves to a person.

    Attributes:
        reason: The code of the case.
        when: The condition of the case.
        place: The sentence of the policy that it follows from, as `FILE: heading`.
        tasks: The tasks in which it applies; `*` stands for any text. A task whose plan hands over
            for this reason need not be named.
        since: The first edition of the suite's list that has the case. A rubric says which edition
            its judge gets, so that a conversation that was judged by a shorter list keeps it.
    """

    reason: str
    when: str
    place: str = ""
    tasks: tuple[str, ...] = ()
    since: int = 1

    def concerns(self, task: str) -> bool:
        """Return whether a task is named.

        Brackets, which ids of tau2-bench's telecom have, are not patterns.
        """
        return any(
            re.fullmatch(".*".join(map(re.escape, name.split("*"))), task) for name in self.tasks
        )


class RiskProfile(msgspec.Struct, frozen=True):
    """The risks of a suite.

    Attributes:
        irreversible: The tools whose effects no other tool undoes.
        escalation_tool: The tool that hands over to a person.
        escalations: The duties to hand over, in addition to those in a task's plan.
    """

    irreversible: tuple[str, ...] = ()
    escalation_tool: str = ""
    escalations: tuple[Escalation, ...] = ()


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task of a suite. `digest` is the content hash of the benchmark's own record.

    `after` names tasks of the same suite that the same agent must have played before, in the same
    trial: the world begins as they left it. Such tasks only prepare others and are not judged; the
    digest covers their records too. `labels` say what kind of task it is, such as its language, for
    figures by kind (`core.apis.metrics` names the labels of API calls).
    """

    id: str
    suite: str
    digest: str
    scenario: Scenario
    criteria: Criteria | None = None
    initial_state: InitialState | None = None
    ticket: str | None = None
    turns: tuple[FixedTurn, ...] = ()
    withheld_tools: tuple[str, ...] = ()
    critical: tuple[CriticalField, ...] = ()
    after: tuple[str, ...] = ()
    labels: dict[str, str] = {}

    @property
    def wanted(self) -> str:
        """The user's goal, in the words of the data."""
        script = self.scenario.instructions
        said = script if isinstance(script, str) else script.reason_for_call
        return said or " ".join(self.turns[0].messages if self.turns else ())

    @property
    def history(self) -> tuple[Event, ...]:
        """The events before the measured conversation."""
        return () if self.initial_state is None else self.initial_state.history


def fixed_messages(task: Task) -> Iterator[tuple[int, int, str]]:
    """Yield turn, place and text of each user message that a task fixes.

    In a turn in which tools appear, the words are the benchmark's and not a user's.
    """
    for number, turn in enumerate(task.turns):
        if not turn.adds_tools:
            for place, text in enumerate(turn.messages):
                yield number, place, text
    if not task.turns and task.scenario.opening:
        yield 0, 0, task.scenario.opening


def prerequisite_chain(task: Task, tasks: Mapping[str, Task]) -> tuple[Task, ...]:
    """Return the tasks that must have been played before a task, in their order.

    Args:
        task: The task.
        tasks: All tasks of its suite, by id.

    Raises:
        DataError: If a task comes after one that does not exist, or after itself.
    """
    chain: dict[str, Task] = {}
    _add_chain(task, tasks, chain, (task.id,))
    return tuple(chain.values())


def _add_chain(
    task: Task, tasks: Mapping[str, Task], chain: dict[str, Task], path: tuple[str, ...]
) -> None:
    for name in task.after:
        if name in chain:
            continue
        if name not in tasks or name in path:
            why = "which does not exist" if name not in tasks else "which comes after it"
            raise DataError(f"{task.suite}: task {task.id} comes after {name!r:.80}, {why}")
        _add_chain(tasks[name], tasks, chain, (*path, name))
        chain[name] = tasks[name]
