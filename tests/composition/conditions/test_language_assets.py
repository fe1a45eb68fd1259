import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dragoman.composition.conditions.language_artifacts import lint_subjects, surface_of
from dragoman.core.errors import DataError, UsageError

SCHEMA = {"kind": "schema", "source_file": "data_model.py", "models": {}, "value_sets": {}}


def lay_out(root: Path, files: Mapping[str, object]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return root


@pytest.fixture
def data(pulled: Path) -> Path:
    """A folder of pulled data that has tau2-bench."""
    return pulled / "dragoman" / "data"


def test_the_english_side_lies_beside_translations_or_is_pulled(tmp_path: Path, data: Path) -> None:
    lay_out(
        tmp_path,
        {
            "retail/id/data_model.json": SCHEMA,
            "retail/en/policy.md": "The policy beside.",
            "languages.json": {
                "id": {
                    "code": "id",
                    "display_name": "Indonesian",
                    "instruction_label": "Indonesian",
                    "greeting": "Halo",
                }
            },
        },
    )
    (subject,) = lint_subjects(str(tmp_path), data)
    assert (subject.domain, subject.language) == ("retail", "id")
    assert subject.language_name == "Indonesian"
    assert subject.english.files["policy.md"] == b"The policy beside."
    assert len(json.loads(subject.english.files["tasks.json"])) == 114
    assert "cancel_pending_order" in subject.english.toolsets["agent"]


def test_a_checkout_has_its_hashes_in_its_modules_and_texts(tmp_path: Path, data: Path) -> None:
    lay_out(
        tmp_path,
        {
            "data/tau2/domains/telecom/th/data_model.json": SCHEMA,
            "data/tau2/domains/telecom/main_policy.md": "",
            "src/tau2/domains/telecom/tools.py": "",
        },
    )
    (subject,) = lint_subjects(str(tmp_path), data, languages=["th"])
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert subject.english.hashes["src/tau2/domains/telecom/tools.py"] == nothing
    assert subject.english.hashes["data/tau2/domains/telecom/main_policy.md"] == nothing


def test_hashes_that_a_folder_lists_count_before_others(tmp_path: Path, data: Path) -> None:
    path = "data/tau2/domains/retail/policy.md"
    lay_out(
        tmp_path,
        {"retail/id/data_model.json": SCHEMA, "sources.json": {"other": {path: "listed"}}},
    )
    (subject,) = lint_subjects(str(tmp_path), data)
    assert subject.english.hashes[path] == "listed"


def test_what_is_not_there_cannot_be_chosen(tmp_path: Path, data: Path) -> None:
    lay_out(tmp_path, {"retail/id/data_model.json": SCHEMA})
    with pytest.raises(UsageError, match="has no domain 'airline': choose retail"):
        list(lint_subjects(str(tmp_path), data, domains=["airline"]))
    with pytest.raises(UsageError, match="has no language 'th': choose id"):
        list(lint_subjects(str(tmp_path), data, languages=["th"]))
    with pytest.raises(UsageError, match="has no language 'th': choose id"):
        surface_of("retail", "th", str(tmp_path), data)


def test_a_choice_that_leaves_nothing_is_refused(tmp_path: Path, data: Path) -> None:
    lay_out(tmp_path, {"retail/id/data_model.json": SCHEMA, "airline/th/data_model.json": SCHEMA})
    with pytest.raises(UsageError, match="has airline in none of id"):
        list(lint_subjects(str(tmp_path), data, domains=["airline"], languages=["id"]))


def test_a_folder_without_a_domain_that_is_linted_is_refused_with_those_that_are(
    tmp_path: Path, data: Path
) -> None:
    lay_out(tmp_path, {"bfcl/th/translation_manifest.json": {}})
    with pytest.raises(UsageError, match=r"no domain that is linted: name a folder with .*retail"):
        list(lint_subjects(str(tmp_path), data))


def test_data_that_were_not_pulled_are_named_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="run `dragoman data pull seataubench`"):
        list(lint_subjects("seataubench", tmp_path))
    lay_out(tmp_path, {"retail/id/data_model.json": SCHEMA})
    with pytest.raises(DataError, match="run `dragoman data pull tau2`"):
        list(lint_subjects(str(tmp_path), tmp_path))


def test_a_damaged_list_beside_the_artifacts_is_told(tmp_path: Path, data: Path) -> None:
    lay_out(
        tmp_path,
        {
            "retail/id/data_model.json": SCHEMA,
            "english_fields.json": {"retail/data_model.json": {"kind": "table"}},
        },
    )
    with pytest.raises(DataError, match=r"english_fields\.json: "):
        list(lint_subjects(str(tmp_path), data))
