"""A rate as a judge gave it, once the judge's measured errors are taken out.

A judge that says yes too often makes every agent look better. From conversations that people labelled
too its sensitivity and specificity are known, up to chance; Rogan and Gladen (1978) solve for the true
rate: (raw + specificity - 1) / (sensitivity + specificity - 1). A judge no better than chance tells
nothing, and no correction is made of it.
"""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.intervals import INTERVAL_METHOD, RESAMPLES, TAIL, Interval, middle
from dragoman.core.content_keys import content_key, derive_seed

_BETTER_THAN_CHANCE = "the judge is no better than chance on the labelled conversations"


class JudgedPair(msgspec.Struct, frozen=True):
    """What people said of one conversation, and what the judge said of it."""

    truth: bool
    judged: bool


class JudgeErrors(msgspec.Struct, frozen=True):
    """How a judge did on labelled conversations; figures are None where nothing enters them.

    Attributes:
        hits: True, and said so.
        missed: True, and denied.
        false_alarms: False, and said to be true.
        rejections: False, and denied.
    """

    hits: int
    missed: int
    false_alarms: int
    rejections: int

    @property
    def sensitivity(self) -> float | None:
        """The share of true ones that the judge finds: its recall."""
        return _share(self.hits, self.missed)

    @property
    def specificity(self) -> float | None:
        """The share of false ones that it denies."""
        return _share(self.rejections, self.false_alarms)

    @property
    def precision(self) -> float | None:
        """The share of what it says to be true that is."""
        return _share(self.hits, self.false_alarms)


class Corrected(msgspec.Struct, frozen=True):
    """A rate beside the same without the judge's errors.

    Attributes:
        raw: As the judge gave it.
        value: Corrected, within 0 and 1; None where it cannot be.
        interval: 95 %: over conversations that were judged, and over those that were labelled.
        why: Why it cannot be; "" where it can.
    """

    raw: float
    value: float | None
    interval: Interval | None
    why: str = ""


def judge_errors(pairs: Sequence[JudgedPair]) -> JudgeErrors:
    """Return the counts of a judge's answers against the truth."""
    counts = [(pair.truth, pair.judged) for pair in pairs]
    return JudgeErrors(
        hits=counts.count((True, True)),
        missed=counts.count((True, False)),
        false_alarms=counts.count((False, True)),
        rejections=counts.count((False, False)),
    )


def corrected_rate(judged: Sequence[bool], pairs: Sequence[JudgedPair]) -> Corrected:
    """Return the rate of a judge's answers, raw and corrected.

    The interval is of the uncertainty of both samples: judged conversations are drawn again, and
    sensitivity and specificity from the labelled ones, with a half added to each count so that a judge
    without an error among few is not taken for one without errors.

    Args:
        judged: What the judge said of the conversations that the rate is of; at least one.
        pairs: Conversations with their truth.
    """
    raw = sum(judged) / len(judged)
    errors = judge_errors(pairs)
    sensitivity, specificity = errors.sensitivity, errors.specificity
    if sensitivity is None or specificity is None:
        lacking = "true" if sensitivity is None else "false"
        return Corrected(raw, None, None, f"no labelled conversation is {lacking}")
    if sensitivity + specificity <= 1:
        return Corrected(raw, None, None, _BETTER_THAN_CHANCE)
    value = _solved(raw, sensitivity, specificity)
    interval = _interval(sum(judged), len(judged), errors)
    if interval is None:
        why = f"{_BETTER_THAN_CHANCE}, as far as {len(pairs)} can tell"
        return Corrected(raw, None, None, why)
    return Corrected(raw, value, interval)


def _solved(raw: float, sensitivity: float, specificity: float) -> float:
    return min(max((raw + specificity - 1) / (sensitivity + specificity - 1), 0.0), 1.0)


def _interval(said: int, count: int, errors: JudgeErrors) -> Interval | None:
    """Return the middle 95 % of draws; None where a judge like this may well be chance."""
    import numpy as np

    seed = derive_seed(content_key(said, count, errors), f"intervals {INTERVAL_METHOD}")
    draws = np.random.default_rng(seed)
    raw = draws.beta(said + 0.5, count - said + 0.5, RESAMPLES)
    sensitivity = draws.beta(errors.hits + 0.5, errors.missed + 0.5, RESAMPLES)
    specificity = draws.beta(errors.rejections + 0.5, errors.false_alarms + 0.5, RESAMPLES)
    better = sensitivity + specificity - 1
    if np.quantile(better, TAIL) <= 0:
        return None
    kept = better > 0
    values = np.clip((raw[kept] + specificity[kept] - 1) / better[kept], 0, 1)
    return middle(values)


def _share(some: int, others: int) -> float | None:
    return some / (some + others) if some + others else None
