"""Canned answers, with mistakes, for the making of web-API datasets."""

import json
from collections.abc import Mapping
from pathlib import Path

from dragoman.testing.chat_requests import ChatBody, ChatMessage
from dragoman.testing.fake_curation_llm import CurationMistakes, FakeCurationLlm
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered
from dragoman.testing.server import load_script

RATE = {"query": "Is it raining?"}
ANSWER = {"query": "Is it raining?", "tools": [], "so_far": []}


def said(answers: FakeCurationLlm, asked: Mapping[str, object], model: str = "a") -> str:
    reply = answers(ChatBody(model, (ChatMessage("user", json.dumps(asked)),)))
    assert isinstance(reply, CannedReply)
    return str(reply.content)


def is_sound(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def test_a_slip_is_spared_after_so_many_in_a_row() -> None:
    answers = FakeCurationLlm(CurationMistakes(bad_json=1, most_in_a_row=2))
    assert [is_sound(said(answers, RATE)) for _ in range(6)] == [False, False, True] * 2
    assert answers.mistakes == {"bad_json": 4}


def test_an_answer_to_a_query_is_as_wrong_the_next_time_by_model() -> None:
    answers = FakeCurationLlm(CurationMistakes(bad_json=0.5), seed=3)
    found = {
        model: {is_sound(said(answers, ANSWER, model)) for _ in range(9)} for model in "abcdefgh"
    }
    assert all(len(each) == 1 for each in found.values())
    assert set.union(*found.values()) == {True, False}


def test_a_script_may_ask_for_them(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('{"curating": {"prose": 1, "most_in_a_row": 1}}')
    answers = load_script(path)
    assert isinstance(answers, FakeCurationLlm)
    assert [is_sound(said(answers, RATE)) for _ in range(2)] == [False, True]


def test_what_asks_for_nothing_of_datasets_gets_nothing() -> None:
    reply = FakeCurationLlm()(ChatBody("a", (ChatMessage("user", "Hello."),)))
    assert isinstance(reply, Unanswered)
