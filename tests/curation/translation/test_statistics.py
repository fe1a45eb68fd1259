"""Counts of translatable texts, and of the texts that a language already has."""

import json
from collections.abc import Callable
from pathlib import Path

from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.curation.translation.discovery import NO_FILE, UNCHANGED
from dragoman.curation.translation.segments import TranslatableDomain
from dragoman.curation.translation.statistics import (
    CollectionCount,
    FileCount,
    InstanceCount,
    statistics_in,
    statistics_of,
)

Library = Callable[..., TranslatableDomain]


def test_a_domain_is_counted_in_files_texts_and_records(library: Library) -> None:
    found = statistics_of(
        library(database={"books": {"B1": {"name": "Tides"}}, "desk": {"open": 1}})
    )
    assert found.instances == InstanceCount(files=4, tasks=2, docstrings=1, policies=1, messages=0)
    assert found.files[:2] == (
        FileCount("tools.json", "tools", 2, 2, len("Lend a book.The number.")),
        FileCount("db.json", "database", 1, 1, len("Tides")),
    )
    assert found.collections == (
        CollectionCount("db.json", "books", 1),
        CollectionCount("db.json", "desk", 1),
    )
    assert (found.segments, found.schemas, found.splits) == (6, (), {})


def test_equal_texts_of_a_context_are_one(library: Library) -> None:
    found = statistics_of(library())
    assert (found.segments, found.texts) == (8, 6)  # a name, and a text of a tool and a task
    database = found.files[1]
    assert (database.segments, database.texts) == (3, 2)


def test_a_language_is_counted_in_what_its_files_have(library: Library, tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps([{"id": "a", "ticket": "借书。"}]))
    (tmp_path / "policy.md").write_text("# Rules\n")
    found = statistics_in(library(), AssetFolder(tmp_path), "zh")
    assert found.instances == InstanceCount(files=2, tasks=1, docstrings=0, policies=1, messages=0)
    assert found.translated == 1
    assert found.left[UNCHANGED] == 1
    assert found.left[NO_FILE] == 5
    assert found.translated + sum(found.left.values()) == 8
