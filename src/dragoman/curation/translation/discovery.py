"""Discovery of a domain's translatable files, and of released translations of them.

A released translation is the text at the place of the English text. Its letters do not matter: a
text entirely in Thai or Chinese is a text like any other.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.composition.conditions.language_artifacts import english_side
from dragoman.conditions.language.artifacts import (
    DATABASES,
    MANIFEST,
    SCHEMA_FILES,
    TASKS,
    TOOL_FILES,
    TOOL_RETURNS,
    AssetFolder,
    Schema,
    SourceHash,
    TranslationManifest,
    decode_artifact,
    encode_artifact,
    translatable_fields,
)
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.capabilities import Translatable
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import EnglishDomain
from dragoman.core.protocols import Suite
from dragoman.core.tools import Role
from dragoman.curation.translation.artifact_files import (
    SourcedFile,
    database_artifact,
    document_artifact,
    messages_artifact,
    schema_artifact,
    tasks_artifact,
)
from dragoman.curation.translation.english_schemas import composed_schema, schema_of_module
from dragoman.curation.translation.question_files import questions_of
from dragoman.curation.translation.segments import Artifact, Segment, TranslatableDomain
from dragoman.curation.translation.tool_docstrings import tools_artifact


def domain_of(suite: Suite, data: Path, assets: str = "") -> TranslatableDomain:
    """Return the translatable files of a suite's domain.

    Args:
        suite: The suite.
        data: The folder of pulled data.
        assets: A folder of artifacts whose English files take precedence over those of the suite;
            "" for the release of the suite's domain, if any.

    Raises:
        UsageError: If the suite's domain cannot be translated.
        DataError: If a file is missing or damaged.
    """
    if not isinstance(suite, Translatable):
        return questions_of(suite.name, data)
    english = suite.english()
    return translatable(english, english_side(english, assets, data))


def translatable(english: EnglishDomain, side: EnglishAssets) -> TranslatableDomain:
    """Return the translatable files of a domain, the schemas first.

    Args:
        english: The domain.
        side: Its English files.

    Raises:
        DataError: If a file is damaged.
    """
    found = _Found(english, side)
    artifacts = (
        *_schemas(found),
        *_tools(found),
        *_messages(found),
        *_databases(found),
        *_policies(found),
        *_tasks(found),
    )
    return TranslatableDomain(english.name, artifacts, side)


class _Found(NamedTuple):
    """A domain and its files."""

    english: EnglishDomain
    side: EnglishAssets

    def origin(self, name: str, *sources: SourceHash) -> SourcedFile:
        return SourcedFile(name, self.english.name, sources)

    def file(self, name: str) -> SourceHash:
        """Return a file as a source with its hash; upstream's files have their path there."""
        path = f"{self.english.source_root}/{self.english.name}/{name}".removeprefix("/")
        return SourceHash(path, _hash(self.side.files[name]))

    def source(self, path: str, schema: Schema) -> SourceHash:
        """Return the source of a schema with its known hash, or with the hash of the schema."""
        known = self.side.hashes.get(path)
        return SourceHash(path, known or _hash(encode_artifact(schema)))


def _schemas(found: _Found) -> Iterator[Artifact]:
    """Yield the schemas of a domain.

    They come from files, from each of upstream's modules, or from the domain itself.
    """
    if not found.side.schemas and not found.english.source_root:
        yield _own_schema(found)
    for side, schema in (found.side.schemas or _upstream_schemas(found)).items():
        source = found.source(schema.source_file, schema)
        yield schema_artifact(found.origin(SCHEMA_FILES[side], source), schema)


def _upstream_schemas(found: _Found) -> dict[Role, Schema]:
    """Return the schemas of the modules of a checkout, one for each side."""
    return {
        side: schema_of_module(text, path)
        for side, modules in found.side.modules.items()
        for path, text in modules.items()
        if found.english.source_root
    }


def _own_schema(found: _Found) -> Artifact:
    schema = composed_schema(found.english.name, found.english.databases, found.side)
    modules = (path for texts in found.side.modules.values() for path in texts)
    databases = (
        found.file(found.english.databases[side]) for side in found.side.declared.databases
    )
    sources = (*(found.source(path, schema) for path in modules), *databases)
    if not sources:
        sources = (found.source(f"{found.english.name}/{SCHEMA_FILES['agent']}", schema),)
    return schema_artifact(found.origin(SCHEMA_FILES["agent"], *sources), schema)


def _tools(found: _Found) -> Iterator[Artifact]:
    for side, docstrings in found.side.docstrings.items():
        path = f"{found.english.name}/{TOOL_FILES[side]}"
        source = SourceHash(path, found.side.hashes[path])
        yield tools_artifact(found.origin(TOOL_FILES[side], source), docstrings)


def _messages(found: _Found) -> Iterator[Artifact]:
    messages = found.side.messages
    if messages.exact or messages.templates:
        sources = {
            "exact": {key: each.source for key, each in messages.exact.items()},
            "templates": {key: each.source for key, each in messages.templates.items()},
        }
        path = f"{found.english.name}/{TOOL_RETURNS}"
        known = found.side.hashes.get(path)
        source = SourceHash(path, known or _hash(encode_artifact(sources)))
        yield messages_artifact(found.origin(TOOL_RETURNS, source), messages)


def _databases(found: _Found) -> Iterator[Artifact]:
    for side, name in found.english.databases.items():
        origin = found.origin(_database_name(side, name), found.file(name))
        leaves = found.english.declared.name_leaves
        yield database_artifact(origin, found.side.files[name], leaves)


def _database_name(side: Role, name: str) -> str:
    """Return the name of a side's database in a folder of artifacts."""
    as_json, as_toml = DATABASES[side]
    return as_toml if name.endswith(".toml") else as_json


def _policies(found: _Found) -> Iterator[Artifact]:
    for name, content in found.side.files.items():
        if name.endswith(".md"):
            yield document_artifact(found.origin(name, found.file(name)), content)


def _tasks(found: _Found) -> Iterator[Artifact]:
    first, last = TASKS.split(".")
    for name, content in found.side.files.items():
        if (
            name.startswith(first)
            and name.endswith(last)
            and name not in translatable_fields().no_tasks
        ):
            yield tasks_artifact(found.origin(name, found.file(name)), content)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


NO_FILE = "the file is missing"
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
    """One text in one context, and its translations.

    Attributes:
        segment: Its first place.
        target: Its most frequent translation; of equally frequent ones the first.
        times: The number of occurrences of each translation.
    """

    segment: Segment
    target: str
    times: dict[str, int]


class Unaligned(msgspec.Struct, frozen=True):
    """Texts of a file without a translation, and the reason.

    Attributes:
        file: The file.
        why: One of the reasons in this module.
        addresses: The addresses of the texts.
    """

    file: str
    why: str
    addresses: tuple[str, ...]


class ReleasedTranslations(msgspec.Struct, frozen=True):
    """The translations of a domain's texts in a folder of translated artifacts.

    Attributes:
        pairs: The texts with their translations, in the order of the texts.
        unaligned: The texts without a translation.
    """

    pairs: tuple[TranslatedSegment, ...]
    unaligned: tuple[Unaligned, ...]


def released_translations(domain: TranslatableDomain, folder: AssetFolder) -> ReleasedTranslations:
    """Return the translations of a domain's texts in a folder of translated artifacts.

    Args:
        domain: The domain in English.
        folder: The folder of its files in the language.

    Raises:
        DataError: If the manifest is damaged. The texts of a damaged file are left unaligned.
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
        unaligned += [Unaligned(artifact.name, *each) for each in _freeze_addresses(reasons)]
    return ReleasedTranslations(tuple(pairs), tuple(unaligned))


def renderings(pairs: Iterable[TranslatedSegment]) -> tuple[RenderedText, ...]:
    """Return the translations of each text in its context, in the order of the texts."""
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
    """Return the texts in a folder for an artifact, and the reason why others are absent."""
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
    """Return whether a document was translated from another text than the current one."""
    return any(
        recorded.get(source.path, source.sha256) != source.sha256 for source in artifact.sources
    )


def _fault(segment: Segment, target: str) -> str:
    """Return the reason why a text is not a translation; "" if it is one.

    A label may equal the value itself.
    """
    if not target.strip():
        return BLANK
    return UNCHANGED if target == segment.source and segment.component != "schema" else ""


def _freeze_addresses(reasons: Mapping[str, list[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((why, tuple(addresses)) for why, addresses in reasons.items())


def _recorded_sources(folder: AssetFolder) -> dict[str, dict[str, str]]:
    """Return the hashes of sources in a manifest, by file and path."""
    if MANIFEST not in folder:
        return {}
    where = str(folder.folder / MANIFEST)
    manifest = decode_artifact(folder.read(MANIFEST), TranslationManifest, where)
    return {
        name: {source.path: source.sha256 for source in entry.source_files}
        for name, entry in manifest.assets.items()
    }
