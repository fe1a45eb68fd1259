from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import (
    CellName,
    CellOutcomes,
    Comparison,
    Means,
    comparable,
    compare,
    group_cells,
)
from dragoman.core.conditions import PLAIN, Condition, condition_of, differ_in_one_thing
from dragoman.core.costs import Price
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored, Unscored, Verdict
from dragoman.core.usage import Usage

Rewards = Mapping[str, Sequence[float | None]]

REWARDS = st.lists(
    st.tuples(*[st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=3)] * 2),
    min_size=1,
    max_size=25,
)

HINDI = condition_of({"language": "hi", "scenario": "domain"})


def verdict(value: float | None) -> Verdict:
    return Unscored("no judge") if value is None else Scored(value)


def cell(
    rewards: Rewards,
    agent: str = "clerk",
    condition: Condition = PLAIN,
    digests: Mapping[str, str] | None = None,
    episode: Episode | None = None,
) -> CellOutcomes:
    played = episode or Episode((), Termination("user_stop"), steps=4, errors=1, seconds=2.0)
    return CellOutcomes(
        CellName("run", "tau2:retail", condition, agent),
        tuple(
            ConversationResult(
                "tau2:retail",
                condition,
                agent,
                task,
                trial,
                played,
                Score("dragoman-1", "none", verdict(value), ()),
            )
            for task, row in rewards.items()
            for trial, value in enumerate(row)
        ),
        dict(digests) if digests is not None else dict.fromkeys(rewards, "same"),
        {"model": Price(Decimal(1), Decimal(2))}.get,
    )


def compared(a: CellOutcomes, b: CellOutcomes) -> Comparison:
    (found,) = compare([(a, b)])
    return found


def test_every_k_that_the_same_tasks_enter_is_of_the_same_draws() -> None:
    # All or nothing on each task: pass^2 is pass^1, and so is its interval.
    won = [(1.0, 1.0), (0.0, 0.0), (1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]
    a = cell(dict(zip("12345", won, strict=True)))
    b = cell(dict(zip("12345", won[1:] + won[:1], strict=True)), agent="other")
    of_one, of_two = compared(a, b).gaps
    assert of_one.interval == of_two.interval
    assert of_one.interval.low < of_one.interval.high


def test_trials_that_tell_cells_apart_keep_their_numbers_where_earlier_ones_were_not_played() -> (
    None
):
    a = cell({"1": (1.0, 1.0, 1.0)})
    rows = [
        msgspec.structs.replace(row, trial=trial)
        for row, trial in zip(cell({"1": (1.0, 0.0)}, agent="other").outcomes, (1, 2), strict=True)
    ]
    b = msgspec.structs.replace(
        cell({}, agent="other", digests={"1": "same"}), outcomes=tuple(rows)
    )
    (pair,) = compared(a, b).lost
    assert pair.apart == (0, 2)


def test_figures_are_those_of_the_tasks_that_both_finished() -> None:
    a = cell({"1": (1.0, 1.0), "2": (1.0, 0.0), "3": (1.0, None), "4": (0.0, 0.0), "6": (1.0, 1.0)})
    b = cell({"1": (1.0, 0.0), "2": (1.0, 1.0), "3": (1.0, 1.0), "5": (1.0, 1.0), "6": (None, 1.0)})
    found = compared(a, b)
    assert [pair.task for pair in found.pairs] == ["1", "2"]
    assert found.left_out == {
        "incomplete in A": 1,
        "only in A": 1,
        "only in B": 1,
        "incomplete in B": 1,
    }
    first, second = found.gaps
    assert (first.k, first.a, first.b, first.difference) == (1, 0.75, 0.75, 0.0)
    assert (second.k, second.a, second.b, second.difference) == (2, 0.5, 0.5, 0.0)
    assert [pair.task for pair in found.won] == ["2"]
    assert [pair.task for pair in found.lost] == ["1"]
    assert found.won[0].a == (1.0, 0.0)
    assert (found.won[0].apart, found.lost[0].apart) == ((1, 0), (0, 1))
    assert found.p == 1.0


def test_a_power_is_compared_over_the_tasks_with_so_many_trials_in_both() -> None:
    found = compared(
        cell({"1": (1.0, 1.0), "2": (1.0,), "3": (0.0,)}),
        cell({"1": (1.0, 0.0), "2": (0.0,), "3": (0.0,)}),
    )
    first, second = found.gaps
    assert first.tasks == 3
    assert [first.a, first.b] == pytest.approx([2 / 3, 1 / 6])
    assert (second.tasks, second.a, second.b) == (1, 1.0, 0.0)
    assert found.p == 0.5


def test_a_task_that_changed_between_the_runs_is_not_compared() -> None:
    a = cell({"1": (1.0,), "2": (1.0,)}, digests={"1": "old", "2": "same"})
    b = cell({"1": (0.0,), "2": (1.0,)}, digests={"1": "new", "2": "same"})
    found = compared(a, b)
    assert [pair.task for pair in found.pairs] == ["2"]
    assert found.left_out == {"another version of the task": 1}


def test_nothing_is_claimed_where_no_task_is_shared() -> None:
    found = compared(cell({"1": (None,)}), cell({"1": (None,), "2": (1.0,)}))
    assert found.pairs == ()
    assert found.gaps == ()
    assert (found.p, found.adjusted_p) == (None, None)
    assert found.means == {}
    assert found.left_out == {"incomplete in both": 1, "only in B": 1}


def test_a_reward_with_something_undecided_leaves_its_task_out() -> None:
    a = cell({"1": (0.0,)})
    (row,) = a.outcomes
    assert row.score is not None
    open_score = msgspec.structs.replace(row.score, reward=Scored(0.0, ("NL_ASSERTION",)))
    a = msgspec.structs.replace(a, outcomes=(msgspec.structs.replace(row, score=open_score),))
    assert compared(a, cell({"1": (0.0,)})).left_out == {"incomplete in A": 1}


def test_runs_with_different_numbers_of_trials_compare_the_k_that_both_have() -> None:
    found = compared(cell({"1": (1.0, 0.0, 1.0)}), cell({"1": (1.0, 1.0)}))
    assert [gap.k for gap in found.gaps] == [1, 2]
    assert found.gaps[0].difference == pytest.approx(1 / 3)
    assert found.gaps[1].a == pytest.approx(1 / 3)


def test_one_flipped_task_is_never_evidence() -> None:
    found = compared(cell({"1": (0.0,)}), cell({"1": (1.0,)}))
    assert found.gaps[0].difference == 1.0
    assert found.p == 1.0
    interval = found.gaps[0].interval
    assert interval.low < 0 < interval.high == 1.0


def test_p_is_corrected_for_all_comparisons_that_were_made() -> None:
    names = [str(number) for number in range(6)]
    base, worse = cell(dict.fromkeys(names, (1.0,))), cell(dict.fromkeys(names, (0.0,)), "worse")
    nothing = cell({"1": (None,)}, "nothing")
    first, second, third = compare([(base, worse), (base, base), (base, nothing)])
    assert (first.p, first.adjusted_p) == (2 / 64, 4 / 64)
    assert (second.p, second.adjusted_p) == (1.0, 1.0)
    assert third.adjusted_p is None


def test_means_are_those_of_the_paired_conversations_and_unknown_stays_unknown() -> None:
    used = (Usage("agent", "model", 2, 1_000_000, 500_000), Usage("user", "model", 1, 0, 0))
    paid = Episode((), Termination("user_stop"), steps=6, errors=0, usage=used, seconds=3.0)
    found = compared(cell({"1": (1.0,)}), cell({"1": (1.0,)}, episode=paid))
    assert found.means["steps"] == Means(4, 6)
    assert found.means["tool errors"] == Means(1, 0)
    assert found.means["agent's calls"] == Means(None, 2)
    assert found.means["agent's tokens in"] == Means(None, 1_000_000)
    assert found.means["agent's tokens out"] == Means(None, 500_000)
    assert found.means["cost, USD"] == Means(None, 2.0)
    assert found.means["seconds"] == Means(2.0, 3.0)


def test_only_cells_that_differ_in_one_thing_are_set_against_each_other() -> None:
    rows = {"1": (1.0,)}
    cells = [
        cell(rows, agent, condition) for agent in ("one", "two") for condition in (PLAIN, HINDI)
    ]
    assert cell_pairs(cells) == [
        ("one", "en/text/none", "one", "hi:domain/text/none"),
        ("one", "en/text/none", "two", "en/text/none"),
        ("one", "hi:domain/text/none", "two", "hi:domain/text/none"),
        ("two", "en/text/none", "two", "hi:domain/text/none"),
    ]


def test_cells_that_differ_in_language_and_voice_are_no_couple_and_do_not_count_for_holm() -> None:
    grid = [place.with_axes(voice=line) for place in (PLAIN, HINDI) for line in ("text", "studio")]
    cells = [cell({"1": (1.0,), "2": (0.0,)}, "one", condition) for condition in grid]
    assert [(a, b) for _, a, _, b in cell_pairs(cells)] == [
        ("en/text/none", "en/studio/none"),
        ("en/text/none", "hi:domain/text/none"),
        ("en/studio/none", "hi:domain/studio/none"),
        ("hi:domain/text/none", "hi:domain/studio/none"),
    ]
    assert len(compare(comparable(cells))) == 4


def test_cell_pairs_can_be_chosen_by_what_differs() -> None:
    cells = [
        cell({"1": (1.0,)}, agent, condition)
        for agent in ("one", "two")
        for condition in (PLAIN, HINDI, PLAIN.with_axes(voice="studio"))
    ]
    assert cell_pairs(cells, "voice") == [
        ("one", "en/text/none", "one", "en/studio/none"),
        ("two", "en/text/none", "two", "en/studio/none"),
    ]
    assert len(cell_pairs(cells, "agent")) == 3
    assert {entry.differs for entry in compare(comparable(cells, "language"))} == {
        ("language", "scenario")
    }


def cell_pairs(cells: list[CellOutcomes], by: str | None = None) -> list[tuple[str, str, str, str]]:
    return [
        (a.name.agent, a.name.condition.label, b.name.agent, b.name.condition.label)
        for a, b in comparable(cells, by)
    ]


PLACES = st.tuples(
    st.sampled_from(["clerk", "other"]),
    st.fixed_dictionaries(
        {},
        optional={
            "language": st.sampled_from(["hi", "th"]),
            "scenario": st.sampled_from(["domain", "tools"]),
            "voice": st.sampled_from(["telephone", "noise"]),
            "recognizer": st.sampled_from(["itself", "whisper"]),
            "persona": st.sampled_from(["easy", "hard"]),
            "clarify": st.just("rules"),
        },
    ),
)


@given(st.lists(PLACES, max_size=12))
def test_no_two_cells_that_differ_in_one_thing_are_missed_and_no_others_found(
    places: list[tuple[str, dict[str, str]]],
) -> None:
    cells = [cell({}, agent, condition_of(values)) for agent, values in places]
    every = [
        (a.name, b.name)
        for a, b in combinations(cells, 2)
        if a.name.condition == b.name.condition
        or (
            a.name.agent == b.name.agent and differ_in_one_thing(a.name.condition, b.name.condition)
        )
    ]
    assert [(a.name, b.name) for a, b in comparable(cells)] == every


def test_what_a_conversation_cost_is_looked_up_once_however_many_cells_its_own_is_set_against() -> (
    None
):
    asked: list[str] = []

    def price_of(model: str) -> Price:
        asked.append(model)
        return Price(Decimal(1), Decimal(1))

    used = Usage("agent", "openai/any", 1, 1_000_000, 0)
    paid = Episode((), Termination("user_stop"), steps=4, errors=1, usage=(used,), seconds=2.0)
    cells = [
        msgspec.structs.replace(
            cell({"t": [1.0, 0.0], "u": [1.0, 1.0]}, agent, episode=paid), price_of=price_of
        )
        for agent in ("one", "two", "three", "four")
    ]

    found = compare(comparable(cells))

    assert [entry.means["cost, USD"] for entry in found] == [Means(1.0, 1.0)] * 6
    assert len(asked) == 4 * 4


def test_outcomes_are_grouped_into_the_cells_of_their_run() -> None:
    rows = (*cell({"1": (1.0,)}, "one").outcomes, *cell({"1": (1.0,)}, "two").outcomes)
    cells = group_cells("mine", rows, {"1": "d"})
    assert [entry.name for entry in cells] == [
        CellName("mine", "tau2:retail", PLAIN, "one"),
        CellName("mine", "tau2:retail", PLAIN, "two"),
    ]
    assert [len(entry.outcomes) for entry in cells] == [1, 1]


def sides(rows: list[tuple[list[float], ...]]) -> tuple[CellOutcomes, CellOutcomes]:
    return tuple(  # type: ignore[return-value] # two sides
        cell({str(place): row[side] for place, row in enumerate(rows)}, agent)
        for side, agent in enumerate(("one", "two"))
    )


@given(REWARDS)
@settings(max_examples=settings().max_examples // 5)
def test_the_opposite_comparison_has_the_opposite_figures(
    rows: list[tuple[list[float], ...]],
) -> None:
    a, b = sides(rows)
    there, back = compared(a, b), compared(b, a)
    assert there.p == back.p
    assert [pair.task for pair in there.won] == [pair.task for pair in back.lost]
    for gap, opposite in zip(there.gaps, back.gaps, strict=True):
        assert gap.difference == pytest.approx(-opposite.difference)
        assert gap.interval.low == pytest.approx(-opposite.interval.high)
        assert gap.interval.high == pytest.approx(-opposite.interval.low)


@given(REWARDS)
@settings(max_examples=settings().max_examples // 5)
def test_a_cell_does_not_differ_from_itself(rows: list[tuple[list[float], ...]]) -> None:
    a, _ = sides(rows)
    found = compared(a, a)
    assert found.p == 1.0
    assert found.won == found.lost == ()
    for gap in found.gaps:
        assert gap.difference == 0
        assert gap.interval.low < 0 < gap.interval.high


@given(REWARDS)
@settings(max_examples=settings().max_examples // 5)
def test_equal_outcomes_give_equal_comparisons(rows: list[tuple[list[float], ...]]) -> None:
    assert compare([sides(rows)]) == compare([sides(rows)])
