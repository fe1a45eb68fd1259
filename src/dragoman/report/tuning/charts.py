"""Charts of differences: in domain by language, out of domain, and one training against another."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.analysis.contrasts.board import ALL, SideContrast
from dragoman.analysis.contrasts.paired import PairedRate
from dragoman.analysis.contrasts.tuning import TuningBoard
from dragoman.core.apis.figures import INVOCATION, SELECTION
from dragoman.core.apis.labels import LANGUAGE
from dragoman.report import wording

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
        tested = "" if rate.adjusted_p is None else f", p {wording.p_value(rate.adjusted_p)}"
        return (
            f"{self.group} {self.name}: {wording.difference(rate.difference)}, 95 % interval "
            f"{wording.signed_interval(rate.interval)}, {wording.counted(rate.tasks, 'task')}{tested}"
        )

    @property
    def value(self) -> str:
        """What stands beside it."""
        rate = self.rate
        return (
            f"{wording.share(rate.in_a)} → {wording.share(rate.in_b)}, "
            f"{100 * (rate.difference or 0):+.1f} points of {rate.tasks}"
        )


class DifferenceChart(msgspec.Struct, frozen=True):
    """Differences of one figure."""

    title: str
    bars: tuple[DifferenceBar, ...]


def tuning_charts(board: TuningBoard) -> tuple[DifferenceChart, ...]:
    """Return the charts that have something to show."""
    inside = [each for each in board.of(ALL) if each.suite in board.inside]
    outside = [each for each in board.of(ALL) if each.suite in board.outside]
    by_language = [each for each in board.of(LANGUAGE) if each.suite in board.inside]
    return (
        *_charts("In domain, after less before", inside),
        *_charts("In domain by language, after less before", by_language),
        *_charts("Out of domain, after less before", outside),
        *_charts("One training less another, by language", board.of(LANGUAGE, arms=True)),
    )


def _charts(title: str, found: Sequence[SideContrast]) -> Iterator[DifferenceChart]:
    many = len({each.suite for each in found}) > 1
    ordered = sorted(found, key=lambda each: (each.suite, each.group))
    for name, part in _FIGURES:
        bars = tuple(
            DifferenceBar(
                ", ".join(filter(None, (each.group, each.suite if many else ""))),
                _who(each, found),
                rate,
            )
            for each in ordered
            if (rate := each.rate(name, part)).difference is not None
        )
        if bars:
            yield DifferenceChart(f"{title}: {' '.join(filter(None, (part, name)))}", bars)


def _who(each: SideContrast, found: Sequence[SideContrast]) -> str:
    alike = {other.a for other in found} == {each.a}
    return each.b if alike else f"{each.b} less {each.a}"
