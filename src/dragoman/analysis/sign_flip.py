"""Whether paired differences could be chance: the sign-flip test, and Holm's correction.

Were two cells equally good, each task's difference would as likely have had the other sign. The test
asks how often a sum of differences with signs drawn like that is as far from 0 as the one that was
seen. Differences are whole numbers (of successes), so the distribution of that sum is computed
exactly, one task after the other, whatever the number of tasks: nothing is sampled.
"""

import sys
from collections.abc import Sequence
from math import gcd


def sign_flip_p(differences: Sequence[int]) -> float:
    """Return the two-sided p of the sign-flip test; 1 where no task differs.

    A p below the smallest number that a float holds is given as that number, never as 0.
    """
    import numpy as np

    unit = gcd(*differences)
    if unit == 0:
        return 1.0
    steps = [abs(value) // unit for value in differences if value]
    most = sum(steps)
    # chances[most + s] is the probability of the sum s, over the tasks that were taken in so far.
    chances = np.zeros(2 * most + 1)
    chances[most] = 1.0
    for step in steps:
        flipped = np.zeros_like(chances)
        flipped[step:] += chances[:-step] / 2
        flipped[:-step] += chances[step:] / 2
        chances = flipped
    seen = abs(sum(differences)) // unit
    if seen == 0:
        return 1.0
    return min(max(2 * float(chances[most + seen :].sum()), sys.float_info.min), 1.0)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for their number by Holm's step-down method, in the same order."""
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)
