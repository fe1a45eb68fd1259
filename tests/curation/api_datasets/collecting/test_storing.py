"""Documents of sources go into a dataset, where near-duplicates are merged."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
import pytest

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.ingestion.collect import (
    WORKER_TIMEOUTS,
    CollectedSource,
    CollectJob,
    collect,
    reading_there,
)
from dragoman.curation.api_datasets.ingestion.dedup import MergeCounts, merge_duplicates
from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
from dragoman.curation.api_datasets.ingestion.sources import open_source
from dragoman.distributed.worker_backends import process_pool
from dragoman.distributed.worker_pool import KilledWorkersError, TaskFn, WorkerSpec
from dragoman.store.dataset import Dataset, StoredItem

PAGE = "| API | Description |\n|--|--|\n| [A](https://a.example) | One |\n| [B](https://b.example) | Two |\n| C | |\n"


def openapi(title: str, *paths: str, **info: str) -> str:
    return json.dumps(
        {
            "openapi": "3.0.0",
            "info": {"title": title, **info},
            "servers": [{"url": "https://api.example"}],
            "paths": {path: {"get": {}} for path in paths},
        }
    )


@pytest.fixture
def apis(tmp_path: Path) -> Path:
    folder = tmp_path / "apis"
    folder.mkdir()
    (folder / "list.md").write_text(PAGE)
    (folder / "laws.json").write_text(openapi("Laws", "/v1/acts", "/v1/titles"))
    (folder / "LICENSE").write_text("free")
    return folder


@pytest.fixture
def dataset(tmp_path: Path) -> Iterator[Dataset]:
    with Dataset(tmp_path / "data") as opened:
        yield opened


def collected(dataset: Dataset, path: Path) -> CollectedSource:
    return collect(dataset, open_source(path), SourceFacts(path.name), is_named=False)


def ledger(dataset: Dataset, step: str) -> list[tuple[str, str, str, str]]:
    return [(line.kind, line.name, line.verdict, line.reason) for line in dataset.ledger(step)]


def documents(dataset: Dataset) -> list[ApiDocument]:
    return [
        item.record(ApiDocument) for item in dataset.active("document", after=("collect", "merge"))
    ]


def test_each_file_and_each_api_has_its_line(dataset: Dataset, apis: Path) -> None:
    assert collected(dataset, apis) == CollectedSource(
        "apis", files=3, refused=1, found=3, left_out=1, operations=2, operations_left_out=0
    )
    assert ledger(dataset, "collect") == [
        ("entry", "apis/laws.json", "kept", ""),
        ("entry", "apis/list.md#1", "kept", ""),
        ("entry", "apis/list.md#2", "kept", ""),
        ("entry", "apis/list.md#3", "dropped", "C: no link to a page of it"),
        (
            *("file", "apis/LICENSE", "dropped"),
            "no .json, .jsonl, .yaml, .yml or .md, packed with gzip or not",
        ),
        ("file", "apis/laws.json", "kept", ""),
        ("file", "apis/list.md", "kept", ""),
        ("operation", "apis/laws.json: GET get_v1_acts", "kept", ""),
        ("operation", "apis/laws.json: GET get_v1_titles", "kept", ""),
    ]


def test_near_duplicates_are_one_document_with_both_origins(dataset: Dataset, apis: Path) -> None:
    (apis / "old.json").write_text(openapi("Laws", "/v0/acts", license={"name": "MIT"}))  # type: ignore[arg-type]
    collected(dataset, apis)
    assert merge_duplicates(dataset) == MergeCounts(documents=3, exact=0, near=1)
    (laws,) = [each for each in documents(dataset) if each.tool_name == "Laws"]
    assert [(one.place, one.licence) for one in laws.origins] == [
        ("laws.json", ""),
        ("old.json", "MIT"),
    ]
    assert ("found", "apis/laws.json", "kept", "with 1 duplicate") in ledger(dataset, "merge")
    assert (
        *("found", "apis/old.json", "merged"),
        "near: a name like that, and 1 of 1 operations, of apis/laws.json",
    ) in ledger(dataset, "merge")


def test_the_same_command_again_changes_nothing(dataset: Dataset, apis: Path) -> None:
    collected(dataset, apis)
    merge_duplicates(dataset)
    before = [(item.name, item.digest) for item in dataset.items("document")], dataset.funnel()
    assert collected(dataset, apis).found == 3
    merge_duplicates(dataset)
    after = [(item.name, item.digest) for item in dataset.items("document")], dataset.funnel()
    assert before == after


def test_sources_give_the_same_documents_in_any_order(tmp_path: Path, apis: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "acts.json").write_text(openapi("Acts", "/v2/acts", "/v2/titles", "/v2/x"))
    (more / "page.md").write_text(PAGE)
    found = []
    for name, order in (("one", (apis, more)), ("two", (more, apis))):
        with Dataset(tmp_path / name) as dataset:
            for each in order:
                collected(dataset, each)
                merge_duplicates(dataset)
            found.append([(item.name, item.digest) for item in dataset.items("document")])
    assert found[0] == found[1]


def test_what_a_file_no_longer_has_is_gone(dataset: Dataset, apis: Path) -> None:
    collected(dataset, apis)
    merge_duplicates(dataset)
    (apis / "list.md").write_text("\n".join(PAGE.splitlines()[:3]) + "\n")
    (apis / "laws.json").write_text("{}")
    collected(dataset, apis)
    merge_duplicates(dataset)
    assert [each.tool_name for each in documents(dataset)] == ["A"]
    assert [item.name for item in dataset.items("found")] == ["apis/list.md#1"]


def test_an_id_does_not_change_with_descriptions_or_other_documents(
    dataset: Dataset, apis: Path
) -> None:
    collected(dataset, apis)
    merge_duplicates(dataset)
    before = {each.tool_name: each.id for each in documents(dataset)}
    (apis / "laws.json").write_text(openapi("Laws", "/v1/acts", "/v1/new", description="Changed"))
    (apis / "other.json").write_text(openapi("Other", "/other"))
    collected(dataset, apis)
    merge_duplicates(dataset)
    after = {each.tool_name: each.id for each in documents(dataset)}
    assert before.items() <= after.items()
    assert set(after) - set(before) == {"Other"}


def test_two_apis_of_one_name_and_host_have_two_ids(dataset: Dataset, apis: Path) -> None:
    (apis / "other.json").write_text(openapi("Laws", "/news", "/weather", "/sports"))
    collected(dataset, apis)
    merge_duplicates(dataset)
    first, second = sorted(each.id for each in documents(dataset) if each.tool_name == "Laws")
    assert second == f"{first}-2"


def test_another_source_of_the_same_name_is_refused(
    dataset: Dataset, apis: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere" / "apis"
    other.mkdir(parents=True)
    collected(dataset, apis)
    with pytest.raises(UsageError, match="another source called 'apis': name this one with"):
        collected(dataset, other)
    collect(dataset, open_source(other), SourceFacts("apis"), is_named=True)


def test_a_single_file_is_a_source_and_its_name_stands_once(dataset: Dataset, apis: Path) -> None:
    collected(dataset, apis / "list.md")
    assert [line.name for line in dataset.ledger("collect")] == [
        *("list.md#1", "list.md#2", "list.md#3"),
        "list.md",
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere", "no such file or folder"),
        ("https://example.org/api.json", "an address: download it, and name the file"),
    ],
)
def test_a_source_that_is_not_there_is_one_line(dataset: Dataset, path: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        collected(dataset, Path(path))


def test_what_was_interrupted_anywhere_and_repeated_is_as_if_never_interrupted(
    tmp_path: Path, apis: Path
) -> None:
    for number in range(6):
        (apis / f"{number}.json").write_text(openapi(f"Api {number}", f"/{number % 4}", "/all"))
    found = []
    for name, at in (("whole", 99), *((f"broken{at}", at) for at in range(1, 10, 2))):
        with Dataset(tmp_path / name) as dataset:
            calls = iter(range(1, 1_000))

            def stop(limit: int = at, calls: Iterator[int] = calls) -> None:
                if next(calls) == limit:
                    raise KeyboardInterrupt

            facts = SourceFacts("apis")
            with suppress(KeyboardInterrupt):
                collect(dataset, open_source(apis), facts, is_named=False, on_done=stop)
            merge_duplicates(dataset)
            collected(dataset, apis)
            merge_duplicates(dataset)
            lines = [*ledger(dataset, "collect"), *ledger(dataset, "merge")]
            found.append((lines, [(item.name, item.data) for item in dataset.items("document")]))
    assert all(each == found[0] for each in found)


def spread_over(root: Path, apis: Path) -> None:
    """Put documents, pieces of one, and refused files into folders."""
    for number in range(8):
        folder = root / f"town{number}"
        folder.mkdir(parents=True)
        (folder / "api.json").write_text(openapi(f"Api {number}", f"/{number % 4}", "/all"))
        (folder / "broken.yaml").write_text("a: b: c")
        for each in apis.iterdir():
            (folder / each.name).write_bytes(each.read_bytes())


@pytest.mark.slow
def test_two_processes_read_what_one_reads(tmp_path: Path, apis: Path) -> None:
    spread_over(tmp_path / "all", apis)
    found = []
    for name, pool in (("one", None), ("two", process_pool(2, WORKER_TIMEOUTS))):
        with Dataset(tmp_path / name) as dataset:
            source = open_source(tmp_path / "all")
            counts = collect(dataset, source, SourceFacts("all"), is_named=False, open_pool=pool)
            items = [(item.name, item.data) for item in dataset.items("found")]
            found.append((counts, ledger(dataset, "collect"), items))
    assert found[0] == found[1]
    assert found[0][0] == CollectedSource("all", 40, 16, 32, 8, 32, 0)


def test_files_of_a_folder_over_which_workers_died_are_refused(
    tmp_path: Path, apis: Path, dataset: Dataset
) -> None:
    spread_over(tmp_path / "all", apis)

    @asynccontextmanager
    async def dying(_: WorkerSpec) -> AsyncIterator[TaskFn]:
        async def do(item: bytes) -> bytes:
            if b"town3" in item:
                raise KilledWorkersError("3 worker processes died over it")
            async with reading_there(given) as read:
                return await read(item)

        yield do

    source = open_source(tmp_path / "all")
    given = msgspec.json.encode(CollectJob(source.path, SourceFacts("all"), fetches=False))
    counts = collect(dataset, source, SourceFacts("all"), is_named=False, open_pool=dying)
    assert (counts.files, counts.refused, counts.found) == (40, 14 + 5, 28)
    died = [name for _, name, _, why in ledger(dataset, "collect") if "processes died" in why]
    assert len(died) == 5
    assert all(name.startswith("all/town3/") for name in died)


def test_a_merge_that_is_interrupted_leaves_what_was_there(
    dataset: Dataset, apis: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected(dataset, apis)
    merge_duplicates(dataset)
    before = [(item.name, item.digest) for item in dataset.items("document")], dataset.funnel()
    reading = Dataset.find
    calls = iter(range(1, 1_000))

    def broken(self: Dataset, kind: str, name: str) -> StoredItem | None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return reading(self, kind, name)

    monkeypatch.setattr(Dataset, "find", broken)
    with pytest.raises(KeyboardInterrupt):
        merge_duplicates(dataset)
    monkeypatch.undo()
    assert (
        [(item.name, item.digest) for item in dataset.items("document")],
        dataset.funnel(),
    ) == before


def test_a_file_whose_name_is_no_utf_8_is_refused_alone(dataset: Dataset, apis: Path) -> None:
    (apis / os.fsdecode(b"caf\xe9.json")).write_text(openapi("Cafe", "/tables"))
    assert collected(dataset, apis).refused == 2
    assert ("file", "apis/caf\\udce9.json", "dropped", "its name is no UTF-8: rename it") in ledger(
        dataset, "collect"
    )
    assert ("entry", "apis/laws.json", "kept", "") in ledger(dataset, "collect")


def test_a_source_whose_name_is_no_utf_8_is_a_mistake_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.json")
    path.write_text("{}")
    with pytest.raises(UsageError, match="name is no UTF-8: rename it"):
        open_source(path)
