import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.seatau.language_drift import (
    EnglishShare,
    LanguageFigure,
    PositionShare,
    correctness_beside_success,
    drift,
    english_by_task,
    language_figure,
    shares_by_position,
)

from dragoman.analysis.correlation import Correlation
from dragoman.core.language.correctness import LanguageUse, TurnLanguage
from dragoman.core.scores import Scored, Unscored

SHORT = Unscored("shorter than 5 characters")


def right(position: int) -> TurnLanguage:
    return TurnLanguage(position, Scored(1.0), "th", 0.99)


def english(position: int) -> TurnLanguage:
    return TurnLanguage(position, Scored(0.0), "en", 0.9)


def short(position: int) -> TurnLanguage:
    return TurnLanguage(position, SHORT)


def use(*turns: TurnLanguage, rules: str = "dragoman-language-1") -> LanguageUse:
    return LanguageUse(rules, "agent", "th", turns)


def figure(turns: int, correct: int) -> LanguageFigure:
    return LanguageFigure("rules", 1, 0, turns, correct, {}, None)


LONG = use(right(0), right(2), right(4), english(6))
BRIEF = use(english(0), short(2))
SILENT = use(short(0), TurnLanguage(2, Unscored("written by the benchmark")), short(4))


def test_a_figure_tells_turns_and_conversations_apart() -> None:
    found = language_figure([LONG, BRIEF, SILENT])
    assert found == LanguageFigure(
        rules="dragoman-language-1",
        conversations=2,
        silent=1,
        turns=5,
        correct=3,
        unscored={"shorter than 5 characters": 3, "written by the benchmark": 1},
        mean=0.375,
    )
    assert found.pooled == 0.6


def test_where_nothing_counts_there_is_no_figure() -> None:
    found = language_figure([SILENT])
    assert (found.mean, found.pooled, found.silent) == (None, None, 1)


def test_definitions_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="one definition, not 2"):
        language_figure([LONG, use(right(0), rules="seatau-1d6f92a")])


def test_a_figure_of_no_conversation_is_refused() -> None:
    with pytest.raises(ValueError, match="one definition, not 0"):
        language_figure([])


def test_shares_are_given_per_position_with_their_number_of_turns() -> None:
    shares = shares_by_position([LONG, BRIEF, SILENT])
    assert shares == (
        PositionShare(0, turns=2, off_target=1),
        PositionShare(2, turns=1, off_target=0),
        PositionShare(4, turns=1, off_target=0),
        PositionShare(6, turns=1, off_target=1),
    )
    assert [entry.share for entry in shares] == [0.5, 0.0, 0.0, 1.0]


def test_drift_goes_up_to_the_last_position_that_is_asked_for() -> None:
    shares = [
        PositionShare(0, 10, 0),
        PositionShare(2, 10, 1),
        PositionShare(4, 10, 2),
        PositionShare(30, 1, 0),
    ]
    early = drift(shares, last=24)
    assert early.n == 3
    assert early.r == pytest.approx(1.0)
    assert drift(shares).n == 4
    assert (drift(shares).r or 0) < 0


def test_two_positions_make_no_drift() -> None:
    assert drift([PositionShare(0, 1, 0), PositionShare(2, 1, 1)]) == Correlation(2, None)


def test_the_share_of_english_is_over_all_trials_of_a_task() -> None:
    found = english_by_task([("7", LONG), ("3", SILENT), ("7", BRIEF)])
    assert found == (EnglishShare("7", 5, 2), EnglishShare("3", 0, 0))
    assert [entry.share for entry in found] == [0.4, None]


def test_correctness_is_correlated_with_success_cell_by_cell() -> None:
    figures = {"a": figure(10, 1), "b": figure(10, 2), "c": figure(10, 3), "d": figure(0, 0)}
    successes = {"d": 0.1, "c": 0.6, "b": 0.4, "a": 0.2}
    found = correctness_beside_success(figures, successes)
    assert found.n == 3
    assert found.r == pytest.approx(1.0)


def test_figures_of_different_cells_are_not_laid_beside_each_other() -> None:
    with pytest.raises(ValueError, match="only one of the two figures: b, c"):
        correctness_beside_success({"a": figure(1, 1), "b": figure(1, 1)}, {"a": 0.5, "c": 0.5})


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 9), st.sampled_from((right, english, short))), max_size=6
        ),
        min_size=1,
    )
)
def test_positions_hold_the_turns_of_the_figure(drawn: list[list[tuple[int, object]]]) -> None:
    conversations = [
        use(*(make(position) for position, make in turns if callable(make))) for turns in drawn
    ]
    shares = shares_by_position(conversations)
    found = language_figure(conversations)
    assert sum(entry.turns for entry in shares) == found.turns
    assert sum(entry.off_target for entry in shares) == found.turns - found.correct
    assert found.conversations + found.silent == len(conversations)
