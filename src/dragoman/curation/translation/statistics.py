"""Translation statistics: the amount of text in a domain, and coverage by language."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from dragoman.conditions.language.artifacts import (
    TASKS,
    TOOL_FILES,
    TOOL_RETURNS,
    AssetFolder,
    Schema,
    ToolReturns,
    decode_artifact,
    languages_of,
)
from dragoman.conditions.language.database_names import decode_database
from dragoman.config.environment import data_folder
from dragoman.core.capabilities import Translatable
from dragoman.curation.translation.artifact_files import decode_json
from dragoman.curation.translation.discovery import domain_of, released_translations
from dragoman.curation.translation.segments import Artifact, TranslatableDomain
from dragoman.registry.suites import load_suite

SPLITS = "split_tasks.json"


class FileCount(msgspec.Struct, frozen=True):
    """The texts of one file.

    Attributes:
        file: Its name.
        component: Its component.
        segments: Number of its texts.
        texts: Number of distinct texts in their contexts, which a translator has to translate.
        characters: Total length of its texts, in characters.
    """

    file: str
    component: str
    segments: int
    texts: int
    characters: int


class SchemaCount(msgspec.Struct, frozen=True):
    """The numbers of models, value sets, values and `distinct` values of one schema."""

    file: str
    models: int
    value_sets: int
    values: int
    distinct: int


class CollectionCount(msgspec.Struct, frozen=True):
    """The number of records of a database by kind; a table without records counts as one."""

    file: str
    collection: str
    records: int


class InstanceCount(msgspec.Struct, frozen=True):
    """The numbers of instances of each kind in the source's Table 4."""

    files: int
    tasks: int
    docstrings: int
    policies: int
    messages: int


class DomainStatistics(msgspec.Struct, frozen=True):
    """The statistics of a domain in English.

    Attributes:
        domain: The domain.
        files: Its files.
        instances: Numbers of instances in the files.
        splits: Number of tasks of each split; empty without splits.
        schemas: Numbers of its schemas.
        distinct_values: Number of distinct values of all its schemas together.
        collections: Records of its databases.
        segments: Number of texts of all files.
        texts: Number of distinct texts in their contexts.
    """

    domain: str
    files: tuple[FileCount, ...]
    instances: InstanceCount
    splits: dict[str, int]
    schemas: tuple[SchemaCount, ...]
    distinct_values: int
    collections: tuple[CollectionCount, ...]
    segments: int
    texts: int


class LanguageStatistics(msgspec.Struct, frozen=True):
    """The statistics of a domain in another language.

    Attributes:
        domain: The domain.
        language: The language's code.
        instances: Numbers of instances in its files.
        translated: Number of texts with a translation.
        left: Number of other texts, by reason.
    """

    domain: str
    language: str
    instances: InstanceCount
    translated: int
    left: dict[str, int]


class SuiteTexts(msgspec.Struct, frozen=True):
    """The amount of text in a suite, and the coverage of each language."""

    domain: DomainStatistics
    languages: tuple[LanguageStatistics, ...]


def count_texts(suite: str) -> SuiteTexts:
    """Count the translatable texts of a suite, and the translations in its languages.

    Languages are those of the artifacts that are packaged with the suite, or were pulled for it.

    Raises:
        UsageError: For a suite that does not exist, or that cannot be translated.
        DataError: If data are missing or damaged.
    """
    loaded = load_suite(suite)
    domain = domain_of(loaded, data_folder())
    release = loaded.english().release if isinstance(loaded, Translatable) else None
    if release is None:
        return SuiteTexts(statistics_of(domain), ())
    root = release.folder(data_folder()) / domain.domain
    languages = tuple(
        statistics_in(domain, AssetFolder(root / language), language)
        for language in languages_of(root)
    )
    return SuiteTexts(statistics_of(domain), languages)


def statistics_of(domain: TranslatableDomain) -> DomainStatistics:
    """Return the statistics of a domain in English.

    Raises:
        DataError: If a file is damaged.
    """
    contents = {each.name: each.written({}) for each in domain.artifacts}
    schemas = _schemas(domain.artifacts, contents)
    values = {
        value.canonical
        for schema in schemas.values()
        for value_set in schema.value_sets.values()
        for value in value_set.values
    }
    return DomainStatistics(
        domain=domain.domain,
        files=tuple(map(_file_count, domain.artifacts)),
        instances=_instances(domain.artifacts, contents),
        splits=_splits(domain.english.files.get(SPLITS)),
        schemas=tuple(_schema_count(name, schema) for name, schema in schemas.items()),
        distinct_values=len(values),
        collections=tuple(_collections(domain.artifacts, contents)),
        segments=len(domain.segments),
        texts=len({(each.context, each.source) for each in domain.segments}),
    )


def statistics_in(
    domain: TranslatableDomain, folder: AssetFolder, language: str
) -> LanguageStatistics:
    """Return the statistics of a domain in another language.

    Args:
        domain: The domain in English.
        folder: The folder of its files in the language.
        language: The language's code.

    Raises:
        DataError: If a file is damaged.
    """
    there = [each for each in domain.artifacts if each.name in folder]
    contents = {each.name: folder.read(each.name) for each in there}
    released = released_translations(domain, folder)
    left: dict[str, int] = {}
    for each in released.unaligned:
        left[each.why] = left.get(each.why, 0) + len(each.addresses)
    return LanguageStatistics(
        domain.domain, language, _instances(there, contents), len(released.pairs), left
    )


def _file_count(artifact: Artifact) -> FileCount:
    segments = artifact.segments
    texts = {(each.context, each.source) for each in segments}
    characters = sum(len(each.source) for each in segments)
    return FileCount(artifact.name, artifact.component, len(segments), len(texts), characters)


def _instances(artifacts: Sequence[Artifact], contents: Mapping[str, bytes]) -> InstanceCount:
    messages = (
        decode_artifact(contents[TOOL_RETURNS], ToolReturns, TOOL_RETURNS)
        if TOOL_RETURNS in contents
        else ToolReturns()
    )
    return InstanceCount(
        files=len(artifacts),
        tasks=len(decode_json(contents[TASKS], TASKS)) if TASKS in contents else 0,
        docstrings=sum(
            len(decode_json(contents[name], name))
            for name in TOOL_FILES.values()
            if name in contents
        ),
        policies=sum(each.component == "policy" for each in artifacts),
        messages=len(messages.exact) + len(messages.templates),
    )


def _schemas(artifacts: Sequence[Artifact], contents: Mapping[str, bytes]) -> dict[str, Schema]:
    return {
        each.name: decode_artifact(contents[each.name], Schema, each.name)
        for each in artifacts
        if each.component == "schema"
    }


def _schema_count(file: str, schema: Schema) -> SchemaCount:
    values = [value.canonical for each in schema.value_sets.values() for value in each.values]
    return SchemaCount(
        file, len(schema.models), len(schema.value_sets), len(values), len(set(values))
    )


def _splits(content: bytes | None) -> dict[str, int]:
    if content is None:
        return {}
    listed = decode_artifact(content, dict[str, list[str]], SPLITS)
    return {name: len(ids) for name, ids in listed.items()}


def _collections(
    artifacts: Sequence[Artifact], contents: Mapping[str, bytes]
) -> Iterator[CollectionCount]:
    for artifact in artifacts:
        if artifact.component == "database":
            database = decode_database(contents[artifact.name], artifact.name)
            for name, value in database.items():
                records = _records(value)
                if records is not None:
                    yield CollectionCount(artifact.name, name, records)


def _records(value: object) -> int | None:
    """Return the number of records of a part of a database; None for a plain value."""
    if isinstance(value, list):
        return len(value)
    if not isinstance(value, dict):
        return None
    return len(value) if all(isinstance(each, dict) for each in value.values()) else 1
