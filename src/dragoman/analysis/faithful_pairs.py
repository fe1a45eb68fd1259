"""Pairs of cells whose users kept to the personas in which the cells differ."""

from collections.abc import Sequence

from dragoman.analysis.comparison import CellOutcomes, CellPair
from dragoman.analysis.persona_fidelity import (
    KEPT,
    PersonaFidelity,
    fidelity_notes,
    persona_fidelity,
    unfaithful_cells,
)


def with_faithful_personas(
    cell_pairs: Sequence[CellPair], kept: float = KEPT
) -> tuple[tuple[CellPair, ...], tuple[str, ...]]:
    """Remove pairs that differ in a persona which users did not keep to.

    The function also returns sentences that name these pairs and the unknown cases.
    """
    by_persona = {
        number
        for number, (a, b) in enumerate(cell_pairs)
        if a.name.condition.persona != b.name.condition.persona
    }
    cells = {cell.name: cell for number in by_persona for cell in cell_pairs[number]}
    cards = [card for cell in cells.values() for card in _cards(cell, kept)]
    bad = unfaithful_cells(cards)
    left = {
        number
        for number in by_persona
        if any(
            (cell.name.suite, cell.name.condition, cell.name.agent) in bad
            for cell in cell_pairs[number]
        )
    }
    said = (
        f"{len(left)} of {len(cell_pairs)} pairs excluded: "
        "users did not keep the card in which their cells differ"
    )
    notes = (*((said,) if left else ()), *fidelity_notes(cards, kept))
    return tuple(c for number, c in enumerate(cell_pairs) if number not in left), notes


def _cards(cell: CellOutcomes, kept: float) -> tuple[PersonaFidelity, ...]:
    key = (cell.name.suite, cell.name.condition, cell.name.agent)
    return persona_fidelity(((key, row.measures) for row in cell.outcomes), kept)


def faithful_pairs(cell_pairs: Sequence[CellPair]) -> tuple[CellPair, ...]:
    """Return the pairs without those that differ in a persona which users did not keep to."""
    found, _ = with_faithful_personas(cell_pairs)
    return found
