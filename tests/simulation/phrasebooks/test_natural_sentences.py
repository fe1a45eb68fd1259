"""Agents of flesh or model word things in their own way: the caller understands that too."""

import asyncio
import tomllib
from pathlib import Path

import pytest

from dragoman.core.protocols import SessionStart
from dragoman.core.replies import TextReply, text_reply
from dragoman.core.tasks import KnownFact, Scenario, Task
from dragoman.core.tools import NO_TOOLS
from dragoman.simulation.participants.scripted_user import OfflineUser
from dragoman.simulation.phrasebooks import shipped_phrasebook

STOP = "###STOP###"
SENTENCES = tomllib.loads(Path(__file__).with_name("natural_sentences.toml").read_text("utf-8"))
LANGUAGES = tuple(SENTENCES)


def answer(language: str, question: str) -> str:
    phrases = shipped_phrasebook(language)
    scenario = Scenario("", opening="7", facts=(KnownFact("postcode", "KL-4830"),))

    async def talk() -> str:
        task = Task("1", "s", "d", scenario)
        session = await OfflineUser().open(SessionStart(task, "user", 0, phrases=phrases))
        await session.reply([text_reply("?")], NO_TOOLS)
        reply = (await session.reply([text_reply(question)], NO_TOOLS)).reply
        assert isinstance(reply, TextReply)
        return reply.text

    return asyncio.run(talk())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_asked_politely_is_told(language: str) -> None:
    phrases = shipped_phrasebook(language)
    assert phrases is not None
    said = answer(language, SENTENCES[language]["asked"])
    assert phrases.label("postcode") in said.casefold()
    assert "KL-4830" in said
    assert not phrases.hears.refused.search(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_back_wrongly_is_put_right(language: str) -> None:
    phrases = shipped_phrasebook(language)
    assert phrases is not None
    said = answer(language, SENTENCES[language]["read_back_wrongly"])
    assert phrases.hears.refused.search(said)
    assert "KL-4830" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_wants_a_yes_gets_one(language: str) -> None:
    phrases = shipped_phrasebook(language)
    assert phrases is not None
    assert answer(language, SENTENCES[language]["wants_a_yes"]) == phrases.says.consent


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_caller_does_not_know_is_said_so(language: str) -> None:
    phrases = shipped_phrasebook(language)
    assert phrases is not None
    assert answer(language, SENTENCES[language]["nobody_knows"]) == phrases.says.unknown


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_farewell_ends_the_call(language: str) -> None:
    assert [answer(language, words) for words in SENTENCES[language]["ends"]] == [STOP, STOP]
