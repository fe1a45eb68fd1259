"""The world has the breadth that `docs/reference/itc.md` states."""

from collections import Counter

from dragoman.benchmarks.itc.world.api_data import apis
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.benchmarks.itc.world.tasks import TRAPS

DOCUMENTS, TASKS, _ = load_bundled_apis()
ROWS = apis()
BY_NAME = {api.name: api for api in ROWS.values()}
SPOKEN_BY_COURIER = {"id", "vi", "th", "tl", "zh"}


def held_out() -> set[str]:
    """Return the ids of operations that are reserved for testing."""
    return {
        f"{document.id}/{operation.name}"
        for document in DOCUMENTS
        for operation in document.api_list
        if BY_NAME[operation.name].held_out
    }


def test_there_are_apis_of_many_countries_in_twenty_categories() -> None:
    assert len(ROWS) == len(BY_NAME) >= 40
    assert len({document.country for document in DOCUMENTS} - {"Global"}) >= 12
    assert len({api.category for api in ROWS.values()}) == 20


def test_documents_come_in_all_forms() -> None:
    forms = {document.origins[0].form for document in DOCUMENTS}
    assert forms == {"openapi-3.0", "openapi-3.1", "swagger-2.0"}
    assert {document.origins[0].place.partition(".")[2] for document in DOCUMENTS} == {
        "yaml",
        "json",
    }


def test_there_are_tasks_enough_in_each_language() -> None:
    languages = Counter(task.language for task in TASKS)
    assert len(TASKS) >= 160
    assert len(languages) >= 12
    assert min(languages.values()) >= 6
    assert languages["en"] >= 14
    assert min(languages[language] for language in SPOKEN_BY_COURIER) >= 8


def test_all_kinds_of_calls_occur_often() -> None:
    kinds = Counter(task.kind for task in TASKS)
    assert set(kinds) == {"single", "repeated", "parallel", "nested", "none"}
    assert min(kinds.values()) >= 10
    assert kinds["nested"] >= 26


def test_each_trap_is_set_in_four_tasks_or_more() -> None:
    traps = Counter(trap for task in TASKS for trap in task.traps)
    assert set(traps) == TRAPS
    assert min(traps.values()) >= 4
    assert traps["no country"] >= len(TASKS) / 3
    assert traps["other language"] >= 10


def test_tasks_in_another_language_are_marked_as_such() -> None:
    lands = {document.id: document.language for document in DOCUMENTS}
    for task in TASKS:
        used = [BY_NAME[call.tool].id.partition("-")[0] for call in task.gold]
        local = [lands[land] for land in used if land in lands]
        is_foreign = any(language not in {task.language, "en"} for language in local)
        assert is_foreign == ("other language" in task.traps), task.id


def test_each_api_is_called_by_two_tasks_or_more() -> None:
    used = Counter(name for task in TASKS for name in {call.tool for call in task.gold})
    assert {name: used[name] for name in BY_NAME if used[name] < 2} == {}


def test_apis_that_are_held_out_are_offered_in_tasks_for_testing_alone() -> None:
    hidden = held_out()
    assert len(hidden) == 12
    for task in TASKS:
        if task.split == "train":
            assert not hidden & set(task.offered), task.id
    assert sum(task.split == "test" for task in TASKS) >= 25


def test_looking_alike_is_said_of_apis_that_are_there() -> None:
    assert {other for api in ROWS.values() for other in api.looks_like} <= set(ROWS)


def alike(name: str) -> set[str]:
    """Return the names of the APIs that resemble an API, or that it resembles."""
    one = BY_NAME[name]
    return {
        api.name for api in ROWS.values() if api.id in one.looks_like or one.id in api.looks_like
    }


def test_where_something_looks_alike_it_is_on_offer() -> None:
    for task in TASKS:
        if "look-alike" in task.traps and task.gold:
            wrong = {operation.partition("/")[2] for operation in task.offered}
            wrong -= {call.tool for call in task.gold}
            assert any(alike(call.tool) & wrong for call in task.gold), task.id
