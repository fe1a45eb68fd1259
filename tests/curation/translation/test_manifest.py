"""The manifest of a translated folder, and the files next to it."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dragoman.conditions.language.artifacts import TranslationManifest
from dragoman.core.errors import DataError, StoreError
from dragoman.core.version import VERSION
from dragoman.curation.translation.manifest import MadeBy, merge_manifest, write_translations
from dragoman.curation.translation.segments import TranslatableDomain

Library = Callable[..., TranslatableDomain]
Translate = Callable[[TranslatableDomain], dict[str, str]]


def test_files_and_manifest_are_written_together(
    library: Library, made: MadeBy, translated: Translate, tmp_path: Path
) -> None:
    domain = library()
    texts = translated(domain)
    by_name = {artifact.name: made for artifact in domain.artifacts}
    names = write_translations(tmp_path / "th", dict.fromkeys(domain.artifacts, texts), by_name)
    assert names == ("tools.json", "db.json", "policy.md", "tasks.json")
    manifest = json.loads((tmp_path / "th" / "translation_manifest.json").read_bytes())
    assert manifest["generated_at"] == made.translated_at
    policy = manifest["assets"]["policy.md"]
    content = (tmp_path / "th" / "policy.md").read_bytes()
    assert content.decode() == "ก # RULES\n"
    texts_of_policy = policy.pop("texts")
    assert len(texts_of_policy) == 1
    assert policy == {
        "component": "policy",
        "output_file": "policy.md",
        "model": "some/model",
        "source_language": "English",
        "target_language": "Thai",
        "translated_at": made.translated_at,
        "source_files": [
            {"path": "library/policy.md", "sha256": hashlib.sha256(b"# Rules\n").hexdigest()}
        ],
        "output_sha256": hashlib.sha256(content).hexdigest(),
        "tool_version": VERSION,
        "prompt_version": "translate-1",
        "review": "machine",
        "untranslated": 0,
    }
    assert manifest["assets"]["db.json"]["component"] == "db"
    assert len(manifest["assets"]["db.json"]["texts"]) == 2
    assert sorted(path.name for path in (tmp_path / "th").iterdir()) == sorted(
        [*names, "translation_manifest.json"]
    )


def test_what_is_written_again_as_it_was_keeps_its_date(
    library: Library, made: MadeBy, translated: Translate, tmp_path: Path
) -> None:
    domain = library()
    files = dict.fromkeys(domain.artifacts, translated(domain))
    path = tmp_path / "translation_manifest.json"

    def write(by: MadeBy) -> None:
        write_translations(tmp_path, files, dict.fromkeys([each.name for each in files], by))

    write(made)
    before = path.read_bytes()
    later = msgspec.structs.replace(made, translated_at="2099-01-01T00:00:00+00:00")
    write(later)
    assert path.read_bytes() == before
    write(msgspec.structs.replace(later, review="reviewed"))
    assert json.loads(path.read_bytes())["generated_at"] == later.translated_at


def test_a_manifest_of_ours_is_read_like_a_released_one(
    library: Library, made: MadeBy, translated: Translate, tmp_path: Path
) -> None:
    domain = library()
    (policy,) = (each for each in domain.artifacts if each.name == "policy.md")
    write_translations(tmp_path, {policy: translated(domain)}, {"policy.md": made})
    content = (tmp_path / "translation_manifest.json").read_bytes()
    read = msgspec.json.decode(content, type=TranslationManifest)
    assert read.assets["policy.md"].target_language == "Thai"
    assert read.assets["policy.md"].output_sha256 is not None


def test_what_others_wrote_into_a_manifest_stays() -> None:
    before = {
        "assets": {
            "policy.md": {"model": "old", "reviewer": "Anh", "manual_patch_at": "2026-05-10"},
            "tools.json": {"model": "other", "source_files": []},
        },
        "pipeline": "theirs",
    }
    after = json.loads(
        merge_manifest(json.dumps(before).encode(), {"policy.md": {"model": "new"}}, "now", "there")
    )
    assert after == {
        "assets": {
            "policy.md": {"model": "new", "reviewer": "Anh"},
            "tools.json": {"model": "other", "source_files": []},
        },
        "pipeline": "theirs",
        "generated_at": "now",
    }


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"assets": []}', b'{"assets": {"a": 1}}'])
def test_a_damaged_manifest_is_named_and_nothing_is_written(
    library: Library, made: MadeBy, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "translation_manifest.json").write_bytes(content)
    artifact = library().artifacts[0]
    with pytest.raises(DataError, match=r"translation_manifest\.json"):
        write_translations(tmp_path, {artifact: {}}, {artifact.name: made})
    assert [path.name for path in tmp_path.iterdir()] == ["translation_manifest.json"]


def test_a_folder_that_cannot_be_written_is_named(
    library: Library, made: MadeBy, tmp_path: Path
) -> None:
    (tmp_path / "th").write_text("a file")
    artifact = library().artifacts[0]
    with pytest.raises(StoreError, match="th: a file, where a folder is needed"):
        write_translations(tmp_path / "th", {artifact: {}}, {artifact.name: made})
