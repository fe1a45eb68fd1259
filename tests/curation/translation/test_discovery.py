"""Translatable files of a suite, and the artifacts that they become."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from dragoman.composition.conditions.language_artifacts import english_side
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.english_schemas import composed_schema
from dragoman.curation.translation.segments import TranslatableDomain
from dragoman.registry.suites import load_suite

OWN_SUITE = Path(__file__).parents[3] / "docs" / "examples" / "own_suite"


@pytest.fixture(scope="module")
def courier(tmp_path_factory: pytest.TempPathFactory) -> TranslatableDomain:
    return domain_of(load_suite("courier"), tmp_path_factory.mktemp("data"))


def test_courier_has_all_artifacts(courier: TranslatableDomain) -> None:
    assert courier.domain == "courier"
    assert [(each.name, each.component) for each in courier.artifacts] == [
        ("data_model.json", "schema"),
        ("tools.json", "tools"),
        ("user_tools.json", "tools"),
        ("tool_returns.json", "messages"),
        ("db.json", "database"),
        ("user_db.json", "database"),
        ("policy.md", "policy"),
        ("tasks.json", "tasks"),
    ]
    assert len({each.address for each in courier.segments}) == len(courier.segments)


def test_names_of_couriers_office_are_labels_and_each_is_there_once(
    courier: TranslatableDomain,
) -> None:
    names = Counter(
        (each.context, each.source)
        for each in courier.segments
        if each.context in {f"courier/label/{key}" for key in courier.english.declared.names}
    )
    assert set(names.values()) == {1}
    assert ("courier/label/Place", "Brackwater") in names
    assert ("courier/label/PersonName", "Odalys Ferreira") in names


def test_openings_facts_and_keywords_of_couriers_tasks_are_translated(
    courier: TranslatableDomain,
) -> None:
    places = Counter(
        "/".join(step for step in each.address.split("::")[1].split("/") if not step.isdecimal())
        for each in courier.segments
        if each.component == "tasks"
    )
    assert places["scenario/opening"] == places["scenario/instructions/reason_for_call"] == 33
    assert places["scenario/facts/value"] > 100
    assert places["scenario/facts/keywords"] > 500
    assert "criteria/must_say" not in places


def test_what_couriers_declarations_name_is_found_in_its_modules_and_databases(
    courier: TranslatableDomain, tmp_path: Path
) -> None:
    suite = load_suite("courier")
    english = suite.english()  # type: ignore[attr-defined]
    side = english_side(english, "", tmp_path)
    found = composed_schema("courier", english.databases, side).value_sets
    listed = courier.english.schemas["agent"].value_sets
    # The app's words for switches are part of a sentence and in no record; only people read sizes
    # and terminals.
    assert found.keys() ^ listed.keys() == {"Saying", "Size", "Visit.terminal"}
    for key in found.keys() & listed.keys():
        assert {each.canonical for each in found[key].values} == {
            each.canonical for each in listed[key].values
        }


def test_the_bundled_sample_is_translatable_without_anything_pulled(tmp_path: Path) -> None:
    domain = domain_of(load_suite("sample:shop"), tmp_path)
    names = [each.name for each in domain.artifacts]
    assert names == ["data_model.json", "tools.json", "db.json", "policy.md", "tasks.json"]
    components = {each.component for each in domain.segments}
    assert components == {"database", "policy", "tasks", "tools"}


@pytest.fixture
def lending(monkeypatch: pytest.MonkeyPatch) -> Suite:
    """The example of docs/how_to/own_suite.md."""
    monkeypatch.syspath_prepend(str(OWN_SUITE))
    for name in [name for name in sys.modules if name.split(".")[0] == "lending"]:
        monkeypatch.delitem(sys.modules, name)
    import lending.suite  # type: ignore[import-not-found] # it is imported from the documents

    suite: Suite = lending.suite.suite()
    return suite


def test_a_suite_of_ones_own_is_translatable(lending: Suite, tmp_path: Path) -> None:
    domain = domain_of(lending, tmp_path)
    found = {each.name: each for each in domain.artifacts}
    assert {"data_model.json", "tools.json", "db.toml", "policy.md", "tasks.json"} <= found.keys()
    assert [source.path for source in found["policy.md"].sources] == ["lending/policy.md"]
    texts = {each.source for each in domain.segments}
    assert "The Fiftieth Lantern" in texts
    assert "The borrower's full name." in texts
    assert found["db.toml"].written({}) == domain.english.files["library.toml"]


def test_a_suite_that_names_no_files_is_refused(tmp_path: Path) -> None:
    suite = type("Bare", (), {"name": "nobody:knows"})()
    with pytest.raises(UsageError, match="nobody:knows cannot be translated"):
        domain_of(suite, tmp_path)
