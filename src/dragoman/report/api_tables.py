"""Tables of calls of APIs, laid out as International Tool Calling's Tables 3 and 4, then by label."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dragoman.analysis.api_calls.board import ALL, ApiBoard, ApiGroup
from dragoman.analysis.api_calls.rates import RateFigure
from dragoman.core.apis.figures import DETECTORS, INVOCATION, SELECTION
from dragoman.core.apis.labels import AXES
from dragoman.report import wording
from dragoman.report.fitting import TextTable

Column = tuple[str, str, str]
"""Heading, figure and what it is a figure of."""

_NOTE = (
    "Per cent, 95 % interval over tasks, and how much was counted; F1 and the like of {averaging}: "
    "{meaning}. LM by two detectors."
)
_MEANING = {
    "macro": "of each conversation, then their mean",
    "micro": "over all conversations together",
    "seal": "as Seal-Tools' program counts, where recall may pass 100",
}


def api_tables(board: ApiBoard) -> Iterator[TextTable]:
    """Yield the tables: scores and errors of everything, then scores by each label."""
    note = _NOTE.format(averaging=board.averaging, meaning=_MEANING[board.averaging])
    everything = [group for group in board.groups if group.axis == ALL]
    scores = tuple(_scores(board.averaging))
    yield _table(f"Scores, {board.averaging}", everything, scores, note)
    yield _table("Errors: shares that sum to 100", everything, tuple(_errors()), "")
    for axis in AXES:
        groups = [group for group in board.groups if group.axis == axis]
        if groups:
            yield _table(
                f"By {axis}, {board.averaging}", groups, tuple(_short(board.averaging)), ""
            )


def _scores(averaging: str) -> Iterator[Column]:
    yield from ((f"LM {name}", f"LM {name}", "") for name in DETECTORS)
    yield "FM", "FM", ""
    for part, short in ((SELECTION, "tool"), (INVOCATION, "invocation")):
        yield from ((f"{short} {name}", f"{name} {averaging}", part) for name in ("P", "R", "F1"))
    yield "exact", "exact", ""


def _errors() -> Iterator[Column]:
    for name, told in (
        ("hallucinated", "hallucinated"),
        ("missing", "missing"),
        ("extra", "extra"),
    ):
        yield f"{told} tools", name, SELECTION
    for name, told in (
        ("wrong", "wrong values"),
        ("missing", "missing arguments"),
        ("extra", "extra arguments"),
    ):
        yield told, name, INVOCATION


def _short(averaging: str) -> Iterator[Column]:
    yield from ((f"LM {name}", f"LM {name}", "") for name in DETECTORS)
    yield "FM", "FM", ""
    yield "tool F1", f"F1 {averaging}", SELECTION
    yield "invocation F1", f"F1 {averaging}", INVOCATION
    yield "exact", "exact", ""


def _table(
    title: str, groups: Sequence[ApiGroup], columns: Sequence[Column], note: str
) -> TextTable:
    by_label = any(group.group for group in groups)
    own = tuple(_keys(groups))
    keys = ("agent", *(name for name, _ in own), *(("of",) if by_label else ()))
    rows = tuple(
        (
            group.agent,
            *(str(getattr(group, field)) for _, field in own),
            *((group.group,) if by_label else ()),
            str(group.conversations),
            str(group.unscored),
            *(_cell(group.figure(name, part)) for _, name, part in columns),
        )
        for group in groups
    )
    headings = (*keys, "n", "unscored", *(heading for heading, _, _ in columns))
    counts: Counter[str] = Counter()
    for group in groups:
        counts.update(group.reasons)
    noted = "; ".join(filter(None, (note, wording.reasons_line(dict(counts.most_common())))))
    return TextTable(headings, rows, title, noted, is_spaced=True, keys=len(keys))


def _keys(groups: Sequence[ApiGroup]) -> Iterator[tuple[str, str]]:
    """Yield what tells groups apart beside the agent: only what differs is shown."""
    for field in ("suite", "condition"):
        if len({getattr(group, field) for group in groups}) > 1:
            yield field, field


def _cell(figure: RateFigure) -> str:
    if figure.value is None:
        return "-"
    value = f"{100 * figure.value:.1f}"
    if figure.interval is not None:
        value += f"\n[{100 * figure.interval.low:.0f}, {100 * figure.interval.high:.0f}]"
    return f"{value}\nof {figure.n:g}"
