"""The page of a conversation and that of two, over real HTTP."""

import re
from pathlib import Path

from tests.viewer.conftest import View

from dragoman.core.scores import ComponentScore, Scored
from dragoman.report.formatting import criterion
from dragoman.store.run_store import open_run


def keys(run: Path) -> list[str]:
    with open_run(run, write=False) as store:
        return [cell.key for cell in store.cells()]


def test_a_conversation_has_its_turns_its_calls_and_its_score(view: View, played: Path) -> None:
    viewer = view(played)

    page = viewer.get(f"/run/mine/conversation/{keys(played)[0]}")

    assert page.status == 200
    assert 'id="turn-1"' in page.text
    assert 'href="#turn-1"' in page.text
    assert "agent calls" in page.text
    assert "the final database state is as expected" in page.text


def test_the_criterion_of_a_failed_component_is_marked_as_expected() -> None:
    passed, failed = (ComponentScore("DB", True, Scored(value)) for value in (1.0, 0.0))

    assert criterion(passed) == "the final database state is as expected"
    assert criterion(failed) == "expected: the final database state is as expected"


def test_a_key_that_is_none_is_not_found(view: View, played: Path) -> None:
    viewer = view(played)

    for key in ("00", "0", "zz", "a" * 400, "%2e%2e", "00%2f..%2frun.sqlite"):
        assert viewer.get(f"/run/mine/conversation/{key}").status == 404


def test_two_conversations_of_a_task_stand_side_by_side_and_of_two_tasks_do_not(
    view: View, played: Path
) -> None:
    viewer = view(played)
    tasks: dict[str, list[str]] = {}
    for key in keys(played):
        text = viewer.get(f"/run/mine/conversation/{key}").text
        tasks.setdefault(re.findall(r"<h1>Task <bdi>(.*?)</bdi>", text)[0], []).append(key)
    one, other = list(tasks.values())[:2]

    both = viewer.get(f"/compare?a=mine/{one[0]}&b=mine/{one[1]}")
    apart = viewer.get(f"/compare?a=mine/{one[0]}&b=mine/{other[0]}")

    assert both.status == 200
    assert 'id="a-turn-1"' in both.text
    assert 'id="b-turn-1"' in both.text
    assert (apart.status, "two tasks" in apart.text) == (400, True)
    assert viewer.get("/compare?a=mine/00&b=none/00").status == 404
