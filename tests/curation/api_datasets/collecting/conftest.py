"""Sources of a few files, read."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dragoman.core.apis.documents import ApiDocument
from dragoman.curation.api_datasets.ingestion.collect import ReadSourceFile, read_source
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import open_source

Read = Callable[..., dict[str, ReadSourceFile]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a folder of files, given by their places, and return the result of each."""

    def call(files: Mapping[str, str | bytes], **facts: str) -> dict[str, ReadSourceFile]:
        for place, content in files.items():
            path = tmp_path / "source" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        source = open_source(tmp_path / "source")
        return {each.place: each for each in read_source(source, SourceFacts("mine", **facts))}

    return call


@pytest.fixture
def the_document(read: Read) -> Callable[..., ApiDocument]:
    """Read one file and return the one document in it."""

    def call(content: str, name: str = "api.yaml", **facts: str) -> ApiDocument:
        reading = read({name: content}, **facts)[name]
        assert reading.refused == ""
        (entry,) = reading.entries
        assert entry.document is not None, entry.remark
        return entry.document

    return call
