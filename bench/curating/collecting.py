"""Cost of collecting 50,000 API documents and merging near-duplicates."""

import json
import tempfile
from pathlib import Path

import msgspec
from bench.measuring import measured, peak, print_module

from dragoman.curation.api_datasets.ingestion.collect import collect
from dragoman.curation.api_datasets.ingestion.dedup import merge_duplicates
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import open_source
from dragoman.store.dataset import Dataset

DOCUMENTS = 50_000
SERVICES = DOCUMENTS * 5 // 10
"""Number of services; each has a document in OpenAPI."""

OLD = DOCUMENTS * 2 // 10
"""Number of services that also have an older document in Swagger 2.0, a near-duplicate."""

LISTED = DOCUMENTS * 3 // 10
"""Number of services that are also in a list, on pages of a thousand rows."""

IN_YAML = 10
"""Every tenth document is in YAML."""

PAGE = 1_000
FOLDER = 500
TARGET_S = 60.0


def print_collecting() -> None:
    """Measure in a separate process, because its memory is a result too."""
    print_module("bench.curating.collecting")


def write_sources(folder: Path, documents: int = DOCUMENTS) -> None:
    """Write documents of invented services; half of the documents are near-duplicates."""
    for number in range(SERVICES * documents // DOCUMENTS):
        place = folder / "new" / f"{number // FOLDER:03}"
        place.mkdir(parents=True, exist_ok=True)
        document = _document(number, "v2")
        if number % IN_YAML == 0:
            (place / f"{number}.yaml").write_bytes(msgspec.yaml.encode(document))
        else:
            (place / f"{number}.json").write_bytes(msgspec.json.encode(document))
    for number in range(OLD * documents // DOCUMENTS):
        place = folder / "old" / f"{number // FOLDER:03}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.json").write_text(json.dumps(_old_document(number)))
    listed = LISTED * documents // DOCUMENTS
    (folder / "lists").mkdir()
    for first in range(0, listed, PAGE):
        rows = "\n".join(_row(number) for number in range(first, min(first + PAGE, listed)))
        page = f"### Cities\n\n| API | Description | Auth |\n|---|---|---|\n{rows}\n"
        (folder / "lists" / f"{first}.md").write_text(page)


def _title(number: int) -> str:
    return f"Service {number:05} of city {number % 977}"


def _paths(number: int, version: str, parameter: dict[str, object]) -> dict[str, object]:
    answer = {"200": {"description": "OK"}}
    return {
        f"/{version}/things/{number}/{kind}": {
            "get": {
                "summary": f"{kind} of {number}",
                "parameters": [{"name": "city", "in": "query", "required": True, **parameter}],
                "responses": answer,
            }
        }
        for kind in ("places", "times", "prices")
    }


def _document(number: int, version: str) -> dict[str, object]:
    return {
        "openapi": "3.0.3",
        "info": {"title": _title(number), "description": "What a city has.", "x-country": "Chile"},
        "servers": [{"url": f"https://api{number % 1_999}.example{number}.org"}],
        "paths": _paths(number, version, {"schema": {"type": "string", "example": "Lima"}}),
    }


def _old_document(number: int) -> dict[str, object]:
    return {
        "swagger": "2.0",
        "info": {"title": _title(number)},
        "host": f"api{number % 1_999}.example{number}.org",
        "schemes": ["https"],
        "paths": _paths(number, "v1", {"type": "string"}),
    }


def _row(number: int) -> str:
    return f"| [{_title(number)}](https://www.example{number}.org/docs?utm_source=a) | A city | `apiKey` |"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "apis"
        sources.mkdir()
        write_sources(sources)
        with Dataset(Path(folder) / "dataset") as dataset, measured() as spent:
            found = collect(dataset, open_source(sources), SourceFacts("apis"), is_named=True)
            read_s, read_cpu = spent()
            merged = merge_duplicates(dataset)
            all_s, all_cpu = spent()
    assert found.found == DOCUMENTS
    assert merged.documents == SERVICES
    print(
        f"{DOCUMENTS:,} API documents collected in {read_s:.1f} s ({read_cpu:.1f} s of CPU), merged to "
        f"{merged.documents:,} in {all_s - read_s:.1f} s ({all_cpu - read_cpu:.1f} s of CPU; target "
        f"{TARGET_S:.0f} s together), {peak() >> 20} MiB at most"
    )


if __name__ == "__main__":
    main()
