"""Datasets: items, the items that they are derived from, and a ledger of outcomes."""

import sqlite3
import sys
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import StoreError
from dragoman.core.usage import Usage
from dragoman.store.dataset import FILE, Dataset, FunnelCount, NewItem, StepLine, StepOutcome


class Thing(msgspec.Struct, frozen=True):
    """Something that is kept."""

    text: str


def outcome(step: str, kind: str, name: str, *made: NewItem, verdict: str = "kept") -> StepOutcome:
    line = {"step": step, "kind": kind, "name": name, "verdict": verdict, "source": "a list"}
    return StepOutcome(msgspec.convert(line, StepLine), made)


def collected(*names: str) -> list[StepOutcome]:
    return [
        outcome("collect", "file", name, NewItem("document", name, Thing(name))) for name in names
    ]


def names(dataset: Dataset, kind: str, *after: str) -> list[str]:
    return [item.name for item in dataset.active(kind, after=after)]


def test_items_come_back_by_name_whatever_their_order(tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        dataset.put(collected("b", "a"))
    with Dataset(tmp_path, write=False) as dataset:
        assert [item.record(Thing) for item in dataset.items("document")] == [
            Thing("a"),
            Thing("b"),
        ]
        assert [item.source for item in dataset.items("document")] == ["a list", "a list"]
        assert dataset.find("document", "c") is None


def test_an_item_falls_with_what_it_stands_on(tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        dataset.put(collected("a", "b"))
        task = NewItem("task", "t", Thing("?"), stands_on=(("document", "a"),))
        rating = NewItem("rating", "r", Thing("5"), stands_on=(("task", "t"),))
        dataset.put([outcome("generate", "document", "a", task)])
        dataset.put([outcome("rate", "task", "t", rating)])
        assert names(dataset, "rating", "filter") == ["r"]
        dataset.put([outcome("filter", "document", "a", verdict="dropped")])
        assert names(dataset, "rating", "filter") == []
        assert names(dataset, "document", "filter") == ["b"]
        assert names(dataset, "rating") == ["r"]


def test_a_step_that_looks_again_replaces_what_it_made(tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        first = [NewItem("task", name, Thing(name)) for name in ("t1", "t2")]
        dataset.put([outcome("generate", "document", "a", *first)])
        dataset.put([outcome("generate", "document", "a", NewItem("task", "t3", Thing("!")))])
        assert names(dataset, "task") == ["t3"]
        dataset.forget("generate", [("document", "a")])
        assert names(dataset, "task") == []
        assert list(dataset.ledger()) == []


def test_the_funnel_counts_by_step_and_source(tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        dataset.put(collected("a", "b", "c"))
        dataset.put(
            [
                outcome("filter", "document", "a"),
                outcome("filter", "document", "b", verdict="dropped"),
                outcome("filter", "document", "c", verdict="failed"),
            ]
        )
        first, second = dataset.funnel()
    assert first == FunnelCount("collect", "file", "a list", kept=3)
    assert second == FunnelCount("filter", "document", "a list", kept=1, dropped=1, failed=1)
    assert second.seen == 3


def test_outcomes_are_stored_all_or_none(tmp_path: Path) -> None:
    same = NewItem("task", "t", Thing("!"))
    with Dataset(tmp_path) as dataset:
        with pytest.raises(StoreError, match="two items of one name"):
            dataset.put([outcome("g", "document", "a", same), outcome("g", "document", "b", same)])
        assert names(dataset, "task") == []
        assert list(dataset.ledger()) == []


def test_what_steps_consumed_is_added_up(tmp_path: Path) -> None:
    used = Usage("generate", "m", input_tokens=3, output_tokens=4)
    with Dataset(tmp_path) as dataset:
        dataset.put([StepOutcome(StepLine("generate", "document", "a", "kept"), (), (used, used))])
        assert [each.calls for each in dataset.usage()["generate"]] == [2]


def test_an_item_that_was_changed_by_hand_is_refused(tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        dataset.put(collected("a"))
    with sqlite3.connect(tmp_path / FILE) as file:
        file.execute("UPDATE items SET source = 'elsewhere'")
    with Dataset(tmp_path) as dataset, pytest.raises(StoreError, match="document 'a' is damaged"):
        list(dataset.items("document"))


def test_a_folder_without_a_dataset_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no dataset here: name the folder"):
        Dataset(tmp_path, write=False)


def test_a_database_with_a_trigger_is_no_dataset(tmp_path: Path) -> None:
    Dataset(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as file:
        file.execute("CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM ledger; END")
    with pytest.raises(StoreError, match="no dataset"):
        Dataset(tmp_path)


def test_an_error_amid_reading_is_the_only_one_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    items = None
    with Dataset(tmp_path) as dataset:
        dataset.put(collected("a", "b"))
        items = dataset.items("document")
        assert next(items).name == "a"
    del items
    assert reported == []


def test_what_a_step_says_anew_takes_the_place_of_all_that_it_said(tmp_path: Path) -> None:
    with Dataset(tmp_path) as dataset:
        dataset.put(collected("a", "b"))
        on_a = NewItem("twin", "t", Thing("t"), stands_on=(("document", "a"),))
        dataset.put([outcome("merge", "document", "b", on_a)])
        anew = [
            outcome("merge", "document", "a", NewItem("twin", "t", Thing("t")), verdict="dropped")
        ]
        dataset.replace("merge", iter(anew))
        assert [line.name for line in dataset.ledger("merge")] == ["a"]
        assert names(dataset, "twin", "merge") == ["t"]
        assert names(dataset, "document", "collect") == ["a", "b"]
