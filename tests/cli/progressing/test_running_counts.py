"""Messages about a run in progress."""

from decimal import Decimal
from typing import cast

from dragoman.cli.run_console import RunningCounts
from dragoman.core.costs import Price
from dragoman.core.episodes import Episode, Termination, TerminationReason
from dragoman.core.scores import Score, Scored, Unscored, Verdict
from dragoman.core.usage import Usage
from dragoman.runs.plan import Cell

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
