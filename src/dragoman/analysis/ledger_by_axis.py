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
    """

    values: Mapping[str, str]
    conversations: int
    lines: tuple[LedgerLine, ...]

    @property
    def cost(self) -> Cost | None:
        """What all of it costs; None where it is empty or one part is not known."""
        return ledger_cost(self.lines)


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
        )
        for shared, members in groups.items()
    )
