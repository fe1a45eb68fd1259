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
    """One call: the tool's name as offered, and arguments with canonical values.

    A value from the result of an earlier call is `{"from": "$1.data.city_ibge"}`: the first call's
    result, and the path in it. Positions in lists are numbers from 0.

    Attributes:
        also: Other right values, by argument.
    """

    tool: str
    arguments: dict[str, object] = {}
    also: dict[str, tuple[object, ...]] = {}


class ApiTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """One query with its gold calls.

    Attributes:
        language: The language of the query, as a BCP 47 tag.
        country: The country of the APIs that answer it, or "Global".
        offered: Ids of the offered operations (`core.apis.documents.operation_id`).
        gold: The calls; empty if no offered tool fits or needed information is missing.
        traps: The difficulties of the query, such as "calendar", "digits" or "same name twice".
        made_by: The author of the query: a model's name, "template@1", or "hand".
        split: "train" or "test"; "" before data are split.
        plans: Alternatives to the gold calls, each of them right as a whole.
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
    """One step of an answer: the thought, in the query's language, and the calls."""

    thought: str
    calls: tuple[ApiCall, ...] = ()


_REFERENCE = re.compile(r"\$([1-9][0-9]?)((?:\.[^.\s]+)*)")
_PLACE = re.compile(r"[0-9]{1,9}")


class Reference(NamedTuple):
    """A reference to a value in the result of an earlier call.

    Attributes:
        call: The number of the call, from 1.
        path: The path in its result, such as "data.0.id"; "" for the whole result.
        written: The text of the reference.
    """

    call: int
    path: str
    written: str


def parse_reference(value: object) -> Reference | None:
    """Return the reference that a value contains; None for any other value."""
    match value:
        case {"from": str() as path, **others} if not others:
            found = _REFERENCE.fullmatch(path)
            return found and Reference(int(found[1]), found[2].removeprefix("."), path)
        case _:
            return None


def holds_reference(value: object) -> bool:
    """Return whether a value is or contains a reference to an earlier result."""
    match value:
        case dict():
            return parse_reference(value) is not None or any(map(holds_reference, value.values()))
        case list() | tuple():
            return any(map(holds_reference, value))
        case _:
            return False


def parse_result(text: str) -> object:
    """Return a call's result as a JSON value, otherwise as text."""
    try:
        return msgspec.json.decode(text)
    except DECODING_ERRORS:
        return text


def resolve_reference(reference: Reference, results: Sequence[object]) -> object:
    """Return the value of a reference in earlier results; None if they do not hold it."""
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
    """One step: the thought, the calls, and the results of each call, as text.

    `results` is empty without calls, or if no later step needed the results.
    """

    thought: str
    calls: tuple[ApiCall, ...] = ()
    results: tuple[str, ...] = ()


class ApiSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole answer with its author; calls have the values that were sent."""

    by: str
    steps: tuple[SolutionStep, ...]

    @property
    def calls(self) -> tuple[ApiCall, ...]:
        """All calls in their order."""
        return tuple(call for step in self.steps for call in step.calls)


class RankedSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """One candidate: the answer, and its ranks from others (1 is best).

    `why` gives the reason for a missing answer, or the rules that it breaks.
    """

    by: str
    solution: ApiSolution | None = None
    why: str = ""
    places: dict[str, int] = {}

    @property
    def stands(self) -> bool:
        """Whether the candidate can be selected."""
        return self.solution is not None and not self.why


class TaskSolution(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer that was selected for a task.

    Attributes:
        task: The task's id.
        solution: The answer.
        candidates: All candidates, including the selected one.
        audit: The reason for a review by a person; "" for none.
    """

    task: str
    solution: ApiSolution
    candidates: tuple[RankedSolution, ...] = ()
    audit: str = ""
