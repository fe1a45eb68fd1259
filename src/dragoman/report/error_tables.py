"""What went wrong in runs as tables: in the form of Tables 14 to 22 of SEATauBench, and beside them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from shlex import quote

from dragoman.analysis.errors.board import AuditRow, ErrorBoard, JudgedGroup, ModeGroup
from dragoman.analysis.errors.modes import ModeFigures
from dragoman.analysis.errors.reviewed import SideFigures, TagFigures
from dragoman.analysis.errors.shares import ConversationShare
from dragoman.analysis.judges.agreement import RaterAgreement
from dragoman.core.tools import Role
from dragoman.report import wording
from dragoman.report.fitting import TextTable

_SIDES: tuple[Role, ...] = ("agent", "user")
_INTERVALS = "in brackets 95 % intervals of the share of n, over tasks"
_SEVERITY = "conversations by their gravest error; n: those whose gravest error is known, unscored: the others"
_TAGS = (
    "conversations in which a tag occurs at least once, C: as a critical error, M: as a minor one; "
    "n: conversations in which all tags of the side could be read, unscored: the others"
)
_AGREEMENT = (
    "conversations with the judge's tag on an error of the agent, and with the failure mode of its "
    "calls; unscored: one of them is not known"
)
_MODES = (
    "conversations with it, of those where the plan has the tool, or a call's argument was compared; "
    "of failed calls, calls that nobody planned, and what a suite's own check names: of all"
)


def severity_table(groups: Sequence[JudgedGroup]) -> TextTable:
    """Return conversations by the gravest error of each side: a row for each group of one judge."""
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
    why = wording.reasons_line(counts)
    note = "; ".join((_SEVERITY, _INTERVALS, *([why] if why else [])))
    return TextTable(headings, rows, title, note, frozenset(f"{side} n" for side in _SIDES), keys=2)


def _severities(figures: SideFigures) -> tuple[str, ...]:
    shares = (figures.critical, figures.minor, figures.correct)
    return (f"{figures.critical.n:,}", *map(_counted, shares), f"{figures.unscored:,}")


def tag_table(groups: Sequence[JudgedGroup], side: Role) -> TextTable:
    """Return how often each tag occurs on a side: a column for each group of one suite and judge."""
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
    return f"C:{_counted(tag.critical)} M:{_counted(tag.minor)}"


def agreement_table(groups: Sequence[JudgedGroup]) -> TextTable:
    """Return how far a judge's tags go with failure modes of calls, group by group."""
    headings = (
        *("group", "tag", "failure mode", "both", "tag alone", "mode alone", "neither"),
        *("unscored", "agree", "kappa"),
    )
    rows = tuple(
        (
            f"{group.suite}, {group.label}",
            *(twin.tag, twin.mode, f"{twin.both:,}", f"{twin.tag_alone:,}"),
            *(f"{twin.mode_alone:,}", f"{twin.neither:,}", f"{twin.unscored:,}"),
            _agreed(twin.percent, is_share=True),
            _agreed(twin.kappa, is_share=False),
        )
        for group in groups
        for twin in group.twins
    )
    title = f"tags beside failure modes of calls, judged by {groups[0].judge}"
    return TextTable(headings, rows, title, _AGREEMENT, frozenset(headings[3:8]), keys=3)


def _agreed(found: RaterAgreement, *, is_share: bool) -> str:
    if found.value is None:
        return "-"
    value = wording.share(found.value) if is_share else f"{found.value:.2f}"
    if found.interval is None:
        return value
    low, high = found.interval.low, found.interval.high
    shown, digits = ((100 * low, 100 * high), 1) if is_share else ((low, high), 2)
    return f"{value} [{shown[0]:.{digits}f}, {shown[1]:.{digits}f}]"


def mode_table(group: ModeGroup, most: int | None = None) -> TextTable:
    """Return the failure modes of one group, `most` of them, each with the command that shows an example."""
    board = group.board
    headings = ("tool, argument", "what", "times", "in", "of these lost", "example")
    shown = list(zip(board.modes, group.runs, strict=True))[:most]
    rows = tuple(_mode_row(mode, run) for mode, run in shown)
    measured = board.conversations - sum(board.unscored.values())
    place = f"{group.suite}, {group.label}"
    title = (
        f"failure modes of calls: {place}; {measured:,} of {board.conversations:,} conversations"
    )
    reasons = filter(None, [wording.reasons_line(board.unscored)])
    left = len(board.modes) - len(shown)
    more = [f"{left:,} more with --full"] if left else []
    note = "; ".join((_MODES, _INTERVALS, *more, *reasons))
    return TextTable(headings, rows, title, note, frozenset({"times", "of these lost"}), keys=2)


def _mode_row(mode: ModeFigures, run: str) -> tuple[str, ...]:
    share = mode.conversations
    return (
        mode.subject,
        mode.mode,
        f"{mode.times:,}",
        f"{share.count:,} of {share.n:,}{_interval(share)}",
        f"{mode.lost:,}",
        show_command(mode, run)
        if mode.why == mode.mode
        else f"{mode.why}\n{show_command(mode, run)}",
    )


def show_command(mode: ModeFigures, run: str) -> str:
    """Return the command that shows the example of a mode."""
    place = mode.example
    words = ("dragoman", "show", run, place.task, "--trial", str(place.trial))
    more = ("--agent", place.agent, "--condition", place.condition)
    return " ".join(map(quote, (*words, *more)))


def audit_table(rows: Sequence[AuditRow]) -> TextTable:
    """Return every word that one judge wrote as a tag, with what is made of it."""
    headings = ("side", "written", "errors", "read as", "by the lenient rules")
    cells = tuple(
        (row.side, row.written, f"{row.errors:,}", row.read_as, row.lenient) for row in rows
    )
    title = f"tags as they were written by {rows[0].judge}"
    return TextTable(headings, cells, title, numbers=frozenset({"errors"}))


def error_tables(board: ErrorBoard, most_modes: int | None = None) -> Iterator[TextTable]:
    """Yield all tables of a board: severities, tags, failure modes, both together, and the audit."""
    for judge in dict.fromkeys(group.judge for group in board.judged):
        own = [group for group in board.judged if group.judge == judge]
        yield severity_table(own)
        for suite in dict.fromkeys(group.suite for group in own):
            of_suite = [group for group in own if group.suite == suite]
            yield from (tag_table(of_suite, side) for side in _SIDES)
        if any(group.twins for group in own):
            yield agreement_table(own)
    yield from (mode_table(group, most_modes) for group in board.modes)
    for judge in dict.fromkeys(row.judge for row in board.audit):
        yield audit_table([row for row in board.audit if row.judge == judge])


def _counted(share: ConversationShare) -> str:
    return f"{share.count:,}{_interval(share)}"


def _interval(share: ConversationShare) -> str:
    if share.interval is None:
        return ""
    return f" [{100 * share.interval.low:.1f}, {100 * share.interval.high:.1f}]"
