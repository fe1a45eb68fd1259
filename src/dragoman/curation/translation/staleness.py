"""Which translated files are out of date, and which of their texts, without translating anything."""

import hashlib
from collections.abc import Mapping
from typing import Literal

import msgspec

from dragoman.conditions.language.artifacts import MANIFEST, AssetFolder
from dragoman.curation.translation.manifest import FileRecord, hash_of, records_of, text_key
from dragoman.curation.translation.segments import Artifact, TranslatableDomain

Reason = Literal["missing", "not recorded", "source changed", "edited by hand"]


class StaleFile(msgspec.Struct, frozen=True):
    """A translated file that does not fit its sources or its record any more.

    Attributes:
        file: Its name.
        why: The reason. `missing`: it is not there. `not recorded`: no manifest says what it was
            made of. `source changed`: since it was made. `edited by hand`: since it was written.
        addresses: The texts concerned: without a translation of what they are now, or with another
            than was written.
        is_whole: Whether nothing tells which texts are concerned, so that all are named; of a file
            that is only marked as edited, none.
    """

    file: str
    why: Reason
    addresses: tuple[str, ...]
    is_whole: bool = False

    @property
    def is_to_be_translated(self) -> bool:
        """Whether it needs translations; what was edited by hand is somebody's work and needs none."""
        return self.why != "edited by hand"


def stale(domain: TranslatableDomain, folder: AssetFolder) -> tuple[StaleFile, ...]:
    """Return the files of a translated folder that are out of date, in the order of the domain.

    A file may be so for two reasons: its source changed, and somebody edited it.

    Args:
        domain: The domain in English, as it is now.
        folder: The folder of its files in the language.

    Raises:
        DataError: Where the manifest, or a file that was edited, is damaged.
    """
    where = str(folder.folder / MANIFEST)
    records = records_of(folder.read(MANIFEST) if MANIFEST in folder else None, where)
    known = domain.english.hashes
    return tuple(
        each
        for artifact in domain.artifacts
        for each in _stale(artifact, records.get(artifact.name), folder, known)
    )


def _stale(
    artifact: Artifact, record: FileRecord | None, folder: AssetFolder, known: Mapping[str, str]
) -> list[StaleFile]:
    everything = tuple(segment.address for segment in artifact.segments)
    if artifact.name not in folder:
        return [StaleFile(artifact.name, "missing", everything, is_whole=True)]
    if record is None:
        return [StaleFile(artifact.name, "not recorded", everything, is_whole=True)]
    found = []
    if _has_changed(artifact, record, known):
        found.append(_changed(artifact, record, everything))
    content = folder.read(artifact.name)
    if record.output_sha256 and hashlib.sha256(content).hexdigest() != record.output_sha256:
        where = str(folder.folder / artifact.name)
        edited = _edited(artifact, record, artifact.translations(content, where))
        found.append(StaleFile(artifact.name, "edited by hand", edited))
    elif record.is_patched:
        found.append(StaleFile(artifact.name, "edited by hand", (), is_whole=True))
    return found


def _has_changed(artifact: Artifact, record: FileRecord, known: Mapping[str, str]) -> bool:
    """Return whether a source has another hash than recorded; one that nobody knows has not."""
    now = {**known, **{source.path: source.sha256 for source in artifact.sources}}
    return any(now.get(path, digest) != digest for path, digest in record.source_files.items())


def _changed(artifact: Artifact, record: FileRecord, everything: tuple[str, ...]) -> StaleFile:
    if not record.texts:
        return StaleFile(artifact.name, "source changed", everything, is_whole=True)
    fresh = tuple(
        segment.address for segment in artifact.segments if text_key(segment) not in record.texts
    )
    return StaleFile(artifact.name, "source changed", fresh)


def _edited(artifact: Artifact, record: FileRecord, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts whose translation is not the one that was written."""
    return tuple(
        segment.address
        for segment in artifact.segments
        if (written := record.texts.get(text_key(segment)))
        and segment.address in texts
        and hash_of(texts[segment.address]) != written
    )
