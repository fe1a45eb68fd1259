"""Docstrings of tools: what is said of a tool, its arguments, its result and its errors."""

from collections.abc import Mapping

from dragoman.conditions.language.artifacts import decode_artifact
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.curation.translation.artifacts.docstring_parts import (
    DESCRIPTION,
    in_one,
    parts_of,
    rebuilt,
)
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.artifacts.json_places import encode
from dragoman.curation.translation.segments import Segment, address_of


def tools_artifact(origin: SourcedFile, docstrings: Mapping[str, str]) -> FileArtifact:
    """Return the docstrings of a side's tools, by tool, as an artifact."""
    found = {
        address_of(origin.name, (tool, *part.place)): (tool, part.place, part.text)
        for tool, docstring in docstrings.items()
        for part in parts_of(docstring)
        if has_letters(part.text)
    }
    segments = tuple(
        Segment(address, "tools", text, "text", f"{origin.domain}/text")
        for address, (_, _, text) in found.items()
    )

    def write(texts: Mapping[str, str]) -> bytes:
        changed: dict[str, dict[tuple[str | int, ...], str]] = {}
        for address, (tool, place, text) in found.items():
            changed.setdefault(tool, {})[place] = texts.get(address, text)
        return encode(
            {
                tool: rebuilt(docstring, changed.get(tool, {}))
                for tool, docstring in docstrings.items()
            }
        )

    def read(translated: bytes, where: str) -> dict[str, str]:
        listed = decode_artifact(translated, dict[str, str], where)
        there = {
            (tool, part.place): part.text
            for tool, docstring in listed.items()
            for part in parts_of(docstring)
        }
        return {
            address: in_one(there[tool, place], text)
            if place[0] == DESCRIPTION
            else there[tool, place]
            for address, (tool, place, text) in found.items()
            if (tool, place) in there
        }

    return FileArtifact(origin, "tools", segments, write, read)
