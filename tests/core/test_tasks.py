from typing import get_args

import pytest

from dragoman.core.errors import DataError
from dragoman.core.tasks import (
    Action,
    Component,
    Criteria,
    EnvAssertion,
    FunctionCall,
    Scenario,
    Task,
    prerequisite_chain,
)

ASSERTION = EnvAssertion(FunctionCall("user", "assert_service", {}))
COMPONENTS: tuple[Component, ...] = tuple(name for name in get_args(Component) if name != "CALLS")


def listed(criteria: Criteria) -> set[Component]:
    return {component for component in COMPONENTS if criteria.lists(component)}


def test_criteria_that_name_nothing_list_nothing() -> None:
    assert listed(Criteria(COMPONENTS)) == set()


def test_an_empty_plan_is_a_state_to_compare_but_no_action_to_make() -> None:
    assert listed(Criteria(("DB",), actions=())) == {"DB"}


def test_an_empty_list_of_assertions_is_a_state_to_compare() -> None:
    assert listed(Criteria(("DB",), env_assertions=())) == {"DB"}


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        (Criteria(("DB",), actions=(Action("1", "calculate", {}),)), {"DB", "ACTION"}),
        (Criteria(("DB",), env_assertions=(ASSERTION,)), {"DB", "ENV_ASSERTION"}),
        (Criteria(("DB",), communicate_info=("5",)), {"COMMUNICATE"}),
        (Criteria(("DB",), assertions=("be polite",)), {"NL_ASSERTION"}),
    ],
)
def test_each_list_serves_its_component(criteria: Criteria, expected: set[Component]) -> None:
    assert listed(criteria) == expected


def test_what_is_listed_does_not_depend_on_the_basis() -> None:
    assert listed(Criteria((), communicate_info=("5",))) == listed(
        Criteria(COMPONENTS, communicate_info=("5",))
    )


def test_what_a_suite_checks_itself_is_there_where_the_basis_names_it() -> None:
    assert Criteria(("CALLS",)).lists("CALLS")
    assert not Criteria(("DB",)).lists("CALLS")


def task(name: str, *after: str) -> Task:
    return Task(name, "s", "d", Scenario(""), after=after)


def test_a_chain_is_everything_that_must_be_played_before_first_things_first() -> None:
    tasks = {each.id: each for each in (task("c", "b"), task("a"), task("b", "a"))}
    assert [each.id for each in prerequisite_chain(tasks["c"], tasks)] == ["a", "b"]
    assert prerequisite_chain(tasks["a"], tasks) == ()


def test_what_two_tasks_come_after_stands_in_a_chain_once() -> None:
    tasks = {each.id: each for each in (task("d", "b", "c"), task("b", "a"), task("c", "a"))}
    tasks["a"] = task("a")
    assert [each.id for each in prerequisite_chain(tasks["d"], tasks)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ((task("a", "x"),), "task a comes after 'x', which does not exist"),
        ((task("a", "b"), task("b", "a")), "task b comes after 'a', which comes after it"),
        ((task("a", "a"),), "task a comes after 'a', which comes after it"),
    ],
)
def test_a_chain_that_cannot_be_played_is_refused(tasks: tuple[Task, ...], why: str) -> None:
    with pytest.raises(DataError, match=why):
        prerequisite_chain(tasks[0], {each.id: each for each in tasks})
