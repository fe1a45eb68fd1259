"""Translated files that are out of date, and their texts that are."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman.conditions.language.artifacts import AssetFolder
from dragoman.curation.translation.manifest import (
    MadeBy,
    StaleFile,
    stale_files,
    write_translations,
)
from dragoman.curation.translation.segments import TranslatableDomain

Library = Callable[..., TranslatableDomain]
Translate = Callable[[TranslatableDomain], dict[str, str]]


@pytest.fixture
def thai(library: Library, made: MadeBy, translated: Translate, tmp_path: Path) -> Path:
    """A folder with everything translated."""
    domain = library()
    by_name = {artifact.name: made for artifact in domain.artifacts}
    write_translations(tmp_path, dict.fromkeys(domain.artifacts, translated(domain)), by_name)
    return tmp_path


def test_nothing_is_stale_where_nothing_changed(library: Library, thai: Path) -> None:
    assert stale_files(library(), AssetFolder(thai)) == ()


def test_of_a_changed_source_the_new_texts_are_stale(library: Library, thai: Path) -> None:
    database = json.loads(library().english.files["db.json"])
    database["books"]["B4"] = {"name": "Reeds", "copies": 1}
    assert stale_files(library(database=database), AssetFolder(thai)) == (
        StaleFile("db.json", "source changed", ("db.json::books/B4/name",)),
    )


def test_texts_that_only_moved_need_no_translation(library: Library, thai: Path) -> None:
    tasks = json.loads(library().english.files["tasks.json"])
    found = stale_files(library(tasks=tasks[::-1]), AssetFolder(thai))
    assert found == (StaleFile("tasks.json", "source changed", ()),)
    assert found[0].is_to_be_translated


def test_of_an_edited_file_the_edited_texts_are_named(library: Library, thai: Path) -> None:
    edited = json.loads((thai / "db.json").read_bytes())
    edited["books"]["B2"]["name"] = "กระแสน้ำ"
    (thai / "db.json").write_text(json.dumps(edited))
    found = stale_files(library(), AssetFolder(thai))
    assert found == (StaleFile("db.json", "edited by hand", ("db.json::books/B2/name",)),)
    assert not found[0].is_to_be_translated


def test_a_file_may_be_edited_and_of_an_old_source(library: Library, thai: Path) -> None:
    (thai / "policy.md").write_text("แก้แล้ว")
    reasons = [each.why for each in stale_files(library(policy="# Other\n"), AssetFolder(thai))]
    assert reasons == ["source changed", "edited by hand"]


def test_a_file_that_is_gone_is_stale_as_a_whole(library: Library, thai: Path) -> None:
    (thai / "policy.md").unlink()
    (found,) = stale_files(library(), AssetFolder(thai))
    assert found == StaleFile("policy.md", "missing", ("policy.md::full",), is_whole=True)


Edit = Callable[[dict[str, dict[str, object]]], object]


@pytest.mark.parametrize(
    ("edit", "why", "addresses"),
    [
        (lambda assets: assets.pop("policy.md"), "not recorded", ("policy.md::full",)),
        (
            lambda assets: assets["policy.md"].update(manual_patch_at="2026-05-10"),
            "edited by hand",
            (),
        ),
        (
            lambda assets: assets["policy.md"].update(
                source_files=[{"path": "library/policy.md", "sha256": "0" * 64}], texts={}
            ),
            "source changed",
            ("policy.md::full",),
        ),
    ],
)
def test_where_nothing_tells_which_texts_the_whole_file_is_named(
    library: Library, thai: Path, edit: Edit, why: str, addresses: tuple[str, ...]
) -> None:
    path = thai / "translation_manifest.json"
    manifest = json.loads(path.read_bytes())
    edit(manifest["assets"])
    path.write_text(json.dumps(manifest))
    (found,) = stale_files(library(), AssetFolder(thai))
    assert (found.file, found.why, found.addresses) == ("policy.md", why, addresses)
    assert found.is_whole


def test_a_source_that_nobody_knows_says_nothing(library: Library, thai: Path) -> None:
    path = thai / "translation_manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["assets"]["policy.md"]["source_files"] = [{"path": "elsewhere", "sha256": "0" * 64}]
    path.write_text(json.dumps(manifest))
    assert stale_files(library(), AssetFolder(thai)) == ()
