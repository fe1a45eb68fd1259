"""Tasks of the bundled world: one file per language, read strictly, and the tools on offer.

A task offers the tools that it needs, tools that look like them, and others.
"""

import itertools
import random
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from dragoman.benchmarks.itc.world.api_data import (
    ApiRow,
    CountryRow,
    ParameterRow,
    bundled_data_folder,
)
from dragoman.core.apis.tasks import ApiCall, ApiTask, CallKind
from dragoman.core.content_keys import derive_seed
from dragoman.core.errors import DataError

Trap = str
TRAPS = frozenset((
    "calendar",
    "digits",
    "number words",
    "separators",
    "code for a word",
    "local value",
    "same name twice",
    "leading zero",
    "letters",
    "look-alike",
    "relative day",
    "other language",
    "no country",
))  # fmt: skip
"""Reasons why a task is hard; `docs/reference/itc.md` explains each."""

REFERENCE = re.compile(r"\$([1-9])((?:\.[^.\s]+)*)")
"""`$1.data.city_ibge`: the first call's result, and the path in it."""

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


class CallRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"given": "with"}):
    """One gold call: an API's id, and canonical values or references `{from = "$1.id"}`.

    Attributes:
        also: Other values that are as right, by argument.
        instead: Other arguments that are as right, all of them together.
    """

    api: str
    given: dict[str, object] = {}
    also: dict[str, tuple[object, ...]] = {}
    instead: tuple[dict[str, object], ...] = ()


class TaskRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One query as somebody who speaks the language types it.

    Attributes:
        offer: APIs that are offered in addition to those of the calls.
        hide: APIs that would fit and are therefore not offered.
        country: Of a task without calls: the country in which it is asked.
        plans: Other calls that are as right as the gold ones, all of them together.
    """

    id: str
    query: str
    calls: tuple[CallRow, ...] = ()
    traps: tuple[Trap, ...] = ()
    offer: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    country: str = ""
    plans: tuple[tuple[CallRow, ...], ...] = ()


class TaskFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tasks of one language."""

    language: str
    task: tuple[TaskRow, ...]


def read_task_files(apis: Mapping[str, ApiRow]) -> Iterator[TaskFile]:
    """Yield the bundled files by language, checked against the APIs.

    Raises:
        DataError: If a file does not have the required form, or a task does not fit the APIs.
    """
    folder = bundled_data_folder() / "tasks"
    for name in sorted(file.name for file in folder.iterdir()):
        yield read_tasks((folder / name).read_bytes(), name, apis)


def read_tasks(content: bytes, name: str, apis: Mapping[str, ApiRow]) -> TaskFile:
    """Read one file.

    Args:
        content: TOML.
        name: The name of the file in errors.
        apis: All APIs by id.

    Raises:
        DataError: If the file does not have the required form, or a task does not fit the APIs.
    """
    try:
        read = msgspec.toml.decode(content, type=TaskFile)
    except msgspec.DecodeError as error:
        raise DataError(f"tasks {name}: {error}") from error
    for task in read.task:
        wrong = next(_wrong(task, apis), "")
        if wrong:
            raise DataError(f"tasks {name}: {task.id}: {wrong}")
    return read


def references(value: object) -> str:
    """Return the path that a value refers to; "" where it is a value of its own."""
    if isinstance(value, dict) and set(value) == {"from"}:
        return str(value["from"])
    return ""


def _wrong(task: TaskRow, apis: Mapping[str, ApiRow]) -> Iterator[str]:
    """Yield what does not fit, one line each."""
    planned = [call for plan in task.plans for call in plan]
    unknown = {*(call.api for call in (*task.calls, *planned)), *task.offer, *task.hide} - set(apis)
    if unknown:
        yield f"no API {', '.join(sorted(unknown))}"
        return
    strange = set(task.traps) - TRAPS
    if strange:
        yield f"no trap {', '.join(sorted(strange))}"
    if bool(task.calls) == bool(task.country):
        yield "a task without calls names its country, another does not"
    if {call.api for call in planned} - {call.api for call in task.calls}:
        yield "a plan calls an API that the gold calls do not, which may not be offered"
    for calls in (task.calls, *task.plans):
        for place, call in enumerate(calls, 1):
            yield from _wrong_call(call, place, apis[call.api])
            for given in call.instead:
                yield from _wrong_call(CallRow(call.api, given), place, apis[call.api])


def _wrong_call(call: CallRow, place: int, api: ApiRow) -> Iterator[str]:
    parameters = {each.name: each for each in api.parameter}
    undeclared = {*call.given, *call.also} - set(parameters)
    if undeclared:
        yield f"call {place}: {api.id} has no parameter {', '.join(sorted(undeclared))}"
        return
    lacking = [each.name for each in api.parameter if each.required and each.name not in call.given]
    if lacking:
        yield f"call {place}: {api.id} needs {', '.join(lacking)}"
    for name, value in call.given.items():
        yield from _wrong_value(parameters[name], value, place)


def _wrong_value(parameter: ParameterRow, value: object, place: int) -> Iterator[str]:
    path = references(value)
    if path:
        match = REFERENCE.fullmatch(path)
        if match is None or int(match[1]) >= place:
            yield f"call {place}: {parameter.name}: {path} is not an earlier result"
    elif type(value) not in _KINDS[parameter.type]:
        yield f"call {place}: {parameter.name}: {value!r} is not of type {parameter.type}"
    elif parameter.choices and value not in parameter.choices:
        yield f"call {place}: {parameter.name}: {value!r} is not one of its choices"


FEWEST, MOST = 6, 12


def is_held_out(task: TaskRow, apis: Mapping[str, ApiRow]) -> bool:
    """Return whether a task is for testing alone: it calls or is about an API that is held out."""
    about = [call.api for call in task.calls] or task.offer
    return any(apis[name].held_out for name in about)


def choose_offered_tools(task: TaskRow, apis: Mapping[str, ApiRow]) -> tuple[str, ...]:
    """Return the ids of the APIs that are offered, from 6 to 12, in a drawn order.

    Those that are held out are offered in tasks for testing alone.
    """
    drawn = random.Random(derive_seed(task.id, "offered"))  # noqa: S311 - repeatable on purpose
    needed = list(dict.fromkeys([*(call.api for call in task.calls), *task.offer]))
    barred = set(task.hide)
    if not is_held_out(task, apis):
        barred |= {name for name, api in apis.items() if api.held_out}
    others = [name for name in apis if name not in barred]
    alike = [name for name in _alike(needed, apis) if name in others]
    home = {name.partition("-")[0] for name in needed}
    drawn.shuffle(others)
    others.sort(key=lambda name: name.partition("-")[0] not in home)
    size = max(len(needed), drawn.randint(FEWEST, MOST))
    taken = list(dict.fromkeys([*needed, *alike, *others]))[:size]
    drawn.shuffle(taken)
    return tuple(taken)


def _alike(needed: Iterable[str], apis: Mapping[str, ApiRow]) -> Iterable[str]:
    """Yield what looks like one of some APIs, or what they look like."""
    for name in needed:
        yield from apis[name].looks_like
        yield from (other for other, api in apis.items() if name in api.looks_like)


BY_HAND = "hand"
GLOBAL = "Global"


def tasks_of(countries: Iterable[CountryRow]) -> tuple[ApiTask, ...]:
    """Return the bundled tasks over some countries' APIs.

    Raises:
        DataError: If a task does not fit the APIs.
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
        offered=tuple(
            f"{lands[name].id}/{apis[name].name}" for name in choose_offered_tools(task, apis)
        ),
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
