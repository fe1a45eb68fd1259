"""The page of metrics has every figure that a measure or a rubric declares, with its formula."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pytest

from dragoman.core.measures import REWARD, MetricDefinition, Quantile, Rate, Total, Trend
from dragoman.core.rules import DEFAULT_RULES
from dragoman.models.chat.scripted import ScriptedModel
from dragoman.registry.measures import earlier_measure_names, measure_names
from dragoman.scoring.measures.catalog import BUNDLED_MEASURES, MeasureSetup
from dragoman.scoring.measures.error_review import ErrorsMeasure
from dragoman.scoring.measures.rubrics import bundled_rubrics, read_rubric
from dragoman.scoring.reward import Scorer

FILE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md"
PAGE = FILE.read_text("utf-8").partition("\n## Measures\n")[0]
SCORING = MeasureSetup(cast("Scorer", None), DEFAULT_RULES)
"""Only the reward, which declares no figure, needs a scorer."""


def formula(figure: MetricDefinition) -> str:
    """Return how a figure is made of counts."""
    match figure:
        case Total():
            return f"sum of {' + '.join(figure.counts)}"
        case Quantile():
            return f"value at the share {figure.share:g} of {figure.count}, nearest rank"
        case Trend():
            over = f"{' + '.join(figure.numerator)} / {' + '.join(figure.denominator)}"
            return f"Pearson's r of ({over}) with the place in the conversation"
        case Rate():
            below = " + ".join(figure.denominator)
            over = f"({' + '.join(figure.numerator)}) / ({below})"
            upper = " + ".join((*figure.numerator, *figure.undecided))
            most = f"; at most ({upper}) / ({below})" if figure.undecided else ""
            return f"{over}, {figure.averaging}{most}"


def rows(title: str, figures: Iterable[MetricDefinition]) -> list[str]:
    """Return a line for each figure of a measure."""
    return [
        f"| {title} | {figure.name}{figure.part and f' ({figure.part})'} | {formula(figure)} |"
        for figure in figures
    ]


def lines() -> list[str]:
    """Return the table's lines: the measures', then the rubrics' that a judge answers."""
    counted = [
        line
        for name, entry in BUNDLED_MEASURES.items()
        if name != REWARD
        for measure in [entry.make(SCORING)]
        for line in rows(f"`{name}` {measure.version}", measure.figures)
    ]
    counts = ("mm_tau_p2@1", "mm_tau_p2@2")
    errors = ErrorsMeasure(ScriptedModel("scripted/none", {}, 0))
    return [
        *counted,
        *(
            line
            for name in counts
            for line in rows(f"`{name}`", read_rubric(bundled_rubrics()[name]).figures)
        ),
        *rows("`errors@1`", errors.figures),
    ]


@pytest.mark.slow
def test_every_figure_of_every_measure_has_its_line() -> None:
    written = PAGE.splitlines()

    assert len(lines()) > 100
    assert [line for line in written if line.startswith("| `")][len(BUNDLED_MEASURES) :] == lines()


def test_every_measure_says_where_it_comes_from() -> None:
    written = [line for line in PAGE.splitlines() if line.startswith("| `")]

    assert [line.split("`")[1] for line in written[: len(BUNDLED_MEASURES)]] == list(
        BUNDLED_MEASURES
    )


def test_earlier_versions_are_listed_beside_the_measures_that_they_were() -> None:
    earlier = {name.partition("@")[0] for name in earlier_measure_names()}
    assert earlier <= set(measure_names())
    assert {"recovery@2", "modes@1"} <= set(earlier_measure_names())
