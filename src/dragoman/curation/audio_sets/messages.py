"""User messages of a suite with their values, and proof that a rewrite keeps them all."""

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
"""The form in which a text states a value.

`exactly`: as written or in another notation. `in words`: in words. `spelled`: character by
character or in groups.
"""


class ValueReader(Protocol):
    """A reader that finds values in texts; equal readers find the same values."""

    def __hash__(self) -> int:
        """Return a hash, since results are cached by reader."""
        ...

    def how_stated(self, value: str, text: str) -> How | None:
        """Return the form in which a typed text states a value; None if it does not."""
        ...

    def how_said(self, value: str, text: str) -> How | None:
        """Return the form in which a said or heard text states a value; None if it does not."""
        ...


class StatedValue(msgspec.Struct, frozen=True):
    """A value that a message states, and its parameter or fact."""

    topic: str
    value: str


class UserMessage(msgspec.Struct, frozen=True):
    """A message of a user at one place of a task.

    Attributes:
        suite: The task's suite, which is the message's category.
        task: The task's id.
        turn: The turn, from 0.
        place: The number of the message in the turn, from 0.
        text: The words.
        values: The values of expected calls that it states, in their order.
        unstated: Number of values of its turn that it does not state: results of tools, or
            defaults.
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
        """The place of the message: task, turn and number."""
        return f"{self.task}/{self.turn}.{self.place}"


def messages_of(
    suites: Sequence[Suite], reader: ValueReader, sample: int = 0
) -> Iterator[UserMessage]:
    """Yield the messages of users whose words the suites fix.

    Args:
        suites: The suites, in the order of the messages.
        reader: Finds the values that messages state.
        sample: Number of tasks, drawn by their ids over all suites; 0 for all. A larger sample
            includes a smaller one.

    Raises:
        UsageError: If a suite fixes no words of its users.
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
    """Return the values of a task's expected calls, and the values that its user knows."""
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
    """Return the stated values of the best alternative; of equal ones the first."""
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
    """A value and the form in which it is found again.

    Attributes:
        topic: The parameter or fact of the value.
        value: The value, as calls must have it.
        how: The form in which it is found; None if it is not found.
        why: The reason if it is not found; "" if it is.
        is_case_unheard: Whether it is spelled or in words and its capital letters are not
            identified.
    """

    topic: str
    value: str
    how: How | None
    why: str = ""
    is_case_unheard: bool = False


def recover_values(
    values: Sequence[StatedValue], said: str, reader: ValueReader
) -> tuple[RecoveredValue, ...]:
    """Return for each value the form in which a rewritten text states it."""
    return tuple(_recover_value(each, said, reader) for each in values)


def _recover_value(stated: StatedValue, said: str, reader: ValueReader) -> RecoveredValue:
    value = stated.value
    how = reader.how_said(value, said)
    if how is None:
        return RecoveredValue(stated.topic, value, None, "not found in the rewritten text")
    is_unheard = how != "exactly" and has_unheard_case(value)
    return RecoveredValue(stated.topic, value, how, is_case_unheard=is_unheard)


def has_unheard_case(value: str) -> bool:
    """Return whether the capital letters of a value cannot be told from its letters."""
    return value not in {value.lower(), value.upper(), value.capitalize(), value.title()}


def lost_values(proof: Sequence[RecoveredValue]) -> tuple[str, ...]:
    """Return the values that are not found again."""
    return tuple(dict.fromkeys(each.value for each in proof if each.how is None))
