"""Translatable file formats: Markdown, databases, schemas, tasks, tool messages.

Databases are JSON or TOML. Untranslated content stays byte by byte. Changed JSON is encoded again;
TOML keeps its comments and its layout.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from dragoman.conditions.language.artifacts import (
    ModelText,
    Schema,
    SourceHash,
    Template,
    ToolReturns,
    TranslatedMessage,
    ValueSetText,
    decode_artifact,
    encode_artifact,
    translatable_fields,
)
from dragoman.conditions.language.database_names import decode_database, text_leaves
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS, JsonPath, set_values_at, value_at
from dragoman.curation.translation.segments import Component, Mode, Segment, address_of

Write = Callable[[Mapping[str, str]], bytes]
"""Returns a file with translations by address in it; see `Artifact.written`."""

Read = Callable[[bytes, str], dict[str, str]]
"""Returns the texts of a translated file by address; see `Artifact.translations`."""


class SourcedFile(NamedTuple):
    """The origin of an artifact: the name of its file, its domain, and its sources."""

    name: str
    domain: str
    sources: tuple[SourceHash, ...]


class FileArtifact:
    """A file with its segments, and a writer and a reader for its format."""

    def __init__(
        self,
        origin: SourcedFile,
        component: Component,
        segments: tuple[Segment, ...],
        write: Write,
        read: Read,
    ) -> None:
        self.name = origin.name
        self.component: Component = component
        self.sources = origin.sources
        self.segments = segments
        self._write = write
        self._read = read

    def written(self, texts: Mapping[str, str]) -> bytes:
        """Return the file with translations at the places of its segments."""
        return self._write(texts)

    def translations(self, content: bytes, where: str) -> dict[str, str]:
        """Return a translated file's texts at the places of the segments, by their address."""
        return self._read(content, where)


ANY = "*"
"""The step of a pattern that stands for any entry of a list."""


def decode_json(content: bytes, where: str) -> Any:  # noqa: ANN401 - any JSON value
    """Decode JSON.

    Raises:
        DataError: If the content is not valid JSON.
    """
    try:
        return msgspec.json.decode(content)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: {error}") from error


def encode_json(value: object) -> bytes:
    """Encode JSON in the format of released files.

    It is indented by two, in UTF-8, with a newline at the end.
    """
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def texts_along(
    value: object, pattern: Sequence[str], done: JsonPath = ()
) -> Iterator[tuple[JsonPath, str]]:
    """Yield the places and texts of the strings to which a pattern leads."""
    if not pattern:
        if isinstance(value, str):
            yield done, value
    elif pattern[0] == ANY:
        for at, part in enumerate(value if isinstance(value, list) else ()):
            yield from texts_along(part, pattern[1:], (*done, at))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from texts_along(value[pattern[0]], pattern[1:], (*done, pattern[0]))


_WHOLE = ("full",)


def document_artifact(origin: SourcedFile, content: bytes) -> FileArtifact:
    """Return a Markdown file as an artifact.

    Raises:
        DataError: If it is not UTF-8.
    """
    text = _decode_utf8(content, origin.name)
    address = address_of(origin.name, _WHOLE)
    segment = Segment(address, "policy", text, "text", f"{origin.domain}/text")

    def write(texts: Mapping[str, str]) -> bytes:
        return texts.get(address, text).encode("utf-8")

    def read(translated: bytes, where: str) -> dict[str, str]:
        return {address: _decode_utf8(translated, where)} if has_letters(text) else {}

    return FileArtifact(origin, "policy", (segment,) if has_letters(text) else (), write, read)


def _decode_utf8(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is no UTF-8 text ({error.reason})") from error


def database_artifact(origin: SourcedFile, content: bytes, leaves: frozenset[str]) -> FileArtifact:
    """Return a database as an artifact.

    Args:
        origin: The origin of the file.
        content: The file, JSON or TOML.
        leaves: The keys of the leaves that may be translated.

    Raises:
        DataError: If it is neither JSON nor TOML.
    """
    found = {
        address_of(origin.name, place): (place, text)
        for place, text in _database_texts(content, leaves, origin.name)
    }
    segments = tuple(
        Segment(address, "database", text, "text", f"{origin.domain}/{_meaning(place)}")
        for address, (place, text) in found.items()
    )

    def write(texts: Mapping[str, str]) -> bytes:
        changed = {
            place: texts[address]
            for address, (place, text) in found.items()
            if texts.get(address, text) != text
        }
        if not changed:
            return content
        return (
            _patch_database(content, changed)
            if _is_json(content)
            else _patched_toml(content, changed)
        )

    def read(translated: bytes, where: str) -> dict[str, str]:
        database = decode_database(translated, where)
        there = {address: value_at(database, place) for address, (place, _) in found.items()}
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, "database", segments, write, read)


def _database_texts(
    content: bytes, leaves: frozenset[str], where: str
) -> Iterator[tuple[JsonPath, str]]:
    if not leaves:
        return
    never = translatable_fields().never_below
    for place, text in text_leaves(decode_database(content, where), leaves):
        if has_letters(text) and never.isdisjoint(place):
            yield place, text


def _meaning(place: JsonPath) -> str:
    """Return the last part of a leaf's context; sentences share the context of all prose."""
    return "text" if place[-1] in translatable_fields().prose else "name"


def _is_json(content: bytes) -> bool:
    return content.lstrip()[:1] == b"{"


def _patch_database(content: bytes, texts: Mapping[JsonPath, str]) -> bytes:
    database = decode_database(content, "")
    set_values_at(database, texts)
    return encode_json(database)


def _patched_toml(content: bytes, texts: Mapping[JsonPath, str]) -> bytes:
    import tomlkit

    database = tomlkit.parse(content.decode("utf-8"))
    set_values_at(database, texts)
    return tomlkit.dumps(database).encode("utf-8")


Entry = TypeVar("Entry", TranslatedMessage, Template)


def messages_artifact(origin: SourcedFile, messages: ToolReturns) -> FileArtifact:
    """Return the messages of a domain's tools as an artifact."""
    found = {
        address: each.source
        for address, each in _entries(messages, origin.name)
        if has_letters(each.source)
    }
    segments = tuple(
        Segment(address, "messages", source, "text", f"{origin.domain}/text")
        for address, source in found.items()
    )

    def write(texts: Mapping[str, str]) -> bytes:
        def with_texts(section: str, entries: Mapping[str, Entry]) -> dict[str, Entry]:
            return {
                key: replace(
                    each,
                    localized=texts.get(address_of(origin.name, (section, key)), each.source),
                )
                for key, each in entries.items()
            }

        return encode_artifact(
            ToolReturns(
                with_texts("exact", messages.exact), with_texts("templates", messages.templates)
            )
        )

    def read(translated: bytes, where: str) -> dict[str, str]:
        other = decode_artifact(translated, ToolReturns, where)
        return {
            address: each.localized
            for address, each in _entries(other, origin.name)
            if found.get(address) == each.source
        }

    return FileArtifact(origin, "messages", segments, write, read)


def _entries(
    messages: ToolReturns, file: str
) -> Iterator[tuple[str, TranslatedMessage | Template]]:
    for key, exact in messages.exact.items():
        yield address_of(file, ("exact", key)), exact
    for key, template in messages.templates.items():
        yield address_of(file, ("templates", key)), template


_DIGIT = re.compile(r"\d")
_FEWEST_WORDS = 2


class _Text(NamedTuple):
    place: JsonPath
    text: str
    mode: Mode
    context: str


def schema_artifact(origin: SourcedFile, schema: Schema) -> FileArtifact:
    """Return the schema of one side of a domain as an artifact, with English labels."""
    found = {
        address_of(origin.name, each.place): each
        for each in _schema_texts(schema, origin.domain)
        if has_letters(each.text)
    }
    segments = tuple(
        Segment(address, "schema", each.text, each.mode, each.context)
        for address, each in found.items()
    )
    english = _plain(schema)

    def write(texts: Mapping[str, str]) -> bytes:
        written = _plain(schema)
        set_values_at(written, {each.place: texts.get(at, each.text) for at, each in found.items()})
        return encode_artifact(msgspec.convert(written, Schema))

    def read(translated: bytes, where: str) -> dict[str, str]:
        other = _plain(decode_artifact(translated, Schema, where))
        there = {
            address: value_at(other, each.place)
            for address, each in found.items()
            if _is_same_value(english, other, each.place)
        }
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, "schema", segments, write, read)


def is_label(value: str) -> bool:
    """Return whether a value reads as words.

    `4g_only` is a mode flag, and `in_transit` consists of two words.
    """
    if "_" not in value:
        return True
    words = [part for part in value.split("_") if part.isalpha()]
    return not _DIGIT.search(value) and len(words) >= _FEWEST_WORDS


def _plain(schema: Schema) -> object:
    """Return a schema as decoded JSON, whose places can be read and written."""
    return msgspec.json.decode(msgspec.json.encode(schema))


def label_contexts(schema: Schema, domain: str) -> dict[str, str]:
    """Return the context of the labels of each value set, by its key.

    Sets of the same values share one context, and therefore the same labels.
    """
    first: dict[frozenset[str], str] = {}
    return {
        key: f"{domain}/label/{first.setdefault(_canonicals(value_set), key)}"
        for key, value_set in schema.value_sets.items()
    }


def _canonicals(value_set: ValueSetText) -> frozenset[str]:
    return frozenset(value.canonical for value in value_set.values)


def _schema_texts(schema: Schema, domain: str) -> Iterator[_Text]:
    prose = f"{domain}/text"
    if schema.module_description:
        yield _Text(("module_description",), schema.module_description, "text", prose)
    for name, model in schema.models.items():
        for place, text in _described_places(model):
            yield _Text(("models", name, *place), text, "text", prose)
    contexts = label_contexts(schema, domain)
    for key, value_set in schema.value_sets.items():
        yield from _values(key, value_set, contexts[key])


def _described_places(model: ModelText) -> Iterator[tuple[JsonPath, str]]:
    if model.description:
        yield ("description",), model.description
    for name, field in model.fields.items():
        if field.description:
            yield ("fields", name, "description"), field.description


def _values(key: str, value_set: ValueSetText, context: str) -> Iterator[_Text]:
    for at, value in enumerate(value_set.values):
        mode: Mode = "label" if is_label(value.canonical) else "text"
        place = ("value_sets", key, "values", at, "localized")
        yield _Text(place, value.canonical, mode, context)


def _is_same_value(english: object, translated: object, place: JsonPath) -> bool:
    """Return whether a label stands for the same value in both files.

    Texts other than labels have no value and always count as the same.
    """
    if place[0] != "value_sets":
        return True
    value = (*place[:-1], "canonical")
    return value_at(english, value) == value_at(translated, value)


_MESSAGE = "content"


def tasks_artifact(origin: SourcedFile, content: bytes) -> FileArtifact:
    """Return a JSON list of tasks as an artifact.

    Raises:
        DataError: If it is not a list of tasks.
    """
    tasks = _tasks(content, origin.name)
    found = {
        address_of(origin.name, place): (place, text)
        for at, task in enumerate(tasks)
        for place, text in _task_texts(task, at)
    }
    segments = tuple(
        Segment(address, "tasks", text, "text", f"{origin.domain}/text")
        for address, (_, text) in found.items()
    )
    names = [str(task.get("id")) for task in tasks]
    lengths = {
        place[:-1]: _length(value_at(tasks, place[:-1]))
        for place, _ in found.values()
        if isinstance(place[-1], int)
    }

    def write(texts: Mapping[str, str]) -> bytes:
        changed = {
            place: texts[address]
            for address, (place, text) in found.items()
            if texts.get(address, text) != text
        }
        if not changed:
            return content
        written = _tasks(content, origin.name)
        set_values_at(written, changed)
        return encode_json(written)

    def read(translated: bytes, where: str) -> dict[str, str]:
        by_name = {str(task.get("id")): task for task in _tasks(translated, where)}

        def text_at(place: JsonPath) -> object:
            # A language may have more or fewer keywords than English; then they do not correspond.
            task, length = by_name.get(names[int(place[0])]), lengths.get(place[:-1])
            is_other = length is not None and _length(value_at(task, place[1:-1])) != length
            return None if is_other else value_at(task, place[1:])

        there = {address: text_at(place) for address, (place, _) in found.items()}
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, "tasks", segments, write, read)


def _length(value: object) -> int:
    """Return the number of entries of a list; 0 for other values."""
    return len(value) if isinstance(value, list) else 0


def _tasks(content: bytes, where: str) -> list[dict[str, object]]:
    tasks = decode_json(content, where)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise DataError(f"{where}: not a list of tasks")
    return tasks


def _task_texts(task: dict[str, object], at: int) -> Iterator[tuple[JsonPath, str]]:
    """Yield the translatable texts of a task."""
    for pattern in translatable_fields().tasks:
        for place, text in texts_along(task, pattern):
            if has_letters(text) and _is_spoken_place(task, place):
                yield (at, *place), text


def _is_spoken_place(task: dict[str, object], place: JsonPath) -> bool:
    """Return whether a place is outside of messages, or in a message of a speaker."""
    if place[-1] != _MESSAGE:
        return True
    message = value_at(task, place[:-1])
    return isinstance(message, dict) and message.get("role") in translatable_fields().said_by
