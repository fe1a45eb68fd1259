"""Metrics of API calls and thoughts, and the task labels that they are grouped by.

`docs/itc.md` defines each metric and each average.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from dragoman.core.measures import Averaging, MetricFormat, Rate

LANGUAGE_LABEL = "language"
"""Of the query, as a BCP 47 tag."""

COUNTRY_LABEL = "country"
CATEGORY_LABEL = "category"
"""Of the API that the first gold call reaches."""

KIND_LABEL = "kind of call"
"""`core.apis.tasks.CallKind`."""

AXES = (LANGUAGE_LABEL, COUNTRY_LABEL, CATEGORY_LABEL, KIND_LABEL)
"""What figures are taken apart by."""

NO_TOOLS = "tools unjudged"
"""Why it cannot be said which tools are right; such a task is not judged at all."""

NO_ARGUMENTS = "arguments unjudged"
"""Why it cannot be said which arguments are right; tools can still be judged."""


CALLS, THOUGHTS = "calls", "thoughts"
"""The measures that count."""

SELECTION, INVOCATION = "tool selection", "tool invocation"

ApiAveraging = Literal["macro", "micro", "seal"]
AVERAGES: tuple[ApiAveraging, ...] = ("macro", "micro", "seal")
"""Per conversation and then their mean; over the corpus; over the corpus as Seal-Tools counts."""

DETECTORS = ("lid.176", "langid")

FORMAT_RATE = Rate("FM", ("in the form",), ("answers",))
EXACT_RATE = Rate("exact", ("exact",), ("compared",))

_WHAT: Mapping[str, str] = {SELECTION: "tools", INVOCATION: "arguments"}


def scores(part: str, averaging: ApiAveraging) -> tuple[Rate, Rate, Rate]:
    """Return precision, recall and F1 of selection or invocation; those of `seal` are no shares."""
    prefix = "seal " if averaging == "seal" else ""
    right, made, gold = (f"{prefix}{side} {_WHAT[part]}" for side in ("right", "made", "gold"))
    taken: Averaging = "macro" if averaging == "macro" else "micro"
    reads: MetricFormat = "number" if averaging == "seal" else "share"
    return (
        Rate(f"P {averaging}", (right,), (made,), taken, part, reads),
        Rate(f"R {averaging}", (right,), (gold,), taken, part, reads),
        Rate(f"F1 {averaging}", (right, right), (made, gold), taken, part, reads),
    )


def error_metrics(part: str) -> tuple[Rate, Rate, Rate]:
    """Return the shares of errors of selection or invocation, which sum to 1."""
    if part == SELECTION:
        return _shares(part, ("hallucinated", "missing", "extra"))
    return _shares(part, ("wrong", "missing", "extra"))


def language_match_metric(detector: str) -> Rate:
    """Return the share of thoughts that a detector finds in the language of the query."""
    return Rate(f"LM {detector}", (f"{detector} matching",), (f"{detector} thoughts",))


def _shares(part: str, errors: Sequence[str]) -> tuple[Rate, Rate, Rate]:
    counts = tuple(f"{error} {_WHAT[part]}" for error in errors)
    first, second, third = (
        Rate(error, (count,), counts, part=part)
        for error, count in zip(errors, counts, strict=True)
    )
    return first, second, third
