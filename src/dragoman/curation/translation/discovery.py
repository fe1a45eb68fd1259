"""Which files of a domain become which artifacts."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dragoman.composition.conditions.language_artifacts import english_side
from dragoman.conditions.language.artifacts import (
    DATABASES,
    SCHEMA_FILES,
    TASKS,
    TOOL_FILES,
    TOOL_RETURNS,
    Schema,
    SourceHash,
    encode_artifact,
    translatable_fields,
)
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.capabilities import Translatable
from dragoman.core.language.translated_domains import EnglishDomain
from dragoman.core.protocols import Suite
from dragoman.core.tools import Role
from dragoman.curation.translation.artifacts.databases import database_artifact
from dragoman.curation.translation.artifacts.documents import document_artifact
from dragoman.curation.translation.artifacts.file import SourcedFile
from dragoman.curation.translation.artifacts.messages import messages_artifact
from dragoman.curation.translation.artifacts.schemas import schema_artifact
from dragoman.curation.translation.artifacts.tasks import tasks_artifact
from dragoman.curation.translation.artifacts.tools import tools_artifact
from dragoman.curation.translation.english_schemas.composed import composed_schema
from dragoman.curation.translation.english_schemas.modules import schema_of_module
from dragoman.curation.translation.questions import questions_of
from dragoman.curation.translation.segments import Artifact, TranslatableDomain


def domain_of(suite: Suite, data: Path, assets: str = "") -> TranslatableDomain:
    """Return all of a suite's domain that can be translated.

    Args:
        suite: The suite.
        data: The folder of pulled data.
        assets: A folder of artifacts whose English files come before those of the suite; "" for the
            release that the suite's domain has, if any.

    Raises:
        UsageError: Where the suite is of no domain that can be translated.
        DataError: Where a file is missing or damaged.
    """
    if not isinstance(suite, Translatable):
        return questions_of(suite.name, data)
    english = suite.english()
    return translatable(english, english_side(english, assets, data))


def translatable(english: EnglishDomain, side: EnglishAssets) -> TranslatableDomain:
    """Return all of a domain that can be translated, the schemas first.

    Args:
        english: The domain.
        side: Its English files.

    Raises:
        DataError: Where a file is damaged.
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
    """A domain, and its files."""

    english: EnglishDomain
    side: EnglishAssets

    def origin(self, name: str, *sources: SourceHash) -> SourcedFile:
        return SourcedFile(name, self.english.name, sources)

    def file(self, name: str) -> SourceHash:
        """Return one of the files as a source: upstream's under their path there."""
        path = f"{self.english.source_root}/{self.english.name}/{name}".removeprefix("/")
        return SourceHash(path, _hash(self.side.files[name]))

    def source(self, path: str, schema: Schema) -> SourceHash:
        """Return the source of a schema with the hash that is known of it, or that of the schema."""
        known = self.side.hashes.get(path)
        return SourceHash(path, known or _hash(encode_artifact(schema)))


def _schemas(found: _Found) -> Iterator[Artifact]:
    """Yield the schemas: of a file, of each of upstream's modules, or what the domain itself tells."""
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
    """Return the name under which a side's database is looked for in a folder of artifacts."""
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
