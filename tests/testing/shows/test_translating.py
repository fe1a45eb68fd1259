import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.testing.chat_requests import ChatBody, ChatMessage
from dragoman.testing.fake_translation_llm import (
    FakeTranslationLlm,
    SentText,
    TranslationMistakes,
    pseudo_translation,
)
from dragoman.testing.fault_injection import Cut, Faults
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered
from dragoman.testing.server import ModelServer, load_script
from dragoman.testing.server_config import ServerConfig

THAI = re.compile("[\u0e00-\u0e7f]")
TEXT = "Cancel order \u27e61\u27e7 of 2 items for $12.50 with `cancel_order`, then say ###STOP###."


def asked(*texts: str, to: str = "Thai") -> dict[str, Any]:
    items = [{"id": f"t{number}", "text": text} for number, text in enumerate(texts)]
    content = json.dumps({"from": "English", "to": to, "items": items})
    return {"model": "any", "messages": [{"role": "user", "content": content}]}


def body(*texts: str, to: str = "Thai", content: str = "one") -> ChatBody:
    message = ChatMessage("user", asked(*texts, to=to)["messages"][0]["content"])
    return ChatBody("any", (message,), content=content)


def said(reply: CannedReply | Unanswered) -> list[tuple[str, str]]:
    assert isinstance(reply, CannedReply)
    assert reply.content is not None
    text = reply.content.removeprefix("```json\n").removesuffix("\n```")
    return [(each["id"], each["text"]) for each in json.loads(text)["translations"]]


def test_a_text_comes_back_in_another_script_with_what_has_to_stay() -> None:
    translated = pseudo_translation(TEXT, "Thai")
    assert THAI.search(translated)
    assert not re.search(r"\b(?:Cancel|items|then)\b", translated)
    for kept in ("\u27e61\u27e7", "2", "$12.50", "`cancel_order`", "###STOP###"):
        assert kept in translated
    assert pseudo_translation("山 hi", "Vietnamese") != "山 hi"


@given(text=st.text(st.sampled_from("ab #-*\n1_{}`⟦⟧山é"), max_size=40))
def test_lines_headings_and_list_items_stay_where_they_are(text: str) -> None:
    translated = pseudo_translation(text, "Vietnamese")
    assert translated.count("\n") == text.count("\n")
    assert re.findall(r"^(?:#+|[-*])(?= )", translated, re.MULTILINE) == re.findall(
        r"^(?:#+|[-*])(?= )", text, re.MULTILINE
    )


def test_every_text_is_translated_under_its_id_and_counted() -> None:
    answers = FakeTranslationLlm()
    assert [name for name, _ in said(answers(body("one thing", "another")))] == ["t0", "t1"]
    answers(body("one thing", content="two"))
    answers.ended("one", "ok")
    answers.ended("two", "cut")
    assert answers.sent == {SentText("Thai", "one thing"): 2, SentText("Thai", "another"): 1}
    assert answers.delivered == {SentText("Thai", "one thing"): 1, SentText("Thai", "another"): 1}


@pytest.mark.parametrize(
    ("mistake", "reply", "unsound"),
    [
        ("drops_placeholder", lambda texts: "\u27e61\u27e7" not in texts[0][1], {"t0"}),
        ("stubborn", lambda texts: "\u27e61\u27e7" not in texts[0][1], {"t0"}),
        ("other_language", lambda texts: texts[0] == ("t0", TEXT), {"t0", "t1"}),
        ("swaps_ids", lambda texts: "\u27e61\u27e7" in texts[1][1], {"t0", "t1"}),
        ("leaves_out", lambda texts: [name for name, _ in texts] == ["t0"], {"t1"}),
        ("doubles_id", lambda texts: [name for name, _ in texts] == ["t0", "t1", "t0"], {"t0"}),
        ("invents_id", lambda texts: [name for name, _ in texts][2:] == ["nobody"], set()),
        ("fences", lambda texts: len(texts) == 2, set()),
    ],
)
def test_each_mistake_is_made_and_no_text_that_it_spoils_counts_as_delivered(
    mistake: str, reply: Callable[[list[tuple[str, str]]], bool], unsound: set[str]
) -> None:
    answers = FakeTranslationLlm(msgspec.convert({mistake: 1.0}, TranslationMistakes))
    assert reply(sorted(said(answers(body(TEXT, "plain"))), key=lambda each: each[0] == "t9"))
    answers.ended("one", "ok")
    whole = {"t0": SentText("Thai", TEXT), "t1": SentText("Thai", "plain")}
    assert set(answers.delivered) == {whole[name] for name in whole if name not in unsound}


def test_a_broken_answer_is_no_json_and_delivers_nothing() -> None:
    answers = FakeTranslationLlm(TranslationMistakes(bad_json=1.0, most_in_a_row=2))
    for _ in range(2):
        with pytest.raises(json.JSONDecodeError):
            said(answers(body("one")))
    answers.ended("one", "ok")
    assert not answers.delivered
    assert said(answers(body("one")))
    assert answers.mistakes == {"bad_json": 2}


def test_a_stubborn_text_loses_its_placeholder_whenever_it_is_asked_for() -> None:
    answers = FakeTranslationLlm(TranslationMistakes(stubborn=1.0, most_in_a_row=1))
    for _ in range(5):
        ((_, text),) = said(answers(body(TEXT)))
        assert "\u27e61\u27e7" not in text


def test_what_asks_for_no_translations_gets_none() -> None:
    reply = FakeTranslationLlm()(ChatBody("any", (ChatMessage("user", "hello"),)))
    assert isinstance(reply, Unanswered)
    assert "asks for no translations" in reply.reason


@pytest.mark.slow
def test_a_server_counts_what_it_handed_over_whole() -> None:
    answers = FakeTranslationLlm()
    behaviour = ServerConfig(Faults(transport=(Cut(rate=1),), most_in_a_row=1))

    async def ask(url: str) -> None:
        async with aiohttp.ClientSession() as client:
            for _ in range(2):
                try:
                    async with client.post(f"{url}/chat/completions", json=asked("hi")) as answer:
                        await answer.read()
                except aiohttp.ClientError:
                    continue

    with ModelServer(answers, behaviour) as server:
        asyncio.run(ask(server.url))
    assert server.log.outcomes == {"cut": 1, "ok": 1}
    assert answers.sent == {SentText("Thai", "hi"): 2}
    assert answers.delivered == {SentText("Thai", "hi"): 1}


def test_a_script_may_ask_for_translations_with_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('{"translations": {"leaves_out": 1}}')
    answers = load_script(path)
    assert [name for name, _ in said(answers(body("one", "two")))] == ["t0"]
