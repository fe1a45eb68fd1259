"""Metrics of API calls and thoughts, and the task labels that they are grouped by.

`docs/reference/itc.md` defines each metric and each average.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from dragoman.core.measures import Averaging, MetricFormat, Rate

LANGUAGE_LABEL = "language"
"""The label with the language of the query, as a BCP 47 tag."""

COUNTRY_LABEL = "country"
CATEGORY_LABEL = "category"
"""The label with the category of the first gold call's API."""

KIND_LABEL = "kind of call"
"""The label with the kind of calls, a `core.apis.tasks.CallKind`."""

AXES = (LANGUAGE_LABEL, COUNTRY_LABEL, CATEGORY_LABEL, KIND_LABEL)
"""The labels by which figures are broken down."""

NO_TOOLS = "tools unjudged"
"""The label with the reason why tools cannot be judged.

Such a task is not judged at all.
"""

NO_ARGUMENTS = "arguments unjudged"
"""The label with the reason why arguments cannot be judged; tools still can be."""


CALLS, THOUGHTS = "calls", "thoughts"
"""The measures that count."""

SELECTION, INVOCATION = "tool selection", "tool invocation"

ApiAveraging = Literal["macro", "micro", "seal"]
AVERAGES: tuple[ApiAveraging, ...] = ("macro", "micro", "seal")
"""Averages: mean over conversations; over the corpus; over the corpus as in Seal-Tools."""

DETECTORS = ("lid.176", "langid")

FORMAT_RATE = Rate("FM", ("in the form",), ("answers",))
EXACT_RATE = Rate("exact", ("exact",), ("compared",))

_WHAT: Mapping[str, str] = {SELECTION: "tools", INVOCATION: "arguments"}


def scores(part: str, averaging: ApiAveraging) -> tuple[Rate, Rate, Rate]:
    """Return precision, recall and F1 of selection or invocation.

    With the averaging `seal` they may lie outside 0 to 1.
    """
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
