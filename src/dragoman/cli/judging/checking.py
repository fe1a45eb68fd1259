"""`dragoman judge-check`."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from dragoman.analysis.intervals import Interval
from dragoman.analysis.judges.agreement import RaterAgreement
from dragoman.analysis.judges.answers import LabelledFigures, PanelFigures, Shift
from dragoman.analysis.judges.hindsight import Hindsight
from dragoman.cli.output import print_json, print_line
from dragoman.report import wording
from dragoman.report.fitting import TextTable, print_table
from dragoman.store.run import StoredCell
from dragoman.studies.judge_check import CorrectedFigure, JudgeCheck, check_judges, template

_SHOWN = 20


def print_judge_check(run: Path, labels: Path | None, *, as_json: bool) -> None:
    """Print how good a run's judges are."""
    found = check_judges(run, labels)
    if as_json:
        print_json(found)
        return
    if labels is None:
        print_line("no labels: judges are compared with each other alone (--labels FILE)")
    if found.strangers:
        what = wording.counted(found.strangers, "label")
        print_line(f"{labels}: {what} of what no judge was asked about here")
    _print(_labelled(found.labelled))
    _print(_corrected(found.corrected))
    _print(_panels(found.panels))
    _print_split(run, found)
    _print(_hindsight(found.hindsight))
    _print_changed(run, found)


def print_template(run: Path, path: Path) -> None:
    """Write a file to label, and say so."""
    count = template(run, path)
    print_line(f"{path}: {wording.counted(count, 'row')}: fill the column `value`")


def _print(table: TextTable) -> None:
    if table.rows:
        print_table(table)


def _labelled(figures: Sequence[LabelledFigures]) -> TextTable:
    headings = (
        *("question", "judge", "labelled", "unanswered", "right", "kappa"),
        *("precision", "recall", "specificity", "late less early", "long less short"),
    )
    rows = tuple(
        (
            f"{each.question} ({each.rater.measure} {each.rater.version})",
            each.rater.judge,
            f"{each.items:,}",
            f"{each.unanswered:,}",
            _agreement(each.right, is_share=True),
            _agreement(each.kappa),
            *(
                wording.share(None if each.errors is None else getattr(each.errors, name))
                for name in ("precision", "sensitivity", "specificity")
            ),
            _shift(each.by_position),
            _shift(each.by_length),
        )
        for each in figures
    )
    note = (
        "Intervals are 95 %, over items. The last two columns: how much more often a judge errs on "
        "replies late in a conversation, and on long ones."
    )
    return TextTable(headings, rows, "against people", note, frozenset(headings[2:4]))


def _corrected(figures: Sequence[CorrectedFigure]) -> TextTable:
    headings = ("question", "judge", "condition", "agent", "judged", "raw", "corrected", "95 %")
    rows = tuple(
        (
            each.question,
            each.rater.judge,
            each.condition.label,
            each.agent,
            f"{each.items:,}",
            wording.share(each.rate.raw),
            wording.share(each.rate.value) if not each.rate.why else each.rate.why,
            _share_interval(each.rate.interval),
        )
        for each in figures
    )
    note = "Shares of yes; corrected by the judge's errors on labelled items (Rogan and Gladen)."
    return TextTable(headings, rows, "without the judge's errors", note, frozenset(headings[4:6]))


def _panels(panels: Sequence[PanelFigures]) -> TextTable:
    headings = (
        "question",
        "raters",
        "items",
        "percent",
        "Cohen",
        "Fleiss",
        "Krippendorff",
        "split",
    )
    rows = tuple(
        (
            f"{each.question} ({each.measure} {each.version})",
            f"{len(each.judges):,}",
            f"{each.percent.items:,}",
            _agreement(each.percent, is_share=True),
            "-" if each.cohen is None else _agreement(each.cohen),
            _agreement(each.fleiss),
            _agreement(each.alpha),
            f"{len(each.split):,}",
        )
        for each in panels
    )
    return TextTable(
        headings, rows, "judges against each other", numbers=frozenset({"raters", "items", "split"})
    )


def _print_split(run: Path, found: JudgeCheck) -> None:
    split = [(panel, *entry) for panel in found.panels for entry in panel.split]
    for panel, item, given in split[:_SHOWN]:
        said = ", ".join(
            f"{judge} {'nothing' if value is None else value}"
            for judge, value in zip(panel.judges, given, strict=True)
        )
        place = "" if item.position < 0 else f", event {item.position}"
        print_line(
            f"split: {panel.question}{place}: {said}\n  {_show(run, found.cells[item.cell])}"
        )
    if len(split) > _SHOWN:
        print_line(f"and {len(split) - _SHOWN:,} more split answers (--json has all)")


def _hindsight(figures: Sequence[Hindsight]) -> TextTable:
    headings = (
        "question",
        "judge",
        "shown before",
        "shown the whole",
        "labels",
        "changed",
        "share",
    )
    rows = tuple(
        (
            f"{each.question} ({each.before.measure})",
            each.before.judge,
            each.before.version,
            each.whole.version,
            f"{each.differ.items:,}",
            f"{len(each.changed):,}",
            _agreement(each.differ, is_share=True),
        )
        for each in figures
    )
    note = "Labels of replies that differ where the judge was shown what came after them too."
    return TextTable(headings, rows, "by hindsight", note, frozenset(headings[4:6]))


def _print_changed(run: Path, found: JudgeCheck) -> None:
    changed = [(each, *entry) for each in found.hindsight for entry in each.changed]
    for each, item, early, late in changed[:_SHOWN]:
        print_line(
            f"changed: {each.question}, event {item.position}: {each.before.judge} {early}, "
            f"shown the whole {late}\n  {_show(run, found.cells[item.cell])}"
        )
    if len(changed) > _SHOWN:
        print_line(f"and {len(changed) - _SHOWN:,} more changed labels (--json has all)")


def _show(run: Path, cell: StoredCell) -> str:
    words = ("dragoman", "show", str(run), cell.task, "--trial", str(cell.trial))
    more = ("--agent", cell.agent, "--condition", cell.condition.label)
    return " ".join(map(quote, (*words, *more)))


def _agreement(found: RaterAgreement, *, is_share: bool = False) -> str:
    if found.value is None:
        return "-"
    if is_share:
        return f"{wording.share(found.value)} {_share_interval(found.interval)}"
    return f"{found.value:.2f} {wording.interval(found.interval)}"


def _share_interval(interval: Interval | None) -> str:
    if interval is None:
        return wording.interval(None)
    return f"[{wording.share(interval.low)}, {wording.share(interval.high)}]"


def _shift(shift: Shift | None) -> str:
    if shift is None:
        return "-"
    return f"{wording.difference(shift.difference)} {wording.signed_interval(shift.interval)}"
