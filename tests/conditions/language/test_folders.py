import gzip
from pathlib import Path

import pytest

from dragoman.conditions.language.artifacts import AssetFolder, domains_root, languages_of
from dragoman.core.errors import DataError


def test_a_packed_file_counts_under_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "tasks.json.gz").write_bytes(gzip.compress(b"[]"))
    (tmp_path / "policy.md").write_text("x", "utf-8")
    folder = AssetFolder(tmp_path)
    assert folder.names == ("policy.md", "tasks.json")
    assert folder.read("tasks.json") == b"[]"
    assert "tasks.json" in folder


def test_a_missing_and_a_damaged_file_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "db.json.gz").write_bytes(b"no gzip")
    (tmp_path / "policy.md").write_bytes(b"\xff\xfe")
    folder = AssetFolder(tmp_path)
    with pytest.raises(DataError, match=r"tools\.json not found"):
        folder.read("tools.json")
    with pytest.raises(DataError, match=r"db\.json\.gz cannot be read"):
        folder.read("db.json")
    with pytest.raises(DataError, match=r"policy\.md is not UTF-8 text"):
        folder.text("policy.md")


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert AssetFolder(tmp_path / "none").names == ()


@pytest.mark.parametrize("upstream", ["", "data/tau2/domains"])
def test_domains_are_found_in_a_folder_and_in_a_checkout(tmp_path: Path, upstream: str) -> None:
    for name in ("th", "en", "tasks", "zh"):
        (tmp_path / upstream / "retail" / name).mkdir(parents=True)
    for name in ("th", "en", "tasks"):
        (tmp_path / upstream / "retail" / name / "data_model.json").write_text("{}", "utf-8")
    root = domains_root(tmp_path)
    assert root == tmp_path / upstream
    assert languages_of(root / "retail") == ("th",)


def test_a_folder_without_translations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no translated domain"):
        domains_root(tmp_path)
    with pytest.raises(DataError, match="is not a folder"):
        domains_root(tmp_path / "none")
