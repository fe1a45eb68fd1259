"""A run whose agent hears the audio itself, by a real voice over a real line."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import dragoman
from dragoman.core.protocols import Answer, Heard, Opening
from dragoman.core.speech import Said, say
from dragoman.core.tools import Toolset
from dragoman.core.voice.audio import Audio
from dragoman.core.voice.sounds import Sounds
from dragoman.store.audio_files import AudioFiles


class Listening:
    """An agent that keeps the sound of everything it is told."""

    name = "listening"
    hears_audio = True

    def __init__(self) -> None:
        self.heard: list[tuple[str | None, Audio | None]] = []

    async def open(self, opening: Opening) -> "ListeningSession":
        return ListeningSession(self, opening.sounds)


class ListeningSession:
    def __init__(self, agent: Listening, sounds: Sounds) -> None:
        self._agent = agent
        self._sounds = sounds

    async def reply(self, heard: Sequence[Heard], tools: Toolset) -> Answer:  # noqa: ARG002 - it calls nothing
        for part in heard:
            if isinstance(part, Said):
                utterance = part.utterance
                sound = None if utterance.audio is None else self._sounds.sound(utterance.audio)
                self._agent.heard.append((utterance.received, sound))
        return Answer(say("I am afraid I cannot help you with that."))

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
