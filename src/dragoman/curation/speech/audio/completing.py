"""Files of a line for each message are completed: in order, each distinct thing once, from where they end."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from dragoman.core.errors import DataError, ParticipantError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.in_order import in_order
from dragoman.curation.speech.messages import UserMessage
from dragoman.store.audio_set_format import SpeechLine, TranscriptLine, encoded
from dragoman.store.safe_files import atomic_write

L = TypeVar("L", SpeechLine, TranscriptLine)
Line = SpeechLine | TranscriptLine

Place = tuple[str, int, int]
"""A message: its task, its turn, and which of the turn's it is."""


class LineFile(NamedTuple, Generic[L]):
    """A file that is to have a line for each message.

    Attributes:
        path: The file.
        places: The messages: task, turn and place.
        keys: What is the same has equal keys: it is made once.
        good: The lines that are there; None in the place of one that is to be made again.
    """

    path: Path
    places: Sequence[Place]
    keys: Sequence[str]
    good: Sequence[L | None]


async def completed(
    wanted: LineFile[L],
    make: Callable[[int], Awaitable[L]],
    at_once: int,
    on_done: Callable[[int], None],
) -> tuple[L, ...]:
    """Write what is missing of a file, and return all its lines.

    Args:
        wanted: The file.
        make: Makes the line of the message at a place in the file.
        at_once: How many are made at a time.
        on_done: Is told how many more lines are written.

    Raises:
        ParticipantError: Where an engine broke; which message it was is told.
        DataError: Where the file cannot be written.
    """
    path, places, keys, good = wanted
    known = {keys[at]: line for at, line in enumerate(good) if line is not None}
    lines = list(_until_none(good))
    atomic_write(path, map(encoded, lines))
    on_done(len(lines))
    with TranslatedErrors(DataError, f"{path}: cannot be written"), path.open("ab") as file:

        def write_ready() -> None:
            before = len(lines)
            while len(lines) < len(keys) and keys[len(lines)] in known:
                line = _moved(known[keys[len(lines)]], places[len(lines)])
                file.write(encoded(line))
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
                raise _told(error, places[at], path) from error

        write_ready()
        await in_order(_first_places(keys, known), made, at_once, keep)
    return tuple(lines)


def place_of(line: UserMessage | Line) -> Place:
    """Return of which message a line is."""
    return (line.task, line.turn, line.place)


def _told(error: ParticipantError, place: Place, path: Path) -> ParticipantError:
    task, turn, number = place
    told = ParticipantError(
        f"{task}/{turn}.{number}: {error}; what came is in {path}, and the same command goes on"
    )
    told.usage = error.usage
    return told


def _first_places(keys: Sequence[str], known: Mapping[str, object]) -> tuple[int, ...]:
    first: dict[str, int] = {}
    for at, key in enumerate(keys):
        if key not in known:
            first.setdefault(key, at)
    return tuple(first.values())


def _until_none(lines: Sequence[L | None]) -> Sequence[L]:
    end = lines.index(None) if None in lines else len(lines)
    return [line for line in lines[:end] if line is not None]


def _moved(line: L, place: Place) -> L:
    """Return the same of another message; what it consumed is told once."""
    if place_of(line) == place:
        return line
    task, turn, number = place
    return msgspec.structs.replace(line, task=task, turn=turn, place=number, usage=())
