"""Tables and figures of judged errors, in the layout of SEATauBench."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.failure_modes import ConversationShare, ModeFigures
from dragoman.analysis.judged_errors import (
    AuditRow,
    ErrorSummary,
    JudgedGroup,
    ModeGroup,
    Reviewed,
    SideFigures,
    TagFigures,
    side_figures,
)
from dragoman.analysis.measure_metrics import newest
from dragoman.analysis.rater_agreement import RaterAgreement
from dragoman.core.measures import ErrorReview, JudgedError, MeasureResult
from dragoman.core.tools import Role
from dragoman.report import formatting
from dragoman.report.figure_spec import Datum, FigureSpec, Section, distinct_names, file_name
from dragoman.report.summary_figures import GridCell, setting
from dragoman.report.text_tables import TextTable
from dragoman.scoring.measures.error_review import ERRORS

_SIDES: tuple[Role, ...] = ("agent", "user")


def judged_error_figures(
    cells: Sequence[GridCell], outcomes: Mapping[int, Sequence[ConversationResult]]
) -> Iterator[FigureSpec]:
    """Yield the figures of the errors that judges found in conversations.

    Each figure is for one side, with a bar for each language and scenario.

    Args:
        cells: The cells.
        outcomes: Their conversations, by the cells' numbers.
    """
    judges = distinct_names(
        _judge(each) for rows in outcomes.values() for row in rows for each in _reviews(row)
    )
    section: Section = "summary" if all(cell.is_english for cell in cells) else "languages"
    for suite in distinct_names(cell.suite for cell in cells):
        own = [cell for cell in cells if cell.suite == suite]
        for judge in judges:
            for side in _SIDES:
                data = tuple(_data(own, outcomes, judge, side))
                if data:
                    yield FigureSpec(
                        file_name("errors", side, suite, *([judge] if len(judges) > 1 else [])),
                        section,
                        "stack",
                        f"Errors of the {side} by severity, {suite}",
                        f"Conversations by the most severe error of the {side}, judged by {judge}, "
                        "in the form of SEATauBench's Figure 5. Conversations without a usable "
                        "judgement are excluded; intervals over tasks are in the data.",
                        data,
                        axis="of conversations",
                        of="conversation",
                    )


def _data(
    cells: Sequence[GridCell],
    outcomes: Mapping[int, Sequence[ConversationResult]],
    judge: str,
    side: Role,
) -> Iterator[Datum]:
    has_agents = len({cell.player for cell in cells}) > 1
    for cell in cells:
        found = _figures(outcomes[cell.number], judge, side)
        place = setting(cells, cell)
        for level in ("critical", "minor", "correct"):
            share = getattr(found, level)
            if share.value is not None:
                yield Datum(
                    f"{place}, {cell.player}" if has_agents else place,
                    *(share.value, share.interval, share.n, level),
                    note=f"{share.count} of {share.n}, {found.unscored} unscored",
                    cell=cell.number,
                )


def _figures(rows: Sequence[ConversationResult], judge: str, side: Role) -> SideFigures:
    return side_figures([Reviewed(row.task, _review(row, judge)) for row in rows], side, ())


def _review(row: ConversationResult, judge: str) -> ErrorReview | None:
    """Return the severities that a judge gave, without tags."""
    found = next((each for each in _reviews(row) if _judge(each) == judge), None)
    if found is None or found.unscored:
        return None
    return ErrorReview(tuple(JudgedError(each.by, each.severity, (), 0) for each in found.errors))


def _reviews(row: ConversationResult) -> Iterator[MeasureResult]:
    return (each for each in newest(row.measures) if each.measure == ERRORS)


def _judge(measured: MeasureResult) -> str:
    return f"{measured.judge}, {measured.measure} {measured.version}"


_INTERVALS = "in brackets 95 % intervals of the share of n, over tasks"
_SEVERITY = (
    "conversations by their most severe error; n: conversations with a known most "
    "severe error, unscored: the others"
)
_TAGS = (
    "conversations in which a tag occurs at least once, C: as a critical error, M: as a minor one; "
    "n: conversations in which all tags of the side could be read, unscored: the others"
)
_AGREEMENT = (
    "conversations with the judge's tag on an error of the agent, and with the failure "
    "mode of its calls; unscored: one of the two is not known"
)
_MODES = (
    "share of conversations with it: among those whose plan has the tool, or with a "
    "compared argument; for failed calls, unplanned calls and checks of a suite: among "
    "all"
)


def severity_table(groups: Sequence[JudgedGroup]) -> TextTable:
    """Return conversations by the most severe error of each side, with a row for each group."""
    names = ("n", "critical", "minor", "correct", "unscored")
    headings = ("suite", "group", *(f"{side} {name}" for side in _SIDES for name in names))
    rows = tuple(
        (
            group.suite,
            group.label,
            *(cell for figures in group.sides for cell in _severities(figures)),
        )
        for group in groups
    )
    title = f"errors by severity, judged by {groups[0].judge}"
    counts: Counter[str] = Counter()
    for group in groups:
        counts.update(group.unscored)
    why = formatting.reasons_line(counts)
    note = "; ".join((_SEVERITY, _INTERVALS, *([why] if why else [])))
    return TextTable(headings, rows, title, note, frozenset(f"{side} n" for side in _SIDES), keys=2)


def _severities(figures: SideFigures) -> tuple[str, ...]:
    shares = (figures.critical, figures.minor, figures.correct)
    return (f"{figures.critical.n:,}", *map(_format_count, shares), f"{figures.unscored:,}")


def tag_table(groups: Sequence[JudgedGroup], side: Role) -> TextTable:
    """Return the frequency of each tag on a side.

    The table has a column for each group of one suite and judge.
    """
    own = [next(each for each in group.sides if each.side == side) for group in groups]
    headings = ("tag", *(group.label for group in groups))
    rows = [
        ("n", *(f"{each.conversations - each.tags_unscored:,}" for each in own)),
        ("unscored", *(f"{each.tags_unscored:,}" for each in own)),
    ]
    by_tag = zip(*(each.tags for each in own), strict=True)
    rows += [(tags[0].tag, *map(_at_both_levels, tags)) for tags in by_tag]
    title = f"errors of the {side} by tag: {groups[0].suite}, judged by {groups[0].judge}"
    return TextTable(headings, tuple(rows), title, f"{_TAGS}; {_INTERVALS}", keys=1)


def _at_both_levels(tag: TagFigures) -> str:
    return f"C:{_format_count(tag.critical)} M:{_format_count(tag.minor)}"


def agreement_table(groups: Sequence[JudgedGroup]) -> TextTable:
    """Return the agreement of a judge's tags with failure modes of calls, by group."""
    headings = (
        *("group", "tag", "failure mode", "both", "tag alone", "mode alone", "neither"),
        *("unscored", "agree", "kappa"),
    )
    rows = tuple(
        (
            f"{group.suite}, {group.label}",
            *(agreement.tag, agreement.mode, f"{agreement.both:,}", f"{agreement.tag_alone:,}"),
            *(f"{agreement.mode_alone:,}", f"{agreement.neither:,}", f"{agreement.unscored:,}"),
            _format_agreement(agreement.percent, is_share=True),
            _format_agreement(agreement.kappa, is_share=False),
        )
        for group in groups
        for agreement in group.tag_agreements
    )
    title = f"tags and failure modes of calls, judged by {groups[0].judge}"
    return TextTable(headings, rows, title, _AGREEMENT, frozenset(headings[3:8]), keys=3)


def _format_agreement(found: RaterAgreement, *, is_share: bool) -> str:
    if found.value is None:
        return "-"
    value = formatting.share(found.value) if is_share else f"{found.value:.2f}"
    if found.interval is None:
        return value
    low, high = found.interval.low, found.interval.high
    shown, digits = ((100 * low, 100 * high), 1) if is_share else ((low, high), 2)
    return f"{value} [{shown[0]:.{digits}f}, {shown[1]:.{digits}f}]"


def mode_table(group: ModeGroup, most: int | None = None) -> TextTable:
    """Return the table of the most frequent failure modes of one group.

    It has `most` modes at most, each with the command that shows an example.
    """
    summary = group.summary
    headings = ("tool, argument", "failure mode", "times", "in", "failed", "example")
    shown = list(zip(summary.modes, group.runs, strict=True))[:most]
    rows = tuple(_mode_row(mode, run) for mode, run in shown)
    measured = summary.conversations - sum(summary.unscored.values())
    place = f"{group.suite}, {group.label}"
    title = (
        f"failure modes of calls: {place}; {measured:,} of {summary.conversations:,} conversations"
    )
    reasons = filter(None, [formatting.reasons_line(summary.unscored)])
    left = len(summary.modes) - len(shown)
    more = [f"{left:,} more with --full"] if left else []
    note = "; ".join((_MODES, _INTERVALS, *more, *reasons))
    return TextTable(headings, rows, title, note, frozenset({"times", "failed"}), keys=2)


def _mode_row(mode: ModeFigures, run: str) -> tuple[str, ...]:
    share = mode.conversations
    return (
        mode.subject,
        mode.mode,
        f"{mode.times:,}",
        f"{share.count:,} of {share.n:,}{_interval(share)}",
        f"{mode.lost:,}",
        show_error_command(mode, run)
        if mode.why == mode.mode
        else f"{mode.why}\n{show_error_command(mode, run)}",
    )


def show_error_command(mode: ModeFigures, run: str) -> str:
    """Return the command that shows the example of a mode."""
    place = mode.example
    words = ("dragoman", "show", run, place.task, "--trial", str(place.trial))
    more = ("--agent", place.agent, "--condition", place.condition)
    return " ".join(map(quote, (*words, *more)))


def audit_table(rows: Sequence[AuditRow]) -> TextTable:
    """Return every tag that a judge wrote, with its interpretations."""
    headings = ("side", "written tag", "errors", "read as", "by lenient rules")
    cells = tuple(
        (row.side, row.written, f"{row.errors:,}", row.read_as, row.lenient) for row in rows
    )
    title = f"tags as they were written by {rows[0].judge}"
    return TextTable(headings, cells, title, numbers=frozenset({"errors"}))


def error_tables(summary: ErrorSummary, most_modes: int | None = None) -> Iterator[TextTable]:
    """Yield all tables of an error summary.

    They are those of severities, tags, failure modes, both together, and the audit.
    """
    for judge in dict.fromkeys(group.judge for group in summary.judged):
        own = [group for group in summary.judged if group.judge == judge]
        yield severity_table(own)
        for suite in dict.fromkeys(group.suite for group in own):
            of_suite = [group for group in own if group.suite == suite]
            yield from (tag_table(of_suite, side) for side in _SIDES)
        if any(group.tag_agreements for group in own):
            yield agreement_table(own)
    yield from (mode_table(group, most_modes) for group in summary.modes)
    for judge in dict.fromkeys(row.judge for row in summary.audit):
        yield audit_table([row for row in summary.audit if row.judge == judge])


def _format_count(share: ConversationShare) -> str:
    return f"{share.count:,}{_interval(share)}"


def _interval(share: ConversationShare) -> str:
    if share.interval is None:
        return ""
    return f" [{100 * share.interval.low:.1f}, {100 * share.interval.high:.1f}]"
