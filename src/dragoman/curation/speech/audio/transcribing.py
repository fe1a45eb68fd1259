"""Spoken messages are transcribed: the same audio by every recognizer, each distinct one once."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dragoman.conditions.voice.inverse_text_normalization.normalizer import normalized_transcript
from dragoman.core.audio import Audio
from dragoman.core.errors import DragomanError
from dragoman.curation.speech.audio.completing import LineFile, Place, completed, place_of
from dragoman.curation.speech.audio.engines import SetEngines
from dragoman.curation.speech.audio.performing import Performers
from dragoman.store.audio_set import AudioSetFiles
from dragoman.store.audio_set_format import (
    SpeechLine,
    TranscriptLine,
    intact_lines,
    transcripts_name,
)

NOTHING = ""
"""The source of transcripts where there was no audio, as nothing was said."""


async def transcribed_messages(  # noqa: PLR0913, PLR0917 - what is heard, by whom, and who is told
    folder: Path,
    speech: Sequence[SpeechLine],
    engines: SetEngines,
    performers: Performers,
    at_once: int,
    on_done: Callable[[int], None],
) -> dict[str, tuple[TranscriptLine, ...]]:
    """Have all recognizers hear what they have not heard yet, side by side; if one breaks, all end.

    Args:
        folder: The set's.
        speech: How its messages were spoken.
        engines: Who hears.
        performers: Has them hear.
        at_once: How many each recognizer hears at a time.
        on_done: Is told how many more transcripts are written.

    Returns:
        The transcripts by the recognizer's name.

    Raises:
        ParticipantError: Where a recognizer broke.
        RunHalted: Where nothing more may be asked.
        UsageError: For a language that a recognizer does not hear.
        DataError: Where files cannot be read or written.
    """
    places = [place_of(line) for line in speech]
    broken: list[DragomanError] = []

    async def heard(name: str) -> tuple[TranscriptLine, ...]:
        sources = [source_of(line, is_simulated=name in engines.simulated) for line in speech]
        path = folder / transcripts_name(name)
        ear = _Ear(name, engines, performers, AudioSetFiles(folder))

        async def hear(at: int) -> TranscriptLine:
            if broken:
                raise broken[0]
            try:
                return await ear.line(speech[at], sources[at])
            except DragomanError as error:
                broken.append(error)
                raise

        good = list(_good_lines(path, places, sources))
        return await completed(LineFile(path, places, sources, good), hear, at_once, on_done)

    found = await asyncio.gather(*map(heard, engines.asr), return_exceptions=True)
    whole: dict[str, tuple[TranscriptLine, ...]] = {}
    for name, lines in zip(engines.asr, found, strict=True):
        if isinstance(lines, BaseException):
            raise lines
        whole[name] = lines
    return whole


def source_of(line: SpeechLine, *, is_simulated: bool) -> str:
    """Return the hash of what a recognizer is given of a message."""
    if is_simulated:
        return hashlib.sha256(line.said.encode()).hexdigest()
    return NOTHING if line.audio is None else line.audio.sha256


class _Ear:
    """One recognizer of a set."""

    def __init__(
        self, name: str, engines: SetEngines, performers: Performers, sounds: AudioSetFiles
    ) -> None:
        self._name = name
        self._is_simulated = name in engines.simulated
        self._language = engines.language
        self._normalizer = engines.normalizer
        self._hear = performers.hear
        self._sounds = sounds

    async def line(self, spoken: SpeechLine, source: str) -> TranscriptLine:
        at = place_of(spoken)
        given: Audio | str = spoken.said
        if not self._is_simulated:
            if spoken.audio is None:
                return TranscriptLine(*at, "", "", source)
            given = await asyncio.to_thread(self._sounds.sound, spoken.audio)
        heard = await self._hear(self._name, given)
        text = normalized_transcript(heard.words, self._language, self._normalizer)
        return TranscriptLine(*at, heard.words, text, source, heard.usage)


def _good_lines(
    path: Path, places: Sequence[Place], sources: Sequence[str]
) -> Iterator[TranscriptLine | None]:
    kept = intact_lines(path, TranscriptLine)
    for place, source, line in zip(places, sources, kept, strict=False):
        yield line if place_of(line) == place and line.source == source else None
