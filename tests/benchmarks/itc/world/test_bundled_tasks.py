"""The bundled tasks can be solved in the bundled world."""

from collections import Counter

import msgspec
import pytest

from dragoman.benchmarks.itc.world.answering import ApiWorld, WorldAnswer
from dragoman.benchmarks.itc.world.loading import load_world
from dragoman.benchmarks.itc.world.offering import FEWEST, MOST
from dragoman.benchmarks.itc.world.task_rows import REFERENCE, references
from dragoman.core.apis.documents import operations
from dragoman.core.apis.tasks import ApiTask

TASKS = load_world().tasks
OPERATIONS = {
    name: one for document in load_world().documents for name, one in operations(document)
}


def played(world: ApiWorld, task: ApiTask) -> list[WorldAnswer]:
    answers: list[WorldAnswer] = []
    results: list[object] = []
    for call in task.gold:
        arguments = {name: resolved(value, results) for name, value in call.arguments.items()}
        answers.append(world.call(call.tool, arguments))
        results.append(msgspec.json.decode(answers[-1].body))
    return answers


def resolved(value: object, results: list[object]) -> object:
    match = REFERENCE.fullmatch(references(value))
    if match is None:
        return value
    found = results[int(match[1]) - 1]
    for step in match[2].split(".")[1:]:
        if isinstance(found, list):
            found = found[int(step)]
        else:
            assert isinstance(found, dict)
            found = found[step]
    return found


def is_nothing(content: object) -> bool:
    """Whether an answer is empty, or one of its fields is."""
    if isinstance(content, dict):
        return not content or any(value in ([], {}, None) for value in content.values())
    return content in ([], None)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_each_gold_call_is_answered_with_something(task: ApiTask) -> None:
    for answer in played(load_world().world, task):
        assert answer.status == 200
        assert not is_nothing(msgspec.json.decode(answer.body))


def test_values_that_are_as_right_are_answered_as_well() -> None:
    for task in TASKS:
        results: list[object] = []
        for call in task.gold:
            arguments = {name: resolved(value, results) for name, value in call.arguments.items()}
            answer = load_world().world.call(call.tool, arguments)
            results.append(msgspec.json.decode(answer.body))
            for name, others in call.also.items():
                for other in others:
                    also = load_world().world.call(call.tool, {**arguments, name: other})
                    assert also.status == 200, (task.id, other)
                    assert not is_nothing(msgspec.json.decode(also.body)), (task.id, other)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_what_is_offered_is_known_and_holds_the_tools_of_the_gold_calls(task: ApiTask) -> None:
    assert FEWEST <= len(set(task.offered)) == len(task.offered) <= MOST
    names = {OPERATIONS[name].name for name in task.offered}
    assert {call.tool for call in task.gold} <= names


def test_no_two_tasks_share_an_id_or_a_text() -> None:
    assert Counter(task.id for task in TASKS).most_common(1)[0][1] == 1
    assert Counter(task.query for task in TASKS).most_common(1)[0][1] == 1
