"""Results of fine-tuning studies as tables, charts and one HTML page."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files

import msgspec

from dragoman.analysis.training_contrasts import (
    ALL,
    APIS,
    BEFORE,
    NOT_ENGLISH,
    Mean,
    PairedRate,
    SideContrast,
    TrainingSummary,
)
from dragoman.core.apis.metrics import DETECTORS, INVOCATION, LANGUAGE_LABEL, SELECTION
from dragoman.core.texts.characters import escape_controls
from dragoman.core.texts.counts import format_count
from dragoman.report import formatting, html_parts
from dragoman.report.formatting import p_value
from dragoman.report.text_tables import GroupedTable

_FIGURES = (("FM", ""), ("F1 macro", SELECTION), ("F1 macro", INVOCATION), ("exact", ""))


class DifferenceBar(msgspec.Struct, frozen=True):
    """One difference, between -1 and 1, with its group and name."""

    group: str
    name: str
    rate: PairedRate

    @property
    def words(self) -> str:
        """The bar in words, for readers who do not see it."""
        rate = self.rate
        tested = "" if rate.adjusted_p is None else f", p {formatting.p_value(rate.adjusted_p)}"
        return (
            f"{self.group} {self.name}: {formatting.difference(rate.difference)}, 95 % interval "
            f"{formatting.signed_interval(rate.interval)}, "
            f"{formatting.format_count(rate.tasks, 'task')}{tested}"
        )

    @property
    def value(self) -> str:
        """The text next to the bar."""
        rate = self.rate
        return (
            f"{formatting.share(rate.in_a)} → {formatting.share(rate.in_b)}, "
            f"{100 * (rate.difference or 0):+.1f} points of {rate.tasks}"
        )


class DifferenceChart(msgspec.Struct, frozen=True):
    """Differences of one figure."""

    title: str
    bars: tuple[DifferenceBar, ...]


def tuning_charts(summary: TrainingSummary) -> tuple[DifferenceChart, ...]:
    """Return the charts that have something to show."""
    inside = [each for each in summary.of(ALL) if each.suite in summary.inside]
    outside = [each for each in summary.of(ALL) if each.suite in summary.outside]
    by_language = [each for each in summary.of(LANGUAGE_LABEL) if each.suite in summary.inside]
    return (
        *_charts("In domain, after minus before", inside),
        *_charts("In domain by language, after minus before", by_language),
        *_charts("Out of domain, after minus before", outside),
        *_charts(
            "Difference between trainings, by language", summary.of(LANGUAGE_LABEL, arms=True)
        ),
    )


def _charts(title: str, found: Sequence[SideContrast]) -> Iterator[DifferenceChart]:
    many = len({each.suite for each in found}) > 1
    ordered = sorted(found, key=lambda each: (each.suite, each.group))
    for name, part in _FIGURES:
        bars = tuple(
            DifferenceBar(
                ", ".join(filter(None, (each.group, each.suite if many else ""))),
                _player(each, found),
                rate,
            )
            for each in ordered
            if (rate := each.rate(name, part)).difference is not None
        )
        if bars:
            yield DifferenceChart(f"{title}: {' '.join(filter(None, (part, name)))}", bars)


def _player(each: SideContrast, found: Sequence[SideContrast]) -> str:
    alike = {other.a for other in found} == {each.a}
    return each.b if alike else f"{each.b} minus {each.a}"


Column = tuple[str, str, str]
"""The group of the column, its heading, and the figure's name."""

_F1 = "F1 macro"

NOTE = (
    "percent, means over tasks; in round brackets the difference in points over the "
    "tasks with the figure on both sides; 95 % intervals over resampled tasks; p of the"
    " sign-flip test, Holm-corrected over all tests along the same axis"
)


def tuning_tables(summary: TrainingSummary, *, by_language: bool = True) -> Iterator[GroupedTable]:
    """Yield the tables that have something to show; those by language are long."""
    inside = _on(summary, ALL, summary.inside)
    if inside:
        yield _table("In domain, before and after (as Table 5)", inside, "", _all_columns())
    outside = _on(summary, ALL, summary.outside)
    if outside:
        yield _table("Out of domain, before and after (as Table 6)", outside, "", _short_columns())
    foreign = _on(summary, NOT_ENGLISH, summary.inside)
    if foreign:
        title = "Queries in other languages than English (as Table 7)"
        yield _table(title, foreign, "", _all_columns())
    for axis, title, heading in (
        (LANGUAGE_LABEL, "By language, before and after", "language"),
        (APIS, "By whether training rows call the APIs", "APIs"),
    ):
        found = _on(summary, axis, (*summary.inside, *summary.outside))
        if found and (by_language or axis != LANGUAGE_LABEL):
            yield _table(title, found, heading, _short_columns())
    yield from _ablations(summary, by_language=by_language)


def _ablations(summary: TrainingSummary, *, by_language: bool) -> Iterator[GroupedTable]:
    for axis, what, heading in (
        (ALL, "all queries", ""),
        (NOT_ENGLISH, "queries in other languages than English", ""),
        (LANGUAGE_LABEL, "by language", "language"),
    ):
        found = summary.of(axis, arms=True)
        if found and (by_language or axis != LANGUAGE_LABEL):
            columns = _short_columns() if heading else _all_columns()
            yield _table(f"Comparison of trainings: {what}", found, heading, columns)


def _on(summary: TrainingSummary, axis: str, suites: Sequence[str]) -> tuple[SideContrast, ...]:
    return tuple(each for each in summary.of(axis) if each.suite in suites)


def _all_columns() -> Iterator[Column]:
    yield from ((f"LM {name}", "", f"LM {name}") for name in DETECTORS)
    yield "FM", "", "FM"
    for part in (SELECTION, INVOCATION):
        yield from ((name, part, f"{name} macro") for name in ("P", "R", "F1"))
    yield "exact", "", "exact"
    yield "pass^1", "", "pass^1"


def _short_columns() -> Iterator[Column]:
    yield "FM", "", "FM"
    for part in (SELECTION, INVOCATION):
        yield "P", part, "P macro"
        yield "F1", part, _F1
    yield "exact", "", "exact"
    yield "pass^1", "", "pass^1"


def _table(
    title: str, found: Sequence[SideContrast], heading: str, columns: Iterator[Column]
) -> GroupedTable:
    shown = [column for column in columns if any(_has(each, column) for each in found)]
    many = len({each.suite for each in found}) > 1
    keys = (*(("suite",) if many else ()), *((heading,) if heading else ()), "model")
    rows = []
    for each, is_first in _with_first(found):
        own = (*((each.suite,) if many else ()), *((each.group,) if heading else ()))
        if is_first:
            rows.append((*own, each.a, *(_alone(_rate(each, column).a) for column in shown)))
        rows.append(
            (*own, _name(each), *(_format_comparison(_rate(each, column)) for column in shown))
        )
    return GroupedTable(
        title,
        keys,
        tuple((part, name) for name, part, _ in shown),
        tuple(rows),
        _left_out(found),
    )


def _with_first(found: Sequence[SideContrast]) -> Iterator[tuple[SideContrast, bool]]:
    """Yield contrasts grouped by side A, each with whether it is the first of its group."""
    order = list(dict.fromkeys((each.suite, each.group, each.a) for each in found))
    last = None
    for each in sorted(found, key=lambda each: order.index((each.suite, each.group, each.a))):
        place = (each.suite, each.group, each.a)
        yield each, place != last
        last = place


def _name(each: SideContrast) -> str:
    return each.b if each.a == BEFORE else f"{each.b} (vs. {each.a})"


def _rate(each: SideContrast, column: Column) -> PairedRate:
    _, part, name = column
    return each.rate(name, part)


def _has(each: SideContrast, column: Column) -> bool:
    rate = _rate(each, column)
    return rate.a.value is not None or rate.b.value is not None


def _alone(mean: Mean) -> str:
    if mean.value is None or mean.interval is None:
        return "-"
    low, high = mean.interval.low, mean.interval.high
    return f"{100 * mean.value:.1f}\n[{100 * low:.0f}, {100 * high:.0f}]\nof {mean.tasks}"


def _format_comparison(rate: PairedRate) -> str:
    if rate.difference is None or rate.interval is None:
        return _alone(rate.b)
    lines = [
        f"{100 * (rate.in_b or 0):.1f} ({100 * rate.difference:+.1f})",
        f"[{100 * rate.interval.low:+.0f}, {100 * rate.interval.high:+.0f}]",
        f"of {rate.tasks}",
    ]
    if rate.adjusted_p is not None:
        lines.append(f"p {p_value(rate.adjusted_p)}")
    return "\n".join(lines)


def _left_out(found: Sequence[SideContrast]) -> str:
    said = {
        f"{_name(each)} on {each.suite}: {format_count(count, 'task')} {why}": None
        for each in found
        for why, count in each.left_out.items()
    }
    return f"Excluded: {'; '.join(said)}." if said else ""


def tuning_page(summary: TrainingSummary, title: str) -> str:
    """Return the page: charts, tables and facts. It has no scripts."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        loader=jinja2.FunctionLoader(_resource),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: escape_controls(value) if type(value) is str else value,
    )
    environment.globals.update(wording=formatting)
    environment.filters.update(
        share=formatting.share,
        difference=formatting.difference,
        signed_interval=formatting.signed_interval,
        p_value=formatting.p_value,
        percent=html_parts.percent,
        signed_percent=html_parts.signed_percent,
    )
    style = _resource("report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("tuning.html.j2").render(
        title=title,
        charts=tuning_charts(summary),
        tables=tuple(tuning_tables(summary)),
        facts=summary.facts,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'",
        style=Markup(style),  # noqa: S704 - our own file
    )


def _resource(name: str) -> str:
    return (files("dragoman.report") / "templates" / name).read_text("utf-8")
