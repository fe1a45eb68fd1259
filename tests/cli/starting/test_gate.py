"""`run --fail-under`: the compared figure, and the effect of an open verdict."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]

SHOP = ("run", "sample:shop", "--agent", "gold", "--agent", "silent")


def test_a_run_ends_with_1_and_one_line_that_names_the_cells_below(dragoman: Cli) -> None:
    done = dragoman(*SHOP, "--fail-under", "0.5", "--judge", "assume-met", "--out", "mine")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "dragoman: --fail-under 0.5 is not met: "
        "silent on sample:shop, en/text/none has pass^1 0.200"
    )
    assert "silent" in done.stdout


def test_what_every_cell_reaches_is_met(dragoman: Cli) -> None:
    assert dragoman(*SHOP, "--fail-under", "0", "--out", "mine").returncode == 0


def test_tasks_without_a_score_leave_it_undecided_and_that_is_not_passed(dragoman: Cli) -> None:
    done = dragoman(*SHOP[:4], "--fail-under", "1", "--out", "mine")

    assert done.returncode == 1
    assert "is undecided: pass^1 1.000, but " in done.stderr
    assert "excluded had failed" in done.stderr


def test_going_on_with_a_run_holds_it_to_the_same(dragoman: Cli) -> None:
    dragoman(*SHOP, "--out", "mine")

    assert dragoman("resume", "mine", "--fail-under", "0.5").returncode == 1


@pytest.mark.parametrize("wrong", ["1.5", "-0.1"])
def test_what_no_figure_can_reach_is_refused_before_anything_is_played(
    refused: Refused, wrong: str
) -> None:
    line = refused(*SHOP, "--fail-under", wrong, "--out", "mine", status=2)

    assert "--fail-under must lie between 0 and 1" in line
