"""With very many conversations, a page holds the failures and a sample of the rest.

The page says so.
"""

import base64
import gzip
import hashlib
import json
from typing import Any

import msgspec
import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.protocols import Provenance
from dragoman.core.replies import text_reply
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.report import html_payload
from dragoman.report.html_payload import pack, select_fitting, sized_conversations
from dragoman.report.html_report import render_report
from dragoman.report.view_model import RunView

TASKS, TRIALS, AGENTS = 20, 2, ("a", "b")


def words(*place: object) -> str:
    """Return a text that hardly shrinks: no two conversations share it."""
    return "".join(hashlib.sha256(f"{place} {at}".encode()).hexdigest() for at in range(20))


def outcome(agent: str, task: int, trial: int) -> ConversationResult:
    value = float(task % 4 > 0)
    part = ComponentScore("DB", True, Scored(value), (Evidence("state", True, "seen"),))
    episode = Episode(
        (Message("user", text_reply(words(agent, task, trial))),),
        Termination("user_stop"),
        steps=1,
        errors=0,
    )
    score = Score("dragoman-1", "none", Scored(value), (part,))
    return ConversationResult("s", PLAIN, agent, f"t{task}", trial, episode, score)


def view(many: int = TASKS) -> RunView:
    rows = [
        outcome(agent, task, trial)
        for agent in AGENTS
        for task in range(many)
        for trial in range(TRIALS)
    ]
    tasks = {f"s/t{task}": Task(f"t{task}", "s", "d", Scenario("")) for task in range(many)}
    cells = summarize(rows, "dragoman-1", "none")
    return RunView("mine", (), cells, tuple(rows), tasks, (Provenance("s", "MIT", "n", "d"),))


def unpacked(text: str) -> list[dict[str, Any]]:
    document = json.loads(gzip.decompress(base64.b64decode(text)))
    found: list[dict[str, Any]] = document["conversations"]
    return found


def test_where_there_is_room_everything_is_held() -> None:
    found = pack([view()])

    assert found.left_out == {}
    assert all("elsewhere" not in each for each in unpacked(found.text))


def test_what_was_lost_comes_first_and_passes_fill_the_rest() -> None:
    run = view()
    whole = len(pack([run]).text)

    found = pack([run], most=whole * 2 // 3)

    held = unpacked(found.text)
    assert len(found.text) <= whole * 2 // 3
    assert len(held) == TASKS * TRIALS * len(AGENTS)
    assert all("elsewhere" not in each for each in held if each["standing"] == "fail")
    passed = [each for each in held if each["standing"] == "pass"]
    elsewhere = [each for each in passed if "elsewhere" in each]
    assert 0 < len(elsewhere) < len(passed)
    assert found.left_out == {"pass": len(elsewhere)}


def test_a_large_run_is_never_packed_as_a_whole_and_fills_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = view(300)
    whole = len(pack([run]).text)
    packed: list[int] = []
    pack_once = html_payload._packed

    def counted(*given: Any) -> Any:  # noqa: ANN401 - passed on
        packed.append(len(given[2]))
        return pack_once(*given)

    monkeypatch.setattr(html_payload, "_packed", counted)
    found = pack([run], most=whole // 4)

    held = [each for each in unpacked(found.text) if "elsewhere" not in each]
    assert packed[-1] == len(held)
    assert max(packed) < len(run.outcomes) // 3
    assert whole // 4 * 0.8 < len(found.text) <= whole // 4
    assert {each["standing"] for each in held} == {"fail"}


def test_a_large_run_without_texts_is_held_as_a_whole() -> None:
    run = view(300)
    bare = [
        msgspec.structs.replace(row, episode=msgspec.structs.replace(row.episode, events=()))
        for row in run.outcomes
        if row.episode is not None
    ]

    found = pack([msgspec.structs.replace(run, outcomes=tuple(bare))])

    assert found.left_out == {}


def test_what_has_no_room_still_says_how_it_ended_and_what_it_scored() -> None:
    (first, *_) = unpacked(pack([view()], most=3_000).text)

    assert first["elsewhere"] is True
    assert first["episode"]["ending"]["reason"] == "user_stop"
    assert first["score"]["reward"]["value"] == 0
    assert first["score"]["components"] == [
        {"component": "DB", "in_basis": True, "verdict": {"type": "scored", "value": 0.0}}
    ]


def test_a_sample_has_the_same_tasks_and_trials_of_every_agent() -> None:
    run = view()
    order = [
        run.outcomes[each.number] for each in sized_conversations([run]) if each.status == "pass"
    ]

    pairs = [(order[at], order[at + 1]) for at in range(0, len(order), 2)]

    assert all((a.task, a.trial) == (b.task, b.trial) for a, b in pairs)
    assert all(a.agent != b.agent for a, b in pairs)


def test_the_first_that_does_not_fit_ends_the_choice() -> None:
    every = sized_conversations([view()])

    assert select_fitting(every, sum(each.size for each in every[:3])) == {
        each.number for each in every[:3]
    }


def test_a_page_without_room_says_what_it_lacks_and_where_that_is() -> None:
    page = render_report([view()], "Full", room=5_000)

    assert "This page does not have the text of every conversation." in page
    assert "<code>dragoman view</code> shows every one" in page
