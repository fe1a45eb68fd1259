"""Markdown: a whole document is one text, for its parts refer to each other."""

from collections.abc import Mapping

from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.errors import DataError
from dragoman.curation.translation.artifacts.file import FileArtifact, SourcedFile
from dragoman.curation.translation.segments import Segment, address_of

_WHOLE = ("full",)


def document_artifact(origin: SourcedFile, content: bytes) -> FileArtifact:
    """Return a Markdown file as an artifact.

    Raises:
        DataError: Where it is no UTF-8.
    """
    text = _decoded(content, origin.name)
    address = address_of(origin.name, _WHOLE)
    segment = Segment(address, "policy", text, "text", f"{origin.domain}/text")

    def write(texts: Mapping[str, str]) -> bytes:
        return texts.get(address, text).encode("utf-8")

    def read(translated: bytes, where: str) -> dict[str, str]:
        return {address: _decoded(translated, where)} if has_letters(text) else {}

    return FileArtifact(origin, "policy", (segment,) if has_letters(text) else (), write, read)


def _decoded(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is no UTF-8 text ({error.reason})") from error
