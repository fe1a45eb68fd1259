"""Measures: counts of one conversation, and the metrics that are made of the counts."""

from dragoman.core.measures import (
    CountedItem,
    Measure,
    MeasureResult,
    MeasureSetting,
    Quantile,
    Rate,
    ScoringContext,
    Total,
    Trend,
)
from dragoman.scoring.measures.count_measure import CountMeasure

__all__ = [
    "CountMeasure",
    "CountedItem",
    "Measure",
    "MeasureResult",
    "MeasureSetting",
    "Quantile",
    "Rate",
    "ScoringContext",
    "Total",
    "Trend",
]
