"""Existing translations, by their source texts."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.core.errors import DataError
from dragoman.curation.translation.discovery import (
    BLANK,
    DAMAGED,
    NO_FILE,
    NO_PLACE,
    OTHER_SOURCE,
    UNCHANGED,
    Unaligned,
    released_translations,
    renderings,
)
from dragoman.curation.translation.segments import TranslatableDomain

Library = Callable[..., TranslatableDomain]


def written(folder: Path, **files: object) -> AssetFolder:
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return AssetFolder(folder)


def test_a_translation_is_found_by_its_place_whatever_its_letters(
    library: Library, tmp_path: Path
) -> None:
    folder = written(
        tmp_path,
        tools__json={"lend": "借一本书。\n\nArgs:\n    number: 编号。"},
        db__json={"books": {key: {"name": "灯笼"} for key in ("B1", "B2", "B3")}},
        policy__md="# 规则\n",
        tasks__json=[{"id": "b", "ticket": "还书。"}, {"id": "a", "ticket": "借书。"}],
    )
    found = released_translations(library(), folder)
    assert found.unaligned == ()
    assert {pair.segment.address: pair.target for pair in found.pairs} == {
        "tools.json::lend/description": "借一本书。",
        "tools.json::lend/args/number": "编号。",
        "db.json::books/B1/name": "灯笼",
        "db.json::books/B2/name": "灯笼",
        "db.json::books/B3/name": "灯笼",
        "policy.md::full": "# 规则\n",
        "tasks.json::0/ticket": "借书。",
        "tasks.json::1/ticket": "还书。",
    }


def test_what_cannot_be_aligned_is_counted_with_its_reason(
    library: Library, tmp_path: Path
) -> None:
    folder = written(
        tmp_path,
        tools__json={"lend": "ยืม"},
        db__json={"books": {"B1": {"name": " "}, "B2": {"name": "Tides"}}},
        tasks__json="{",
    )
    found = released_translations(library(), folder)
    assert [pair.target for pair in found.pairs] == ["ยืม"]
    damaged = [each for each in found.unaligned if each.why.startswith(DAMAGED)]
    assert [each.file for each in damaged] == ["tasks.json"]
    assert [each for each in found.unaligned if each not in damaged] == [
        Unaligned("tools.json", NO_PLACE, ("tools.json::lend/args/number",)),
        Unaligned("db.json", BLANK, ("db.json::books/B1/name",)),
        Unaligned("db.json", UNCHANGED, ("db.json::books/B2/name",)),
        Unaligned("db.json", NO_PLACE, ("db.json::books/B3/name",)),
        Unaligned("policy.md", NO_FILE, ("policy.md::full",)),
    ]


def test_a_document_of_another_source_is_no_translation_of_this_one(
    library: Library, tmp_path: Path
) -> None:
    source = {"path": "library/policy.md", "sha256": "0" * 64}
    manifest = {"assets": {"policy.md": {"output_file": "policy.md", "source_files": [source]}}}
    folder = written(tmp_path, policy__md="กฎเก่า", translation_manifest__json=manifest)
    found = released_translations(library(), folder)
    assert found.pairs == ()
    assert Unaligned("policy.md", OTHER_SOURCE, ("policy.md::full",)) in found.unaligned


def test_a_damaged_manifest_is_named(library: Library, tmp_path: Path) -> None:
    folder = written(tmp_path, translation_manifest__json="[")
    with pytest.raises(DataError, match=r"translation_manifest\.json"):
        released_translations(library(), folder)


def test_of_several_renderings_the_usual_one_counts(library: Library, tmp_path: Path) -> None:
    names = {"B1": "โคมไฟ", "B2": "คลื่น", "B3": "โคมไฟ"}
    folder = written(
        tmp_path, db__json={"books": {key: {"name": each} for key, each in names.items()}}
    )
    lantern, tides = renderings(released_translations(library(), folder).pairs)
    assert (lantern.segment.source, lantern.target, lantern.times) == (
        "The Lantern",
        "โคมไฟ",
        {"โคมไฟ": 2},
    )
    assert tides.target == "คลื่น"
