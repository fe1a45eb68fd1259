"""Tables and figures of API calls, in the layout of International Tool Calling."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dragoman.core.apis.metrics import AXES, DETECTORS, INVOCATION, SELECTION
from dragoman.papers.itc.summary import ALL, ApiGroup, ApiSummary, RateFigure
from dragoman.report import formatting
from dragoman.report.figure_spec import Datum, FigureSpec, Section, distinct_names, file_name
from dragoman.report.text_tables import TextTable

_APIS: Section = "apis"
_INTERVALS = "Whiskers are 95 % intervals over tasks; n is how much was counted."

_Part = tuple[str, str, str]
"""Reported name of a figure, its own name, and its subject."""


def api_figures(summary: ApiSummary) -> Iterator[FigureSpec]:
    """Yield the figures of calls of APIs."""
    everything = [group for group in summary.groups if group.axis == ALL]
    parts = tuple(_score_figures(summary.averaging))
    data = _data(everything, everything, parts)
    yield FigureSpec(
        "apis-scores",
        _APIS,
        "bars",
        f"Calls of web APIs, {summary.averaging}",
        "Language match by two detectors, format match, F1 of tools and of arguments. "
        f"{_INTERVALS}",
        tuple(datum for datum in data if datum.value is not None),
        axis="score",
        of="",
    )
    for part, errors in (
        (SELECTION, ("hallucinated", "missing", "extra")),
        (INVOCATION, ("wrong", "missing", "extra")),
    ):
        yield from _error_figures(everything, part, errors)
    for axis in AXES:
        groups = [group for group in summary.groups if group.axis == axis]
        if groups:
            for shown, name, part in parts[-3:-1]:
                yield _by(groups, axis, (shown, name, part))


def _score_figures(averaging: str) -> Iterator[_Part]:
    yield from ((f"LM {name}", f"LM {name}", "") for name in DETECTORS)
    yield "FM", "FM", ""
    yield "tool F1", f"F1 {averaging}", SELECTION
    yield "invocation F1", f"F1 {averaging}", INVOCATION
    yield "exact", "exact", ""


def _data(
    groups: Sequence[ApiGroup], every: Sequence[ApiGroup], parts: Sequence[_Part]
) -> Iterator[Datum]:
    for group in groups:
        for shown, name, part in parts:
            found = group.figure(name, part)
            yield Datum(_agent_name(group, every), found.value, found.interval, found.n, shown)


def _error_figures(
    groups: Sequence[ApiGroup], part: str, names: Sequence[str]
) -> Iterator[FigureSpec]:
    data = tuple(
        Datum(_agent_name(group, groups), found.value, found.interval, found.n, name)
        for group in groups
        for name in names
        if (found := group.figure(name, part)).value is not None
    )
    if data:
        yield FigureSpec(
            file_name("apis", "errors", part),
            _APIS,
            "stack",
            f"Errors of {part}",
            "Shares of all errors of this kind: they sum to 100.",
            data,
            axis="of all errors",
            of="error",
        )


def _by(groups: Sequence[ApiGroup], axis: str, shown: _Part) -> FigureSpec:
    reported, name, part = shown
    return FigureSpec(
        file_name("apis", reported, "by", axis),
        _APIS,
        "bars",
        f"{reported} by {axis}",
        f"Tasks are grouped by their labels. {_INTERVALS}",
        tuple(
            Datum(group.group, found.value, found.interval, found.n, _agent_name(group, groups))
            for group in groups
            if (found := group.figure(name, part)).value is not None
        ),
        axis=reported,
        of="",
    )


def _agent_name(group: ApiGroup, groups: Sequence[ApiGroup]) -> str:
    """Return the agent's name with the fields in which the groups differ."""
    fields = [
        *([group.suite] if len(distinct_names(each.suite for each in groups)) > 1 else []),
        *([group.condition] if len(distinct_names(each.condition for each in groups)) > 1 else []),
    ]
    return ", ".join((group.agent, *fields))


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


def api_tables(summary: ApiSummary) -> Iterator[TextTable]:
    """Yield the tables: scores and errors of everything, then scores by each label."""
    note = _NOTE.format(averaging=summary.averaging, meaning=_MEANING[summary.averaging])
    everything = [group for group in summary.groups if group.axis == ALL]
    scores = tuple(_score_table(summary.averaging))
    yield _table(f"Scores, {summary.averaging}", everything, scores, note)
    yield _table("Errors: shares that sum to 100", everything, tuple(_error_table()), "")
    for axis in AXES:
        groups = [group for group in summary.groups if group.axis == axis]
        if groups:
            yield _table(
                f"By {axis}, {summary.averaging}", groups, tuple(_short(summary.averaging)), ""
            )


def _score_table(averaging: str) -> Iterator[Column]:
    yield from ((f"LM {name}", f"LM {name}", "") for name in DETECTORS)
    yield "FM", "FM", ""
    for part, short in ((SELECTION, "tool"), (INVOCATION, "invocation")):
        yield from ((f"{short} {name}", f"{name} {averaging}", part) for name in ("P", "R", "F1"))
    yield "exact", "exact", ""


def _error_table() -> Iterator[Column]:
    for name, reported in (
        ("hallucinated", "hallucinated"),
        ("missing", "missing"),
        ("extra", "extra"),
    ):
        yield f"{reported} tools", name, SELECTION
    for name, reported in (
        ("wrong", "wrong values"),
        ("missing", "missing arguments"),
        ("extra", "extra arguments"),
    ):
        yield reported, name, INVOCATION


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
    noted = "; ".join(filter(None, (note, formatting.reasons_line(dict(counts.most_common())))))
    return TextTable(headings, rows, title, noted, is_spaced=True, keys=len(keys))


def _keys(groups: Sequence[ApiGroup]) -> Iterator[tuple[str, str]]:
    """Yield the fields, other than the agent, in which the groups differ."""
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
