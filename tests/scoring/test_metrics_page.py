"""The page of metrics has every figure that a measure declares, with its formula."""

from pathlib import Path
from typing import cast

import pytest

from dragoman.core.measures import REWARD, Derived, Quantile, Rate, Total, Trend
from dragoman.core.rules import DEFAULT_RULES
from dragoman.scoring.measures.catalogue import BUNDLED, Scoring
from dragoman.scoring.reward import Scorer

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"
SCORING = Scoring(cast("Scorer", None), DEFAULT_RULES)
"""Only the reward, which declares no figure, needs a scorer."""


def formula(figure: Derived) -> str:
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
            over = f"({' + '.join(figure.numerator)}) / ({' + '.join(figure.denominator)})"
            return f"{over}, {figure.averaging}"


def lines() -> list[str]:
    """Return the table's lines."""
    return [
        f"| `{name}` {measure.version} | {figure.name}{figure.part and f' ({figure.part})'} "
        f"| {formula(figure)} |"
        for name, entry in BUNDLED.items()
        if name != REWARD
        for measure in [entry.make(SCORING)]
        for figure in measure.figures
    ]


@pytest.mark.slow
def test_every_figure_of_every_measure_has_its_line() -> None:
    written = PAGE.read_text("utf-8").splitlines()

    assert len(lines()) > 100
    assert [line for line in written if line.startswith("| `")][len(BUNDLED) :] == lines()


def test_every_measure_says_where_it_comes_from() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]

    assert [line.split("`")[1] for line in rows[: len(BUNDLED)]] == list(BUNDLED)
