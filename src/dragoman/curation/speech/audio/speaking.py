"""Messages are spoken: each distinct wording once, by a voice drawn for it, over the line, into a file."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dragoman.conditions.voice.channel import without_markers
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION, verbalize
from dragoman.core.errors import DataError, UsageError
from dragoman.curation.speech.audio.completing import LineFile, Place, completed, place_of
from dragoman.curation.speech.audio.engines import SetEngines
from dragoman.curation.speech.audio.performing import Performers
from dragoman.curation.speech.set_lines import SetLine
from dragoman.store.audio_set import AudioSetFiles
from dragoman.store.audio_set_format import SPEECH, SpeechLine, intact_lines


async def spoken_messages(  # noqa: PLR0913, PLR0917 - what is said, by whom, and who is told
    folder: Path,
    texts: Sequence[SetLine],
    said: Sequence[str],
    engines: SetEngines,
    performers: Performers,
    at_once: int,
    on_done: Callable[[int], None],
) -> tuple[SpeechLine, ...]:
    """Speak what was not spoken yet; audio that is missing or damaged is made again.

    Args:
        folder: The set's.
        texts: The messages.
        said: The words that voices are given for each.
        engines: Who speaks, if anybody does.
        performers: Has them speak.
        at_once: How many are spoken at a time.
        on_done: Is told how many more messages are spoken.

    Raises:
        ParticipantError: Where a voice broke.
        RunHalted: Where nothing more may be asked.
        UsageError: For a language that a voice does not speak.
        DataError: Where files cannot be read or written.
    """
    sounds = AudioSetFiles(folder)
    places = [place_of(line.spoken.message) for line in texts]
    good = await asyncio.to_thread(_good_lines, folder, places, said, sounds)

    async def speak(at: int) -> SpeechLine:
        if not said[at] or not engines.voices:
            return SpeechLine(*places[at], said[at], None)
        made = await performers.say(said[at])
        audio = await asyncio.to_thread(sounds.keep, made.audio) if made.audio.pcm else None
        return SpeechLine(*places[at], said[at], audio, made.stages, made.usage)

    wanted = LineFile(folder / SPEECH, places, said, good)
    lines = await completed(wanted, speak, at_once, on_done)
    _remove_others(sounds, lines)
    return lines


def words_given(folder: Path, texts: Sequence[SetLine], verbalization: str) -> list[str]:
    """Return what voices are given for texts: those of another verbalization as they are recorded.

    Raises:
        UsageError: Where words of another verbalization are missing, which cannot be made.
        DataError: Where the file cannot be read.
    """
    if verbalization == VERBALIZATION:
        return [words_spoken(text.spoken.said) for text in texts]
    kept = intact_lines(folder / SPEECH, SpeechLine)
    given = {
        text.spoken.said: line.said
        for text, line in zip(texts, kept, strict=False)
        if place_of(text.spoken.message) == place_of(line)
    }
    if any(text.spoken.said not in given for text in texts):
        raise other_verbalization(folder, verbalization)
    return [given[text.spoken.said] for text in texts]


def other_verbalization(folder: Path, verbalization: str) -> UsageError:
    """Return why a set of another verbalization cannot be completed."""
    return UsageError(
        f"{folder} is not whole, and its words are by {verbalization!r:.80}, not {VERBALIZATION!r}: "
        "name another folder"
    )


def words_spoken(said: str) -> str:
    """Return what a voice is given for a text."""
    return verbalize(without_markers(said))


def _good_lines(
    folder: Path, places: Sequence[Place], said: Sequence[str], sounds: AudioSetFiles
) -> list[SpeechLine | None]:
    """Return the lines that are there, None for those that are wrong or whose audio is."""
    heard: dict[str, bool] = {}
    lines = []
    kept = intact_lines(folder / SPEECH, SpeechLine)
    for place, words, line in zip(places, said, kept, strict=False):
        is_good = place_of(line) == place and line.said == words
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
    """Remove audio that no line has: of a making that was killed before it wrote the line."""
    for path in _strays(sounds, lines):
        path.unlink(missing_ok=True)


def _strays(sounds: AudioSetFiles, lines: Sequence[SpeechLine]) -> Iterator[Path]:
    known = {line.audio.sha256 for line in lines if line.audio is not None}
    return (path for path in sounds.others(known) if path.suffix in {".flac", ".part"})
