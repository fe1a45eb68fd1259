"""What Seal-Tools' program counts, its oddities with it, for comparison with published figures alone.

A gold call is never used up: one gold call made three times is right three times, and arguments are
always compared with the first gold call of a tool. So recall can be 3.0, and a perfect answer can have
half its arguments right. Values are the same where Python writes them alike.
"""

from collections.abc import Sequence

from dragoman.core.tasks import Action
from dragoman.core.tools import ToolCall


def seal_counts(
    gold: Sequence[Action], made: Sequence[ToolCall], *, has_arguments: bool
) -> dict[str, int | float]:
    """Return the six counts of one sample; those of arguments only where gold has any to compare."""
    first: dict[str, Action] = {}
    for action in gold:
        first.setdefault(action.name, action)
    found = [(call, first[call.name]) for call in made if call.name in first]
    counts: dict[str, int | float] = {
        "seal gold tools": len(gold),
        "seal made tools": len(made),
        "seal right tools": len(found),
    }
    if has_arguments:
        counts["seal gold arguments"] = sum(len(action.arguments) for action in gold)
        counts["seal made arguments"] = sum(len(call.arguments) for call in made)
        counts["seal right arguments"] = sum(_right(call, action) for call, action in found)
    return counts


def _right(call: ToolCall, action: Action) -> int:
    return sum(
        name in action.arguments and str(value) == str(action.arguments[name])
        for name, value in call.arguments.items()
    )
