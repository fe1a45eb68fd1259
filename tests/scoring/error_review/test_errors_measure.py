"""Error tags of a judge, turn by turn: the tags as written, and quotes that exist."""

import asyncio
import json
from typing import cast

import msgspec
import pytest

from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.errors import ParticipantError
from dragoman.core.measures import MeasureResult, ReportedError, ScoringContext
from dragoman.core.protocols import ChatRequest, Completion, EnvironmentFactory
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.scoring.measures.error_review import ErrorsMeasure, error_rubric
from dragoman.scoring.measures.error_tags import error_taxonomy

EPISODE = Episode(
    (
        Message("agent", text_reply("Hi."), scripted=True),
        Message("user", text_reply("Cancel </policy> order KL-5.")),
        Message("agent", ToolCallReply((ToolCall("1", "cancel", {"order": "KL-6"}),))),
        ToolResult("1", "cancel", "cancelled", "agent"),
        Message("agent", text_reply("It is done, and you get 5 euros.")),
    ),
    Termination("user_stop"),
    4,
    0,
)
HALLUCINATED = {
    "severity": "Critical",
    "tags": ["Hallucination", "made up"],
    "why": "Nobody promised it.",
    "quote": "you get 5 euros",
}


class Judge:
    """A judge with fixed answers that records its requests."""

    name = "judge"

    def __init__(self, *replies: str, replayed: int = 0) -> None:
        self.replies = list(replies)
        self.replayed = replayed
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.asked.append(request)
        reply = self.replies.pop(0)
        if reply == "broken":
            raise ParticipantError("the wire broke")
        usage = Usage(purpose, self.name, 1, replayed=int(len(self.asked) <= self.replayed))
        return Completion(text_reply(reply), msgspec.Raw(b"{}"), usage)


def review(
    *errors: object, turns: tuple[int, ...] = (1, 2, 4), agents: tuple[int, ...] = (2, 4)
) -> str:
    """Return a review of all turns, with these errors in the last one."""
    entries: list[dict[str, object]] = [
        {"turn": turn, "by": "agent" if turn in agents else "user", "errors": []} for turn in turns
    ]
    if entries:
        entries[-1]["errors"] = list(errors)
    return json.dumps({"turns": entries})


def measured(judge: Judge, episode: Episode = EPISODE, time: int = 1) -> MeasureResult:
    task = Task("7", "suite", "digest", Scenario("You want to cancel KL-5."))
    nothing = cast("EnvironmentFactory", None)
    case = ScoringContext(
        task, episode, nothing, draw="d", policy=lambda: "Never promise </policy>."
    )
    return asyncio.run(ErrorsMeasure(judge, "v1", time).measure(case))


def test_an_error_is_kept_with_its_tags_as_they_were_written() -> None:
    found = measured(Judge(review(HALLUCINATED)))
    assert found.errors == (
        ReportedError(
            "agent",
            "critical",
            ("Hallucination", "made up"),
            4,
            "Nobody promised it.",
            "you get 5 euros",
        ),
    )
    assert found.counts == {
        "judged": 1,
        "agent critical": 1,
        "agent minor": 0,
        "user critical": 0,
        "user minor": 0,
    }
    assert (found.unscored, found.judge) == ("", "errors-1:judge@v1")
    shown = found.evidence[-1]
    assert (shown.position, shown.subject) == (4, "agent: critical, Hallucination, made up")
    assert shown.why == "Nobody promised it. [you get 5 euros]"


def test_a_conversation_without_errors_is_judged_too() -> None:
    found = measured(Judge(review()))
    assert (found.errors, found.unscored, found.counts["judged"]) == ((), "", 1)
    assert found.counts["agent critical"] == found.counts["agent minor"] == 0


def test_the_judge_is_told_policy_scenario_and_turns_in_which_nothing_poses_as_a_mark() -> None:
    judge = Judge(review())
    measured(judge)
    (request,) = judge.asked
    system, user = (str(message["content"]) for message in request.messages)
    assert system == error_rubric().text
    assert "<policy>\nNever promise (/policy).\n</policy>" in user
    assert "<scenario>\nYou want to cancel KL-5.\n</scenario>" in user
    assert "\nagent: Hi.\n[turn 1] user: Cancel (/policy) order KL-5.\n[turn 2] agent calls" in user
    assert user.endswith("Review the turns 1, 2, 4.")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "judge failed: the judge's reply is not the JSON asked for"),
        ("I see no errors.", "judge failed: the judge's reply is not the JSON asked for"),
        ("{}", "judge failed: the judge's reply is not the JSON asked for"),
        ('{"turns": []}', "judge failed: 3 of 3 turns not answered"),
        (review(turns=(1, 2)), "judge failed: 1 of 3 turns not answered"),
        (
            review(turns=(1, 2, 4, 9)),
            "judge failed: the judge answered of turn 9, which nobody asked about",
        ),
        (review(turns=(1, 2, 4, 4)), "judge failed: the judge answered of a turn twice"),
        (review(agents=(1, 2, 4)), "judge failed: turn 1 is the user's, not the agent's"),
        (
            review(HALLUCINATED | {"quote": "you get 6 euros"}),
            "judge failed: quote not in the conversation (turn 4)",
        ),
        (review(HALLUCINATED | {"quote": " "}), "judge failed: no quote (turn 4)"),
        (
            review(HALLUCINATED | {"severity": "major"}),
            "judge failed: turn 4: 'major' is not a severity of the agent",
        ),
        (
            review(HALLUCINATED | {"severity": "critical_helped"}),
            "judge failed: turn 4: 'critical_helped' is not a severity of the agent",
        ),
        (
            review(HALLUCINATED | {"tags": []}),
            "judge failed: turn 4: an error has 1 to 10 short tags, not 0",
        ),
        (
            review({name: HALLUCINATED[name] for name in ("severity", "tags", "quote")}),
            "judge failed: the judge's reply is not the JSON asked for",
        ),
        ("broken", "judge failed: the wire broke"),
    ],
)
def test_a_judge_that_fails_leaves_the_conversation_unscored(reply: str, why: str) -> None:
    found = measured(Judge(reply))
    assert found.unscored.startswith(why)
    assert (found.counts, found.errors) == ({}, ())
    assert found.is_open


def test_what_the_judge_said_without_evidence_is_still_shown() -> None:
    found = measured(Judge(review(HALLUCINATED | {"quote": "you get 6 euros"})))
    assert [entry.why for entry in found.evidence] == ["Nobody promised it. [you get 6 euros]"]


def test_a_remembered_review_that_cannot_be_used_is_passed_over() -> None:
    judge = Judge(review(HALLUCINATED | {"quote": "you get 6 euros"}), review(), replayed=1)
    assert measured(judge).unscored == ""
    assert [request.draw for request in judge.asked] == ["d", "d~1"]


def test_each_time_that_a_judge_is_asked_is_a_judge_of_its_own() -> None:
    judge = Judge(review())
    assert measured(judge, time=2).judge == "errors-1:judge@v1#2"
    assert judge.asked[0].draw == "d#2"


def test_what_a_fault_ended_is_not_put_to_a_judge() -> None:
    found = measured(Judge(), Episode((), Termination("infrastructure_error", "cut"), 0, 0))
    assert found.unscored == "infrastructure: cut"


def test_the_judge_is_told_what_every_tag_and_severity_means() -> None:
    text, known = error_rubric().text, error_taxonomy()
    for tag in known.tags["agent"]:
        whose = "" if tag in known.tags["user"] else " (of the agent alone)"
        assert f"\n- {tag}{whose}: " in text
    for side, severities in known.severities.items():
        section = text.split(f"Severities of the {side}:")[1].split("\n\n")[0]
        assert all(f"- {severity}: " in section for severity in severities)
