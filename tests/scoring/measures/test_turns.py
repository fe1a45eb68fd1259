"""All replies of a side judged in one call: a label for each turn.

Labels of turns that do not exist, and labels with later-context bias, are refused.
"""

import asyncio
import json
from pathlib import Path
from typing import cast

import msgspec
import pytest

from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import DataError
from dragoman.core.measures import MeasureResult, ScoringContext
from dragoman.core.protocols import ChatRequest, Completion, EnvironmentFactory
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.usage import Usage
from dragoman.scoring.measures.judged_measure import INVENTED, LATER, JudgedMeasure
from dragoman.scoring.measures.rubrics import read_rubric

SCHEMA = """
over = "agent replies"
shows = "whole"

[[question]]
name = "wrong"
type = "boolean"
text = "Does it get the user wrong?"
quote = true
"""
EVENTS = (
    Message("agent", text_reply("Hi."), scripted=True),
    Message("user", text_reply("To Boston.")),
    Message("agent", text_reply("To Austin, then.")),
    Message("user", text_reply("No, I said Boston.")),
    Message("agent", text_reply("Sorry, Boston.")),
)


class Judge:
    """A judge with one answer that records its requests."""

    name = "judge"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.asked.append(request)
        return Completion(text_reply(self.reply), msgspec.Raw(b"{}"), Usage(purpose, self.name, 1))


def label(turn: int | None, *, value: bool, quote: str = "") -> dict[str, object]:
    given: dict[str, object] = {"id": "wrong", "value": value, "why": "so", "quote": quote}
    return given if turn is None else {**given, "turn": turn}


def judged(
    folder: Path, *labels: dict[str, object], events: tuple[Message, ...] = EVENTS
) -> tuple[MeasureResult, Judge]:
    (folder / "wrong@1.md").write_text("Look at every reply.")
    (folder / "wrong@1.toml").write_text(SCHEMA)
    judge = Judge(json.dumps({"answers": labels}))
    measure = JudgedMeasure(read_rubric(folder / "wrong@1.toml"), judge)
    task = Task("7", "suite", "digest", Scenario("Ask."))
    episode = Episode(events, Termination("user_stop"), 4, 0)
    case = ScoringContext(task, episode, cast("EnvironmentFactory", None))
    return asyncio.run(measure.measure(case)), judge


FINE = label(4, value=False)


def test_one_call_labels_every_reply_of_a_side(tmp_path: Path) -> None:
    found, judge = judged(tmp_path, FINE, label(2, value=True, quote="To Austin"))
    assert found.counts == {"judged": 2, "wrong": 1}
    assert {entry.position: entry.counts for entry in found.evidence if entry.subject} == {
        2: {"wrong": 1},
        4: {"wrong": 0},
    }
    assert found.judge == "turns-1:judge"
    (request,) = judge.asked
    text = str(request.messages[1]["content"])
    assert "[turn 2] agent: To Austin, then." in text
    assert "[turn 4] agent: Sorry, Boston." in text
    assert text.count("[turn ") == 2
    assert "Judge the turns 2, 4, each from what came before it." in text
    assert '"turn"' in json.dumps(request.reply_schema)


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ((FINE,), "1 of 2 questions not answered"),
        ((FINE, label(2, value=True, quote="No, I said")), f"{LATER} (wrong at event 2)"),
        ((FINE, label(2, value=True, quote="To Houston")), f"{INVENTED} (wrong at event 2)"),
        ((FINE, label(99, value=False)), "the judge answered of turn 99, asked were 2, 4"),
        ((FINE, label(1, value=False)), "the judge answered of turn 1, asked were 2, 4"),
        ((FINE, label(None, value=False)), "the judge answered of turn None, asked were 2, 4"),
        ((FINE, FINE, label(2, value=False)), "the judge answered wrong, wrong"),
    ],
)
def test_a_turn_left_out_or_made_up_or_judged_by_what_came_later_is_unscored(
    tmp_path: Path, labels: tuple[dict[str, object], ...], why: str
) -> None:
    found, _ = judged(tmp_path, *labels)
    assert found.counts == {}
    assert found.unscored.startswith("judge failed: ")
    assert why in found.unscored
    assert found.is_open


def test_a_conversation_without_a_reply_to_judge_asks_nobody(tmp_path: Path) -> None:
    found, judge = judged(tmp_path, events=EVENTS[:2])
    assert (found.counts, found.unscored, judge.asked) == ({}, "", [])


def test_showing_the_whole_is_for_replies(tmp_path: Path) -> None:
    (tmp_path / "wrong@1.md").write_text("Look.")
    path = tmp_path / "wrong@1.toml"
    path.write_text(SCHEMA.replace("agent replies", "conversation"))
    with pytest.raises(DataError, match='shows = "whole" is for a rubric over replies'):
        read_rubric(path)
