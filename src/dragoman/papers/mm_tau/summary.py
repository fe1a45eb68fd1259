"""A summary of the twelve metrics of MM-tau-p2 and mm-tap, by cell and source of counts."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.cell_summary import CellKey, ConversationResult, summarize
from dragoman.analysis.comparison import CellOutcomes, group_cells
from dragoman.analysis.input_modes import InputMode, TaskId, input_mode
from dragoman.analysis.intervals import Interval
from dragoman.analysis.pass_hat import StatedFigure
from dragoman.analysis.persona_fidelity import (
    KEPT,
    PersonaFidelity,
    persona_fidelity,
    unfaithful_cells,
)
from dragoman.core.conditions import CLARIFY, EXPOSURE, MIXED, NONE, TEXT, Condition, axis_values
from dragoman.papers.mm_tau.agreement import JudgeLogAgreement, agreements
from dragoman.papers.mm_tau.axis_effects import (
    AxisDifference,
    PooledSuccess,
    axis_differences,
    pooled_success,
)
from dragoman.papers.mm_tau.count_sources import (
    CountSource,
    code_metrics,
    count_sources,
    counted_by_source,
    with_newest_measures,
)
from dragoman.papers.mm_tau.definitions import CODE, OWN, PAPER, Definitions
from dragoman.papers.mm_tau.metrics import (
    NO_TEXT,
    Metric,
    Sums,
    fewest_turns,
    goals_despite_errors,
    metric,
    modality_robustness,
    relative_change,
    success,
    sum_count_ratio,
    turn_efficiency,
    turn_overhead,
)
from dragoman.papers.mm_tau.mm_tap import MmTapWeights, composite

SUCCESS = "pass^1"
METRICS = ("CFA", "ARGA", "MRS", "TE", "TO", "UES", "ERR", "RTC", "CP", "CR", "IAS", "SR")
"""The twelve metrics of the paper's definitions, in the order of its Tables 3 and 4.

The tables print a safety precision (SP), which the paper's code computes and no definition has,
in the place of IAS, which no table has.
"""

_IN_TEXT = "nobody speaks in text"
_OF_VOICE = ("ARGA", "MRS", "TO")
_NOT_IN_PAPER = "the paper prints it and does not define it: its code does (mm-tau-p2/code)"
_NO_RECALL = "the log does not have the required clarifications: ask a judge"

_OWN_AXES = frozenset({"voice", "recognizer", "persona", EXPOSURE, CLARIFY})


class MmTauCell(msgspec.Struct, frozen=True):
    """The metrics of one agent under one condition, as one reader has them.

    Attributes:
        suite: The suite that was played.
        agent: The agent that played.
        setting: Values on all further axes, as `axis=value`; empty for plain English.
        input_mode: The way in which the agent received the users' words, and the source of answers
            to its questions.
        persona: The persona of the users.
        exposure: The information about the users that the agent received.
        reader: The source of the counts: the log, or a judge.
        conversations: Number of planned conversations.
        metrics: `pass^1` and the twelve, by name.
        mm_tap: The composite of the metrics as they are; None where one is missing.
        clipped: The same of metrics that are held within their ideals.
        lacks: The missing metrics, if the composite has no value.
        mm_tap_interval: 95 %, by bootstrap over tasks, of all its metrics together.
        clipped_interval: That of `clipped`.
        tasks: Number of tasks that the composite's metrics have together.
        card: Whether its users kept their card; None of nobody in particular.
        stated: pass^1 by the personas that tasks state; empty where they state none.
    """

    suite: str
    agent: str
    setting: tuple[str, ...]
    input_mode: InputMode = msgspec.field(name="way")
    persona: str
    exposure: str
    reader: str
    conversations: int
    metrics: dict[str, Metric]
    mm_tap: float | None
    clipped: float | None
    lacks: tuple[str, ...]
    mm_tap_interval: Interval | None = None
    clipped_interval: Interval | None = None
    tasks: int = 0
    card: PersonaFidelity | None = None
    stated: tuple[StatedFigure, ...] = ()


class MmTauChange(msgspec.Struct, frozen=True):
    """The relative change of the metrics under one exposure from those under the richest one.

    Attributes:
        cell: The place in `MmTauSummary.cells` of what changed.
        to: That of the cell under the richest exposure that was played.
        metrics: The twelve by name, over the tasks that both have; 0.1 is 10 % more.
    """

    cell: int
    to: int
    metrics: dict[str, Metric]


class MmTauSummary(msgspec.Struct, frozen=True):
    """Cells that were scored alike, and the weights of their composite's parts.

    Attributes:
        rules: The rule set that decides the log's success.
        judge: The judge of its natural-language assertions.
        weights: The weights of mm-tap.
        cells: The cells, by reader.
        changes: Each exposure against the richest one.
        differences: The effects of each axis, paired by task.
        agreements: Judged counts compared with those of the log.
        pooled: pass^1 over personas, by modality and exposure.
        kept: The share of a card's statements that is enough to have kept it.
        cards: Whether users kept their cards, cell by cell.
        definitions: The set of definitions by which the cells' metrics are computed.
    """

    rules: str
    judge: str
    weights: MmTapWeights
    cells: tuple[MmTauCell, ...]
    changes: tuple[MmTauChange, ...] = ()
    differences: tuple[AxisDifference, ...] = ()
    agreements: tuple[JudgeLogAgreement, ...] = ()
    pooled: tuple[PooledSuccess, ...] = ()
    kept: float = KEPT
    cards: tuple[PersonaFidelity, ...] = ()
    definitions: Definitions = OWN

    @property
    def has_composite(self) -> bool:
        """Whether its set has changes and mm-tap: the source's code computes neither."""
        return self.definitions != CODE


class _Summed(msgspec.Struct, frozen=True):
    """A cell as one reader has it, with what its tasks add to each metric."""

    reader: CountSource
    cell: CellOutcomes
    sums: dict[str, Sums]


def summarize_mm_tau(
    outcomes: Iterable[ConversationResult],
    digests: Mapping[TaskId, str],
    scoring: tuple[str, str],
    weights: MmTapWeights | None = None,
    kept: float = KEPT,
) -> MmTauSummary:
    """Return the metrics of conversations that were scored alike, by our definitions.

    Args:
        outcomes: Conversations, those too that are missing.
        digests: The digests of their tasks.
        scoring: Rules and judge.
        weights: The weights of mm-tap.
        kept: The share of its card that a cell's users must show; other cells are in no difference
            between personas.
    """
    return mm_tau_summaries(outcomes, digests, scoring, weights, kept)[0]


def mm_tau_summaries(  # noqa: PLR0913, PLR0917 - what a board is made of
    outcomes: Iterable[ConversationResult],
    digests: Mapping[TaskId, str],
    scoring: tuple[str, str],
    weights: MmTapWeights | None = None,
    kept: float = KEPT,
    definitions: Sequence[Definitions] | None = (OWN,),
) -> tuple[MmTauSummary, ...]:
    """Return the same by several sets of definitions: a board each.

    Args:
        outcomes: As for `summarize_mm_tau`.
        digests: Likewise.
        scoring: Likewise.
        weights: Likewise.
        kept: Likewise.
        definitions: The sets; None for ours, and the others where a judge counted what they need.
    """
    rows = tuple(map(with_newest_measures, outcomes))
    readers = count_sources(rows)
    cards = persona_fidelity(
        (((row.suite, row.condition, row.agent), row.measures) for row in rows), kept
    )
    of_cell = {card.key: card for card in cards}
    weighed = weights or MmTapWeights()
    read = {reader: _cells(counted_by_source(reader, rows), digests) for reader in readers}
    summed = [each for reader, cells in read.items() for each in _sum_cells(reader, cells)]
    own = MmTauSummary(
        *scoring,
        weighed,
        tuple(_figures(each, scoring, weighed, of_cell) for each in summed),
        tuple(_changes(summed)),
        axis_differences(read, unfaithful_cells(cards)),
        agreements(readers[1:], rows),
        pooled_success(read),
        kept,
        cards,
    )
    if definitions is None:
        has_counts = any(reader.is_by_message for reader in readers)
        definitions = (OWN, PAPER, CODE) if has_counts else (OWN,)
    return tuple(_apply_definitions(own, name, summed, read) for name in definitions)


def _apply_definitions(
    own: MmTauSummary,
    definitions: Definitions,
    summed: Sequence[_Summed],
    read: Mapping[CountSource, Sequence[CellOutcomes]],
) -> MmTauSummary:
    """Return our board by another set of definitions.

    The paper's metrics are ours: what it leaves open is filled as it is here. It clips nothing, and
    does not define the safety precision that it prints.
    """
    if definitions == OWN:
        return own
    cells = (
        _by_paper(cell) if definitions == PAPER else _by_code(cell, found, read[found.reader])
        for cell, found in zip(own.cells, summed, strict=True)
    )
    changes = own.changes if definitions == PAPER else ()
    return msgspec.structs.replace(
        own, cells=tuple(cells), changes=changes, definitions=definitions
    )


def _by_paper(cell: MmTauCell) -> MmTauCell:
    return msgspec.structs.replace(
        cell,
        metrics={**cell.metrics, "SP": Metric(why=_NOT_IN_PAPER)},
        clipped=None,
        clipped_interval=None,
    )


def _by_code(cell: MmTauCell, found: _Summed, cells: Sequence[CellOutcomes]) -> MmTauCell:
    is_text = found.cell.name.condition.voice == TEXT
    metrics = code_metrics(
        found.reader,
        found.cell,
        _text(found.cell, cells),
        is_text=is_text,
    )
    return msgspec.structs.replace(
        cell,
        metrics=metrics,
        mm_tap=None,
        clipped=None,
        lacks=(),
        mm_tap_interval=None,
        clipped_interval=None,
        tasks=0,
    )


def _cells(
    rows: Sequence[ConversationResult], digests: Mapping[TaskId, str]
) -> tuple[CellOutcomes, ...]:
    suites: dict[str, list[ConversationResult]] = {}
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
    """Return the text cell that corresponds to a voice cell.

    This is the cell without clarifications, or, if there is none, the cell with the same judge.
    None if the cell is itself text or neither cell exists.
    """
    condition = cell.name.condition
    typed = condition.with_axes(voice=TEXT, recognizer=MIXED)
    wanted = (typed.with_axes(**{CLARIFY: NONE}), typed)
    names = (
        msgspec.structs.replace(cell.name, condition=each)
        for each in wanted
        if condition.voice != TEXT
    )
    return next((each for name in names for each in cells if each.name == name), None)


def _sum_cells(reader: CountSource, cells: Sequence[CellOutcomes]) -> list[_Summed]:
    fewest = fewest_turns(row for cell in cells for row in cell.outcomes)
    return [_Summed(reader, cell, _sums(reader, cell, cells, fewest)) for cell in cells]


def _sums(
    reader: CountSource,
    cell: CellOutcomes,
    cells: Sequence[CellOutcomes],
    fewest: Mapping[tuple[str, str], float],
) -> dict[str, Sums]:
    rows = cell.outcomes
    return {
        SUCCESS: success(rows),
        "CR": Sums(why=_NO_RECALL),
        **{name: sum_count_ratio(rows, ratio) for name, ratio in reader.ratios.items()},
        "TE": turn_efficiency(rows, fewest),
        **_of_voice(cell, _text(cell, cells)),
    }


def _of_voice(cell: CellOutcomes, text: CellOutcomes | None) -> dict[str, Sums]:
    if cell.name.condition.voice == TEXT:
        return dict.fromkeys(_OF_VOICE, Sums(why=_IN_TEXT))
    found = {"ARGA": goals_despite_errors(cell.outcomes)}
    if text is None:
        return {**found, "MRS": Sums(why=NO_TEXT), "TO": Sums(why=NO_TEXT)}
    return {**found, "MRS": modality_robustness(text, cell), "TO": turn_overhead(text, cell)}


def _figures(
    found: _Summed,
    scoring: tuple[str, str],
    weights: MmTapWeights,
    cards: Mapping[CellKey, PersonaFidelity],
) -> MmTauCell:
    name = found.cell.name
    (summary,) = summarize(found.cell.outcomes, *scoring)
    first = summary.result.figures[0]
    sums = found.sums
    why = sums[SUCCESS].nothing if first.value is None else ""
    passed = Metric(first.value, first.interval, first.tasks, why, sums[SUCCESS].unscored)
    metrics = {
        SUCCESS: passed,
        **{each: metric(sums[each]) for each in METRICS},
    }
    tap = composite({each: metrics[each].value for each in metrics}, sums, weights)
    condition = name.condition
    return MmTauCell(
        name.suite,
        name.agent,
        _setting(condition),
        input_mode(condition),
        condition.persona,
        condition.axis(EXPOSURE),
        found.reader.name,
        len(found.cell.outcomes),
        metrics,
        tap.value,
        tap.clipped,
        tap.lacks,
        tap.interval,
        tap.clipped_interval,
        tap.tasks,
        cards.get((name.suite, name.condition, name.agent)),
        summary.stated,
    )


def _changes(summed: Sequence[_Summed]) -> list[MmTauChange]:
    groups: dict[tuple[CountSource, str, str, Condition], list[int]] = {}
    for number, each in enumerate(summed):
        name = each.cell.name
        rest = name.condition.with_axes(**{EXPOSURE: "0"})
        groups.setdefault((each.reader, name.suite, name.agent, rest), []).append(number)
    found = []
    for numbers in groups.values():
        richest = max(numbers, key=lambda number: _exposure(summed[number])[:1])
        found += [
            MmTauChange(number, richest, _relative(summed[number], summed[richest]))
            for number in numbers
            if number != richest
        ]
    return found


def _exposure(found: _Summed) -> str:
    return found.cell.name.condition.axis(EXPOSURE)


def _relative(of: _Summed, to: _Summed) -> dict[str, Metric]:
    return {name: relative_change(of.sums[name], to.sums[name]) for name in (SUCCESS, *METRICS)}


def _setting(condition: Condition) -> tuple[str, ...]:
    plain = axis_values(Condition())
    return tuple(
        f"{axis}={value}"
        for axis, value in axis_values(condition).items()
        if axis not in _OWN_AXES and value != plain.get(axis, NONE)
    )
