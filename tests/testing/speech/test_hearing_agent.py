"""The agent that hears, with an ear that understands a code."""

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

import pytest

from dragoman.core.audio import Audio, hears_audio, write_wav
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Transcript
from dragoman.core.rules import DEFAULT_RULES
from dragoman.registry.suites import load_suite
from dragoman.testing.responses import coded_audio, decoded_text
from dragoman.testing.speech.hearing_agent import AudioLiteralAgent, Tasks, main

SUITE = load_suite("sample:shop")


class StubRecognizer:
    """A recognizer of coded speech that counts its calls."""

    name = identity = "coded"

    def __init__(self) -> None:
        self.listened: list[str] = []

    async def transcribe(self, audio: Audio, language: str) -> Transcript:
        assert language == "en"
        self.listened.append(decoded_text(audio))
        return Transcript(self.listened[-1])


def tools_of(task: str) -> list[dict[str, Any]]:
    (found,) = (each for each in SUITE.tasks if each.id == task)
    names = SUITE.factory(DEFAULT_RULES)(found).tools("agent").by_name
    return [{"type": "function", "function": {"name": name}} for name in names]


def spoken(text: str) -> dict[str, Any]:
    data = base64.b64encode(write_wav(coded_audio(text))).decode()
    part = {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    return {"role": "user", "content": [part]}


def replies(
    recognizer: StubRecognizer, *histories: Sequence[dict[str, Any]], task: str
) -> list[Any]:
    async def ask() -> list[Any]:
        agent = AudioLiteralAgent(SUITE, recognizer)
        assert hears_audio(agent)
        return [await agent(history, tools_of(task)) for history in histories]

    return asyncio.run(ask())


def script_of(task: str) -> str:
    from dragoman.simulation.prompts import task_script

    return task_script(next(each for each in SUITE.tasks if each.id == task))


@pytest.mark.parametrize("task", ["larger-jacket", "two-swaps"])
def test_the_task_is_found_by_what_was_heard_and_the_plan_goes_on_with_it(task: str) -> None:
    recognizer, words = StubRecognizer(), script_of(task)
    greeting = {"role": "assistant", "content": "Hi! How can I help you today?"}
    first = [{"role": "system", "content": "Help."}, greeting, spoken(words)]
    (asked,) = replies(recognizer, first, task=task)
    then = [*first, {"role": "assistant", "content": "..."}, spoken("Yes.")]
    again, later = replies(recognizer, first, then, task=task)

    assert again == asked
    assert later != asked
    assert Tasks(SUITE).like(frozenset(), words).id == task


def test_what_was_said_before_is_listened_to_once() -> None:
    recognizer = StubRecognizer()
    first = [spoken("One.")]
    replies(
        recognizer,
        first,
        [*first, {"role": "assistant", "content": "..."}, spoken("Two.")],
        [*first, {"role": "assistant", "content": "..."}, {"role": "user", "content": "Three."}],
        task="two-swaps",
    )
    assert recognizer.listened == ["One.", "Two."]


def test_tools_of_no_task_are_refused() -> None:
    with pytest.raises(UsageError, match="no task has tools such as fly"):
        Tasks(SUITE).like(frozenset({"fly"}), "")


def test_an_ear_that_hears_nothing_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample:shop", "--ear", "understood"]) == 2
    assert "--ear understood hears nothing: choose mixed, generic" in capsys.readouterr().err
