"""The messages of a suite's users, each with the values of expected calls that it states."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.facets import ExpectsValues
from dragoman.core.protocols import Suite
from dragoman.core.tasks import Task
from dragoman.core.texts.expected_values import ExpectedValue, expected_value
from dragoman.curation.speech.reading.reader import ReadText


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


def messages_of(suite: Suite) -> Iterator[UserMessage]:
    """Yield the messages that users of a suite say in words that the suite fixes.

    Raises:
        UsageError: Where nothing that its users say is fixed.
    """
    found = False
    for task in suite.tasks:
        expected = expected_values(suite, task)
        for turn, place, text in _texts(task):
            found = True
            yield _message(task, (turn, place), text, expected)
    if not found:
        raise UsageError(f"{suite.name}: its users' words are not fixed, so none can be rewritten")


def expected_values(suite: Suite, task: Task) -> Sequence[ExpectedValue]:
    """Return the values of a task's expected calls, and what its user knows."""
    if isinstance(suite, ExpectsValues):
        return suite.expected_values(task)
    actions = () if task.criteria is None else task.criteria.actions or ()
    known = [expected_value(0, fact.name, (fact.value,)) for fact in task.scenario.facts]
    return known + [
        expected_value(action.turn, name, (value,))
        for action in actions
        for name, value in action.arguments.items()
    ]


def _texts(task: Task) -> Iterator[tuple[int, int, str]]:
    """Yield what the user says; words of the benchmark in a turn in which tools appear are no user's."""
    for number, turn in enumerate(task.turns):
        if not turn.adds_tools:
            for place, text in enumerate(turn.messages):
                yield number, place, text
    if not task.turns and task.scenario.opening:
        yield 0, 0, task.scenario.opening


def _message(
    task: Task, at: tuple[int, int], text: str, expected: Sequence[ExpectedValue]
) -> UserMessage:
    turn, place = at
    read = ReadText(text)
    of_turn = [each for each in expected if each.turn == turn]
    stated: dict[StatedValue, None] = {}
    unstated = 0
    for each in of_turn:
        values = _stated(each, read)
        unstated += not values
        stated |= dict.fromkeys(StatedValue(each.argument, value) for value in values)
    return UserMessage(task.suite, task.id, turn, place, text, tuple(stated), unstated)


def _stated(expected: ExpectedValue, read: ReadText) -> tuple[str, ...]:
    """Return what is stated of the alternative of which most is; of equal ones the first."""
    candidates = (
        tuple(value for value in alternative if read.how(value) is not None)
        for alternative in expected.alternatives
    )
    return max(candidates, key=len, default=())
