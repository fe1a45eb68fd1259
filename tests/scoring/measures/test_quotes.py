"""Evidence for a judge's answers: a quote is in the shown text, or the answer is open."""

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
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.scoring.measures.judged_measure import INVENTED, NO_QUOTE, JudgedMeasure, QuotableText
from dragoman.scoring.measures.rubrics import read_rubric

SCHEMA = """
[[question]]
name = "repeats"
type = "integer"
text = "How often does the user say it again?"
quote = true
said_by = "user"

[[question]]
name = "polite"
type = "boolean"
text = "Is the agent polite?"
quote = true

[[question]]
name = "turns"
type = "integer"
text = "How many turns?"
within = ["repeats"]
"""
EVENTS = (
    Message("user", text_reply("I said \u201cBoston\u201d,\n  not Austin.")),
    Message("agent", ToolCallReply((ToolCall("c1", "find_flight", {"to": "BOS"}),), "One moment.")),
    ToolResult("c1", "find_flight", '{"flight": "HAT042"}'),
    Message(
        "agent", text_reply("Je l'ai. \u672a\u6765\u3092\u4e88\u7d04\u3057\u307e\u3057\u305f\u3002")
    ),
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


def written(folder: Path, schema: str = SCHEMA) -> Path:
    (folder / "shown@1.md").write_text("Count.")
    path = folder / "shown@1.toml"
    path.write_text(schema)
    return path


def judged(folder: Path, *answers: dict[str, object]) -> tuple[MeasureResult, Judge]:
    judge = Judge(json.dumps({"answers": [{"why": "so", **answer} for answer in answers]}))
    measure = JudgedMeasure(read_rubric(written(folder)), judge)
    task = Task("7", "suite", "digest", Scenario("Ask."))
    episode = Episode(EVENTS, Termination("user_stop"), 4, 0)
    case = ScoringContext(task, episode, cast("EnvironmentFactory", None))
    return asyncio.run(measure.measure(case)), judge


TURNS: dict[str, object] = {"id": "turns", "value": 1}
REPEATS: dict[str, object] = {
    "id": "repeats",
    "value": 1,
    "quote": '"I said "Boston", not Austin."',
}
POLITE: dict[str, object] = {"id": "polite", "value": True, "quote": "One moment."}


def test_answers_with_evidence_are_counted_and_the_evidence_is_kept(tmp_path: Path) -> None:
    found, judge = judged(tmp_path, REPEATS, POLITE, TURNS)
    assert found.counts == {"judged": 1, "repeats": 1, "polite": 1, "turns": 1}
    assert [entry.why for entry in found.evidence if entry.subject == "polite"] == [
        "so [One moment.]"
    ]
    assert found.judge == "measure-2:judge", "asking for quotes is another way of asking"
    (request,) = judge.asked
    question = str(request.messages[1]["content"])
    assert "repeats (integer, with a quote of the user): How often" in question
    assert "polite (boolean, with a quote): Is the agent" in question
    assert "turns (integer): How many" in question
    assert '"quote"' in json.dumps(request.reply_schema)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({**POLITE, "quote": "Certainly, sir."}, f"{INVENTED} (polite)"),
        ({**POLITE, "quote": ""}, f"{NO_QUOTE} (polite)"),
        ({"id": "polite", "value": True}, f"{NO_QUOTE} (polite)"),
        ({"id": "polite", "value": False, "quote": "Certainly, sir."}, f"{INVENTED} (polite)"),
    ],
)
def test_an_answer_without_evidence_is_open_and_never_counted(
    tmp_path: Path, answer: dict[str, object], why: str
) -> None:
    found, _ = judged(tmp_path, REPEATS, answer, TURNS)
    assert found.counts == {}
    assert found.is_open
    assert found.unscored.startswith("judge failed: ")
    assert why in found.unscored
    assert all(entry.counts == {} for entry in found.evidence if entry.subject == "polite")


def test_what_is_left_out_and_what_is_invented_are_told_apart(tmp_path: Path) -> None:
    found, _ = judged(tmp_path, {**REPEATS, "quote": "One moment."}, TURNS)
    assert found.unscored == (
        f"judge failed: 1 of 3 questions not answered; {INVENTED} (repeats)"
    ), "words of the agent are no evidence of what the user says"


def test_no_and_nothing_need_no_evidence(tmp_path: Path) -> None:
    found, _ = judged(
        tmp_path,
        {"id": "repeats", "value": 0, "quote": ""},
        {"id": "polite", "value": False},
        {"id": "turns", "value": 0},
    )
    assert found.counts == {"judged": 1, "repeats": 0, "polite": 0, "turns": 0}


def test_a_part_that_exceeds_its_whole_is_a_failure_of_the_judge(tmp_path: Path) -> None:
    found, _ = judged(tmp_path, REPEATS, POLITE, {**TURNS, "value": 2})
    assert found.unscored == (
        "judge failed: the judge's answer to turns is 2, not at most the 1 of repeats"
    )


@pytest.mark.parametrize(
    ("quote", "said_by"),
    [
        ("not Austin", ""),
        ("I said 'Boston', not  Austin.", "user"),
        ("user: I said \u00abBoston\u00bb", "user"),
        ("One moment", "agent"),
        ('find_flight {"to":"BOS"}', ""),
        ("'flight': 'HAT042'", ""),
        ("Je l\u2019ai", "agent"),
        ("\u4e88\u7d04", "agent"),
    ],
)
def test_a_quote_stands_where_only_white_space_and_quotation_marks_differ(
    quote: str, said_by: str
) -> None:
    assert QuotableText(EVENTS).fault(quote, is_needed=True, said_by=said_by) == ""


@pytest.mark.parametrize(
    ("quote", "said_by", "fault"),
    [
        ("not austin", "", INVENTED),
        ("Bost", "", INVENTED),
        ("not Austin. agent: One moment.", "", INVENTED),
        ("HAT042", "agent", INVENTED),
        ("find_flight", "agent", INVENTED),
        ("user:", "", INVENTED),
        ("...", "", NO_QUOTE),
        ('""', "", NO_QUOTE),
    ],
)
def test_a_quote_that_was_altered_pieced_together_or_is_empty_does_not_stand(
    quote: str, said_by: str, fault: str
) -> None:
    assert QuotableText(EVENTS).fault(quote, is_needed=True, said_by=said_by) == fault


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('["repeats"]', '["polite"]', "'turns' is within something that is not another count"),
        ('["repeats"]', '["turns"]', "'turns' is within something that is not another count"),
        ("quote = true\nsaid_by", "said_by", "'repeats' says whose quote, but wants none"),
        ('"user"', '"tool"', "no schema of a rubric"),
    ],
)
def test_a_schema_whose_evidence_makes_no_sense_is_refused(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    path = written(tmp_path, SCHEMA.replace(old, new, 1))
    with pytest.raises(DataError, match=complaint):
        read_rubric(path)
