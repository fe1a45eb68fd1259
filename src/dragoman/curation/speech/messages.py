"""The messages of a suite's users, each with the values of expected calls that it states."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.benchmarks.kit.recorded_suite import values_of_reference_plan
from dragoman.core.capabilities import ExpectsValues
from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.core.tasks import Task, fixed_messages
from dragoman.core.texts.entities import ExpectedValue
from dragoman.curation.speech.reading.how import ValueReader


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
        values = _stated(each, text, reader)
        unstated += not values
        stated |= dict.fromkeys(StatedValue(each.argument, value) for value in values)
    return UserMessage(task.suite, task.id, turn, place, text, tuple(stated), unstated)


def _stated(expected: ExpectedValue, text: str, reader: ValueReader) -> tuple[str, ...]:
    """Return what is stated of the alternative of which most is; of equal ones the first."""
    candidates = (
        tuple(value for value in alternative if reader.how_stated(value, text) is not None)
        for alternative in expected.alternatives
    )
    return max(candidates, key=len, default=())
