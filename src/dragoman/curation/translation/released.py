"""Translations that somebody made before, by the text that each is of: found by place.

A translation is what stands where the English text stood. Nothing is told from its letters: a text
wholly in Thai or Chinese is one like any other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from dragoman.conditions.language.artifacts import (
    MANIFEST,
    AssetFolder,
    TranslationManifest,
    decode_artifact,
)
from dragoman.core.errors import DataError
from dragoman.curation.translation.segments import Artifact, Segment, TranslatableDomain

NO_FILE = "the file is not there"
NO_PLACE = "the file has nothing in its place"
BLANK = "the translation is blank"
UNCHANGED = "it was left as it is in English"
OTHER_SOURCE = "it was translated from another text"
DAMAGED = "the file is damaged"


class TranslatedSegment(NamedTuple):
    """A text and its translation."""

    segment: Segment
    target: str


class RenderedText(msgspec.Struct, frozen=True):
    """One text in one context, and what it was translated as.

    Attributes:
        segment: The first place where it stands.
        target: What it was translated as most often; of equals, what stands first.
        times: How often each translation stands.
    """

    segment: Segment
    target: str
    times: dict[str, int]


class Unaligned(msgspec.Struct, frozen=True):
    """Texts of a file of which there is no translation, and why.

    Attributes:
        file: The file.
        why: The reason: one of those of this module.
        addresses: The texts.
    """

    file: str
    why: str
    addresses: tuple[str, ...]


class ReleasedTranslations(msgspec.Struct, frozen=True):
    """What a folder of translated artifacts has of a domain's texts.

    Attributes:
        pairs: The texts with their translations, in the order of the texts.
        unaligned: The others.
    """

    pairs: tuple[TranslatedSegment, ...]
    unaligned: tuple[Unaligned, ...]


def released_translations(domain: TranslatableDomain, folder: AssetFolder) -> ReleasedTranslations:
    """Return what a folder of translated artifacts has of a domain's texts.

    Args:
        domain: The domain in English.
        folder: The folder of its files in the language.

    Raises:
        DataError: Where the manifest is damaged. A damaged file leaves its texts unaligned.
    """
    recorded = _recorded_sources(folder)
    pairs: list[TranslatedSegment] = []
    unaligned: list[Unaligned] = []
    for artifact in domain.artifacts:
        texts, why = _texts(artifact, folder, recorded.get(artifact.name, {}))
        reasons: dict[str, list[str]] = {}
        for segment in artifact.segments:
            target = texts.get(segment.address)
            reason = why if target is None else _fault(segment, target)
            if target is None or reason:
                reasons.setdefault(reason, []).append(segment.address)
            else:
                pairs.append(TranslatedSegment(segment, target))
        unaligned += [Unaligned(artifact.name, *each) for each in _tupled(reasons)]
    return ReleasedTranslations(tuple(pairs), tuple(unaligned))


def renderings(pairs: Iterable[TranslatedSegment]) -> tuple[RenderedText, ...]:
    """Return what each text was translated as in its context, in the order of the texts."""
    first: dict[tuple[str, str], Segment] = {}
    times: dict[tuple[str, str], Counter[str]] = {}
    for segment, target in pairs:
        key = (segment.context, segment.source)
        first.setdefault(key, segment)
        times.setdefault(key, Counter())[target] += 1
    return tuple(
        RenderedText(first[key], counted.most_common(1)[0][0], dict(counted))
        for key, counted in times.items()
    )


def _texts(
    artifact: Artifact, folder: AssetFolder, recorded: Mapping[str, str]
) -> tuple[dict[str, str], str]:
    """Return the texts that a folder has for an artifact, and why others are absent."""
    if artifact.name not in folder:
        return {}, NO_FILE
    if artifact.component == "policy" and _is_of_another(artifact, recorded):
        return {}, OTHER_SOURCE
    try:
        where = str(folder.folder / artifact.name)
        return artifact.translations(folder.read(artifact.name), where), NO_PLACE
    except DataError as error:
        return {}, f"{DAMAGED} ({error})"


def _is_of_another(artifact: Artifact, recorded: Mapping[str, str]) -> bool:
    """Return whether a whole document was translated from another text than the one at hand."""
    return any(
        recorded.get(source.path, source.sha256) != source.sha256 for source in artifact.sources
    )


def _fault(segment: Segment, target: str) -> str:
    """Return why a text is no translation; "" where it is one. A label may be the value itself."""
    if not target.strip():
        return BLANK
    return UNCHANGED if target == segment.source and segment.component != "schema" else ""


def _tupled(reasons: Mapping[str, list[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((why, tuple(addresses)) for why, addresses in reasons.items())


def _recorded_sources(folder: AssetFolder) -> dict[str, dict[str, str]]:
    """Return the hashes of sources that a manifest names, by file and path."""
    if MANIFEST not in folder:
        return {}
    where = str(folder.folder / MANIFEST)
    manifest = decode_artifact(folder.read(MANIFEST), TranslationManifest, where)
    return {
        name: {source.path: source.sha256 for source in entry.source_files}
        for name, entry in manifest.assets.items()
    }
