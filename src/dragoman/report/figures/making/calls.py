"""Calls of web APIs: scores of everything, scores by each label, and what went wrong."""

from collections.abc import Iterator, Sequence

from dragoman.analysis.api_calls.board import ALL, ApiBoard, ApiGroup
from dragoman.core.apis.figures import DETECTORS, INVOCATION, SELECTION
from dragoman.core.apis.labels import AXES
from dragoman.report.figures.records import Datum, Drawing, Section, distinct, file_name

_APIS: Section = "apis"
_INTERVALS = "Whiskers are 95 % intervals over tasks; n is how much was counted."

_Part = tuple[str, str, str]
"""How a figure is shown, its name, and what it is a figure of."""


def api_drawings(board: ApiBoard) -> Iterator[Drawing]:
    """Yield the figures of calls of APIs."""
    everything = [group for group in board.groups if group.axis == ALL]
    parts = tuple(_scores(board.averaging))
    data = _data(everything, everything, parts)
    yield Drawing(
        "apis-scores",
        _APIS,
        "bars",
        f"Calls of web APIs, {board.averaging}",
        f"Language match by two detectors, format match, F1 of tools and of arguments. {_INTERVALS}",
        tuple(datum for datum in data if datum.value is not None),
        axis="score",
        of="",
    )
    for part, errors in (
        (SELECTION, ("hallucinated", "missing", "extra")),
        (INVOCATION, ("wrong", "missing", "extra")),
    ):
        yield from _errors(everything, part, errors)
    for axis in AXES:
        groups = [group for group in board.groups if group.axis == axis]
        if groups:
            for shown, name, part in parts[-3:-1]:
                yield _by(groups, axis, (shown, name, part))


def _scores(averaging: str) -> Iterator[_Part]:
    yield from ((f"LM {name}", f"LM {name}", "") for name in DETECTORS)
    yield "FM", "FM", ""
    yield "tool F1", f"F1 {averaging}", SELECTION
    yield "invocation F1", f"F1 {averaging}", INVOCATION
    yield "exact", "exact", ""


def _data(
    groups: Sequence[ApiGroup], every: Sequence[ApiGroup], parts: Sequence[_Part]
) -> Iterator[Datum]:
    for group in groups:
        for shown, name, part in parts:
            found = group.figure(name, part)
            yield Datum(_who(group, every), found.value, found.interval, found.n, shown)


def _errors(groups: Sequence[ApiGroup], part: str, names: Sequence[str]) -> Iterator[Drawing]:
    data = tuple(
        Datum(_who(group, groups), found.value, found.interval, found.n, name)
        for group in groups
        for name in names
        if (found := group.figure(name, part)).value is not None
    )
    if data:
        yield Drawing(
            file_name("apis", "errors", part),
            _APIS,
            "stack",
            f"Errors of {part}",
            "Shares of all errors of this kind: they sum to 100.",
            data,
            axis="of all errors",
            of="error",
        )


def _by(groups: Sequence[ApiGroup], axis: str, shown: _Part) -> Drawing:
    told, name, part = shown
    return Drawing(
        file_name("apis", told, "by", axis),
        _APIS,
        "bars",
        f"{told} by {axis}",
        f"What tasks are labelled with. {_INTERVALS}",
        tuple(
            Datum(group.group, found.value, found.interval, found.n, _who(group, groups))
            for group in groups
            if (found := group.figure(name, part)).value is not None
        ),
        axis=told,
        of="",
    )


def _who(group: ApiGroup, groups: Sequence[ApiGroup]) -> str:
    """Return the agent, and what tells groups apart beside it."""
    fields = [
        *([group.suite] if len(distinct(each.suite for each in groups)) > 1 else []),
        *([group.condition] if len(distinct(each.condition for each in groups)) > 1 else []),
    ]
    return ", ".join((group.agent, *fields))
