"""The twelve metrics of MM-tau-p2 and mm-tap: a column for each cell of the grid."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cells import Outcome, summarize
from dragoman.analysis.comparison import CellOutcomes, group_cells
from dragoman.analysis.mm_tau.metrics import (
    COUNTED,
    Metric,
    counted,
    fewest_turns,
    goals_despite_errors,
    turn_efficiency,
)
from dragoman.analysis.mm_tau.mm_tap import MmTapParts, MmTapWeights, mm_tap
from dragoman.analysis.mm_tau.pairs import NO_TEXT, modality_robustness, turn_overhead
from dragoman.analysis.voice.ways import TaskId, Way, way_of
from dragoman.core.conditions import (
    CLARIFY,
    EXPOSURE,
    MIXED,
    NONE,
    TEXT,
    Condition,
    axis_values,
)

SUCCESS = "pass^1"
METRICS = ("CFA", "ARGA", "MRS", "TE", "TO", "UES", "ERR", "RTC", "CP", "CR", "IAS", "SR")
"""The twelve, in the source's order; "safety precision" is its tables' name for IAS."""

_IN_TEXT = "nobody speaks in text"
_OF_VOICE = ("ARGA", "MRS", "TO")
_NO_RECALL = "which clarifications were required is not in the log: ask a judge"
_PARTS = {
    "cfa": "CFA",
    "pass_1": SUCCESS,
    "mrs": "MRS",
    "arga": "ARGA",
    "err": "ERR",
    "te": "TE",
    "ues": "UES",
    "to": "TO",
    "ias": "IAS",
}
"""The metrics that mm-tap is made of, by its names for them."""

_OWN_AXES = frozenset({"voice", "recognizer", "persona", EXPOSURE, CLARIFY})


class MmTauCell(msgspec.Struct, frozen=True):
    """The metrics of one agent under one condition.

    Attributes:
        suite: What was played.
        agent: Who played.
        setting: Values on all further axes, as `axis=value`; empty for plain English.
        way: How the agent got what users said, and who answered its questions.
        persona: Who the users were.
        exposure: What the agent was told of them.
        conversations: How many were planned.
        metrics: `pass^1` and the twelve, by name.
        mm_tap: The composite of the metrics as they are; None where one is missing.
        clipped: The same of metrics that are held within their ideals.
        lacks: The metrics for want of which there is no composite.
    """

    suite: str
    agent: str
    setting: tuple[str, ...]
    way: Way
    persona: str
    exposure: str
    conversations: int
    metrics: dict[str, Metric]
    mm_tap: float | None
    clipped: float | None
    lacks: tuple[str, ...]


class MmTauBoard(msgspec.Struct, frozen=True):
    """Cells that were scored alike, and how much the parts of their composite weigh."""

    rules: str
    judge: str
    weights: MmTapWeights
    cells: tuple[MmTauCell, ...]


def mm_tau_board(
    outcomes: Iterable[Outcome],
    digests: Mapping[TaskId, str],
    scoring: tuple[str, str],
    weights: MmTapWeights | None = None,
) -> MmTauBoard:
    """Return the metrics of conversations that were scored alike.

    Args:
        outcomes: Conversations, those too that are missing.
        digests: Of their tasks.
        scoring: Rules and judge.
        weights: Of mm-tap.
    """
    rows = tuple(outcomes)
    fewest = fewest_turns(rows)
    cells = _cells(rows, digests)
    weighed = weights or MmTapWeights()
    return MmTauBoard(
        *scoring,
        weighed,
        tuple(
            _figures(cell, _metrics(cell, _text(cell, cells), fewest, scoring), weighed)
            for cell in cells
        ),
    )


def _cells(rows: Sequence[Outcome], digests: Mapping[TaskId, str]) -> tuple[CellOutcomes, ...]:
    suites: dict[str, list[Outcome]] = {}
    for row in rows:
        suites.setdefault(row.suite, []).append(row)
    return tuple(
        cell
        for suite, found in suites.items()
        for cell in group_cells(
            "", found, {task: digest for (of, task), digest in digests.items() if of == suite}
        )
    )


def _text(cell: CellOutcomes, cells: Sequence[CellOutcomes]) -> CellOutcomes | None:
    """Return the same in text: without clarifications, or where there is none, with the same judge."""
    condition = cell.name.condition
    typed = condition.with_axes(voice=TEXT, recognizer=MIXED)
    wanted = (typed.with_axes(**{CLARIFY: NONE}), typed)
    names = (
        msgspec.structs.replace(cell.name, condition=each)
        for each in wanted
        if condition.voice != TEXT
    )
    return next((each for name in names for each in cells if each.name == name), None)


def _metrics(
    cell: CellOutcomes,
    text: CellOutcomes | None,
    fewest: Mapping[tuple[str, str], float],
    scoring: tuple[str, str],
) -> dict[str, Metric]:
    rows = cell.outcomes
    place = (cell.name.suite, cell.name.condition.label, cell.name.agent)
    (summary,) = summarize(rows, *scoring)
    first = summary.result.figures[0]
    return {
        SUCCESS: Metric(first.value, first.interval, first.tasks, _undecided(first.value)),
        **{name: counted(rows, name, place) for name in COUNTED},
        "TE": turn_efficiency(rows, fewest, place),
        "CR": Metric(why=_NO_RECALL),
        **_of_voice(cell, text, place),
    }


def _undecided(value: float | None) -> str:
    return "no conversation was decided" if value is None else ""


def _of_voice(
    cell: CellOutcomes, text: CellOutcomes | None, place: Sequence[str]
) -> dict[str, Metric]:
    if cell.name.condition.voice == TEXT:
        return dict.fromkeys(_OF_VOICE, Metric(why=_IN_TEXT))
    found = {"ARGA": goals_despite_errors(cell.outcomes, place)}
    if text is None:
        return {**found, "MRS": Metric(why=NO_TEXT), "TO": Metric(why=NO_TEXT)}
    return {
        **found,
        "MRS": modality_robustness(text, cell, place),
        "TO": turn_overhead(text, cell, place),
    }


def _figures(cell: CellOutcomes, metrics: dict[str, Metric], weights: MmTapWeights) -> MmTauCell:
    condition = cell.name.condition
    values = {part: metrics[name].value for part, name in _PARTS.items()}
    known = {part: value for part, value in values.items() if value is not None}
    lacks = tuple(name for part, name in _PARTS.items() if part not in known)
    parts = None if lacks else MmTapParts(**known)
    return MmTauCell(
        cell.name.suite,
        cell.name.agent,
        _setting(condition),
        way_of(condition),
        condition.persona,
        condition.axis(EXPOSURE),
        len(cell.outcomes),
        metrics,
        None if parts is None else mm_tap(parts, weights),
        None if parts is None else mm_tap(parts.clipped(), weights),
        lacks,
    )


def _setting(condition: Condition) -> tuple[str, ...]:
    plain = axis_values(Condition())
    return tuple(
        f"{axis}={value}"
        for axis, value in axis_values(condition).items()
        if axis not in _OWN_AXES and value != plain.get(axis, NONE)
    )
