"""API tasks: query, offered tools, gold calls, references to earlier results, and solutions.

A reference is `{"from": "$1.data.city_ibge"}`: a value from the result of an earlier call.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS

CallKind = Literal["single", "repeated", "parallel", "nested", "none"]
"""The kinds of calls of a task.

They are one call, several of one API, several of several APIs, calls that use earlier results,
and no call.
"""


class ApiCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call: the tool's name as it is offered, and arguments with canonical values.

    A value that an earlier call returns is `{"from": "$1.data.city_ibge"}`: the first call's
    result, and the path in it; places in lists are numbers from 0.

    Attributes:
        also: Other values that are as right, by argument.
    """

    tool: str
    arguments: dict[str, object] = {}
    also: dict[str, tuple[object, ...]] = {}


class ApiTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """One query with its gold calls.

    Attributes:
        language: Of the query, as a BCP 47 tag.
        country: Of the APIs that answer it, or "Global".
        offered: Ids of the operations that are offered (`core.apis.documents.operation_id`).
        gold: The calls; none where no offered tool fits or something needed is missing.
        traps: What makes it hard, such as "calendar", "digits" or "same name twice".
        made_by: Who wrote the query: a model's name, "template@1", or "hand".
        split: "train" or "test"; "" before data are split.
        plans: Other calls that are as right as the gold ones, all of them together.
    """

    id: str
    query: str
    language: str
    kind: CallKind
    offered: tuple[str, ...]
    gold: tuple[ApiCall, ...] = ()
    country: str = ""
    traps: tuple[str, ...] = ()
    made_by: str = ""
    split: str = ""
    plans: tuple[tuple[ApiCall, ...], ...] = ()


class ApiAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of an answer: what was thought, in the query's language, and the calls made."""

    thought: str
    calls: tuple[ApiCall, ...] = ()


_REFERENCE = re.compile(r"\$([1-9][0-9]?)((?:\.[^.\s]+)*)")
_PLACE = re.compile(r"[0-9]{1,9}")


class Reference(NamedTuple):
    """A value that the result of an earlier call gives.

    Attributes:
        call: Which call, from 1.
        path: Where in its result, such as "data.0.id"; "" for the whole.
        written: How it is written.
    """

    call: int
    path: str
    written: str


def parse_reference(value: object) -> Reference | None:
    """Return what a value refers to; None where it is a value of its own."""
    match value:
        case {"from": str() as path, **others} if not others:
            found = _REFERENCE.fullmatch(path)
            return found and Reference(int(found[1]), found[2].removeprefix("."), path)
        case _:
            return None


def holds_reference(value: object) -> bool:
    """Whether a value is, or holds anywhere, one that an earlier result is to give."""
    match value:
        case dict():
            return parse_reference(value) is not None or any(map(holds_reference, value.values()))
        case list() | tuple():
            return any(map(holds_reference, value))
        case _:
            return False


def parse_result(text: str) -> object:
    """Return what a call returned as the JSON that it is, or as text."""
    try:
        return msgspec.json.decode(text)
    except DECODING_ERRORS:
        return text


def resolve_reference(reference: Reference, results: Sequence[object]) -> object:
    """Return the value that results give; None where they do not hold it."""
    found: object = results[reference.call - 1] if reference.call <= len(results) else None
    for part in filter(None, reference.path.split(".")):
        found = _inside(found, part)
    return found


def _inside(value: object, part: str) -> object:
    match value:
        case Mapping():
            return value.get(part)
        case list() if _PLACE.fullmatch(part) and int(part) < len(value):
            return value[int(part)]
        case _:
            return None


class SolutionStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step: what was thought, which calls were made, and what each returned, as text.

    `results` is empty where nothing was called, or where no later step needed to see results.
    """

    thought: str
    calls: tuple[ApiCall, ...] = ()
    results: tuple[str, ...] = ()


class ApiSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole answer, and who wrote it; calls have the values that were sent."""

    by: str
    steps: tuple[SolutionStep, ...]

    @property
    def calls(self) -> tuple[ApiCall, ...]:
        """All calls in their order."""
        return tuple(call for step in self.steps for call in step.calls)


class RankedSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """One candidate: the answer, and the places that others gave it (1 is best).

    `why` says why there is no answer, or which rules it breaks.
    """

    by: str
    solution: ApiSolution | None = None
    why: str = ""
    places: dict[str, int] = {}

    @property
    def stands(self) -> bool:
        """Whether it can be taken."""
        return self.solution is not None and not self.why


class TaskSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer that was taken for a task.

    Attributes:
        task: The task's id.
        solution: The answer.
        candidates: All that were asked for, the taken one among them.
        audit: Why a person should look at it; "" for no reason.
    """

    task: str
    solution: ApiSolution
    candidates: tuple[RankedSolution, ...] = ()
    audit: str = ""
