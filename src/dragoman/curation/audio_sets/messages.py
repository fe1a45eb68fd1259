"""User messages of a suite with the values they state, and proof that a rewrite keeps them all."""

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from dragoman.benchmarks.kit.recorded_suite import values_of_reference_plan
from dragoman.core.capabilities import ExpectsValues
from dragoman.core.clarifications import by_topic
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.core.tasks import Task, fixed_messages
from dragoman.core.texts.expected_values import ExpectedValue

How = Literal["exactly", "spelled", "in words"]
"""As it is written, or in another written form; sign by sign or in groups; in words."""


class ValueReader(Protocol):
    """Finds values in texts; equal readers find the same."""

    def __hash__(self) -> int:
        """Return a hash, as what was found is remembered by reader."""
        ...

    def how_stated(self, value: str, text: str) -> How | None:
        """Return how a typed text states a value; None where it does not."""
        ...

    def how_said(self, value: str, text: str) -> How | None:
        """Return how a text that is said or heard states a value; None where it does not."""
        ...


class StatedValue(msgspec.Struct, frozen=True):
    """A value that a message states, and the parameter or fact that it is for."""

    topic: str
    value: str


class UserMessage(msgspec.Struct, frozen=True):
    """What a user says at one place of a task.

    Attributes:
        suite: The task's suite: its category.
        task: The task's id.
        turn: The turn, from 0.
        place: Which message of the turn, from 0.
        text: The words.
        values: What it states of the values of expected calls, in their order.
        unstated: How many values of its turn it does not state: what tools tell, or defaults.
    """

    suite: str
    task: str
    turn: int
    place: int
    text: str
    values: tuple[StatedValue, ...]
    unstated: int

    @property
    def address(self) -> str:
        """Where it stands: task, turn and place."""
        return f"{self.task}/{self.turn}.{self.place}"


def messages_of(
    suites: Sequence[Suite], reader: ValueReader, sample: int = 0
) -> Iterator[UserMessage]:
    """Yield the messages that users of suites say in words that the suites fix.

    Args:
        suites: The suites, in whose order they come.
        reader: Finds the values that messages state.
        sample: Only those of so many tasks, drawn by their ids over all suites; a larger sample has
            all that a smaller one has. 0 for all.

    Raises:
        UsageError: Where nothing that the users of a suite say is fixed.
    """
    spoken = [(suite, task) for suite in suites for task in _spoken_tasks(suite)]
    kept = {task.id for _, task in spoken}
    if sample:
        kept = set(sorted(kept, key=content_key)[:sample])
    for suite, task in spoken:
        if task.id in kept:
            expected = expected_values(suite, task)
            for turn, place, text in fixed_messages(task):
                yield _message(task, (turn, place), text, expected, reader)


def _spoken_tasks(suite: Suite) -> list[Task]:
    tasks = [task for task in suite.tasks if any(True for _ in fixed_messages(task))]
    if not tasks:
        raise UsageError(f"{suite.name}: its users' words are not fixed, so none can be rewritten")
    return tasks


def expected_values(suite: Suite, task: Task) -> Sequence[ExpectedValue]:
    """Return the values of a task's expected calls, and what its user knows."""
    if isinstance(suite, ExpectsValues):
        return suite.expected_values(task)
    return values_of_reference_plan(task)


def _message(
    task: Task,
    at: tuple[int, int],
    text: str,
    expected: Sequence[ExpectedValue],
    reader: ValueReader,
) -> UserMessage:
    turn, place = at
    of_turn = [each for each in expected if each.turn == turn]
    stated: dict[StatedValue, None] = {}
    unstated = 0
    for each in of_turn:
        values = _best_stated_values(each, text, reader)
        unstated += not values
        stated |= dict.fromkeys(StatedValue(each.argument, value) for value in values)
    return UserMessage(task.suite, task.id, turn, place, text, tuple(stated), unstated)


def _best_stated_values(expected: ExpectedValue, text: str, reader: ValueReader) -> tuple[str, ...]:
    """Return what is stated of the alternative of which most is; of equal ones the first."""
    candidates = (
        tuple(value for value in alternative if reader.how_stated(value, text) is not None)
        for alternative in expected.alternatives
    )
    return max(candidates, key=len, default=())


def topics_of(values: Sequence[StatedValue]) -> dict[str, str]:
    """Return the values that a message states, by topic.

    A parameter with several values gets numbered topics: `city_2`.
    """
    return by_topic((each.topic, each.value) for each in values)


class RecoveredValue(msgspec.Struct, frozen=True):
    """A value and how it is found again.

    Attributes:
        topic: What it is for.
        value: As calls must have it.
        how: How it is found; None where it is not.
        why: Why it is not found; "" where it is.
        is_case_unheard: It is spelled or in words, and which of its letters are capitals is not
            said.
    """

    topic: str
    value: str
    how: How | None
    why: str = ""
    is_case_unheard: bool = False


def recover_values(
    values: Sequence[StatedValue], said: str, reader: ValueReader
) -> tuple[RecoveredValue, ...]:
    """Return for each value how a rewritten text states it."""
    return tuple(_recover_value(each, said, reader) for each in values)


def _recover_value(stated: StatedValue, said: str, reader: ValueReader) -> RecoveredValue:
    value = stated.value
    how = reader.how_said(value, said)
    if how is None:
        return RecoveredValue(stated.topic, value, None, "not found in the rewritten text")
    is_unheard = how != "exactly" and has_unheard_case(value)
    return RecoveredValue(stated.topic, value, how, is_case_unheard=is_unheard)


def has_unheard_case(value: str) -> bool:
    """Whether nobody can tell from a value's letters which are capitals."""
    return value not in {value.lower(), value.upper(), value.capitalize(), value.title()}


def lost_values(proof: Sequence[RecoveredValue]) -> tuple[str, ...]:
    """Return the values that are not found again."""
    return tuple(dict.fromkeys(each.value for each in proof if each.how is None))
