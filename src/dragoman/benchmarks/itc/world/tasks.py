"""The bundled tasks, as all other code knows them."""

import itertools
from collections.abc import Iterable, Iterator, Mapping

from dragoman.benchmarks.itc.world.offering import is_held_out, offered
from dragoman.benchmarks.itc.world.rows import ApiRow, CountryRow
from dragoman.benchmarks.itc.world.task_rows import (
    CallRow,
    TaskFile,
    TaskRow,
    read_task_files,
    references,
)
from dragoman.core.apis.tasks import ApiCall, ApiTask, CallKind

BY_HAND = "hand"
GLOBAL = "Global"


def tasks_of(countries: Iterable[CountryRow]) -> tuple[ApiTask, ...]:
    """Return the bundled tasks over some countries' APIs.

    Raises:
        DataError: Where a task does not fit the APIs.
    """
    countries = tuple(countries)
    apis = {api.id: api for country in countries for api in country.api}
    lands = {api.id: country for country in countries for api in country.api}
    return tuple(
        _task(task, file, apis, lands) for file in read_task_files(apis) for task in file.task
    )


def kind_of_calls(calls: tuple[CallRow, ...]) -> CallKind:
    """Return what kind of calls some are."""
    if not calls:
        return "none"
    if any(references(value) for call in calls for value in call.given.values()):
        return "nested"
    if len(calls) == 1:
        return "single"
    return "repeated" if len({call.api for call in calls}) == 1 else "parallel"


def _task(
    task: TaskRow, file: TaskFile, apis: Mapping[str, ApiRow], lands: Mapping[str, CountryRow]
) -> ApiTask:
    found = [lands[call.api].country for call in task.calls]
    local = [name for name in found if name != GLOBAL]
    return ApiTask(
        id=task.id,
        query=task.query,
        language=file.language,
        kind=kind_of_calls(task.calls),
        offered=tuple(f"{lands[name].id}/{apis[name].name}" for name in offered(task, apis)),
        gold=tuple(ApiCall(apis[call.api].name, call.given, call.also) for call in task.calls),
        country=task.country or (local or found)[0],
        traps=task.traps,
        made_by=BY_HAND,
        split="test" if is_held_out(task, apis) else "train",
        plans=tuple(_plans(task, apis)),
    )


def _plans(task: TaskRow, apis: Mapping[str, ApiRow]) -> Iterator[tuple[ApiCall, ...]]:
    """Yield the other plans of a task: every choice among its calls' arguments but gold itself."""
    for calls in (task.calls, *task.plans):
        choices = [
            (ApiCall(apis[call.api].name, call.given, call.also), *_instead(call, apis))
            for call in calls
        ]
        made = itertools.product(*choices)
        yield from itertools.islice(made, 1 if calls is task.calls else 0, None)


def _instead(call: CallRow, apis: Mapping[str, ApiRow]) -> Iterator[ApiCall]:
    return (ApiCall(apis[call.api].name, given) for given in call.instead)
