"""Judged errors and failure modes of calls of stored runs, as a summary and a data frame."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_modes import (
    ConversationShare,
    has_failure_modes,
    summarize_failure_modes,
)
from dragoman.analysis.grouping import AGENT
from dragoman.analysis.judged_errors import (
    AuditRow,
    ErrorSummary,
    JudgedGroup,
    ModeGroup,
    Reviewed,
    ReviewedOutcome,
    side_figures,
    tag_agreement,
)
from dragoman.analysis.measure_metrics import newest
from dragoman.core.conditions import axis_names
from dragoman.core.errors import UsageError
from dragoman.core.measures import ErrorReview, JudgedError, MeasureResult, ReportedError
from dragoman.core.tools import Role
from dragoman.dataframes.results import ScoredRun, run_facts, scored_runs
from dragoman.scoring.measures.error_review import ERRORS, RUBRIC
from dragoman.scoring.measures.error_tags import (
    LENIENT_TAG_RULES,
    DiscardedWord,
    ErrorTag,
    TagRules,
    error_taxonomy,
    normalize_tag,
    normalize_tags,
)

_SIDES: tuple[Role, ...] = ("agent", "user")


def summarize_errors(
    folders: Sequence[Path], axes: Sequence[str] | None, rules: TagRules
) -> ErrorSummary:
    """Return the errors of runs, group by group.

    Args:
        folders: Folders of runs.
        axes: Conversations that share these axes and `agent` are one group; None for the
            cells of the grid.
        rules: Rules by which tags are read.

    Raises:
        UsageError: If an axis does not exist, or nothing was measured.
        StoreError: If a run cannot be read.
    """
    runs = scored_runs(folders, None, None)
    rows = [row for run in runs for row in run.outcomes if row.episode is not None]
    groups = _group_rows(rows, axes)
    judges = dict.fromkeys(_judge(each) for row in rows for each in _reviews(row))
    is_counted = any(map(has_failure_modes, rows))
    if not judges and not is_counted:
        raise UsageError(
            f"{folders[0]}: nothing was measured: `dragoman score {folders[0]} --measure modes`, "
            "or "
            f"`--rubric {RUBRIC} --judge PROVIDER/MODEL` first"
        )
    return ErrorSummary(
        tuple(
            _summarize_judged_group(suite, values, judge, own, rules)
            for (suite, values, own) in groups
            for judge in judges
            if any(_judge(each) == judge for row in own for each in _reviews(row))
        ),
        tuple(_modes(suite, values, own, runs) for (suite, values, own) in groups if is_counted),
        tuple(_audit(rows, rules)),
        (*run_facts(runs), ("rules of error tags", rules.name)),
    )


def _group_rows(
    rows: Sequence[ConversationResult], axes: Sequence[str] | None
) -> list[tuple[str, dict[str, str], list[ConversationResult]]]:
    known = (AGENT, *axis_names(row.condition for row in rows))
    for axis in axes or ():
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")
    groups: dict[tuple[str, ...], tuple[str, dict[str, str], list[ConversationResult]]] = {}
    for row in rows:
        values = _values(row, axes)
        key = (row.suite, *values.values())
        groups.setdefault(key, (row.suite, values, []))[2].append(row)
    return list(groups.values())


def _values(row: ConversationResult, axes: Sequence[str] | None) -> dict[str, str]:
    if axes is None:
        return {"condition": row.condition.label, AGENT: row.agent}
    return {axis: row.agent if axis == AGENT else row.condition.shown(axis) for axis in axes}


def _reviews(row: ConversationResult) -> Iterator[MeasureResult]:
    return (each for each in newest(row.measures) if each.measure == ERRORS)


def _judge(measured: MeasureResult) -> str:
    return f"{measured.judge}, {measured.measure} {measured.version}"


def _modes(
    suite: str,
    values: dict[str, str],
    rows: Sequence[ConversationResult],
    runs: Sequence[ScoredRun],
) -> ModeGroup:
    summary = summarize_failure_modes(rows)
    folders = {_place(row): str(run.folder) for run in runs for row in run.outcomes}
    examples = (mode.example for mode in summary.modes)
    found = (
        folders[each.suite, each.condition, each.agent, each.task, each.trial] for each in examples
    )
    return ModeGroup(suite, values, summary, tuple(found))


def _place(row: ConversationResult) -> tuple[str, str, str, str, int]:
    return row.suite, row.condition.label, row.agent, row.task, row.trial


def _summarize_judged_group(
    suite: str,
    values: dict[str, str],
    judge: str,
    rows: Sequence[ConversationResult],
    rules: TagRules,
) -> JudgedGroup:
    cases: list[ReviewedOutcome] = []
    unscored: dict[str, int] = {}
    for row in rows:
        found = next((each for each in _reviews(row) if _judge(each) == judge), None)
        why = "not judged" if found is None else found.unscored
        if found is None or why:
            unscored[why] = unscored.get(why, 0) + 1
            cases.append(ReviewedOutcome(row, None))
        else:
            cases.append(ReviewedOutcome(row, read_review(found.errors, rules)))
    reviewed = [Reviewed(case.row.task, case.review) for case in cases]
    sides = (side_figures(reviewed, side, error_taxonomy().tags[side]) for side in _SIDES)
    return JudgedGroup(suite, values, judge, tuple(sides), tag_agreement(cases), unscored)


def read_review(errors: Iterable[ReportedError], rules: TagRules) -> ErrorReview:
    """Return a judge's review with its tags in the words of the taxonomy."""
    return ErrorReview(tuple(_read(error, rules) for error in errors))


def _read(error: ReportedError, rules: TagRules) -> JudgedError:
    tags = normalize_tags(error.tags, error.by, rules)
    return JudgedError(error.by, error.severity, tags.names, len(tags.unscored))


def _audit(rows: Sequence[ConversationResult], rules: TagRules) -> Iterator[AuditRow]:
    counts: dict[tuple[str, Role, str], int] = {}
    for row in rows:
        for measured in _reviews(row):
            for error in measured.errors:
                for tag in error.tags:
                    key = (_judge(measured), error.by, tag)
                    counts[key] = counts.get(key, 0) + 1
    for (judge, side, tag), errors in sorted(counts.items()):
        read_as, lenient = (_made_of(tag, side, each) for each in (rules, LENIENT_TAG_RULES))
        yield AuditRow(
            judge, side, tag, errors, read_as, lenient, tag in error_taxonomy().tags[side]
        )


def _made_of(written: str, side: Role, rules: TagRules) -> str:
    match normalize_tag(written, side, rules):
        case ErrorTag(name, warning):
            return f"{name} (unknown)" if warning else name
        case DiscardedWord():
            return "left out"
        case unscored:
            return f"unscored: {unscored.reason.removeprefix(repr(written)).strip()}"


SUMMARY_COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("table", "suite", "group", "judge", "side", "subject", "kind"), pl.String()),
    **dict.fromkeys(("count", "n", "unscored"), pl.Int64()),
    **dict.fromkeys(("share", "low", "high"), pl.Float64()),
    "read_as": pl.String(),
    "why": pl.String(),
}
"""Of `error_frame`: severities, tags, agreement, modes and the audit of tags, one below another."""


def error_frame(summary: ErrorSummary) -> pl.DataFrame:
    """Return every figure of a board as a row; what does not apply is null."""
    rows = [*_judged_rows(summary), *_mode_rows(summary), *_audit_rows(summary)]
    columns = {name: [row.get(name) for row in rows] for name in SUMMARY_COLUMNS}
    return pl.DataFrame(columns, schema=SUMMARY_COLUMNS, strict=False)


_Cells = dict[str, object]


def _judged_rows(summary: ErrorSummary) -> Iterator[_Cells]:
    for group in summary.judged:
        place: _Cells = {
            "suite": group.suite,
            "group": group.label,
            "judge": group.judge,
        }
        for figures in group.sides:
            own = {**place, "side": figures.side}
            for level in ("critical", "minor", "correct"):
                share = _share(getattr(figures, level))
                yield {
                    "table": "severity",
                    **own,
                    "kind": level,
                    **share,
                    "unscored": figures.unscored,
                }
            for tag in figures.tags:
                for level in ("critical", "minor"):
                    counted = {**_share(getattr(tag, level)), "unscored": figures.tags_unscored}
                    yield {"table": "tag", **own, "subject": tag.tag, "kind": level, **counted}
        for agreement in group.tag_agreements:
            for kind in ("both", "tag_alone", "mode_alone", "neither"):
                counted = {"count": getattr(agreement, kind), "n": agreement.percent.items}
                reported = {"subject": f"{agreement.tag} / {agreement.mode}", "kind": kind}
                yield {
                    "table": "agreement",
                    **place,
                    **reported,
                    **counted,
                    "unscored": agreement.unscored,
                }


def _mode_rows(summary: ErrorSummary) -> Iterator[_Cells]:
    for group in summary.modes:
        place = {"suite": group.suite, "group": group.label}
        unscored = sum(group.summary.unscored.values())
        for mode in group.summary.modes:
            reported = {"subject": mode.subject, "kind": mode.mode, "why": mode.why}
            yield {
                "table": "mode",
                **place,
                **reported,
                **_share(mode.conversations),
                "unscored": unscored,
            }


def _audit_rows(summary: ErrorSummary) -> Iterator[_Cells]:
    for row in summary.audit:
        reported = {"subject": row.written, "count": row.errors, "read_as": row.read_as}
        yield {"table": "audit", "judge": row.judge, "side": row.side, **reported}


def _share(share: ConversationShare) -> _Cells:
    interval = share.interval
    return {
        "count": share.count,
        "n": share.n,
        "share": share.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }
