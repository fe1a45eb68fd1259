"""Resumable synthesis and transcription of a set's messages, each distinct input once."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from dragoman.conditions.voice.channel import without_markers
from dragoman.conditions.voice.inverse_text_normalization.normalizer import normalized_transcript
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION, verbalize
from dragoman.core.audio import Audio
from dragoman.core.errors import DataError, DragomanError, ParticipantError, StoreError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.audio_sets.engines import SetEngines, SpeechFunctions
from dragoman.curation.audio_sets.messages import UserMessage
from dragoman.curation.audio_sets.rewrite import SetLine
from dragoman.curation.concurrency import map_in_order
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import AudioSetFiles
from dragoman.store.audio_set_format import (
    SPEECH,
    SpeechLine,
    TranscriptLine,
    encode_line,
    intact_lines,
    transcripts_name,
)

L = TypeVar("L", SpeechLine, TranscriptLine)
Line = SpeechLine | TranscriptLine

Place = tuple[str, int, int]
"""The place of a message: its task, its turn, and its number in the turn."""


class LineFile(NamedTuple, Generic[L]):
    """A file with a line for each message.

    Attributes:
        path: The file.
        places: The messages: task, turn and place.
        keys: Keys of the lines' contents; a line is made once for equal keys.
        good: The existing lines; None for a line that must be made again.
    """

    path: Path
    places: Sequence[Place]
    keys: Sequence[str]
    good: Sequence[L | None]


async def complete_lines(
    wanted: LineFile[L],
    make: Callable[[int], Awaitable[L]],
    at_once: int,
    on_done: Callable[[int], None],
) -> tuple[L, ...]:
    """Write the missing lines of a file, and return all its lines.

    Args:
        wanted: The file.
        make: Makes the line of the message at a place in the file.
        at_once: Most lines under way at the same time.
        on_done: Receives the number of lines written since the last call.

    Raises:
        ParticipantError: If an engine fails; the error names the message.
        StoreError: If the file cannot be written.
    """
    path, places, keys, good = wanted
    known = {keys[at]: line for at, line in enumerate(good) if line is not None}
    lines = list(_until_none(good))
    atomic_write(path, map(encode_line, lines))
    on_done(len(lines))
    with TranslatedErrors(StoreError, f"{path}: cannot be written"), path.open("ab") as file:

        def write_ready() -> None:
            before = len(lines)
            while len(lines) < len(keys) and keys[len(lines)] in known:
                line = _move_line_to_place(known[keys[len(lines)]], places[len(lines)])
                file.write(encode_line(line))
                lines.append(line)
            file.flush()
            on_done(len(lines) - before)

        def keep(at: int, line: L) -> None:
            known[keys[at]] = line
            write_ready()

        async def made(at: int) -> L:
            try:
                return await make(at)
            except ParticipantError as error:
                raise _add_place_to_error(error, places[at], path) from error

        write_ready()
        await map_in_order(_first_places(keys, known), made, at_once, keep)
    return tuple(lines)


def message_place(line: UserMessage | Line) -> Place:
    """Return the place of a line's message."""
    return (line.task, line.turn, line.place)


def _add_place_to_error(error: ParticipantError, place: Place, path: Path) -> ParticipantError:
    task, turn, number = place
    reported = ParticipantError(
        f"{task}/{turn}.{number}: {error}; the results so far are in {path}: "
        "repeat the command to continue"
    )
    reported.usage = error.usage
    return reported


def _first_places(keys: Sequence[str], known: Mapping[str, object]) -> tuple[int, ...]:
    first: dict[str, int] = {}
    for at, key in enumerate(keys):
        if key not in known:
            first.setdefault(key, at)
    return tuple(first.values())


def _until_none(lines: Sequence[L | None]) -> Sequence[L]:
    end = lines.index(None) if None in lines else len(lines)
    return [line for line in lines[:end] if line is not None]


def _move_line_to_place(line: L, place: Place) -> L:
    """Return a line for another message; its usage is reported only once."""
    if message_place(line) == place:
        return line
    task, turn, number = place
    return msgspec.structs.replace(line, task=task, turn=turn, place=number, usage=())


async def synthesize_messages(  # noqa: PLR0913, PLR0917 - what is said, by whom, and who is told
    folder: Path,
    texts: Sequence[SetLine],
    said: Sequence[str],
    engines: SetEngines,
    performers: SpeechFunctions,
    at_once: int,
    on_done: Callable[[int], None],
) -> tuple[SpeechLine, ...]:
    """Speak all messages without valid audio; missing or damaged audio is made again.

    Args:
        folder: The set's folder.
        texts: The messages.
        said: The words for the voice, by message.
        engines: The engines, with or without voices.
        performers: The speech functions.
        at_once: Most messages spoken at the same time.
        on_done: Receives the number of messages spoken since the last call.

    Raises:
        ParticipantError: If a voice fails.
        RunHalted: If the endpoint refuses all requests or the budget is spent.
        UsageError: For a language that a voice does not speak.
        DataError: If files cannot be read.
        StoreError: If files cannot be written.
    """
    sounds = AudioSetFiles(folder)
    places = [message_place(line.spoken.message) for line in texts]
    good = await asyncio.to_thread(_valid_speech_lines, folder, places, said, sounds)

    async def speak(at: int) -> SpeechLine:
        if not said[at] or not engines.voices:
            return SpeechLine(*places[at], said[at], None)
        made = await performers.say(said[at])
        audio = await asyncio.to_thread(sounds.keep, made.audio) if made.audio.pcm else None
        return SpeechLine(*places[at], said[at], audio, made.stages, made.usage)

    wanted = LineFile(folder / SPEECH, places, said, good)
    lines = await complete_lines(wanted, speak, at_once, on_done)
    _remove_others(sounds, lines)
    return lines


def recorded_or_spoken_words(
    folder: Path, texts: Sequence[SetLine], verbalization: str
) -> list[str]:
    """Return the words for voices; those of another verbalization version are read back.

    Raises:
        UsageError: If words of another version are missing, since they cannot be made.
        DataError: If the file cannot be read.
    """
    if verbalization == VERBALIZATION:
        return [words_spoken(text.spoken.said) for text in texts]
    kept = intact_lines(folder / SPEECH, SpeechLine)
    given = {
        text.spoken.said: line.said
        for text, line in zip(texts, kept, strict=False)
        if message_place(text.spoken.message) == message_place(line)
    }
    if any(text.spoken.said not in given for text in texts):
        raise verbalization_mismatch(folder, verbalization)
    return [given[text.spoken.said] for text in texts]


def verbalization_mismatch(folder: Path, verbalization: str) -> UsageError:
    """Return the error for an incomplete set of another verbalization version."""
    return UsageError(
        f"{folder} is not whole, and its words are by {verbalization!r:.80}, not "
        f"{VERBALIZATION!r}: "
        "name another folder"
    )


def words_spoken(said: str) -> str:
    """Return the words that a voice gets for a text."""
    return verbalize(without_markers(said))


def _valid_speech_lines(
    folder: Path, places: Sequence[Place], said: Sequence[str], sounds: AudioSetFiles
) -> list[SpeechLine | None]:
    """Return the existing lines, with None for invalid ones and for invalid audio."""
    heard: dict[str, bool] = {}
    lines = []
    kept = intact_lines(folder / SPEECH, SpeechLine)
    for place, words, line in zip(places, said, kept, strict=False):
        is_good = message_place(line) == place and line.said == words
        lines.append(line if is_good and _is_sound(line, sounds, heard) else None)
    return lines


def _is_sound(line: SpeechLine, sounds: AudioSetFiles, known: dict[str, bool]) -> bool:
    if line.audio is None:
        return True
    if line.audio.sha256 not in known:
        try:
            sounds.sound(line.audio)
        except DataError:
            known[line.audio.sha256] = False
        else:
            known[line.audio.sha256] = True
    return known[line.audio.sha256]


def _remove_others(sounds: AudioSetFiles, lines: Sequence[SpeechLine]) -> None:
    """Remove audio that no line refers to; an interrupted build may leave some."""
    for path in _strays(sounds, lines):
        path.unlink(missing_ok=True)


def _strays(sounds: AudioSetFiles, lines: Sequence[SpeechLine]) -> Iterator[Path]:
    known = {line.audio.sha256 for line in lines if line.audio is not None}
    return (path for path in sounds.others(known) if path.suffix in {".flac", ".part"})


NOTHING = ""
"""The source of transcripts of messages without audio, in which nothing was said."""


async def transcribe_messages(  # noqa: PLR0913, PLR0917 - what is heard, by whom, and who is told
    folder: Path,
    speech: Sequence[SpeechLine],
    engines: SetEngines,
    performers: SpeechFunctions,
    at_once: int,
    on_done: Callable[[int], None],
) -> dict[str, tuple[TranscriptLine, ...]]:
    """Transcribe all messages that a recognizer has not heard yet, with all recognizers.

    The recognizers run concurrently. If one fails, all end.

    Args:
        folder: The set's folder.
        speech: The spoken messages.
        engines: The engines, with their recognizers.
        performers: The speech functions.
        at_once: Most messages that each recognizer hears at the same time.
        on_done: Receives the number of transcripts written since the last call.

    Returns:
        The transcripts by the recognizer's name.

    Raises:
        ParticipantError: If a recognizer fails.
        RunHalted: If the endpoint refuses all requests or the budget is spent.
        UsageError: For a language that a recognizer does not hear.
        DataError: If files cannot be read.
        StoreError: If files cannot be written.
    """
    places = [message_place(line) for line in speech]
    broken: list[DragomanError] = []

    async def heard(name: str) -> tuple[TranscriptLine, ...]:
        sources = [
            recognizer_input_key(line, is_simulated=name in engines.simulated) for line in speech
        ]
        path = folder / transcripts_name(name)
        recognizer = _SetRecognizer(name, engines, performers, AudioSetFiles(folder))

        async def hear(at: int) -> TranscriptLine:
            if broken:
                raise broken[0]
            try:
                return await recognizer.line(speech[at], sources[at])
            except DragomanError as error:
                broken.append(error)
                raise

        good = list(_valid_transcript_lines(path, places, sources))
        return await complete_lines(LineFile(path, places, sources, good), hear, at_once, on_done)

    found = await asyncio.gather(*map(heard, engines.asr), return_exceptions=True)
    whole: dict[str, tuple[TranscriptLine, ...]] = {}
    for name, lines in zip(engines.asr, found, strict=True):
        if isinstance(lines, BaseException):
            raise lines
        whole[name] = lines
    return whole


def recognizer_input_key(line: SpeechLine, *, is_simulated: bool) -> str:
    """Return the hash of a recognizer's input for a message."""
    if is_simulated:
        return hashlib.sha256(line.said.encode()).hexdigest()
    return NOTHING if line.audio is None else line.audio.sha256


class _SetRecognizer:
    """One recognizer of a set."""

    def __init__(
        self, name: str, engines: SetEngines, performers: SpeechFunctions, sounds: AudioSetFiles
    ) -> None:
        self._name = name
        self._is_simulated = name in engines.simulated
        self._language = engines.language
        self._normalizer = engines.normalizer
        self._hear = performers.hear
        self._sounds = sounds

    async def line(self, spoken: SpeechLine, source: str) -> TranscriptLine:
        at = message_place(spoken)
        given: Audio | str = spoken.said
        if not self._is_simulated:
            if spoken.audio is None:
                return TranscriptLine(*at, "", "", source)
            given = await asyncio.to_thread(self._sounds.sound, spoken.audio)
        heard = await self._hear(self._name, given)
        text = normalized_transcript(heard.words, self._language, self._normalizer)
        return TranscriptLine(*at, heard.words, text, source, heard.usage)


def _valid_transcript_lines(
    path: Path, places: Sequence[Place], sources: Sequence[str]
) -> Iterator[TranscriptLine | None]:
    kept = intact_lines(path, TranscriptLine)
    for place, source, line in zip(places, sources, kept, strict=False):
        yield line if message_place(line) == place and line.source == source else None
