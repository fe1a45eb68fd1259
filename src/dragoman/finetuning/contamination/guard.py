"""Contamination: rows for training that an evaluation has too, in any language.

A row is refused where it is of a task that is evaluated, calls an API that is evaluated, has a request
that is evaluated, word for word or nearly, or makes the very calls that an evaluated task wants.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.training_examples import ExampleOrigin, TrainingExample
from dragoman.finetuning.contamination.near_texts import NearTexts, plain
from dragoman.finetuning.contamination.row_calls import apis_of, calls_of
from dragoman.registry.suites import task_family

LeakKind = Literal["task", "api", "text", "near text", "calls"]

NEAR = 0.7
"""From this share of common pieces on, two requests are nearly the same."""


class EvaluatedTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a task of an evaluation is known by, in one of its languages.

    `calls` are names and arguments as JSON, in any order; `apis` and `digest` as in rows.
    """

    suite: str
    task: str
    request: str
    apis: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    digest: str = ""


class Leak(msgspec.Struct, frozen=True):
    """Why a row is refused: what it shares with which task.

    `likeness` is 1 but for texts that are nearly the same.
    """

    row: str
    kind: LeakKind
    suite: str
    task: str
    shared: str
    likeness: float = 1.0


class Guard:
    """Knows what is evaluated.

    Args:
        evaluated: The tasks, in all languages that are evaluated.
        forbid_apis: Whether a row may call an API that is evaluated: only where APIs are to be unseen.
        near: From which share of common pieces on two requests are nearly the same.
    """

    def __init__(
        self, evaluated: Iterable[EvaluatedTask], *, forbid_apis: bool = True, near: float = NEAR
    ) -> None:
        tasks = list(evaluated)
        self._forbids_apis = forbid_apis
        self._tasks = {(task_family(each.suite), each.task): each for each in tasks}
        self._digests = {each.digest: each for each in tasks if each.digest}
        self._texts = {plain(each.request): each for each in tasks if plain(each.request)}
        self._calls = {_calls_key(each.calls): each for each in tasks if each.calls}
        self._apis: dict[str, EvaluatedTask] = {}
        for each in tasks:
            for api in each.apis:
                self._apis.setdefault(api, each)
        self._near = NearTexts([each.request for each in tasks], near)
        self._listed = tasks

    def leaks(self, row: TrainingExample) -> Iterator[Leak]:
        """Yield what a row shares with what is evaluated; at most one of each kind."""
        origin = row.origin
        same = self._same_task(origin)
        if same is not None:
            yield _leak(row, "task", same, f"{origin.suite} {origin.task}")
        made = calls_of(row)
        if self._forbids_apis:
            api = next((name for name in apis_of(row) if name in self._apis), None)
            if api is not None:
                yield _leak(row, "api", self._apis[api], api)
        text = plain(row.request)
        if text in self._texts:
            yield _leak(row, "text", self._texts[text], row.request)
        else:
            yield from self._nearly(row)
        wanted = self._calls.get(_calls_key(made)) if made else None
        if wanted is not None:
            yield _leak(row, "calls", wanted, ", ".join(name for name, _ in made))

    def _same_task(self, origin: ExampleOrigin) -> EvaluatedTask | None:
        """Return the task that a row is of, by whatever name its suite is evaluated."""
        known = self._digests.get(origin.digest)
        if known is not None or not origin.task:
            return known
        return self._tasks.get((task_family(origin.suite), origin.task))

    def _nearly(self, row: TrainingExample) -> Iterator[Leak]:
        nearest = self._near.nearest(row.request)
        if nearest is not None:
            at, likeness = nearest
            leak = _leak(row, "near text", self._listed[at], self._listed[at].request)
            yield msgspec.structs.replace(leak, likeness=round(likeness, 3))


def guarded(
    rows: Sequence[TrainingExample], guard: Guard
) -> tuple[list[TrainingExample], dict[str, list[Leak]]]:
    """Return the rows that share nothing, and by row what others share."""
    leaks: defaultdict[str, list[Leak]] = defaultdict(list)
    for row in rows:
        for leak in guard.leaks(row):
            leaks[row.id].append(leak)
    return [row for row in rows if row.id not in leaks], dict(leaks)


def _leak(row: TrainingExample, kind: LeakKind, task: EvaluatedTask, shared: str) -> Leak:
    return Leak(row.id, kind, task.suite, task.task, shared)


def _calls_key(calls: Iterable[tuple[str, str]]) -> str:
    return content_key(sorted((name, _sorted_json(arguments)) for name, arguments in calls))


def _sorted_json(arguments: str) -> str:
    try:
        value = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        return arguments
    return msgspec.json.encode(value, order="deterministic").decode()
