"""`dragoman show RUN` lists failures by cause; a run ends with the next steps."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.cli.run_summary import next_step, state_of
from dragoman.core.conditions import PLAIN

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]
RunJson = Callable[..., Any]

RUN = ("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--trials", "2")
AGENT = """
def agent(messages, tools):
    if "jacket" in str(messages):
        return {}["x"]
    if "pole" in str(messages):
        raise ConnectionError("cut off")
    return None
"""


@pytest.fixture
def failed(dragoman: Cli) -> str:
    """Return the list of failures in a run of gold and silent."""
    assert dragoman(*RUN, "--out", "mine").returncode == 0
    return dragoman("show", "mine", "--full").stdout


def test_what_failed_is_grouped_by_cause_with_its_first_tasks(failed: str) -> None:
    lines = failed.splitlines()

    assert lines[0] == (
        "mine: 20 conversations, 4 passed, 8 failed, 8 unscored (rules dragoman-2, judge none)"
    )
    assert lines[2] == "6 failed: final database state differs (DB)"
    assert lines[3:6] == [
        "    silent, en/text/none: larger-jacket, two-swaps, cancel-by-mistake, larger-jacket (trial 1),",
        "        two-swaps (trial 1), and 1 more",
        "    one of them: dragoman show mine larger-jacket --agent silent --condition en/text/none",
    ]
    joined = " ".join(failed.split())
    assert (
        "2 failed: final database state differs (DB) and required information was not said "
        "(COMMUNICATE)"
    ) in joined
    assert "8 unscored: NL_ASSERTION: no judge: choose one with --judge" in lines


def test_each_group_has_a_command_that_shows_one_of_it(failed: str, dragoman: Cli) -> None:
    before = "    one of them: dragoman "
    commands = [line for line in failed.splitlines() if line.startswith(before)]
    assert len(commands) == 3

    shown = dragoman(*commands[0].removeprefix(before).split())

    assert shown.returncode == 0, shown.stderr
    assert "DB (counts): 0" in shown.stdout


@pytest.mark.usefixtures("failed")
def test_what_failed_is_listed_for_one_agent_and_as_json(run_json: RunJson) -> None:
    found = run_json("show", "mine", "--agent", "gold")

    assert (found["run"], found["planned"]) == ("mine", 10)
    assert [(group["standing"], group["cause"]) for group in found["failures"]] == [
        ("unscored", "NL_ASSERTION: no judge: choose one with --judge")
    ]
    first = found["failures"][0]["conversations"][0]
    assert len(first.pop("key")) == 32
    assert first == {
        "agent": "gold",
        "condition": "en/text/none",
        "task": "return-poles",
        "trial": 0,
    }


def test_what_nobody_played_again_says_which_command_finds_its_stage(failed: str) -> None:
    assert "Cause not analyzed yet; run: dragoman attribute mine" in failed.splitlines()


def test_faults_come_before_failures_and_are_named_by_what_broke(
    dragoman: Cli, folder: Path
) -> None:
    (folder / "odd.py").write_text(AGENT)
    dragoman("run", "sample:shop", "--agent", "odd:agent", "--out", "mine")

    causes = [
        line
        for line in dragoman("show", "mine", "--agent", "odd:agent").stdout.splitlines()
        if line[:1].isdigit()
    ]

    assert [cause.split(":")[0].split(" ", 1)[1] for cause in causes] == [
        "ended by a code error",
        "ended by an infrastructure error",
        "failed",
    ]
    assert "KeyError: 'x' (odd.py, line 4)" in causes[0]
    assert "ended early: agent_error (it returned None: " in causes[2]


def next_steps(done: CompletedProcess[str]) -> list[str]:
    """Return the last paragraph of a command's output."""
    return done.stdout.rpartition("\n\n")[2].splitlines()


def test_a_run_ends_with_what_to_do_next(dragoman: Cli) -> None:
    done = dragoman(*RUN, "--out", "my run")
    steps = [line.removeprefix("Next:").strip().split("  ")[0] for line in next_steps(done)]
    assert steps == [
        "dragoman show 'my run'",
        "dragoman view 'my run'",
        "dragoman show 'my run' --full",
    ]

    perfect = dragoman(
        "run", "sample:shop", "--agent", "gold", "--tasks", "two-swaps", "--out", "p"
    )
    assert next_steps(perfect)[0].startswith("Next: dragoman report p ")


def test_a_run_without_failures_says_so(dragoman: Cli) -> None:
    dragoman("run", "sample:shop", "--agent", "gold", "--tasks", "two-swaps", "--out", "p")

    assert dragoman("show", "p", "--full").stdout.startswith(
        "p: 1 conversation, 1 passed (rules dragoman-2, judge none)\n"
    )


def test_the_tasks_of_a_suite_are_listed_with_what_their_users_want(dragoman: Cli) -> None:
    lines = dragoman("list", "tasks", "courier").stdout.splitlines()

    assert len(lines) == 33
    assert lines[0].split("  ")[0] == "where-is-my-parcel"
    assert lines[0].endswith("You want to know in which town your parcel was last scanned.")


def test_a_list_of_tasks_needs_a_suite(refused: Refused) -> None:
    assert "dragoman list tasks courier" in refused("list", "tasks", status=2)
    assert "'nowhere'" in refused("list", "tasks", "nowhere", status=2)


def test_a_run_that_was_not_played_to_its_end_is_gone_on_with() -> None:
    rows = [ConversationResult("suite", PLAIN, "gold", "a", trial) for trial in (0, 1)]
    state = state_of(summarize(rows, "dragoman-2", "none"))
    assert next_step(Path("r"), state) == "2 conversations not run. Resume: dragoman resume r"
    assert next_step(Path("r"), state, is_imported=True).startswith("Next: dragoman show r")
