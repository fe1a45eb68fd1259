"""Databases: the names and sentences in declared leaves; all else is the same bytes.

JSON is encoded anew where something changed. TOML keeps its comments and its layout.
"""

from collections.abc import Iterator, Mapping

from dragoman.conditions.language.artifacts import translatable_fields
from dragoman.conditions.language.database_names import decode_database, text_leaves
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.texts.decoding import JsonPath, put, value_at
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.artifacts.json_places import encode
from dragoman.curation.translation.segments import Segment, address_of


def database_artifact(origin: SourcedFile, content: bytes, leaves: frozenset[str]) -> FileArtifact:
    """Return a database as an artifact.

    Args:
        origin: Where it comes from.
        content: The file, JSON or TOML.
        leaves: The keys of the leaves that may be translated.

    Raises:
        DataError: Where it is neither.
    """
    found = {
        address_of(origin.name, place): (place, text)
        for place, text in _texts(content, leaves, origin.name)
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
        return _patched(content, changed) if _is_json(content) else _patched_toml(content, changed)

    def read(translated: bytes, where: str) -> dict[str, str]:
        database = decode_database(translated, where)
        there = {address: value_at(database, place) for address, (place, _) in found.items()}
        return {address: text for address, text in there.items() if isinstance(text, str)}

    return FileArtifact(origin, "database", segments, write, read)


def _texts(content: bytes, leaves: frozenset[str], where: str) -> Iterator[tuple[JsonPath, str]]:
    if not leaves:
        return
    never = translatable_fields().never_below
    for place, text in text_leaves(decode_database(content, where), leaves):
        if has_letters(text) and never.isdisjoint(place):
            yield place, text


def _meaning(place: JsonPath) -> str:
    """Return the last part of the context of a leaf: sentences are like all other prose."""
    return "text" if place[-1] in translatable_fields().prose else "name"


def _is_json(content: bytes) -> bool:
    return content.lstrip()[:1] == b"{"


def _patched(content: bytes, texts: Mapping[JsonPath, str]) -> bytes:
    database = decode_database(content, "")
    put(database, texts)
    return encode(database)


def _patched_toml(content: bytes, texts: Mapping[JsonPath, str]) -> bytes:
    import tomlkit

    database = tomlkit.parse(content.decode("utf-8"))
    put(database, texts)
    return tomlkit.dumps(database).encode("utf-8")
