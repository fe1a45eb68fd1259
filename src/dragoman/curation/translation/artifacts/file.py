"""One file that can be translated, whatever its format."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from dragoman.conditions.language.artifacts import SourceHash
from dragoman.curation.translation.segments import Component, Segment

Write = Callable[[Mapping[str, str]], bytes]
"""Returns a file with translations by address in it; see `Artifact.written`."""

Read = Callable[[bytes, str], dict[str, str]]
"""Returns the texts of a translated file by address; see `Artifact.translations`."""


class SourcedFile(NamedTuple):
    """Where an artifact comes from: the name of its file, its domain, and its sources."""

    name: str
    domain: str
    sources: tuple[SourceHash, ...]


class FileArtifact:
    """A file with its segments, and the two ways of its format."""

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
        """Return the file with translations in the places of its segments."""
        return self._write(texts)

    def translations(self, content: bytes, where: str) -> dict[str, str]:
        """Return what a translated file has in the places of the segments, by their address."""
        return self._read(content, where)
