"""Effects of each axis: differences over equal tasks, and to the richest exposure."""

from collections.abc import Sequence

import msgspec
import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored, Unscored, Verdict
from dragoman.papers.mm_tau.axis_effects import AxisDifference
from dragoman.papers.mm_tau.summary import MmTauSummary, summarize_mm_tau

SCORING = ("dragoman-1", "none")
VOICE = PLAIN.with_axes(voice="telephone")
HARD = PLAIN.with_axes(persona="hard")
HARD_BY_VOICE = HARD.with_axes(voice="telephone")
CARD = PLAIN.with_axes(exposure="1")
INFERRED = PLAIN.with_axes(exposure="2")


def cell(
    rewards: Sequence[float | None], condition: Condition = PLAIN, turns: int = 2, right: int = 1
) -> list[ConversationResult]:
    """Return conversations of a cell; a reward that is None is one that was not decided."""
    episode = Episode((), Termination("user_stop"), 1, 0)
    counts = (
        MeasureResult("effort", "1", counts={"conversations": 1, "user turns": turns}),
        MeasureResult("critical", "1", counts={"fields": 4, "right": right}),
    )

    def verdict(value: float | None) -> Verdict:
        return Unscored("open") if value is None else Scored(value)

    return [
        ConversationResult(
            *("courier", condition, "clerk", f"t{number}", 0, episode),
            Score(*SCORING, verdict(value), ()),
            measures=counts,
        )
        for number, value in enumerate(rewards)
    ]


def summary(*cells: list[ConversationResult]) -> MmTauSummary:
    found = [row for each in cells for row in each]
    return summarize_mm_tau(found, {(row.suite, row.task): "same" for row in found}, SCORING)


def only(found: MmTauSummary, axis: str, figure: str = "pass^1", at: str = "") -> AxisDifference:
    (each,) = (
        each
        for each in found.differences
        if (each.axis, each.figure, each.at) == (axis, figure, at)
    )
    return each


def test_a_difference_is_over_all_cell_pairs_that_differ_in_this_axis_alone() -> None:
    found = summary(
        cell([1, 1]),
        cell([1, 0], HARD),
        cell([1, 0], VOICE),
        cell([0, 0], HARD_BY_VOICE),
    )

    persona = only(found, "persona")
    assert (persona.a, persona.b, persona.cell_pairs, persona.tasks) == ("none", "hard", 2, 2)
    assert (persona.in_a, persona.in_b, persona.difference) == (0.75, 0.25, -0.5)
    assert only(found, "voice").difference == -0.5
    assert only(found, "persona", at="telephone+mixed, exposure 0").difference == -0.5
    assert only(found, "voice", at="persona hard, exposure 0").difference == -0.5


def test_a_task_that_is_open_in_one_cell_is_left_out_of_both_sides() -> None:
    found = summary(cell([1, 1, 0]), cell([0, None, 1], HARD))

    persona = only(found, "persona")
    assert (persona.tasks, persona.left_out) == (2, 1)
    assert (persona.in_a, persona.in_b, persona.difference) == (0.5, 0.5, 0.0)
    assert persona.p == 1.0


def test_exposures_are_compared_each_with_each_and_p_is_corrected_for_all() -> None:
    found = summary(cell([0] * 8), cell([1] * 8, CARD), cell([1] * 8, INFERRED))

    pairs = [
        (each.a, each.b, each.difference, each.adjusted_p)
        for each in found.differences
        if each.figure == "pass^1"
    ]
    p = 2 / 2**8
    assert pairs == [
        ("0", "1", 1.0, pytest.approx(12 * p)),
        ("0", "2", 1.0, pytest.approx(12 * p)),
        ("1", "2", 0.0, 1.0),
    ]


def test_turns_and_critical_fields_are_compared_by_task_too() -> None:
    found = summary(cell([1, 1], turns=4, right=1), cell([1, 1], VOICE, turns=6, right=3))

    assert only(found, "voice", "turns of the user").difference == 2.0
    fields = only(found, "voice", "critical fields right")
    assert (fields.in_a, fields.in_b, fields.is_share) == (0.25, 0.75, True)


def test_changes_are_to_the_richest_exposure_in_parts_of_it() -> None:
    found = summary(
        cell([1, 1], right=1), cell([1, 1], CARD, right=3), cell([1, 1], INFERRED, right=2)
    )

    places = [
        (found.cells[each.cell].exposure, found.cells[each.to].exposure) for each in found.changes
    ]
    assert places == [("0", "2"), ("1", "2")]
    assert [each.metrics["CFA"].value for each in found.changes] == [
        pytest.approx(-0.5),
        pytest.approx(0.5),
    ]


def test_there_is_no_percentage_of_nothing() -> None:
    found = summary(cell([1, 1], right=1), cell([1, 1], CARD, right=0))

    change = found.changes[0].metrics["CFA"]
    assert (change.value, change.why) == (
        None,
        "a percentage needs a value above 0 to compare with",
    )


def test_success_over_personas_is_of_tasks_that_are_decided_with_each_of_them() -> None:
    found = summary(cell([1, 1, 1]), cell([0, None, 1], HARD))

    (pooled,) = found.pooled
    assert (pooled.personas, pooled.tasks, pooled.value) == (("none", "hard"), 2, 0.75)
    assert pooled.unscored == 1


def test_a_persona_that_one_modality_lacks_is_in_no_pooled_figure() -> None:
    found = summary(cell([1]), cell([0], HARD), cell([1], VOICE))

    assert {each.personas for each in found.pooled} == {("none",)}
    assert [each.value for each in found.pooled] == [1.0, 1.0]


def with_card(rows: list[ConversationResult], shown: int) -> list[ConversationResult]:
    """Return conversations whose users showed so much of 4 that their card states."""
    card = MeasureResult("persona_kept", "2", counts={"stated": 4, "shown": shown})
    return [msgspec.structs.replace(row, measures=(*row.measures, card)) for row in rows]


def test_a_persona_that_its_users_did_not_play_is_in_no_difference_between_personas() -> None:
    found = summary(
        cell([1, 1]),
        cell([1, 1], VOICE),
        with_card(cell([0, 0], HARD), shown=0),
        with_card(cell([1, 0], HARD_BY_VOICE), shown=3),
    )
    persona = only(found, "persona")
    assert (persona.cell_pairs, persona.in_a, persona.in_b) == (1, 1.0, 0.5)
    assert only(found, "voice").cell_pairs == 2
    assert [card.verdict for card in found.cards] == ["not kept", "kept"]
    assert [cell.card and cell.card.verdict for cell in found.cells] == [
        None,
        None,
        "not kept",
        "kept",
    ]


def test_personas_of_which_it_is_not_known_are_compared() -> None:
    found = summary(cell([1, 1]), cell([0, 0], HARD))
    assert only(found, "persona").difference == -1
    assert [card.verdict for card in found.cards] == ["not known"]
