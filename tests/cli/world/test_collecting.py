"""Documents of the bundled world: the results of collecting are known, count by count."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.core.apis.documents import ApiDocument
from dragoman.curation.api_datasets.credential_removal import remove_credentials
from dragoman.curation.api_datasets.ingestion.collect import read_source
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import open_source
from dragoman.testing.itc_server import write_documents

Cli = Callable[..., CompletedProcess[str]]


def run_json(document: ApiDocument) -> object:
    """Return the facts of a document that its file states too."""
    operations = {
        each.name: (
            each.url,
            each.method,
            each.category,
            {one.name for one in each.required_parameters},
            {one.name for one in each.optional_parameters},
        )
        for each in document.api_list
    }
    return (document.country, document.language, document.home_url, operations)


@pytest.mark.slow
def test_countries_and_gone_apis_are_collected_and_their_listings_are_near_duplicates(
    dragoman: Cli,
) -> None:
    assert dragoman("world", "documents", "--out", "apis").returncode == 0
    done = dragoman("curate", "collect", "mine", "apis", "--json")
    assert done.returncode == 0, done.stderr
    collected = json.loads(done.stdout)
    assert collected["sources"] == [
        {
            "source": "apis",
            "files": 21,
            "refused": 0,
            "found": 35,
            "left_out": 0,
            "operations": 57,
            "operations_left_out": 0,
        }
    ]
    assert collected["merged"] == {"documents": 25, "exact": 8, "near": 2}


def test_the_documents_that_are_collected_are_those_of_the_tasks(tmp_path: Path) -> None:
    write_documents(tmp_path)
    read = read_source(open_source(tmp_path), SourceFacts("world"))
    found = {
        entry.document.tool_name: entry.document
        for file in read
        for entry in file.entries
        if entry.document is not None and entry.document.origins[0].form.startswith(("o", "s"))
    }
    known = {
        each.tool_name: remove_credentials(each).document for each in load_bundled_apis().documents
    }
    assert {name: run_json(each) for name, each in found.items()} == {
        name: run_json(each) for name, each in known.items()
    }
