"""Runs whose agent hears the audio itself, by a real voice over a real line."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import dragoman
from dragoman.core.audio import Audio, AudioStore
from dragoman.core.episodes import Message
from dragoman.core.protocols import SessionInput, SessionReply, SessionStart
from dragoman.core.replies import TextReply, Utterance, text_reply
from dragoman.core.tools import Toolset
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.store.audio_files import AudioFiles
from dragoman.store.run_file import FILE
from dragoman.store.run_store import open_run
from dragoman.testing.responses import decoded_text
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer


class Listening:
    """An agent that keeps all audio that it gets."""

    name = "listening"
    hears_audio = True

    def __init__(self) -> None:
        self.heard: list[tuple[str | None, Audio | None]] = []

    async def open(self, opening: SessionStart) -> "ListeningSession":
        return ListeningSession(self, opening.sounds)


class ListeningSession:
    def __init__(self, agent: Listening, sounds: AudioStore) -> None:
        self._agent = agent
        self._sounds = sounds

    async def reply(self, heard: Sequence[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - it calls nothing
        for part in heard:
            if isinstance(part, TextReply):
                utterance = part.utterance
                sound = None if utterance.audio is None else self._sounds.sound(utterance.audio)
                self._agent.heard.append((utterance.received, sound))
        return SessionReply(text_reply("I am afraid I cannot help you with that."))

    async def close(self) -> None:
        pass


@pytest.mark.slow
@pytest.mark.speech
def test_an_agent_that_hears_gets_the_sound_that_the_run_keeps(tmp_path: Path) -> None:
    agent = Listening()
    folder = tmp_path / "run"
    result = dragoman.run(
        "courier:easy",
        agents=[agent],
        tasks=["where-is-my-parcel"],
        voices=["telephone"],
        asr=["itself"],
        speakers=["us"],
        max_steps=4,
        out=folder,
    )

    assert agent.heard
    for words, sound in agent.heard:
        assert words is None
        assert sound is not None
        assert sound.seconds > 0.5
        assert AudioFiles(folder).sound(sound.reference()) == sound
    assert result.cells["condition"].to_list() == ["en/telephone+itself/none"]


SPOKEN = 'modalities=["text","audio"]&audio={"voice":"alloy","format":"wav"}'


def said(folder: Path, side: str) -> list[Utterance]:
    with open_run(folder, write=False) as store:
        return [
            event.reply.utterance
            for _, _, episode in store.episodes()
            for event in episode.events
            if isinstance(event, Message)
            and event.by == side
            and isinstance(event.reply, TextReply)
        ]


@pytest.mark.slow
@pytest.mark.speech
def test_a_model_that_hears_and_speaks_is_asked_over_the_wire(tmp_path: Path) -> None:
    words = "I am afraid I cannot help you with that."
    answers = RuleAnswers([Rule(ScriptedReply(words), When(longer_than=0.5))])
    folder = tmp_path / "run"
    with ModelServer(answers) as server:
        dragoman.run(
            "courier:easy",
            agents=[f"compatible/any?base_url={server.url}&hears=on&{SPOKEN}"],
            tasks=["where-is-my-parcel"],
            voices=["telephone"],
            asr=["itself"],
            speakers=["us"],
            max_steps=4,
            out=folder,
        )
        assert set(server.log.outcomes) == {"ok"}

    files = AudioFiles(folder)
    assert all(each.received is None for each in said(folder, "user"))
    for each in said(folder, "agent"):
        if not each.stages:  # the suite's own greeting
            continue
        assert (each.intended, each.spoken, each.received) == (words, words, words)
        assert each.clean_audio is not None
        assert each.audio is not None
        assert decoded_text(files.sound(each.clean_audio)) == words
        assert files.sound(each.audio).rate_hz == 8_000
        assert each.stages[0].name == "synthesis"
        assert each.stages[0].engine == "compatible/any"
    assert [each for each in said(folder, "agent") if each.stages]
    with open_run(folder, write=False) as store:
        assert all(len(episode.events) for _, _, episode in store.episodes())
        (usage,) = (
            each
            for _, _, episode in store.episodes()
            for each in episode.usage
            if each.purpose == "agent"
        )
    assert usage.input_audio_tokens
    assert usage.output_audio_tokens
    assert (folder / FILE).stat().st_size < 400_000


@contextmanager
def hearing_agent(suite: str) -> Iterator[str]:
    """Give the address of the agent with an ear of its own, served by a process."""
    command = [sys.executable, "-m", "dragoman.testing.speech.hearing_agent", suite]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.speech
@pytest.mark.nightly
def test_an_agent_with_an_ear_fares_as_the_same_agent_behind_the_same_recognizer(
    tmp_path: Path,
) -> None:
    with hearing_agent("courier:easy") as address:
        result = dragoman.run(
            "courier:easy",
            agents=[address, "literal"],
            limit=4,
            voices=["telephone"],
            asr=["generic", "itself"],
            speakers=["us"],
            out=tmp_path / "run",
        )
    rows = result.episodes.filter(result.episodes["agent"] == address)
    heard = rows.filter(rows["recognizer"] == "itself").sort("task")["reward"].to_list()
    others = result.episodes.filter(result.episodes["agent"] == "literal").sort("task")
    assert len(heard) == 4
    assert heard == others["reward"].to_list()
