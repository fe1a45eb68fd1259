import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.tau2.task_matching import RecordedChecks, TaskMatching, match_tasks
from dragoman.core.tasks import Action, Criteria, Scenario, Task


def task(name: str, *actions: str, reported: str = "", says: tuple[str, ...] = ()) -> Task:
    plan = tuple(Action(each, "cancel", {}) for each in actions)
    return Task(
        name, "tau2:x", name, Scenario(reported), Criteria(("DB",), plan, communicate_info=says)
    )


def tasks(*given: Task) -> dict[str, Task]:
    return {each.id: each for each in given}


def recorded(name: str, *actions: str, trial: int = 0, said: str = "") -> RecordedChecks:
    checks = tuple(f"{each} cancel" for each in actions)
    return RecordedChecks(name, trial, checks, frozenset(), lambda: said)


TASKS = tasks(task("1", "1_0"), task("2", "2_0"), task("3", "3_0"), task("4"))


def test_names_that_nothing_contradicts_are_kept() -> None:
    found = match_tasks([recorded("1", "1_0"), recorded("2"), recorded("2", "2_0", trial=1)], TASKS)
    assert found == TaskMatching(("1", "2", "2"))


def test_shuffled_names_are_told_by_checks_and_what_is_left_by_elimination() -> None:
    shuffled = [recorded("2", "1_0"), recorded("3", "2_0"), recorded("4", "3_0"), recorded("1")]
    assert match_tasks(shuffled, TASKS) == TaskMatching(("1", "2", "3", "4"), moved=4)


def test_one_conversation_of_an_unplayed_task_moves_there_alone() -> None:
    assert match_tasks([recorded("1", "3_0"), recorded("2", "2_0")], TASKS).tasks == ("3", "2")


@pytest.mark.parametrize(
    "contradicting",
    [
        [recorded("1", "2_0"), recorded("2", "2_0"), recorded("3", "3_0")],
        [recorded("1", "novel"), recorded("2", "3_0")],
        [recorded("1", "1_0"), recorded("1", "2_0", trial=1), recorded("2", "2_0", trial=1)],
    ],
)
def test_names_are_kept_where_no_task_for_each_fits_all(
    contradicting: list[RecordedChecks],
) -> None:
    found = match_tasks(contradicting, TASKS)

    assert found.tasks == tuple(each.task for each in contradicting)
    assert (found.moved, found.unlike > 0) == (0, True)


def test_each_trial_has_every_task_once() -> None:
    both = [recorded("2", "1_0", trial=trial) for trial in (0, 1)]
    both += [recorded("1", "2_0", trial=trial) for trial in (0, 1)]
    assert match_tasks(both, TASKS).tasks == ("1", "1", "2", "2")


def test_where_checks_leave_several_tasks_the_words_of_one_decide() -> None:
    known = tasks(
        task("1", "1_0"),
        task("2", reported="You are Yusuf Rossi in zip 19122."),
        task("3", reported="You are Noah Brown in zip 80279."),
    )
    shuffled = [
        recorded("2", "1_0"),
        recorded("1", said="Noah Brown, 80279, please."),
        recorded("3", said="My name is Yusuf Rossi, zip 19122."),
    ]
    assert match_tasks(shuffled, known) == TaskMatching(("1", "3", "2"), moved=3)


def test_what_nothing_tells_apart_is_dealt_and_counted() -> None:
    known = tasks(task("1", "1_0"), task("2"), task("3"))
    shuffled = [recorded("2", "1_0"), recorded("1"), recorded("2", trial=0)]
    found = match_tasks(shuffled, known)

    assert sorted(found.tasks) == ["1", "2", "3"]
    assert found.dealt == 2


def test_more_tasks_than_conversations_are_left_undecided() -> None:
    known = tasks(task("1", "1_0"), task("2"), task("3"), task("4"))
    found = match_tasks([recorded("2", "1_0"), recorded("1"), recorded("1", "1_0", trial=1)], known)
    assert (found.tasks, found.unlike) == (("2", "1", "1"), 1)


def test_what_had_to_be_said_tells_tasks_without_actions_apart() -> None:
    known = tasks(task("1", "1_0"), task("2", says=("327",)), task("3", says=("41",)))
    of_second = RecordedChecks("1", 0, (), frozenset({"327"}))
    found = match_tasks([recorded("2", "1_0"), of_second, recorded("3")], known)
    assert found.tasks == ("1", "2", "3")


@given(st.integers(2, 12), st.integers(0, 2**32))
def test_any_order_of_names_is_undone(count: int, seed: int) -> None:
    known = tasks(*(task(str(n), f"{n}_0") for n in range(count)), task("last"))
    right = [*map(str, range(count)), "last"]
    names = random.Random(seed).sample(right, len(right))  # noqa: S311 - an order, no secret
    shuffled = [
        recorded(name, *(() if own == "last" else (f"{own}_0",)))
        for own, name in zip(right, names, strict=True)
    ]
    assert match_tasks(shuffled, known).tasks == tuple(right)


@given(
    st.lists(
        st.tuples(st.sampled_from("1234"), st.sampled_from(["", "1_0", "2_0", "x"])), max_size=6
    )
)
def test_a_conversation_moves_only_where_all_have_tasks_of_their_own(
    given_sims: list[tuple[str, str]],
) -> None:
    sims = [recorded(name, *filter(None, [check])) for name, check in given_sims]
    found = match_tasks(sims, TASKS)

    assert len(found.tasks) == len(sims)
    if found.moved:
        assert len(set(found.tasks)) == len(sims)
