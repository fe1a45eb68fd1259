"""Manifest of a translated folder: sources and hashes of files, and stale files.

It is the released format with more keys. Keys of other writers are preserved.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from dragoman.conditions.language.artifacts import (
    ENGLISH,
    MANIFEST,
    AssetFolder,
    decode_artifact,
    encode_artifact,
)
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError, StoreError
from dragoman.core.language.translated_domains import SOURCE_HASHES
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.version import VERSION
from dragoman.curation.translation.segments import Artifact, Component, Segment, TranslatableDomain
from dragoman.store.atomic_files import atomic_write

ReviewState = Literal["machine", "partly reviewed", "reviewed"]
"""The review state of a file: none, some, or all of its texts were reviewed by people."""

_COMPONENTS: Mapping[Component, str] = {"messages": "tools", "database": "db"}
"""Names of components in released manifests, if they differ."""


class MadeBy(msgspec.Struct, frozen=True):
    """The origin of a file's translations.

    Attributes:
        model: The models that translated, separated by commas; "" without machine translation.
        target_language: The language, by the registry's name.
        translated_at: The time of the translation, as an ISO 8601 date and time.
        prompt_version: The versions of the prompts, separated by commas.
        review: The review state.
        source_language: The language of the sources.
    """

    model: str
    target_language: str
    translated_at: str
    prompt_version: str
    review: ReviewState = "machine"
    source_language: str = "English"


class FileRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """The entry of a file in a manifest, as far as staleness depends on it.

    Attributes:
        source_files: The hashes of its sources, by path.
        output_sha256: The hash of the file as it was written; "" if it is not recorded.
        texts: The hash of each translation by that of its text; empty if they are not recorded.
        is_patched: Whether the entry records an edit by hand.
    """

    source_files: dict[str, str]
    output_sha256: str
    texts: dict[str, str]
    is_patched: bool


def manifest_entry(
    artifact: Artifact, content: bytes, texts: Mapping[str, str], made: MadeBy
) -> dict[str, object]:
    """Return the entry of a written file in a manifest.

    Args:
        artifact: The file in English.
        content: The written content.
        texts: The translations in it by address.
        made: The origin of the translations.
    """
    return {
        "component": _COMPONENTS.get(artifact.component, artifact.component),
        "output_file": artifact.name,
        "model": made.model,
        "source_language": made.source_language,
        "target_language": made.target_language,
        "translated_at": made.translated_at,
        "source_files": [msgspec.to_builtins(source) for source in artifact.sources],
        "output_sha256": hashlib.sha256(content).hexdigest(),
        "tool_version": VERSION,
        "prompt_version": made.prompt_version,
        "review": made.review,
        "untranslated": sum(each.address not in texts for each in artifact.segments),
        "texts": {
            text_key(segment): hash_of(texts[segment.address])
            for segment in artifact.segments
            if segment.address in texts
        },
    }


def merge_manifest(
    before: bytes | None, entries: Mapping[str, Mapping[str, object]], at: str, where: str
) -> bytes:
    """Return a manifest with new entries for some files; other entries stay.

    Keys of an entry that this version does not write stay too. Only the record of an edit by hand
    is removed.

    Args:
        before: The manifest so far; None if there is none.
        entries: The new entries, by name of the file.
        at: The time, as an ISO 8601 date and time.
        where: The manifest, for messages.

    Raises:
        DataError: If the manifest so far is damaged; it is not replaced.
    """
    manifest = _decode_manifest(before, where)
    assets = manifest.setdefault("assets", {})
    for name, entry in entries.items():
        kept = {key: value for key, value in assets.get(name, {}).items() if key != _PATCHED}
        assets[name] = {**kept, **entry}
    manifest["generated_at"] = at
    return encode_artifact(manifest)


def write_translations(
    folder: Path,
    files: Mapping[Artifact, Mapping[str, str]],
    made: Mapping[str, MadeBy],
) -> tuple[str, ...]:
    """Write files with their translations, each atomically, and then the manifest.

    Args:
        folder: The folder of the language, `.../DOMAIN/LANGUAGE`.
        files: The files, with their translations by address.
        made: The origin of each file's translations, by its name.

    Returns:
        The names of the written files.

    Raises:
        DataError: If the existing manifest is damaged.
        StoreError: If a file cannot be written.
    """
    path = folder / MANIFEST
    before = path.read_bytes() if path.exists() else None
    noted = _decode_manifest(before, str(path)).get("assets", {})
    entries: dict[str, dict[str, object]] = {}
    for artifact, texts in files.items():
        content = artifact.written(texts)
        atomic_write(folder / artifact.name, content)
        entry = manifest_entry(artifact, content, texts, made[artifact.name])
        if not _is_noted(entry, noted.get(artifact.name, {})):
            entries[artifact.name] = entry
    if entries:
        latest = max(made[name].translated_at for name in entries)
        atomic_write(path, merge_manifest(before, entries, latest, str(path)))
    return tuple(artifact.name for artifact in files)


def _is_noted(entry: Mapping[str, object], noted: Mapping[str, object]) -> bool:
    """Return whether a manifest already has an entry, apart from the time of translation."""
    return _PATCHED not in noted and all(
        name in noted and (noted[name] == value or name == "translated_at")
        for name, value in entry.items()
    )


def file_records(manifest: bytes | None, where: str) -> dict[str, FileRecord]:
    """Return a manifest's entries of its files, by name; empty without a manifest.

    Raises:
        DataError: If the manifest is damaged.
    """
    assets = _decode_manifest(manifest, where).get("assets", {})
    return {name: _record(entry) for name, entry in assets.items()}


def text_key(segment: Segment) -> str:
    """Return the hash of a text in its context; equal ones have equal translations."""
    return content_key(segment.context, segment.source)


def hash_of(text: str) -> str:
    """Return the hash of a translation."""
    return content_key(text)


_PATCHED = "manual_patch_at"


def _record(entry: Mapping[str, Any]) -> FileRecord:
    texts = entry.get("texts", {})
    return FileRecord(
        {source["path"]: source["sha256"] for source in entry.get("source_files", ())},
        str(entry.get("output_sha256", "")),
        texts if isinstance(texts, dict) else {},
        _PATCHED in entry,
    )


class _Source(msgspec.Struct):
    path: str
    sha256: str


class _Entry(msgspec.Struct):
    source_files: list[_Source] = []


class _Shape(msgspec.Struct):
    assets: dict[str, _Entry] = {}


def _decode_manifest(manifest: bytes | None, where: str) -> dict[str, Any]:
    """Return a decoded manifest, after validation of the parts that are used."""
    if manifest is None:
        return {}
    try:
        msgspec.json.decode(manifest, type=_Shape)
        return msgspec.json.decode(manifest, type=dict[str, Any])
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


Reason = Literal["missing", "not recorded", "source changed", "edited by hand"]


class StaleFile(msgspec.Struct, frozen=True):
    """A translated file that no longer fits its sources or its record.

    Attributes:
        file: Its name.
        why: The reason. `missing`: the file does not exist. `not recorded`: no manifest names its
            sources. `source changed`: a source has changed since. `edited by hand`: the file has
            been edited since it was written.
        addresses: The affected texts: without a translation of their current source, or with
            another translation than was written.
        is_whole: Whether the affected texts are unknown, so that all are named. Of a file that is
            only marked as edited, none are named.
    """

    file: str
    why: Reason
    addresses: tuple[str, ...]
    is_whole: bool = False

    @property
    def is_to_be_translated(self) -> bool:
        """Return whether the file needs translations.

        A file that was edited by hand is a person's work and does not need any.
        """
        return self.why != "edited by hand"


def stale_files(domain: TranslatableDomain, folder: AssetFolder) -> tuple[StaleFile, ...]:
    """Return the outdated files of a translated folder, in the order of the domain.

    A file may be outdated for two reasons: its source changed, and somebody edited it.

    Args:
        domain: The domain in English, as it is now.
        folder: The folder of its files in the language.

    Raises:
        DataError: If the manifest or an edited file is damaged.
    """
    where = str(folder.folder / MANIFEST)
    records = file_records(folder.read(MANIFEST) if MANIFEST in folder else None, where)
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
        found.append(_find_stale_texts(artifact, record, everything))
    content = folder.read(artifact.name)
    if record.output_sha256 and hashlib.sha256(content).hexdigest() != record.output_sha256:
        where = str(folder.folder / artifact.name)
        edited = _find_edited_texts(artifact, record, artifact.translations(content, where))
        found.append(StaleFile(artifact.name, "edited by hand", edited))
    elif record.is_patched:
        found.append(StaleFile(artifact.name, "edited by hand", (), is_whole=True))
    return found


def _has_changed(artifact: Artifact, record: FileRecord, known: Mapping[str, str]) -> bool:
    """Return whether a source has another hash than recorded.

    A source without a known hash counts as unchanged.
    """
    now = {**known, **{source.path: source.sha256 for source in artifact.sources}}
    return any(now.get(path, digest) != digest for path, digest in record.source_files.items())


def _find_stale_texts(
    artifact: Artifact, record: FileRecord, everything: tuple[str, ...]
) -> StaleFile:
    if not record.texts:
        return StaleFile(artifact.name, "source changed", everything, is_whole=True)
    fresh = tuple(
        segment.address for segment in artifact.segments if text_key(segment) not in record.texts
    )
    return StaleFile(artifact.name, "source changed", fresh)


def _find_edited_texts(
    artifact: Artifact, record: FileRecord, texts: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the texts whose translation differs from the written one."""
    return tuple(
        segment.address
        for segment in artifact.segments
        if (written := record.texts.get(text_key(segment)))
        and segment.address in texts
        and hash_of(texts[segment.address]) != written
    )


def write_english(out: Path, domain: TranslatableDomain) -> None:
    """Write a domain's English files to `DOMAIN/en`, and the hashes of its sources.

    The hashes are added to those in `out`.

    Raises:
        DataError: If the existing hashes are damaged.
        StoreError: If the files cannot be written.
    """
    folder = out / domain.domain / ENGLISH
    listed = out / SOURCE_HASHES
    with TranslatedErrors(StoreError, f"{out}: the English files cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in domain.english.files.items():
            _replace(folder / name, content)
        known: dict[str, object] = {}
        if listed.exists():
            known = decode_artifact(listed.read_bytes(), dict[str, object], str(listed))
        for artifact in domain.artifacts:
            known |= {source.path: source.sha256 for source in artifact.sources}
        _replace(listed, encode_artifact(dict(sorted(known.items()))))


def _replace(path: Path, content: bytes) -> None:
    """Write a file atomically, unless it already has this content."""
    if path.exists() and path.read_bytes() == content:
        return
    atomic_write(path, content)
