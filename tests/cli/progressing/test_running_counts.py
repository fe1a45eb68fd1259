"""Messages about a run in progress."""

from decimal import Decimal
from typing import cast

import pytest

from dragoman.cli.run_console import RunningCounts
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.costs import Price
from dragoman.core.episodes import Episode, Termination, TerminationReason
from dragoman.core.protocols import Participant
from dragoman.core.scores import Score, Scored, Unscored, Verdict
from dragoman.core.tasks import Task
from dragoman.core.usage import Usage
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.plan import Cell
from dragoman.runs.remaining_time import RemainingTime

PRICES = {"a/model": Price(Decimal(1), Decimal(2))}
KNOWN = Usage("agent", "a/model", input_tokens=1_000_000, output_tokens=500_000)
UNREPORTED = Usage("agent", "a/model")


def _told(*played: tuple[TerminationReason, Verdict, tuple[Usage, ...]]) -> str:
    running_counts = RunningCounts(PRICES.get)
    for reason, reward, usage in played:
        episode = Episode((), Termination(reason), 0, 0, usage=usage)
        running_counts.add(cast("Cell", None), episode, Score("dragoman-1", "none", reward, ()))
    return running_counts.describe()


def test_scores_are_of_what_was_scored_and_failures_are_by_kind() -> None:
    assert (
        _told(
            ("user_stop", Scored(1.0), ()),
            ("user_stop", Scored(0.0), ()),
            ("user_stop", Scored(0.0, undecided=("nl",)), ()),
            ("infrastructure_error", Unscored("it broke"), ()),
            ("timeout", Scored(0.0), ()),
            ("timeout", Scored(0.0), ()),
        )
        == "1 of 4 scored passed; 2 timeout, 1 infrastructure error"
    )


def test_one_unknown_use_leaves_the_cost_to_the_summary_and_none_is_no_cost() -> None:
    done: tuple[TerminationReason, Verdict] = ("user_stop", Scored(1.0))

    assert _told((*done, (KNOWN,)), (*done, (KNOWN,))) == "2 of 2 scored passed; cost 4.00 USD"
    assert _told((*done, (KNOWN,)), (*done, (UNREPORTED,))) == "2 of 2 scored passed"
    assert _told((*done, ())) == "1 of 1 scored passed"


SPOKEN = condition_of({"voice": "telephone"})


def _cells(count: int, condition: Condition, agent: str = "m") -> list[Cell]:
    played = ResolvedParticipant(agent, cast("Participant", None), agent)
    return [
        Cell(str(number), cast("Task", None), condition, played, played, 0)
        for number in range(count)
    ]


def _lasting(seconds: float) -> Episode:
    return Episode((), Termination("user_stop"), 0, 0, seconds=seconds)


def test_the_time_left_is_unknown_until_a_conversation_of_each_kind_has_ended() -> None:
    text, spoken = _cells(10, PLAIN), _cells(10, SPOKEN)
    remaining = RemainingTime([*text, *spoken], 4)
    assert remaining.left(0.5) is None
    for cell in text:
        remaining.add(cell, _lasting(1.0))
    assert remaining.left(3.0) is None

    told = []
    for number, cell in enumerate(spoken):
        now = 3.0 + 30 * (1 + number // 4)  # four at a time
        remaining.add(cell, _lasting(30.0))
        told.append((93 - now, remaining.left(now)))

    for left, estimated in told:
        assert estimated == pytest.approx(left, abs=31), told
    assert told[-1] == (0, 0)


def test_time_that_conversations_do_not_count_makes_the_rest_longer() -> None:
    cells = _cells(20, PLAIN)
    remaining = RemainingTime(cells, 1)
    for cell in cells[:16]:
        remaining.add(cell, _lasting(1.0))  # and as long for the judge
    assert remaining.left(16.0) == 4.0
    assert remaining.left(32.0) == pytest.approx(8.0, rel=0.1)


def test_agents_are_kinds_too_and_conditions_of_one_channel_are_not() -> None:
    (quick,), thai = _cells(1, PLAIN, "gold"), condition_of({"language": "th"})
    english, foreign = _cells(2, PLAIN), _cells(2, thai)
    remaining = RemainingTime([quick, *english, *foreign], 1)
    remaining.add(quick, _lasting(0.0))
    assert remaining.left(1.0) is None
    for cell in english:
        remaining.add(cell, _lasting(10.0))
    assert remaining.left(20.0) == 20.0
