"""Which tasks no file for training can have: those in which what calls returned is not known."""

from collections.abc import Sequence

import msgspec

from dragoman.core.apis.tasks import ApiCall, holds_reference
from dragoman.curation.apis.rows import DatasetRow


class WithheldTask(msgspec.Struct, frozen=True):
    """A task that was left out of an export, and why."""

    id: str
    reason: str


def why_withheld(row: DatasetRow) -> str:
    """Return why a conversation cannot be written; "" where it can."""
    steps = row.solution.steps
    if any(map(_waits, row.solution.calls)):
        return (
            "its calls take results that nobody has: answer it anew with "
            "`dragoman curate answer --calls live` or `--calls recorded`"
        )
    if any(len(step.results) < len(step.calls) for step in steps[:-1]):
        return "what a call returned is missing between two of its steps"
    unknown = next((call.tool for call in row.solution.calls if call.tool not in row.tools), None)
    return f"its answer calls {unknown!r:.60}, which it does not offer" if unknown else ""


def parted(rows: Sequence[DatasetRow]) -> tuple[list[DatasetRow], list[WithheldTask]]:
    """Return the rows that can be written as conversations, and those that cannot."""
    reasons = [(row, why_withheld(row)) for row in rows]
    return (
        [row for row, reason in reasons if not reason],
        [WithheldTask(row.task.id, reason) for row, reason in reasons if reason],
    )


def gold_with_results(row: DatasetRow) -> tuple[ApiCall, ...]:
    """Return gold calls with the values that were sent in the place of references, where they are known."""
    sent = row.solution.calls
    gold = row.task.gold
    is_known = not any(map(_waits, sent)) and [each.tool for each in sent] == [
        each.tool for each in gold
    ]
    if not is_known:
        return gold
    return tuple(
        msgspec.structs.replace(call, arguments=made.arguments) if _waits(call) else call
        for call, made in zip(gold, sent, strict=True)
    )


def _waits(call: ApiCall) -> bool:
    return any(map(holds_reference, call.arguments.values()))
