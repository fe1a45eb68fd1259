"""Settings and rule versions of an audio set, recorded before its other contents."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    EARLIER_NORMALIZER,
    NORMALIZER,
)
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION
from dragoman.core.errors import DataError, UsageError
from dragoman.core.replies import NORMALIZER_SETTING
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.value_matching.matcher import MATCHER
from dragoman.curation.audio_sets.value_readers import KNOWN_MATCHERS
from dragoman.scoring.speech_accuracy import NORMALIZATION, Normalization
from dragoman.store.atomic_files import atomic_write
from dragoman.store.audio_set import read_settings
from dragoman.store.audio_set_format import (
    AUDIO,
    MATCHER_SETTING,
    MOST_BYTES,
    NORMALIZATION_SETTING,
    SETTINGS,
    TRANSCRIPTS,
    VERBALIZATION_SETTING,
    SetSettings,
)
from dragoman.store.safe_files import read_plain, require_inside

_OF_SPEECH = ("language", "tts", "line", "asr", "engines")
_VERSIONS = (MATCHER_SETTING, VERBALIZATION_SETTING, NORMALIZER_SETTING, NORMALIZATION_SETTING)
"""Settings that earlier sets do not record; such sets can be continued."""
_GROWING = ("asr", "engines")
"""Settings that may be extended later: a further recognizer can hear existing audio."""


def begin_set(folder: Path, made: Mapping[str, object]) -> None:
    """Record the settings of a set, or require that they match the recorded ones.

    A set of texts may be given audio later.

    Raises:
        UsageError: If the folder holds another set.
        StoreError: If the settings cannot be written.
        DataError: If its audio or its transcripts would be written outside the folder.
    """
    with TranslatedErrors(DataError, f"{folder}: no set that can be gone on with"):
        for name in (AUDIO, TRANSCRIPTS):
            require_inside(folder, folder / name)
    written = msgspec.json.format(msgspec.json.encode(made)) + b"\n"
    path = folder / SETTINGS
    if not path.is_file():
        atomic_write(path, written)
        return
    asked = msgspec.json.decode(written, type=dict[str, object])
    there = recorded_settings(folder)
    other = [name for name in (*asked, *there) if not _goes_on(name, there, asked)]
    if other:
        raise UsageError(
            f"{folder} holds a set with another {other[0]} "
            f"({there.get(other[0])!r:.80}, not {asked.get(other[0])!r:.80}): name another folder"
        )
    if asked != there:
        atomic_write(path, written)


def recorded_settings(folder: Path) -> dict[str, object]:
    """Return the recorded settings of a set.

    Raises:
        DataError: If the file is missing or damaged.
    """
    path = folder / SETTINGS
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        return msgspec.json.decode(read_plain(path, MOST_BYTES), type=dict[str, object])


def _goes_on(name: str, there: Mapping[str, object], asked: Mapping[str, object]) -> bool:
    """Return whether a setting allows to continue a set with the requested value."""
    old, new = there.get(name), asked.get(name)
    if old == new or (name in (*_OF_SPEECH, *_VERSIONS) and name not in there):
        return True
    if name == VERBALIZATION_SETTING:
        return not there.get("asr")  # no voice has spoken any words yet
    if name not in _GROWING:
        return False
    if isinstance(old, list) and isinstance(new, list):
        return all(each in new for each in old)
    if isinstance(old, dict) and isinstance(new, dict):
        return old.items() <= new.items()
    return False


class SetVersions(msgspec.Struct, frozen=True):
    """The rule versions of a set; the defaults are the current ones.

    Attributes:
        matcher: The rules for finding values.
        verbalization: The rules for putting texts into words for voices.
        normalizer: The rules of inverse text normalization for transcripts.
        normalization: The normalization of texts before their words are compared.
    """

    matcher: str = MATCHER
    verbalization: str = VERBALIZATION
    normalizer: str = NORMALIZER
    normalization: str = NORMALIZATION

    def made(self, *, is_spoken: bool) -> dict[str, object]:
        """Return the versions that a set's settings record.

        The versions for transcripts are included only for a set with speech.
        """
        texts: dict[str, object] = {
            MATCHER_SETTING: self.matcher,
            VERBALIZATION_SETTING: self.verbalization,
        }
        if not is_spoken:
            return texts
        return {
            **texts,
            NORMALIZER_SETTING: self.normalizer,
            NORMALIZATION_SETTING: self.normalization,
        }


def recorded_versions(settings: SetSettings) -> SetVersions:
    """Return the versions that a set records; the earlier ones if it records none."""
    return SetVersions(
        settings.matcher, settings.verbalization, settings.normalizer, settings.normalization
    )


def versions_of(folder: Path, *, is_spoken: bool) -> SetVersions:
    """Return the versions for starting or continuing a set, so that it is consistent.

    A set of texts that is given audio keeps its matcher. Its speech and transcripts begin then, so
    they follow the current rules.

    Raises:
        DataError: If its settings are damaged.
    """
    if not (folder / SETTINGS).is_file():
        return SetVersions()
    settings = read_settings(folder)
    recorded = recorded_versions(settings)
    if settings.asr or not is_spoken:
        return recorded
    return SetVersions(recorded.matcher)


def unknown_versions(versions: SetVersions) -> Iterator[str]:
    """Yield the rules of a set that this version does not know, one line each.

    An unknown verbalization is not included: its words cannot be made, but they can be kept.
    """
    known = {
        f"values were found by {versions.matcher!r:.80}": versions.matcher in KNOWN_MATCHERS,
        f"transcripts were written by {versions.normalizer!r:.80}": versions.normalizer
        in {NORMALIZER, EARLIER_NORMALIZER},
        f"words were counted by {versions.normalization!r:.80}": versions.normalization
        in get_args(Normalization),
    }
    return (f"its {by}, which is unknown here" for by, is_known in known.items() if not is_known)


def verbalization_of_texts(folder: Path) -> str:
    """Return the verbalization version of a set's texts, if there are any.

    Raises:
        DataError: If its settings are damaged.
    """
    return versions_of(folder, is_spoken=False).verbalization
