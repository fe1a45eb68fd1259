"""Phrasebooks as data: one TOML file for each language, of which English explains the shape.

A phrasebook of one's own lies beside the file of the language: `ms.phrases.toml` beside `ms.toml`.
"""

import functools
import importlib.resources
from pathlib import Path

from dragoman.core.conditions import ENGLISH
from dragoman.core.errors import DataError
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.protocols import Opening
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.simulation.phrases.reading import decode_phrasebook

MAX_BYTES = 200_000
ENDING = ".phrases.toml"


def english() -> Phrasebook:
    """Return what is said and understood where nothing else is asked for."""
    book = shipped_phrasebook(ENGLISH)
    if book is None:
        raise DataError(f"{ENGLISH}.toml is missing among the phrasebooks")
    return book


def phrases_of(opening: Opening) -> Phrasebook:
    """Return the phrases of the language that a session is to speak."""
    return opening.phrases or english()


def find_phrasebook(code: str, file: Path | None) -> Phrasebook | None:
    """Return a language's phrasebook: the one beside its file, else the one that ships; None without.

    Args:
        code: The language's code.
        file: The file that describes the language; None for one that ships.

    Raises:
        DataError: Where a phrasebook is damaged.
    """
    beside = None if file is None else file.with_name(f"{file.stem}{ENDING}")
    if beside is None or not beside.is_file():
        return shipped_phrasebook(code)
    with OutsideErrors(DataError, f"{beside}: the phrases cannot be read"), beside.open("rb") as at:
        content = at.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{beside}: phrases take at most {MAX_BYTES} bytes")
    return decode_phrasebook(content, str(beside))


@functools.cache
def shipped_phrasebook(code: str) -> Phrasebook | None:
    """Return the phrasebook of a language that ships; None where there is none.

    Raises:
        DataError: Where it is damaged.
    """
    resource = importlib.resources.files(__name__).joinpath(f"{code}.toml")
    return decode_phrasebook(resource.read_bytes(), f"{code}.toml") if resource.is_file() else None
