"""Implementation of `judge-check`, `errors`, `label-check` and `critical-fields`.

These compare judges and measures with human labels, tabulate judged errors, and list the critical
fields of a suite.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

import msgspec

from dragoman.analysis.intervals import Interval
from dragoman.analysis.judge_accuracy import LabelledFigures, LaterContextBias, PanelFigures, Shift
from dragoman.analysis.rater_agreement import RaterAgreement
from dragoman.cli.output import print_json, print_line, print_metrics_json
from dragoman.core.capabilities import ProvidesRiskProfile
from dragoman.core.protocols import Suite
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import RiskProfile, Task
from dragoman.dataframes.error_summary import error_frame, summarize_errors
from dragoman.dataframes.text_files import as_csv, as_markdown, require_writable, write_tables
from dragoman.experiments.judge_validation import (
    CorrectedFigure,
    JudgeCheck,
    check_judges,
    write_label_template,
)
from dragoman.experiments.measure_validation import Difference, LabelComparison, check_labels
from dragoman.registry.suites import load_suite
from dragoman.report import formatting
from dragoman.report.formatting import format_count
from dragoman.report.judged_errors import error_tables
from dragoman.report.text_tables import TextTable, print_table
from dragoman.scoring.measures.critical_fields import critical_actions
from dragoman.scoring.measures.error_tags import DEFAULT_TAG_RULES, TAG_RULES
from dragoman.scoring.measures.escalation import escalation_duties, planned_handover
from dragoman.store.run_plan import StoredCell

_SHOWN = 20


def print_judge_check(run: Path, labels: Path | None, *, as_json: bool) -> None:
    """Print the validity of a run's judges."""
    found = check_judges(run, labels)
    if as_json:
        print_json(found)
        return
    if labels is None:
        print_line("no labels: judges are only compared with each other (--labels FILE)")
    if found.strangers:
        what = formatting.format_count(found.strangers, "label")
        print_line(f"{labels}: {what} belong to items that no judge of this run rated")
    _print(_labelled_figures_table(found.labelled))
    _print(_corrected_figures_table(found.corrected))
    _print(_panels(found.panels))
    _print_split(run, found)
    _print(_later_context_bias(found.later_context_bias))
    _print_changed(run, found)


def print_template(run: Path, path: Path) -> None:
    """Write a CSV file to label, and print its path."""
    count = write_label_template(run, path)
    print_line(f"{path}: {formatting.format_count(count, 'row')}: fill the column `value`")


def _print(table: TextTable) -> None:
    if table.rows:
        print_table(table)


def _labelled_figures_table(figures: Sequence[LabelledFigures]) -> TextTable:
    headings = (
        *("question", "judge", "labelled", "unanswered", "right", "kappa"),
        *("precision", "recall", "specificity", "late minus early", "long minus short"),
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
                formatting.share(None if each.errors is None else getattr(each.errors, name))
                for name in ("precision", "sensitivity", "specificity")
            ),
            _shift(each.by_position),
            _shift(each.by_length),
        )
        for each in figures
    )
    note = (
        "Intervals are 95 %, over items. The last two columns are differences of error rates: of "
        "late and early replies, and of long and short ones."
    )
    return TextTable(headings, rows, "agreement with human labels", note, frozenset(headings[2:4]))


def _corrected_figures_table(figures: Sequence[CorrectedFigure]) -> TextTable:
    headings = ("question", "judge", "condition", "agent", "judged", "raw", "corrected", "95 %")
    rows = tuple(
        (
            each.question,
            each.rater.judge,
            each.condition.label,
            each.agent,
            f"{each.items:,}",
            formatting.share(each.rate.raw),
            formatting.share(each.rate.value) if not each.rate.why else each.rate.why,
            _share_interval(each.rate.interval),
        )
        for each in figures
    )
    note = "Shares of yes; corrected for the judge's errors on labelled items (Rogan and Gladen)."
    return TextTable(
        headings, rows, "corrected for the judge's errors", note, frozenset(headings[4:6])
    )


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
        headings, rows, "agreement between judges", numbers=frozenset({"raters", "items", "split"})
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


def _later_context_bias(figures: Sequence[LaterContextBias]) -> TextTable:
    headings = (
        "question",
        "judge",
        "early context",
        "whole context",
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
    note = "Labels that differ if the judge also sees the part of the conversation after the reply."
    return TextTable(headings, rows, "later-context bias", note, frozenset(headings[4:6]))


def _print_changed(run: Path, found: JudgeCheck) -> None:
    changed = [(each, *entry) for each in found.later_context_bias for entry in each.changed]
    for each, item, early, late in changed[:_SHOWN]:
        print_line(
            f"changed: {each.question}, event {item.position}: {each.before.judge} {early}, "
            f"with the whole conversation {late}\n  {_show(run, found.cells[item.cell])}"
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
        return f"{formatting.share(found.value)} {_share_interval(found.interval)}".rstrip()
    within = "" if found.interval is None else f" {formatting.interval(found.interval)}"
    return f"{found.value:.2f}{within}"


def _share_interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"[{formatting.share(interval.low)}, {formatting.share(interval.high)}]"


def _shift(shift: Shift | None) -> str:
    if shift is None:
        return "-"
    return f"{formatting.difference(shift.difference)} {formatting.signed_interval(shift.interval)}"


_MODES = 20


class ErrorsRequest(msgspec.Struct, frozen=True):
    """The options of `dragoman errors`: `outs` are files to write as well."""

    folders: tuple[Path, ...]
    by: str | None
    tag_rules: str | None
    outs: tuple[Path, ...]


def print_errors(asked: ErrorsRequest, *, full: bool, as_json: bool) -> None:
    """Print the errors in runs, and write them to files on request.

    Raises:
        UsageError: For a file that is neither Markdown nor CSV, an unknown axis or unknown rules,
            and runs without such measures.
    """
    require_writable(asked.outs)
    rules = DEFAULT_TAG_RULES if asked.tag_rules is None else TAG_RULES.find(asked.tag_rules)
    axes: Sequence[str] | None = None if asked.by is None else asked.by.split(",")
    summary = summarize_errors(asked.folders, axes, rules)
    writers = {
        ".md": lambda: as_markdown("Errors", error_tables(summary), summary.facts).encode(),
        ".csv": lambda: as_csv(error_frame(summary)).encode(),
    }
    write_tables(asked.outs, writers)
    if as_json:
        print_metrics_json({**msgspec.to_builtins(summary), "facts": dict(summary.facts)})
        return
    for table in error_tables(summary, None if full else _MODES):
        print_table(table)
    print()
    for name, value in summary.facts:
        print_line(f"{name}: {value}")


def print_label_check(paths: Sequence[Path], *, as_json: bool) -> bool:
    """Print how well measures match labels, and return whether all match."""
    found = check_labels(paths)
    if as_json:
        print_json(found)
        return found.is_exact
    without = f", {found.unlabelled:,} more without labels" if found.unlabelled else ""
    print_line(f"{format_count(found.conversations, 'conversation')} with labels{without}")
    print_table(_table(found))
    for each in found.differences[:_SHOWN]:
        print_line(_describe_agreement(each))
    if len(found.differences) > _SHOWN:
        print_line(f"and {len(found.differences) - _SHOWN:,} more differences (--json has all)")
    return found.is_exact


def _table(found: LabelComparison) -> TextTable:
    headings = (
        "label",
        "measure",
        "conversations",
        "labelled",
        "measured",
        "undecided",
        "exact",
        "unscored",
    )
    rows = tuple(
        (
            each.label.replace("_", " "),
            each.measure,
            *(f"{number:,}" for number in (each.conversations, each.labelled, each.measured)),
            *(f"{number:,}" for number in (each.undecided, each.exact, each.unscored)),
        )
        for each in found.figures
    )
    note = (
        "Exact: conversations with the labelled number, at the labelled turns if they are given. "
        "Undecided results are neither exact nor differences."
    )
    return TextTable(headings, rows, "agreement with labels", note, frozenset(headings[2:]), keys=1)


def _describe_agreement(each: Difference) -> str:
    what = f"{each.file}, {each.conversation}: {each.label.replace('_', ' ')}"
    if each.measured is None:
        return f"{what}: {each.labelled} labelled, unscored: {each.why}"
    turns = "".join(
        f", {word} at turn {', '.join(map(str, places))}"
        for word, places in (
            ("labelled alone", each.only_labelled),
            ("measured alone", each.only_measured),
        )
        if places
    )
    return f"{what}: {each.labelled} labelled, {each.measured} measured{turns}"


_NAMED = 9
"""The number of tasks of a duty that are named."""


class CriticalRow(msgspec.Struct, frozen=True):
    """A critical field of one task, with its value in the plan."""

    task: str
    action: str
    tool: str
    argument: str
    value: object
    is_declared: bool


class DutyRow(msgspec.Struct, frozen=True):
    """A task that must be transferred to a human: its duties, and whether its plan transfers."""

    task: str
    reasons: tuple[str, ...]
    is_planned: bool


def print_critical_fields(name: str, *, full: bool, as_json: bool) -> None:
    """Print a suite's critical fields, irreversible actions and mandatory escalations."""
    suite = load_suite(name)
    risk_profile = suite.risk_profile if isinstance(suite, ProvidesRiskProfile) else RiskProfile()
    rows = [row for task in suite.tasks for row in _rows(suite, task)]
    due = [row for task in suite.tasks for row in _due(task, risk_profile)]
    if as_json:
        planned = [row.task for row in due if row.is_planned]
        shown = {
            "suite": name,
            "stakes": risk_profile,
            "critical": rows,
            "escalations_due": planned,
        }
        print_json({**shown, "duties": due})
        return
    _print_tools(rows, risk_profile)
    if full:
        _print_rows(rows)
    if risk_profile.escalation_tool:
        _print_duties(suite, risk_profile, due, full=full)


def _rows(suite: Suite, task: Task) -> Iterator[CriticalRow]:
    environment = suite.factory(DEFAULT_RULES)(task)
    for found in critical_actions(task, environment.kind):
        for name in found.arguments:
            action = found.action
            value = action.arguments.get(name)
            yield CriticalRow(task.id, action.id, action.name, name, value, found.is_declared)


def _due(task: Task, risk_profile: RiskProfile) -> Iterator[DutyRow]:
    reasons = tuple(each.reason for each in escalation_duties(task, risk_profile))
    is_planned = planned_handover(task, risk_profile) is not None
    if reasons or is_planned:
        yield DutyRow(task.id, reasons, is_planned)


def _print_duties(
    suite: Suite, risk_profile: RiskProfile, due: Sequence[DutyRow], *, full: bool
) -> None:
    for duty in risk_profile.escalations:
        print_line(f"escalation duty ({duty.reason}): {duty.when}")
        tasks = [row.task for row in due if duty.reason in row.reasons]
        place = duty.place or _heading(suite, duty.reason)
        print_line(f"  {place}{place and '; '}{_format_task_names(tasks, full=full)}")
    planned = [row.task for row in due if row.is_planned]
    print_line(
        f"{risk_profile.escalation_tool} is planned in {_format_task_names(planned, full=full)}"
    )
    alone = [row.task for row in due if not row.is_planned]
    unsaid = [row.task for row in due if not row.reasons]
    if alone:
        print_line(
            f"duty without an escalation in the plan: {_format_task_names(alone, full=full)}"
        )
    if unsaid:
        print_line(
            f"escalation in the plan without a duty: {_format_task_names(unsaid, full=full)}"
        )


def _heading(suite: Suite, reason: str) -> str:
    """Return the policy heading above a reason's code, or "" if the code is not in the policy."""
    task = next(iter(suite.tasks), None)
    policy = "" if task is None else suite.policy(task, suite.factory(DEFAULT_RULES)(task))
    heading = ""
    for line in policy.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif f"`{reason}`" in line:
            return f"policy: {heading}" if heading else "policy"
    return ""


def _format_task_names(tasks: Sequence[str], *, full: bool) -> str:
    """Return the number of tasks and their names."""
    shown = tasks if full or len(tasks) <= _NAMED + 1 else tasks[:_NAMED]
    more = f" and {len(tasks) - len(shown)} more (--full)" if len(shown) < len(tasks) else ""
    return f"{formatting.format_count(len(tasks), 'task')}: {', '.join(shown) or 'none'}{more}"


def _print_tools(rows: list[CriticalRow], risk_profile: RiskProfile) -> None:
    tools = dict.fromkeys((*risk_profile.irreversible, *sorted(row.tool for row in rows)))
    headings = ("tool", "irreversible", "critical arguments", "fields", "tasks")
    lines = []
    for tool in tools:
        own = [row for row in rows if row.tool == tool]
        lines.append(
            (
                tool,
                "yes" if tool in risk_profile.irreversible else "no",
                ", ".join(dict.fromkeys(row.argument for row in own)) or "-",
                f"{len(own):,}",
                f"{len({row.task for row in own}):,}",
            )
        )
    how = (
        "as declared by tasks"
        if any(row.is_declared for row in rows)
        else "all arguments of planned changes"
    )
    print_table(
        TextTable(headings, tuple(lines), f"critical fields ({how})", "", frozenset(headings[3:]))
    )


def _print_rows(rows: list[CriticalRow]) -> None:
    headings = ("task", "action", "tool", "argument", "value")
    lines = tuple(
        (row.task, row.action, row.tool, row.argument, msgspec.json.encode(row.value).decode())
        for row in rows
    )
    print_table(TextTable(headings, lines, "critical fields by task"))
