from collections.abc import Callable

import pytest

from dragoman.conditions.language.lint import artifact_checks
from dragoman.conditions.language.lint.assets import Found, LanguageAssets

Make = Callable[..., LanguageAssets]
Codes = Callable[[Found], list[tuple[str, str, int]]]

SOURCE = "data/tau2/domains/retail/policy.md"


def manifest(name: str = "policy.md", **more: object) -> dict[str, object]:
    entry = {"output_file": name, "source_files": [{"path": SOURCE, "sha256": "old"}], **more}
    return {"translation_manifest.json": {"assets": {name: entry}}}


def test_a_file_that_the_manifest_names_must_be_there(make: Make, codes: Codes) -> None:
    assets = make(manifest())
    assert codes(artifact_checks.missing_files(assets)) == [("missing-file", "policy.md", 1)]


def test_a_folder_without_a_manifest_lacks_a_file(make: Make, codes: Codes) -> None:
    assets = make({"policy.md": "x"})
    assert codes(artifact_checks.missing_files(assets)) == [
        ("missing-file", "translation_manifest.json", 1)
    ]
    assert codes(artifact_checks.stray_files(assets)) == []


def test_a_file_that_the_manifest_does_not_name_is_stray(make: Make, codes: Codes) -> None:
    assets = make({**manifest(), "policy.md": "x", "split_tasks.json": "{}"})
    assert codes(artifact_checks.stray_files(assets)) == [("stray-file", "split_tasks.json", 1)]
    assert codes(artifact_checks.missing_files(assets)) == []


def test_a_patch_by_hand_is_told(make: Make, codes: Codes) -> None:
    assets = make({**manifest(manual_patch_at="2026-05-10"), "policy.md": "x"})
    assert codes(artifact_checks.hand_patches(assets)) == [("hand-patched", "policy.md", 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nb\n\nc", ["stale-by-hash"]),
        ("# A\nb\nc\nd", ["stale-by-hash"]),
        ("# A\nb", ["stale-by-hash", "stale-by-content"]),
    ],
)
def test_an_old_hash_is_stale_and_missing_lines_show_it_in_the_text(
    make: Make, text: str, expected: list[str]
) -> None:
    assets = make(
        {**manifest(), "policy.md": text}, {"policy.md": "# A\nb\nc"}, hashes={SOURCE: "new"}
    )
    assert [each.code for each in artifact_checks.stale_files(assets)] == expected
    assert list(artifact_checks.lost_lines(assets)) == []


def test_lines_that_are_missing_without_another_hash_are_lost(make: Make, codes: Codes) -> None:
    assets = make(
        {**manifest(), "policy.md": "# A"}, {"policy.md": "# A\nb\nc"}, hashes={SOURCE: "old"}
    )
    assert codes(artifact_checks.stale_files(assets)) == []
    assert codes(artifact_checks.lost_lines(assets)) == [("line-lost", "policy.md", 2)]


def test_a_source_that_is_not_at_hand_is_told_and_never_stale(make: Make, codes: Codes) -> None:
    assets = make({**manifest(), "policy.md": "x"})
    assert codes(artifact_checks.unknown_sources(assets)) == [("source-unknown", "policy.md", 1)]
    assert codes(artifact_checks.stale_files(assets)) == []


def test_a_language_of_another_name_is_told(make: Make, codes: Codes) -> None:
    named = manifest(target_language="Chinese (Simplified)")
    assert codes(artifact_checks.language_names(make(named, name="Chinese"))) == [
        ("language-name", "policy.md", 1)
    ]


def test_a_language_of_the_same_name_or_an_unknown_one_is_not(make: Make) -> None:
    assets = make(manifest(target_language="Indonesian"), name="Indonesian")
    assert list(artifact_checks.language_names(assets)) == []
