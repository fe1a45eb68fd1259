"""Averages with intervals as SEATauBench publishes them, for a comparison with its own.

It draws from a handful of averages (three domains, five languages) as if these were a sample. That
says how far the handful lies apart, and not how sure the average is: our own intervals draw tasks.
"""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.intervals import LEVEL, Interval

SEED = 20260625
SAMPLES = 1_000


class PublishedAverage(msgspec.Struct, frozen=True):
    """An unweighted mean of `n` averages, with the interval that is published with it."""

    n: int
    value: float
    interval: Interval


def published_average(values: Sequence[float]) -> PublishedAverage:
    """Average values in the given order, with the 95 % percentile bootstrap over them.

    Every average starts the same generator again, so that its interval does not depend on others;
    it does depend on the order of the values.

    Raises:
        ValueError: If the values are empty.
    """
    import numpy as np

    if not values:
        raise ValueError("no values to average")
    generator = np.random.default_rng(SEED)
    drawn = generator.choice(np.asarray(values, dtype=float), size=(SAMPLES, len(values)))
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(drawn.mean(axis=1), [tail, 1 - tail])
    return PublishedAverage(len(values), float(np.mean(values)), Interval(float(low), float(high)))
