"""What a set is made of, written down before anything else of it: another making needs another folder."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.core.replies import NORMALIZER_SETTING
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.store.audio_set_format import (
    AUDIO,
    MATCHER_SETTING,
    MOST_BYTES,
    NORMALIZATION_SETTING,
    SETTINGS,
    TRANSCRIPTS,
    VERBALIZATION_SETTING,
)
from dragoman.store.safe_files import atomic_write, read_plain, require_inside

_OF_SPEECH = ("language", "tts", "line", "asr", "engines")
_VERSIONS = (MATCHER_SETTING, VERBALIZATION_SETTING, NORMALIZER_SETTING, NORMALIZATION_SETTING)
"""What earlier sets do not record, and go on with."""
_GROWING = ("asr", "engines")
"""What more of may be asked for later: audio that is there is heard by one recognizer more."""


def begin_set(folder: Path, made: Mapping[str, object]) -> None:
    """Write down what a set is made of, or see that it is the same; texts may be given audio later.

    Raises:
        UsageError: Where the folder holds another set.
        DataError: Where its audio or its transcripts would be written elsewhere.
    """
    with TranslatedErrors(DataError, f"{folder}: no set that can be gone on with"):
        for name in (AUDIO, TRANSCRIPTS):
            require_inside(folder, folder / name)
    written = msgspec.json.format(msgspec.json.encode(made)) + b"\n"
    path = folder / SETTINGS
    if not path.is_file():
        atomic_write(path, (written,))
        return
    asked = msgspec.json.decode(written, type=dict[str, object])
    there = settings_in(folder)
    other = [name for name in (*asked, *there) if not _goes_on(name, there, asked)]
    if other:
        raise UsageError(
            f"{folder} holds a set with another {other[0]} "
            f"({there.get(other[0])!r:.80}, not {asked.get(other[0])!r:.80}): name another folder"
        )
    if asked != there:
        atomic_write(path, (written,))


def settings_in(folder: Path) -> dict[str, object]:
    """Return what a set was made of.

    Raises:
        DataError: Where the file is missing or damaged.
    """
    path = folder / SETTINGS
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=dict[str, object])


def _goes_on(name: str, there: Mapping[str, object], asked: Mapping[str, object]) -> bool:
    """Whether a set with what is there can become what is asked for."""
    old, new = there.get(name), asked.get(name)
    if old == new or (name in (*_OF_SPEECH, *_VERSIONS) and name not in there):
        return True
    if name == VERBALIZATION_SETTING:
        return not there.get("asr")  # no voice was given any words yet
    if name not in _GROWING:
        return False
    if isinstance(old, list) and isinstance(new, list):
        return all(each in new for each in old)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.items() <= new.items()
    return False
