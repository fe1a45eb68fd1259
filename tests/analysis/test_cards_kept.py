"""Persona fidelity: which cells are results of their persona, and which are unknown."""

import pytest

from dragoman.analysis.persona_fidelity import fidelity_notes, persona_fidelity, unfaithful_cells
from dragoman.core.conditions import PLAIN
from dragoman.core.errors import UsageError
from dragoman.core.measures import MeasureResult

HARD = ("courier", PLAIN.with_axes(persona="hard"), "clerk")
EASY = ("courier", PLAIN.with_axes(persona="easy"), "clerk")
NOBODY = ("courier", PLAIN, "clerk")


def counted(shown: int, stated: float, version: str = "2") -> tuple[MeasureResult, ...]:
    return (MeasureResult("persona_kept", version, counts={"shown": shown, "stated": stated}),)


def test_a_cell_is_judged_by_all_its_conversations_together() -> None:
    (card,) = persona_fidelity([(HARD, counted(0, 3.0)), (HARD, counted(4, 3.0)), (NOBODY, ())])
    assert (card.verdict, card.counted, card.persona) == ("kept", 2, "hard")
    assert card.shown == pytest.approx(4 / 6)
    assert unfaithful_cells([card]) == frozenset()


def test_who_showed_less_than_enough_is_no_result_of_the_persona() -> None:
    cards = persona_fidelity([(HARD, counted(1, 4.0)), (EASY, counted(1, 1.0))])
    assert unfaithful_cells(cards) == {HARD}
    assert fidelity_notes(cards) == [
        (
            "en/text/hard, clerk: users showed 0.25 of what their card states, less than 0.5: these "
            "figures do not represent the persona hard"
        )
    ]
    assert unfaithful_cells(persona_fidelity([(HARD, counted(1, 4.0))], enough=0.25)) == frozenset()


def test_where_nobody_counted_it_is_not_known_and_the_command_is_named() -> None:
    cards = persona_fidelity([(HARD, ()), (EASY, ())])
    assert [card.verdict for card in cards] == ["not known", "not known"]
    assert fidelity_notes(cards, run="runs/mine") == [
        (
            "it is not known whether users kept the cards of hard, easy: dragoman score runs/mine "
            "--measure persona_kept"
        )
    ]


def test_a_card_that_rules_cannot_see_is_not_known_with_the_reason() -> None:
    unscored = (MeasureResult("persona_kept", "2", unscored="no card that states a habit"),)
    cards = persona_fidelity([(HARD, unscored)])
    assert unfaithful_cells(cards) == frozenset()
    assert fidelity_notes(cards) == [
        "it is not known whether users kept the cards of hard (no card that states a habit)"
    ]


def test_what_an_older_version_counted_gives_way_to_the_newest() -> None:
    (card,) = persona_fidelity([(HARD, (*counted(9, 9.0, "1"), *counted(0, 9.0)))])
    assert card.verdict == "not kept"


@pytest.mark.parametrize("enough", [-0.1, 1.1])
def test_enough_is_a_part(enough: float) -> None:
    with pytest.raises(UsageError, match="--kept must lie between 0 and 1"):
        persona_fidelity([], enough)
