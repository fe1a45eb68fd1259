"""What went wrong in stored runs: errors that judges named, and failure modes of calls."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dragoman.analysis.by_axis import AGENT
from dragoman.analysis.cells import Outcome
from dragoman.analysis.errors.board import AuditRow, ErrorBoard, JudgedGroup, ModeGroup
from dragoman.analysis.errors.modes import has_modes, mode_board
from dragoman.analysis.errors.reviewed import Reviewed, side_figures
from dragoman.analysis.errors.twins import ReviewedOutcome, tag_agreement
from dragoman.analysis.measure_figures import newest
from dragoman.core.conditions import axis_names
from dragoman.core.errors import UsageError
from dragoman.core.measures import ErrorReview, JudgedError, MeasureResult, ReportedError
from dragoman.core.tools import Role
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
from dragoman.tables.scored_runs import ScoredRun, run_facts, scored_runs

_SIDES: tuple[Role, ...] = ("agent", "user")


def error_board(folders: Sequence[Path], axes: Sequence[str] | None, rules: TagRules) -> ErrorBoard:
    """Return what went wrong in runs, group by group.

    Args:
        folders: Of runs.
        axes: Conversations that share these axes and `agent` are one group; None for the
            cells of the grid.
        rules: How tags are read.

    Raises:
        UsageError: Where an axis is not there, or nothing was measured.
        StoreError: Where a run cannot be read.
    """
    runs = scored_runs(folders, None, None)
    rows = [row for run in runs for row in run.outcomes if row.episode is not None]
    groups = _grouped(rows, axes)
    judges = dict.fromkeys(_judge(each) for row in rows for each in _reviews(row))
    is_counted = any(map(has_modes, rows))
    if not judges and not is_counted:
        raise UsageError(
            f"{folders[0]}: nothing was measured: `dragoman score {folders[0]} --measure modes`, or "
            f"`--rubric {RUBRIC} --judge PROVIDER/MODEL` first"
        )
    return ErrorBoard(
        tuple(
            _judged(suite, values, judge, own, rules)
            for (suite, values, own) in groups
            for judge in judges
            if any(_judge(each) == judge for row in own for each in _reviews(row))
        ),
        tuple(_modes(suite, values, own, runs) for (suite, values, own) in groups if is_counted),
        tuple(_audit(rows, rules)),
        (*run_facts(runs), ("rules of error tags", rules.name)),
    )


def _grouped(
    rows: Sequence[Outcome], axes: Sequence[str] | None
) -> list[tuple[str, dict[str, str], list[Outcome]]]:
    known = (AGENT, *axis_names(row.condition for row in rows))
    for axis in axes or ():
        if axis not in known:
            raise UsageError(f"--by {axis}: no such axis: choose of {', '.join(known)}")
    groups: dict[tuple[str, ...], tuple[str, dict[str, str], list[Outcome]]] = {}
    for row in rows:
        values = _values(row, axes)
        key = (row.suite, *values.values())
        groups.setdefault(key, (row.suite, values, []))[2].append(row)
    return list(groups.values())


def _values(row: Outcome, axes: Sequence[str] | None) -> dict[str, str]:
    if axes is None:
        return {"condition": row.condition.label, AGENT: row.agent}
    return {axis: row.agent if axis == AGENT else row.condition.shown(axis) for axis in axes}


def _reviews(row: Outcome) -> Iterator[MeasureResult]:
    return (each for each in newest(row.measures) if each.measure == ERRORS)


def _judge(measured: MeasureResult) -> str:
    return f"{measured.judge}, {measured.measure} {measured.version}"


def _modes(
    suite: str, values: dict[str, str], rows: Sequence[Outcome], runs: Sequence[ScoredRun]
) -> ModeGroup:
    board = mode_board(rows)
    folders = {_place(row): str(run.folder) for run in runs for row in run.outcomes}
    examples = (mode.example for mode in board.modes)
    found = (
        folders[each.suite, each.condition, each.agent, each.task, each.trial] for each in examples
    )
    return ModeGroup(suite, values, board, tuple(found))


def _place(row: Outcome) -> tuple[str, str, str, str, int]:
    return row.suite, row.condition.label, row.agent, row.task, row.trial


def _judged(
    suite: str, values: dict[str, str], judge: str, rows: Sequence[Outcome], rules: TagRules
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


def _audit(rows: Sequence[Outcome], rules: TagRules) -> Iterator[AuditRow]:
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
