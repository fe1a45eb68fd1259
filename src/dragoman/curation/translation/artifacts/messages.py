"""Messages of tools, as they stand and with placeholders; their patterns are those of the sources."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from msgspec.structs import replace

from dragoman.conditions.language.artifacts import (
    Template,
    ToolReturns,
    TranslatedMessage,
    decode_artifact,
    encode_artifact,
)
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.segments import Segment, address_of

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
