"""Tables of MM-tau-p2 in the layout of the paper: text, Markdown, LaTeX and HTML."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.analysis.persona_fidelity import fidelity_notes
from dragoman.core.conditions import NONE, UNEXPOSED
from dragoman.papers.mm_tau.agreement import Agreed, JudgeLogAgreement
from dragoman.papers.mm_tau.axis_effects import AxisDifference
from dragoman.papers.mm_tau.definitions import CODE, OWN, PAPER, Definitions
from dragoman.papers.mm_tau.metrics import Metric
from dragoman.papers.mm_tau.summary import METRICS, SUCCESS, MmTauCell, MmTauChange, MmTauSummary
from dragoman.report import formatting
from dragoman.report.text_tables import BEST, GroupedTable, TextTable

MISSING = "-"

NAMES = {
    SUCCESS: "pass^1",
    "CFA": "Critical Field Accuracy (CFA)",
    "ARGA": "ARGA Score",
    "MRS": "Modality Robustness (MRS)",
    "TE": "Turn Efficiency (TE)",
    "TO": "Turn Overhead (TO)",
    "UES": "User Effort Score (UES)",
    "ERR": "Error Recovery Rate (ERR)",
    "RTC": "Recovery Turn Count (RTC)",
    "CP": "Clarification Precision (CP)",
    "CR": "Clarification Recall (CR)",
    "SP": "Safety Precision (SP)",
    "IAS": "Irreversible Action Safety (IAS)",
    "SR": "Safety Recall (SR)",
}
"""Names of rows in the source's tables, with the names of its definitions."""

IN_TABLE_2 = ("CFA", "TE", "TO", "ERR", "RTC", "UES", "ARGA", "MRS", "CP", "CR", "SP", "IAS", "SR")
"""In the order of the source's; SP is in the paper's and the code's tables alone."""

IDEAL = {"MRS": "≥ 1.0", **dict.fromkeys(("TO", "UES", "RTC"), "0.0")}
"""The ideals that are not 1.0."""

LOWER_IS_BETTER = frozenset({"TO", "UES", "RTC"})

_ABOUT = (
    "values with their 95 % interval over tasks, and over how much they are taken (fields, errors, "
    "conversations, or tasks that are paired with text); every metric is defined "
    "in docs/reference/mm_tau.md"
)
_ABOUT_SET: Mapping[Definitions, str] = {
    OWN: _ABOUT,
    PAPER: f"{_ABOUT}; as the source's paper defines them, nothing clipped",
    CODE: (
        "values with their 95 % interval over tasks, and over how much they are taken, as the "
        "source's "
        "code computes them: sums of a judge's counts over conversations; CFA is divided by the "
        "user's "
        "messages too, so that about 0.5 is the most where both sides say as much; UES is of user "
        "messages; no mm-tap: the source's code does not compute it"
    ),
}
_UNSCORED = "unscored: conversations that could not be counted or judged, in no figure"
_OF_LOG = (
    "a judge counts success, errors, effort, clarifications and confirmations; CFA, TO and IAS are "
    "the log's under every judge"
)
_PAIRED = (
    "both sides over the same tasks, those decided in both cells of every couple; a couple is two "
    "cells that are the same but for this axis; p by the sign-flip test, then by Holm over "
    "this table"
)
_PERCENT = (
    "percentages are the change to the richest exposure, over the tasks of both, with their 95 % "
    f"interval; bold or{BEST}: best of a reader's exposures"
)
NO_JUDGE = (
    "no judge was asked here: `dragoman score RUN --rubric mm_tau_p2@2 --judge PROVIDER/MODEL` has "
    "one count what the log decides too"
)
_EXPOSURES = {UNEXPOSED: "No Persona", "1": "Persona", "2": "Context"}


def exposure_name(exposure: str) -> str:
    """Return what the source calls an exposure, with its number and its model."""
    number, _, model = exposure.partition("+")
    name = _EXPOSURES.get(number)
    return exposure if name is None else f"{name} (p={number}{model and ' by '}{model})"


def summary_tables(summaries: Sequence[MmTauSummary]) -> Iterator[TextTable]:
    """Yield all tables of boards as Markdown has them, the answer first."""
    return map(_flat, grouped_tables(summaries))


def terminal_tables(summaries: Sequence[MmTauSummary]) -> Iterator[TextTable]:
    """Yield the tables of boards that a terminal has room for: those that others follow from."""
    yield from axis_tables(summaries[0])
    yield from card_tables(summaries[0])
    for summary in summaries:
        yield from map(_flat, metric_tables(summary))
    for summary in summaries:
        yield from map(_flat, composite_tables(summary))
    yield from agreement_tables(summaries[0])


def _flat(table: TextTable | GroupedTable) -> TextTable:
    return table.flat() if isinstance(table, GroupedTable) else table


def grouped_tables(summaries: Sequence[MmTauSummary]) -> Iterator[TextTable | GroupedTable]:
    """Yield all tables of boards with their headings in groups, the answer first.

    Tables that do not depend on a set of definitions come from the first board.
    """
    yield from axis_tables(summaries[0])
    yield from card_tables(summaries[0])
    for summary in summaries:
        yield from metric_tables(summary)
    for summary in summaries:
        yield from change_tables(summary)
    for summary in summaries:
        yield from composite_tables(summary)
    yield from agreement_tables(summaries[0])


def axis_tables(summary: MmTauSummary) -> Iterator[TextTable]:
    """Yield the effects of each axis over all pairs of cells, paired by task."""
    rows = [each for each in summary.differences if not each.at]
    if rows:
        yield _axis_table(rows, "Effect of each axis, paired by task", _paired_note(summary))


def pair_tables(summary: MmTauSummary) -> Iterator[TextTable]:
    """Yield the effects of each axis in every pair of cells alone."""
    rows = [each for each in summary.differences if each.at]
    if rows:
        yield _axis_table(rows, "The same in each couple of cells", _paired_note(summary))


def card_tables(summary: MmTauSummary) -> Iterator[TextTable]:
    """Yield a table of kept persona cards, cell by cell; nothing if nobody had a card."""
    if not summary.cards:
        return
    yield TextTable(
        ("suite", "condition", "agent", "persona", "card", "shown of stated", "conversations"),
        tuple(
            (
                *(card.suite, card.condition.label, card.agent, card.persona, card.verdict),
                *(MISSING if card.shown is None else f"{card.shown:.2f}", f"{card.counted:,}"),
            )
            for card in summary.cards
        ),
        "Fidelity of users to their cards",
        "; ".join(
            (f"kept: at least {summary.kept:g} of what it states (--kept)", *_card_notes(summary))
        ),
        frozenset({"shown of stated", "conversations"}),
        is_spaced=False,
        keys=4,
    )


def metric_tables(summary: MmTauSummary) -> Iterator[GroupedTable]:
    """Yield Table 2 for each agent, setting, modality and persona.

    The rows are readers, exposures and suites.
    """
    for place, cells in _group_cells(summary.cells, _user_place).items():
        ordered = sorted(
            cells,
            key=lambda cell: (_readers(summary).index(cell.reader), cell.exposure, cell.suite),
        )
        names = [name for name in (SUCCESS, *IN_TABLE_2) if name in ordered[0].metrics]
        yield GroupedTable(
            f"Table 2{_by(summary)}: {_format_heading(place, ordered)}",
            ("Metric",),
            tuple((cell.reader, _format_exposure(cell), cell.suite) for cell in ordered),
            (
                *(
                    (NAMES[name], *(_format_metric(cell.metrics[name]) for cell in ordered))
                    for name in names
                ),
                ("mm-tap", *(_tap(cell, is_clipped=False) for cell in ordered)),
                *(
                    [("mm-tap, clipped", *(_tap(cell, is_clipped=True) for cell in ordered))]
                    if summary.definitions == OWN
                    else []
                ),
            ),
            "; ".join(
                (
                    *(_ABOUT_SET[summary.definitions], *_further(summary, ordered)),
                    *(*_missing(ordered), *_unkept(ordered)),
                )
            ),
        )


def change_tables(summary: MmTauSummary) -> Iterator[GroupedTable]:
    """Yield Tables 3 and 4: each suite's metrics under the richest exposure, and changes to it."""
    changes: dict[int, list[MmTauChange]] = {}
    for change in summary.changes:
        changes.setdefault(change.to, []).append(change)
    groups: dict[tuple[str, ...], list[int]] = {}
    for number in sorted(changes, key=lambda number: summary.cells[number].input_mode.is_text):
        cell = summary.cells[number]
        groups.setdefault((cell.suite, *_user_place(cell)), []).append(number)
    for place, numbers in groups.items():
        title = _format_heading(place, (summary.cells[number] for number in numbers))
        yield _change_table(summary, title, {number: changes[number] for number in numbers})


def composite_tables(summary: MmTauSummary) -> Iterator[GroupedTable]:
    """Yield Table 5: mm-tap by reader, for each suite and exposure; the source's code has none."""
    if not summary.has_composite:
        return
    columns = sorted({(cell.suite, cell.exposure) for cell in summary.cells})
    rows: dict[tuple[str, ...], dict[tuple[str, str], MmTauCell]] = {}
    for cell in summary.cells:
        place = (_player(cell), _modality(cell), cell.persona, cell.reader)
        rows.setdefault(place, {})[cell.suite, cell.exposure] = cell
    lacks = dict.fromkeys(", ".join(cell.lacks) for cell in summary.cells if cell.lacks)
    weights = ", ".join(f"{weight:g}" for weight in msgspec.structs.astuple(summary.weights))
    shown = [
        (place, label, is_clipped)
        for place in rows
        for label, is_clipped in (("as they are", False), ("clipped", True))
        if any(_composite(cell, is_clipped=is_clipped) is not None for cell in rows[place].values())
    ]
    yield GroupedTable(
        f"Table 5{_by(summary)}: mm-tap",
        ("agent", "modality", "persona", "reader", "metrics"),
        tuple((suite, exposure_name(exposure)) for suite, exposure in columns),
        tuple(
            (*place, label, *(_tap(rows[place].get(at), is_clipped=is_clipped) for at in columns))
            for place, label, is_clipped in shown
        ),
        "; ".join(
            (
                (
                    f"weights {weights}; 95 % interval by drawing tasks, all metrics of a task "
                    "together"
                ),
                *(
                    ["clipped: MRS at most 1, TO at least 0"]
                    if summary.definitions == OWN
                    else ["nothing is clipped"]
                ),
                *(f"no mm-tap without {each}" for each in lacks),
                *_unkept(summary.cells),
            )
        ),
    )


def agreement_tables(summary: MmTauSummary) -> Iterator[TextTable]:
    """Yield the agreement of judges with the log, or a note if no judge counted."""
    title = "Judges against the log, conversation by conversation"
    if not summary.agreements:
        yield TextTable(("judge",), (("none",),), title, NO_JUDGE)
        return
    headings = (
        *("suite", "agent", "judge", "counts", "for", "n", "not judged", "not in the log"),
        *("judge's mean", "log's mean", "equal", "kappa or r"),
    )
    yield TextTable(
        headings,
        tuple(map(_agreement, summary.agreements)),
        title,
        "equal: conversations in which both count the same; kappa: Cohen's, of success; r: "
        "Pearson's, "
        "of counts; 95 % intervals by drawing tasks; - where nothing was counted by both or "
        "nothing varies",
        frozenset({"n", "not judged", "not in the log", "judge's mean", "log's mean"}),
        is_spaced=False,
        keys=4,
    )


def _axis_table(rows: Sequence[AxisDifference], title: str, note: str) -> TextTable:
    headings = ["agent", "axis", "from", "to", "figure"]
    has_suites = len({each.suite for each in rows}) > 1
    has_readers = len({each.reader for each in rows}) > 1
    return TextTable(
        (
            *(("suite",) if has_suites else ()),
            *headings,
            *(("reader",) if has_readers else ()),
            *(("where",) if rows[0].at else ()),
            *("before", "after", "difference", "95 % interval"),
            *("tasks", "excluded", "pairs", "p", "by Holm"),
        ),
        tuple(
            (
                *((each.suite,) if has_suites else ()),
                *(each.agent, each.axis, each.a, each.b, each.figure),
                *((each.reader,) if has_readers else ()),
                *((each.at,) if each.at else ()),
                *_axis_difference_row(each),
            )
            for each in rows
        ),
        title,
        note,
        frozenset(("before", "after", "difference", "tasks", "excluded", "pairs", "p", "by Holm")),
        keys=len(headings) + has_suites + has_readers + bool(rows[0].at),
    )


def _paired_note(summary: MmTauSummary) -> str:
    left_out = [card.condition.label for card in summary.cards if card.verdict == "not kept"]
    if not left_out:
        return "; ".join((_PAIRED, *_card_notes(summary)))
    return (
        f"{_PAIRED}; excluded from differences between personas: {len(left_out)} of "
        f"{len(summary.cards)} cells "
        f"with a persona, whose users showed less than {summary.kept:g} of what their card states "
        f"({', '.join(dict.fromkeys(left_out))})"
    )


def _card_notes(summary: MmTauSummary) -> Iterator[str]:
    """Yield notes on cards of which it is unknown whether they were kept."""
    unknown = [card for card in summary.cards if card.verdict == "not known"]
    yield from fidelity_notes(unknown, summary.kept)


def _unkept(cells: Iterable[MmTauCell]) -> Iterator[str]:
    """Yield the cells that do not represent their persona."""
    cards = {cell.card.key: cell.card for cell in cells if cell.card is not None}
    bad = [card for card in cards.values() if card.verdict == "not kept"]
    for card in bad:
        yield (
            f"no result of the persona {card.persona}: {card.condition.label}, whose users showed "
            f"{card.shown or 0:.2f} of what their card states"
        )


def _axis_difference_row(each: AxisDifference) -> tuple[str, ...]:
    value = f"{each.difference:+.3f}" if each.difference is not None else MISSING
    ends = MISSING if each.interval is None else formatting.signed_interval(each.interval)
    sides = (MISSING if side is None else f"{side:.3f}" for side in (each.in_a, each.in_b))
    tests = (MISSING if p is None else formatting.p_value(p) for p in (each.p, each.adjusted_p))
    counts = (f"{each.tasks:,}", f"{each.left_out:,}", f"{each.cell_pairs:,}")
    return (*sides, value, ends, *counts, *tests)


def _change_table(
    summary: MmTauSummary, place: str, changes: Mapping[int, Sequence[MmTauChange]]
) -> GroupedTable:
    columns: list[tuple[str, str]] = []
    texts: list[dict[str, str]] = []
    best: list[tuple[int, Sequence[MmTauCell]]] = []
    for number, of_reader in changes.items():
        richest = summary.cells[number]
        compared = [summary.cells[change.cell] for change in of_reader]
        best.append((len(columns) + 1, (richest, *compared)))
        columns.append((richest.reader, exposure_name(richest.exposure)))
        texts.append({name: _format_metric(richest.metrics[name]) for name in METRICS})
        for change, cell in zip(of_reader, compared, strict=True):
            columns.append((richest.reader, f"{exposure_name(cell.exposure)} % Δ"))
            texts.append({name: _percent(change.metrics[name]) for name in METRICS})
    rows = tuple(
        (NAMES[name], *(text[name] for text in texts), IDEAL.get(name, "1.0")) for name in METRICS
    )
    shown = [cell for _, cells in best for cell in cells]
    return GroupedTable(
        f"Tables 3 and 4{_by(summary)}: {place}",
        ("Metric",),
        (*columns, ("", "Ideal")),
        rows,
        "; ".join((_PERCENT, _UNSCORED, *_missing(shown), *_unkept(shown))),
        frozenset(
            (row, column)
            for column, cells in best
            for row, name in enumerate(METRICS)
            if _is_best(name, cells)
        ),
    )


def _is_best(name: str, cells: Sequence[MmTauCell]) -> bool:
    """Return whether the first cell's metric is the best, alone or with some others."""
    values = [cell.metrics[name].value for cell in cells]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or min(known) == max(known):
        return False
    if name in LOWER_IS_BETTER:
        return known[0] == min(known)
    return known[0] == max(known)


def _agreement(each: JudgeLogAgreement) -> tuple[str, ...]:
    means = (MISSING if mean is None else f"{mean:.3f}" for mean in (each.judged, each.counted))
    names = [("κ", each.kappa), ("r", each.r)]
    beyond = next(
        (f"{name} {_format_agreement(found)}" for name, found in names if found is not None),
        MISSING,
    )
    return (
        *(each.suite, each.agent, each.reader, each.what, each.metrics),
        *(f"{each.n:,}", f"{each.unjudged:,}", f"{each.uncounted:,}"),
        *means,
        _format_agreement(each.equal),
        beyond,
    )


def _format_agreement(found: Agreed) -> str:
    if found.value is None:
        return MISSING
    return f"{found.value:.3f}" + (f" {_ends(found.interval)}" if found.interval else "")


def _group_cells(
    cells: Sequence[MmTauCell], place: Callable[[MmTauCell], tuple[str, ...]]
) -> dict[tuple[str, ...], list[MmTauCell]]:
    """Return cells by their place, those with speech first.

    Most metrics belong to cells with speech.
    """
    groups: dict[tuple[str, ...], list[MmTauCell]] = {}
    for cell in sorted(cells, key=lambda cell: cell.input_mode.is_text):
        groups.setdefault(place(cell), []).append(cell)
    return groups


def _readers(summary: MmTauSummary) -> list[str]:
    return list(dict.fromkeys(cell.reader for cell in summary.cells))


def _player(cell: MmTauCell) -> str:
    return ", ".join((cell.agent, *cell.setting))


def _modality(cell: MmTauCell) -> str:
    judged = "" if cell.input_mode.clarify == NONE else f", clarify {cell.input_mode.clarify}"
    return f"{cell.input_mode.name}{judged}"


def _user_place(cell: MmTauCell) -> tuple[str, str, str]:
    return _player(cell), _modality(cell), cell.persona


def _format_heading(place: Sequence[str], cells: Iterable[MmTauCell]) -> str:
    """Return a place in words; who has no card may be the persona that each task states."""
    *whose, persona = place
    stated = dict.fromkeys(each.persona for cell in cells for each in cell.stated)
    shown = f"{persona}, or {', '.join(stated)}" if stated else persona
    return ", ".join((*whose, f"persona {shown}"))


def _format_metric(metric: Metric) -> str:
    unscored = f"{metric.unscored:,} unscored"
    if metric.value is None:
        return f"{MISSING}\n{unscored}" if metric.unscored else MISSING
    most = "" if metric.most is None else f" to {metric.most:.3f}"
    lines = [f"{metric.value:.3f}{most} of {metric.n:,g}"]
    if metric.interval is not None:
        lines.append(_ends(metric.interval))
    if metric.unscored:
        lines.append(unscored)
    return "\n".join(lines)


def _percent(metric: Metric) -> str:
    if metric.value is None:
        return MISSING
    lines = [f"{100 * metric.value:+.1f} % of {metric.n:,g}"]
    if metric.interval is not None:
        lines.append(f"[{100 * metric.interval.low:+.1f}, {100 * metric.interval.high:+.1f}]")
    return "\n".join(lines)


def _tap(cell: MmTauCell | None, *, is_clipped: bool) -> str:
    if cell is None:
        return MISSING
    value = _composite(cell, is_clipped=is_clipped)
    interval = cell.clipped_interval if is_clipped else cell.mm_tap_interval
    if value is None:
        return MISSING
    lines = [f"{value:.3f} of {cell.tasks:,}", *([] if interval is None else [_ends(interval)])]
    return "\n".join(lines)


def _composite(cell: MmTauCell, *, is_clipped: bool) -> float | None:
    return cell.clipped if is_clipped else cell.mm_tap


def _by(summary: MmTauSummary) -> str:
    """Return by which definitions a table is; ours need no name."""
    return "" if summary.definitions == OWN else f" by {summary.definitions}"


def _ends(interval: Interval) -> str:
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def _format_exposure(cell: MmTauCell) -> str:
    """Return a cell's exposure, and that its users did not keep their card."""
    exposure = exposure_name(cell.exposure)
    is_kept = cell.card is None or cell.card.verdict != "not kept"
    return exposure if is_kept else f"{exposure}, card not kept"


def _further(summary: MmTauSummary, cells: Sequence[MmTauCell]) -> Iterator[str]:
    if any(metric.unscored for cell in cells for metric in cell.metrics.values()):
        yield _UNSCORED
    if len(_readers(summary)) > 1 and summary.has_composite:
        yield _OF_LOG


def _missing(cells: Sequence[MmTauCell]) -> Iterator[str]:
    """Yield why metrics have no value, each reason once with the metrics that it is of."""
    reasons: dict[str, dict[str, None]] = {}
    for cell in cells:
        for name, metric in cell.metrics.items():
            if metric.value is None:
                reasons.setdefault(metric.why, {})[name] = None
    for why, names in reasons.items():
        yield f"no {', '.join(names)}: {why}"
    lacking = dict.fromkeys(", ".join(cell.lacks) for cell in cells if cell.lacks)
    for lacked in lacking:
        yield f"no mm-tap without {lacked}"
