"""The versions of the rules by which a set is made and counted: its own where it has some."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    EARLIER_NORMALIZER,
    NORMALIZER,
)
from dragoman.conditions.voice.verbalization.spoken_form import VERBALIZATION
from dragoman.core.replies import NORMALIZER_SETTING
from dragoman.core.value_matching.matcher import MATCHER
from dragoman.curation.speech.reading.readers import KNOWN_MATCHERS
from dragoman.scoring.speech_accuracy import NORMALIZATION, Normalization
from dragoman.store.audio_set import read_settings
from dragoman.store.audio_set_format import (
    MATCHER_SETTING,
    NORMALIZATION_SETTING,
    SETTINGS,
    VERBALIZATION_SETTING,
    SetSettings,
)


class SetVersions(msgspec.Struct, frozen=True):
    """By which rules a set is made and counted; today's unless others are given.

    Attributes:
        matcher: How values are found.
        verbalization: How texts are put into the words that voices are given.
        normalizer: How transcripts are written, by inverse text normalization.
        normalization: How texts are treated before their words are compared.
    """

    matcher: str = MATCHER
    verbalization: str = VERBALIZATION
    normalizer: str = NORMALIZER
    normalization: str = NORMALIZATION

    def made(self, *, is_spoken: bool) -> dict[str, object]:
        """Return what a set's settings record of them; those of transcripts where somebody hears."""
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
    """Return the versions that a set records; the earlier ones where it records none."""
    return SetVersions(
        settings.matcher, settings.verbalization, settings.normalizer, settings.normalization
    )


def versions_of(folder: Path, *, is_spoken: bool) -> SetVersions:
    """Return the versions by which a set is begun or gone on with, so that all of it is alike.

    A set of texts that is given audio keeps its matcher; what voices are given and what is heard
    begins then, so it follows today's rules.

    Raises:
        DataError: Where its settings are damaged.
    """
    if not (folder / SETTINGS).is_file():
        return SetVersions()
    settings = read_settings(folder)
    recorded = recorded_versions(settings)
    if settings.asr or not is_spoken:
        return recorded
    return SetVersions(recorded.matcher)


def unknown_in(versions: SetVersions) -> Iterator[str]:
    """Yield which rules of a set this version does not know, one line each.

    An unknown verbalization is none of them: its words can be kept, if not made.
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
    """Return by which verbalization the texts of a set were put into words, as far as there are any.

    Raises:
        DataError: Where its settings are damaged.
    """
    return versions_of(folder, is_spoken=False).verbalization
