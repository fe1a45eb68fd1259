"""What conversations used and cost by axis: scenario by scenario, language by language."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dragoman.analysis.by_axis import AGENT
from dragoman.analysis.cells import CellSummary
from dragoman.analysis.ledger import LedgerLine, ledger_cost, merged
from dragoman.core.costs import Cost


class AxisLedger(msgspec.Struct, frozen=True):
    """What the cells that share values used.

    Attributes:
        values: What they share: a value on each axis asked for.
        conversations: How many conversations were played in them.
        lines: What each purpose used of each model.
        successes: How many of them earned all; None where one has no verdict.
    """

    values: Mapping[str, str]
    conversations: int
    lines: tuple[LedgerLine, ...]
    successes: int | None = None

    @property
    def cost(self) -> Cost | None:
        """What all of it costs; None where it is empty or one part is not known."""
        return ledger_cost(self.lines)

    @property
    def cost_per_conversation(self) -> Cost | None:
        """What a conversation costs on average; None where there is none or a part is not known."""
        return _shared(self.cost, self.conversations)

    @property
    def cost_per_success(self) -> Cost | None:
        """What a success costs, the failures paid for too; None where there is none or it is not known."""
        return _shared(self.cost, self.successes)


def ledgers_by(
    cells: Iterable[CellSummary], axes: Sequence[str], purposes: Sequence[str] = ()
) -> tuple[AxisLedger, ...]:
    """Add ledgers up by axes, in the order of first appearance.

    Args:
        cells: The cells, of several runs too.
        axes: Names of axes, and `agent`.
        purposes: Only what was used for these; all where none is named.
    """
    groups: dict[tuple[str, ...], list[CellSummary]] = {}
    for cell in cells:
        shared = tuple(cell.agent if axis == AGENT else cell.condition.shown(axis) for axis in axes)
        groups.setdefault(shared, []).append(cell)
    return tuple(
        AxisLedger(
            dict(zip(axes, shared, strict=True)),
            sum(cell.episodes for cell in members),
            merged(
                line
                for cell in members
                for line in cell.ledger
                if not purposes or line.usage.purpose in purposes
            ),
            _all_successes(members),
        )
        for shared, members in groups.items()
    )


def _all_successes(cells: Sequence[CellSummary]) -> int | None:
    known = [cell.successes for cell in cells if cell.successes is not None]
    return sum(known) if len(known) == len(cells) else None


def _shared(cost: Cost | None, count: int | None) -> Cost | None:
    return Cost(cost.nominal / count, cost.paid / count) if cost and count else None
