"""Persona fidelity: whether the simulated users of a cell kept to their persona profile.

The users of a cell kept to it if, over all its conversations, they showed at least a given part of
what the profile states, by the measure `persona_kept`. The verdict is unknown if nothing was
counted, or if the profile states nothing that rules can see. A cell whose users did not keep to
their profile is not a result of its persona.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from dragoman.analysis.cell_summary import CellKey
from dragoman.analysis.measure_metrics import newest
from dragoman.core.conditions import NONE, Condition
from dragoman.core.errors import UsageError
from dragoman.core.measures import MeasureResult

MEASURE = "persona_kept"
KEPT = 0.5
"""The default part of a card's statements that is enough.

Half of the statements is as near to the card, at 1, as to nobody in particular, who shows next
to nothing of the card.
"""

Verdict = Literal["kept", "not kept", "not known"]


class PersonaFidelity(msgspec.Struct, frozen=True):
    """Persona fidelity of the users of one cell.

    Attributes:
        suite: The suite that was played.
        condition: The condition.
        agent: The agent.
        verdict: The verdict.
        shown: Share of the statements of the profile that the users showed; None if it is not
            known.
        counted: Number of conversations behind the verdict.
        why: Reason why it is not known; "" if it is known.
    """

    suite: str
    condition: Condition
    agent: str
    verdict: Verdict
    shown: float | None = None
    counted: int = 0
    why: str = ""

    @property
    def persona(self) -> str:
        """The persona of the cell."""
        return self.condition.persona

    @property
    def key(self) -> CellKey:
        """The cell."""
        return (self.suite, self.condition, self.agent)


def persona_fidelity(
    played: Iterable[tuple[CellKey, Sequence[MeasureResult]]], enough: float = KEPT
) -> tuple[PersonaFidelity, ...]:
    """Return the fidelity of each cell with a persona, in order of appearance.

    Args:
        played: Conversations, each as its cell and its measure results.
        enough: Sufficient share of the profile's statements, from 0 to 1.

    Raises:
        UsageError: If `enough` is not between 0 and 1.
    """
    if not 0 <= enough <= 1:
        raise UsageError(f"--kept must lie between 0 and 1, not {enough:g}")
    cells: dict[CellKey, list[MeasureResult]] = {}
    for key, measures in played:
        if key[1].persona != NONE:
            found = cells.setdefault(key, [])
            found += (each for each in newest(measures) if each.measure == MEASURE)
    return tuple(_card(key, found, enough) for key, found in cells.items())


def _card(key: CellKey, found: Sequence[MeasureResult], enough: float) -> PersonaFidelity:
    counted = [each for each in found if not each.unscored]
    stated = sum(each.counts.get("stated", 0) for each in counted)
    if stated:
        shown = sum(each.counts.get("shown", 0) for each in counted) / stated
        verdict: Verdict = "kept" if shown >= enough else "not kept"
        return PersonaFidelity(*key, verdict, shown, len(counted))
    reasons = Counter(each.unscored for each in found if each.unscored)
    why = reasons.most_common(1)[0][0] if reasons else ""
    if found and not why:
        why = "no chance to show it came"
    return PersonaFidelity(*key, "not known", why=why or NOT_COUNTED)


NOT_COUNTED = "nobody counted"


def unfaithful_cells(cards: Iterable[PersonaFidelity]) -> frozenset[CellKey]:
    """Return the cells whose users did not keep their card."""
    return frozenset(card.key for card in cards if card.verdict == "not kept")


def fidelity_notes(
    cards: Sequence[PersonaFidelity], enough: float = KEPT, run: str = "RUN"
) -> list[str]:
    """Return notes on the cells that do not represent their persona, and on the unknown ones.

    Each note is a sentence.

    Args:
        cards: The fidelities of cells with personas.
        enough: The share that was sufficient.
        run: The run's folder, for the command that runs the measure.
    """
    notes = [
        f"{card.condition.label}, {card.agent}: users showed {card.shown:.2f} of what their card "
        "states, "
        f"less than {enough:g}: these figures do not represent the persona {card.persona}"
        for card in cards
        if card.verdict == "not kept"
    ]
    unknown: dict[str, dict[str, None]] = {}
    for card in cards:
        if card.verdict == "not known":
            unknown.setdefault(card.why, {})[card.persona] = None
    for why, personas in unknown.items():
        how = f": dragoman score {run} --measure {MEASURE}" if why == NOT_COUNTED else f" ({why})"
        notes.append(f"it is not known whether users kept the cards of {', '.join(personas)}{how}")
    return notes
