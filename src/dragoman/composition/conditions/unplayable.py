"""Conditions of a grid that cannot be played: what they lack, and the refusal where all lack it.

A grid multiplies its axes, so it may have cells that nothing can play, such as a call in a language
without a recognizer. These are left out of the plan and listed with their reason.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from dragoman.core.conditions import Condition
from dragoman.core.errors import UnplayableConditionError, UsageError

Made = TypeVar("Made")


def made_by_label(
    conditions: Iterable[Condition],
    make: Callable[[Condition], Made],
    unplayable: dict[str, str] | None,
) -> dict[str, Made]:
    """Return by label what each condition gets; a condition that cannot be played gets nothing.

    Args:
        conditions: The conditions.
        make: Returns what a condition gets, or raises UnplayableConditionError.
        unplayable: Gets the reason by label; None to raise it.
    """
    made: dict[str, Made] = {}
    for condition in conditions:
        try:
            made[condition.label] = make(condition)
        except UnplayableConditionError as error:
            if unplayable is None:
                raise
            unplayable.setdefault(condition.label, str(error))
    return made


def playable(
    conditions: Sequence[Condition], unplayable: Mapping[str, str]
) -> tuple[Condition, ...]:
    """Return the conditions that can be played.

    Raises:
        UsageError: Where none of them can.
    """
    found = tuple(each for each in conditions if each.label not in unplayable)
    if conditions and not found:
        reasons = dict.fromkeys(unplayable[each.label] for each in conditions)
        raise UsageError(f"no condition can be played: {'; '.join(reasons)}")
    return found
