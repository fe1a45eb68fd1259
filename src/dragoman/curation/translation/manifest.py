"""The manifest of a translated folder: how each file came to be, of what, and what it held then.

It is the released format with more keys. What other writers left in it stays.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from dragoman.conditions.language.artifacts import MANIFEST, encode_artifact
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.version import VERSION
from dragoman.curation.translation.segments import Artifact, Component, Segment
from dragoman.store.safe_files import atomic_write

ReviewState = Literal["machine", "partly reviewed", "reviewed"]
"""Whether people read the translations of a file: of none, of some, or of all its texts."""

_COMPONENTS: Mapping[Component, str] = {"messages": "tools", "database": "db"}
"""What the released manifests call a component where they call it otherwise."""


class MadeBy(msgspec.Struct, frozen=True):
    """How the translations of a file were made.

    Attributes:
        model: The models that gave the texts, by commas; "" where nobody translated by machine.
        target_language: The language, by the registry's name.
        translated_at: When, as an ISO 8601 date and time.
        prompt_version: The versions of the prompts, by commas.
        review: Whether people read them.
        source_language: The language of the sources.
    """

    model: str
    target_language: str
    translated_at: str
    prompt_version: str
    review: ReviewState = "machine"
    source_language: str = "English"


class FileRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a manifest says of a file, as far as staleness is told from it.

    Attributes:
        source_files: The hashes of its sources, by path.
        output_sha256: The hash of the file as it was written; "" where nobody noted it.
        texts: The hash of each translation by that of its text; empty where nobody noted them.
        is_patched: Whether it says itself that it was edited by hand.
    """

    source_files: dict[str, str]
    output_sha256: str
    texts: dict[str, str]
    is_patched: bool


def entry_of(
    artifact: Artifact, content: bytes, texts: Mapping[str, str], made: MadeBy
) -> dict[str, object]:
    """Return what a manifest says of a file that is written.

    Args:
        artifact: The file in English.
        content: What is written.
        texts: The translations in it by address.
        made: How they were made.
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


def merged(
    before: bytes | None, entries: Mapping[str, Mapping[str, object]], at: str, where: str
) -> bytes:
    """Return a manifest with the entries of some files, those of others as they were.

    Keys of an entry that we do not write stay too, but for the note of an edit: it is written anew.

    Args:
        before: The manifest so far; None where there is none.
        entries: What is said of files, by name.
        at: When, as an ISO 8601 date and time.
        where: The manifest, for messages.

    Raises:
        DataError: Where the manifest so far is damaged: it is not replaced.
    """
    manifest = _decoded(before, where)
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
    """Write files with their translations, each whole or not at all, then the manifest.

    Args:
        folder: The folder of the language, `.../DOMAIN/LANGUAGE`.
        files: The files, with their translations by address.
        made: How the translations of each file were made, by its name.

    Returns:
        The names of the files that were written.

    Raises:
        DataError: Where the manifest there is damaged, or nothing can be written.
    """
    path = folder / MANIFEST
    before = path.read_bytes() if path.exists() else None
    noted = _decoded(before, str(path)).get("assets", {})
    entries: dict[str, dict[str, object]] = {}
    for artifact, texts in files.items():
        content = artifact.written(texts)
        atomic_write(folder / artifact.name, (content,))
        entry = entry_of(artifact, content, texts, made[artifact.name])
        if not _is_noted(entry, noted.get(artifact.name, {})):
            entries[artifact.name] = entry
    if entries:
        latest = max(made[name].translated_at for name in entries)
        atomic_write(path, (merged(before, entries, latest, str(path)),))
    return tuple(artifact.name for artifact in files)


def _is_noted(entry: Mapping[str, object], noted: Mapping[str, object]) -> bool:
    """Whether a manifest says all this of a file, but for when it was written first."""
    return _PATCHED not in noted and all(
        name in noted and (noted[name] == value or name == "translated_at")
        for name, value in entry.items()
    )


def records_of(manifest: bytes | None, where: str) -> dict[str, FileRecord]:
    """Return what a manifest says of its files, by name; nothing where there is no manifest.

    Raises:
        DataError: Where it is damaged.
    """
    assets = _decoded(manifest, where).get("assets", {})
    return {name: _record(entry) for name, entry in assets.items()}


def text_key(segment: Segment) -> str:
    """Return the hash of a text in its context: equal ones have equal translations."""
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


def _decoded(manifest: bytes | None, where: str) -> dict[str, Any]:
    """Return a manifest as it is, after a look at the parts that are read of it."""
    if manifest is None:
        return {}
    try:
        msgspec.json.decode(manifest, type=_Shape)
        return msgspec.json.decode(manifest, type=dict[str, Any])
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error
