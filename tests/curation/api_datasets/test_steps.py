"""Steps over a dataset process each item once, and continue after a kill."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import RunHalted
from dragoman.curation.api_datasets.pipeline import (
    CurationStep,
    StepFinding,
    rejected_file,
    run_step,
)
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome, StoredItem


class Word(msgspec.Struct, frozen=True):
    """A word."""

    text: str


WORDS = ("one", "three", "two")


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    dataset = Dataset(tmp_path)
    dataset.put(
        [
            StepOutcome(
                StepLine("collect", "file", word, "kept"),
                (NewItem("document", word, Word(word)),),
            )
            for word in WORDS
        ]
    )
    return dataset


class Looking:
    """A step that keeps documents without an h, and records the documents that it saw."""

    def __init__(self, *, fails_on: str = "", halts_on: str = "") -> None:
        self.fails_on, self.halts_on = fails_on, halts_on
        self.seen: list[str] = []

    async def __call__(self, item: StoredItem) -> StepFinding:
        self.seen.append(item.name)
        if item.name == self.halts_on:
            raise RunHalted("the budget is spent")
        if item.name == self.fails_on:
            return StepFinding("failed", "no answer")
        if "h" in item.name:
            return StepFinding("dropped", "it has an h")
        made = NewItem(
            "task", f"{item.name}!", item.record(Word), stands_on=(("document", item.name),)
        )
        return StepFinding("kept", made=(made,))


def step(look: Looking, *, version: str = "1", at_once: int = 1) -> CurationStep:
    return CurationStep("generate", version, "document", look, at_once=at_once)


def tasks(dataset: Dataset) -> list[str]:
    return [item.name for item in dataset.items("task")]


def test_each_item_is_looked_at_once(dataset: Dataset) -> None:
    look = Looking()
    done: list[int] = []
    asyncio.run(run_step(dataset, step(look), done.append))
    asyncio.run(run_step(dataset, step(look)))
    assert look.seen == ["one", "three", "two"]
    assert sum(done) == 3
    assert tasks(dataset) == ["one!", "two!"]
    assert [line.reason for line in dataset.ledger("generate")] == ["", "it has an h", ""]


def test_what_failed_is_tried_again_alone(dataset: Dataset) -> None:
    asyncio.run(run_step(dataset, step(Looking(fails_on="two"))))
    assert tasks(dataset) == ["one!"]
    again = Looking()
    asyncio.run(run_step(dataset, step(again)))
    assert again.seen == ["two"]
    assert tasks(dataset) == ["one!", "two!"]


def test_another_version_looks_at_all_again(dataset: Dataset) -> None:
    asyncio.run(run_step(dataset, step(Looking())))
    again = Looking()
    asyncio.run(run_step(dataset, step(again, version="2")))
    assert again.seen == ["one", "three", "two"]
    assert tasks(dataset) == ["one!", "two!"]


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_halt_keeps_what_was_found(dataset: Dataset, at_once: int) -> None:
    with pytest.raises(RunHalted):
        asyncio.run(run_step(dataset, step(Looking(halts_on="two"), at_once=at_once)))
    assert tasks(dataset) == ["one!"]
    again = Looking()
    asyncio.run(run_step(dataset, step(again)))
    assert again.seen == ["two"]


def test_what_an_earlier_step_drops_takes_what_was_made_of_it_along(dataset: Dataset) -> None:
    asyncio.run(run_step(dataset, step(Looking())))
    dataset.put([StepOutcome(StepLine("filter", "document", "two", "dropped", "it was dead"))])
    look = Looking()
    asyncio.run(run_step(dataset, step(look)))
    assert look.seen == []
    assert tasks(dataset) == ["one!"]


def test_a_file_that_is_no_document_has_its_line(dataset: Dataset) -> None:
    dataset.put([rejected_file("collect", "notes.md", "folder", "no table and no list of APIs")])
    assert ("dropped", "no table and no list of APIs") in [
        (line.verdict, line.reason) for line in dataset.ledger("collect")
    ]


def test_what_failed_and_is_dropped_upstream_has_no_line_left(dataset: Dataset) -> None:
    asyncio.run(run_step(dataset, step(Looking(fails_on="two"))))
    dataset.put([StepOutcome(StepLine("filter", "document", "two", "dropped", "it was dead"))])
    asyncio.run(run_step(dataset, step(Looking())))
    assert [line.name for line in dataset.ledger("generate")] == ["one", "three"]
