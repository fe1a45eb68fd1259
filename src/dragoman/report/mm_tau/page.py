"""The report's section in the style of MM-tau-p2: all of it, ready for its template."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.mm_tau.board import MmTauBoard
from dragoman.report.figures.records import Drawing
from dragoman.report.fitting import TextTable
from dragoman.report.grouped import GroupedTable
from dragoman.report.mm_tau.charts import AxisGlance, glances
from dragoman.report.mm_tau.drawings import persona_drawings
from dragoman.report.mm_tau.tables import (
    agreement_tables,
    axis_tables,
    card_tables,
    change_tables,
    composite_tables,
    couple_tables,
    metric_tables,
)


class MmTauPage(msgspec.Struct, frozen=True):
    """What the section shows, in its order; `facts` are labels and values of what it was made of."""

    glances: tuple[AxisGlance, ...]
    differences: tuple[TextTable, ...]
    drawings: tuple[Drawing, ...]
    metrics: tuple[GroupedTable, ...]
    changes: tuple[GroupedTable, ...]
    composites: tuple[GroupedTable, ...]
    agreements: tuple[TextTable, ...]
    facts: tuple[tuple[str, str], ...]


def mm_tau_page(boards: Sequence[MmTauBoard], facts: tuple[tuple[str, str], ...]) -> MmTauPage:
    """Return the section on boards of the same conversations.

    Args:
        boards: A board for each set of definitions; what does not hang on it is the first one's.
        facts: What they were made of: labels and values.
    """
    board = boards[0]
    return MmTauPage(
        glances(board),
        (*axis_tables(board), *couple_tables(board), *card_tables(board)),
        tuple(persona_drawings(board)),
        tuple(table for each in boards for table in metric_tables(each)),
        tuple(table for each in boards for table in change_tables(each)),
        tuple(table for each in boards for table in composite_tables(each)),
        tuple(agreement_tables(board)),
        facts,
    )
