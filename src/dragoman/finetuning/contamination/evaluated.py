"""Suites as the contamination guard knows them."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.core.tasks import Task, fixed_messages
from dragoman.finetuning.contamination.guard import EvaluatedTask
from dragoman.registry.suites import load_suite


def evaluated_tasks(suites: Sequence[str]) -> list[EvaluatedTask]:
    """Return what the tasks of suites are known by.

    Raises:
        UsageError: Where there is no such suite.
        DataError: Where its data are missing or damaged.
    """
    return [each for name in suites for each in _of_suite(name)]


def _of_suite(name: str) -> Iterator[EvaluatedTask]:
    suite = load_suite(name)
    for task in suite.tasks:
        calls = tuple(_calls(task))
        request = "\n".join(text for _, _, text in fixed_messages(task)) or task.wanted
        yield EvaluatedTask(
            suite.name,
            task.id,
            request,
            tuple(dict.fromkeys(name for name, _ in calls)),
            calls,
            task.digest,
        )


def _calls(task: Task) -> Iterator[tuple[str, str]]:
    for action in () if task.criteria is None else task.criteria.actions or ():
        if action.by == "agent":
            yield action.name, msgspec.json.encode(action.arguments).decode()
