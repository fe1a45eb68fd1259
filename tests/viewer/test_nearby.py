"""Neighbours of a conversation, and tasks that flip between two cells."""

from collections.abc import Sequence
from pathlib import Path

from tests.viewer.test_index import CELLS, PHONE, entry, listed, new_run

from dragoman.analysis.comparison import TaskPair
from dragoman.core.conditions import PLAIN
from dragoman.core.scores import Scored, Unscored, Verdict
from dragoman.store.run_plan import StoredCell
from dragoman.viewer.compare_pages import (
    cell_choices,
    default_pair,
    find_flips,
    rewards_by_task,
    shown_trials,
)
from dragoman.viewer.conversation_list import ListFilter
from dragoman.viewer.conversation_page import (
    comparison_address,
    conversation_address,
    find_same_task_trials,
    neighbours,
)

LOST = [cell for cell in CELLS if cell.task == "t2"]


def run_with_drops(folder: Path) -> Path:
    with new_run(folder) as store:
        store.put(entry(cell, float(cell not in LOST)) for cell in CELLS)
    return folder


def where(cell: StoredCell) -> int:
    return CELLS.index(cell)


def test_the_neighbours_are_those_of_the_filter(tmp_path: Path) -> None:
    folder = run_with_drops(tmp_path / "run")
    second = LOST[1]

    with listed(folder, tmp_path / "views") as listing:
        of_lost = neighbours(listing, second.key, ListFilter({"outcome": ("fail",)}))
        of_all = neighbours(listing, second.key, ListFilter())
        first = neighbours(listing, CELLS[0].key, ListFilter())
        unknown = neighbours(listing, "00", ListFilter())

    assert (of_lost.before, of_lost.after, of_lost.total) == (LOST[0].key, LOST[2].key, len(LOST))
    place = where(second)
    assert (of_all.before, of_all.after) == (CELLS[place - 1].key, CELLS[place + 1].key)
    assert (first.before, first.after, first.total) == ("", CELLS[1].key, len(CELLS))
    assert unknown.total == 0


def test_the_same_task_is_found_under_every_agent_and_condition(tmp_path: Path) -> None:
    folder = run_with_drops(tmp_path / "run")
    here = next(cell for cell in CELLS if cell.task == "t2" and cell.trial == 1)

    with listed(folder, tmp_path / "views") as listing:
        found = find_same_task_trials(listing, here)

    same = [cell for cell in CELLS if cell.task == "t2"]
    assert [trial.key for copied_run in found for trial in copied_run.trials] == [
        cell.key for cell in same
    ]
    assert {(copied_run.agent, copied_run.condition) for copied_run in found} == {
        (cell.agent, cell.condition.label) for cell in same
    }
    assert {trial.outcome for copied_run in found for trial in copied_run.trials} == {"fail"}
    own, *others = found
    assert (own.same.number, own.same.is_here) == (0, False)
    assert {copied_run.same.number for copied_run in others} == {1}


def test_tasks_flip_between_cells_as_the_rewards_say() -> None:
    def decided(*values: float) -> Sequence[Verdict | None]:
        return [Scored(value) for value in values]

    a = {
        "lost": decided(1, 1),
        "won": decided(0, 1),
        "even": decided(1, 0),
        "open": [Unscored("no")],
        "a": decided(1),
        "changed": decided(1),
        "waiting": [None],
    }
    b = {
        "lost": decided(1, 0),
        "won": decided(1),
        "even": decided(0, 1),
        "open": decided(1),
        "changed": decided(0),
        "waiting": decided(1),
    }

    found = find_flips(a, b, frozenset({"changed"}))

    assert found.lost == (TaskPair("lost", (1, 1), (1, 0)),)
    assert found.won == (TaskPair("won", (0, 1), (1,)),)
    assert found.even == 1
    assert found.left_out == {
        "not played, or not decided, in one of them": 2,
        "only in A": 1,
        "another version of the task": 1,
    }


def test_a_flipped_task_leads_to_trials_that_show_it(tmp_path: Path) -> None:
    with new_run(tmp_path / "run") as store:
        # In the second cell the second trial of t1 is lost.
        second = [cell for cell in CELLS if cell.agent == "b"][:6]
        lost = next(cell for cell in second if cell.task == "t1" and cell.trial == 1)
        store.put(entry(cell, float(cell is not lost)) for cell in CELLS)

    with listed(tmp_path / "run", tmp_path / "views") as listing:
        cells = cell_choices(listing.filter_fields())
        first = default_pair(cells, cells, is_one_run=True)
        a, b = (cell for cell in cells if cell.condition == PLAIN.label)
        found = find_flips(rewards_by_task(listing, a), rewards_by_task(listing, b))
        shown = shown_trials(listing, b, ["t1", "t0"], is_won=False)

    assert [(cell.agent, cell.condition) for cell in cells] == list(
        dict.fromkeys((cell.agent, cell.condition.label) for cell in CELLS)
    )
    assert [(cell.agent, cell.condition) for cell in first] == [
        ("a", PLAIN.label),
        ("a", PHONE.label),
    ]
    assert [pair.task for pair in found.lost] == ["t1"]
    assert shown["t1"] == lost.key


def test_addresses_carry_the_filter_and_odd_names_as_text() -> None:
    wanted = ListFilter({"agent": ("a&b",)})

    assert (
        conversation_address("my run", "0a", wanted) == "/run/my%20run/conversation/0a?agent=a%26b"
    )
    assert conversation_address("r", "0a") == "/run/r/conversation/0a"
    assert comparison_address(("r", "0a"), ("s", "0b")) == "/compare?a=r/0a&b=s/0b"
