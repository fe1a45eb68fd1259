"""courier in other languages: the bundled ones, and a folder of one's own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.composition.conditions.language_artifacts import lint_subjects
from dragoman.composition.setup import Setup, build_setup
from dragoman.conditions.language.lint.linter import lint
from dragoman.config.run_config import RunConfig
from dragoman.core.errors import DataError, UsageError
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tools import ToolCall

RunJson = Callable[..., Any]

CLAIMS = {
    "kind": "literal",
    "values": [
        {"canonical": "loss", "localized": "สูญหาย"},
        {"canonical": "damage", "localized": "เสียหาย"},
    ],
}
SCHEMA = {
    "kind": "schema",
    "source_file": "records.py",
    "models": {},
    "value_sets": {"ClaimKind": CLAIMS},
}
TOOLS = {
    "file_claim": (
        "ยื่นคำร้องสำหรับพัสดุ\n\nArgs:\n    tracking_number: หมายเลขพัสดุ\n    kind: ประเภทของคำร้อง"
    )
}


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    folder = tmp_path / "courier" / "th"
    folder.mkdir(parents=True)
    (folder / "data_model.json").write_text(json.dumps(SCHEMA), "utf-8")
    (folder / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    return tmp_path


def courier(assets: Path | str, scenario: str = "tools", language: str = "th") -> Setup:
    config = RunConfig(
        "courier", ("gold",), languages=(language,), scenarios=(scenario,), assets=str(assets)
    )
    return build_setup(config)


def test_an_agent_sees_tools_in_the_language_and_its_labels_reach_the_world(assets: Path) -> None:
    setup = courier(assets)
    (condition,) = setup.conditions
    view = setup.localization(condition).views["agent"]
    environment = setup.suite.factory(DEFAULT_RULES)(setup.suite.tasks[0])

    shown = view.show(environment.tools("agent")).by_name["file_claim"]
    assert shown.description == "ยื่นคำร้องสำหรับพัสดุ"
    properties: Any = shown.parameters["properties"]
    assert properties["kind"]["enum"] == ["เสียหาย", "สูญหาย"]
    call = ToolCall("1", "file_claim", {"tracking_number": "KX1", "kind": "เสียหาย"})
    assert view.canonical(call).arguments == {"tracking_number": "KX1", "kind": "damage"}
    plain = view.show(environment.tools("agent")).by_name["waive_fee"]
    assert plain.description == environment.tools("agent").by_name["waive_fee"].description


def test_the_gold_of_a_task_passes_with_translated_tools(run_json: RunJson, assets: Path) -> None:
    options = ("--language", "th", "--scenario", "tools", "--assets", str(assets))
    result = run_json("run", "courier:hardest", "--agent", "gold", "--limit", "4", *options)
    (cell,) = result["cells"]
    assert cell["condition"] == "th:tools/text/none"
    assert cell["pass_hat"] == {"1": 1}


def test_what_is_missing_is_told_in_one_line(assets: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"artifacts in id, th, .*, not in ms; use --scen"):
        courier("", language="docs/examples/ms.toml")
    with pytest.raises(UsageError, match="courier has translated artifacts in th, not in vi; use"):
        courier(assets, language="vi")
    (assets / "courier").rename(tmp_path / "retail")
    with pytest.raises(UsageError, match="has no domain 'courier': name a folder that holds"):
        courier(assets)


def test_artifacts_of_a_suite_of_our_own_are_linted_beside_its_english_side(
    assets: Path, tmp_path: Path
) -> None:
    (subject,) = lint_subjects(str(assets), tmp_path)
    assert (subject.domain, subject.language) == ("courier", "th")
    assert "file_claim" in subject.english.toolsets["agent"]
    assert subject.english.files["policy.md"].startswith(b"#")


# Bundled languages


def bundled_languages() -> tuple[str, ...]:
    subjects = lint_subjects("courier", Path())
    return tuple(subject.language for subject in subjects)


@pytest.mark.parametrize("language", bundled_languages())
def test_gold_passes_in_every_language_and_nothing_that_is_seen_is_english(
    run_json: RunJson, language: str
) -> None:
    (found,) = run_json("check", "courier", "--language", language)["checks"]
    assert found["condition"] == f"{language}:domain/text/none"
    assert (found["passed"], found["tasks"]) == (33, 33)
    assert (found["failing"], found["other_states"], found["refused"]) == ([], [], [])
    assert found["notes"] == []
    assert found["labels"] > 500
    (subject,) = lint_subjects("courier", Path(), languages=[language])
    english = {part["kind"]: part["english"] for part in found["coverage"] if part["texts"]}
    assert set(english) >= {"tools of the agent", "tools of the user", "results", "policy"}
    assert english.pop("keys of results") > 0
    assert english.pop("results") <= len(subject.same_as_english)
    assert set(english.values()) == {0}


@pytest.mark.parametrize("language", bundled_languages())
def test_the_linter_finds_nothing_in_what_comes_with_it(language: str) -> None:
    (subject,) = lint_subjects("courier", Path(), languages=[language])
    assert [f"{each.code}: {each.place} {each.what}" for each in lint(subject)] == []


def test_names_are_english_until_the_database_is_in_the_language() -> None:
    names = {"name": "Stephen Marsh", "email": "stephen.marsh@example.com"}
    find = ToolCall("1", "find_customers_by_name", {"name": "Stephen Marsh", "postcode": "AL-2217"})
    shown: dict[str, dict[str, Any]] = {}
    for scenario in ("tools", "tools+database"):
        setup = courier("", scenario)
        view = setup.localization(setup.conditions[0]).views["agent"]
        environment = setup.suite.factory(DEFAULT_RULES)(setup.suite.tasks[0])
        (shown[scenario],) = json.loads(view.present(environment.call(find), find).content)
        name = shown[scenario]["name"]
        call = ToolCall("2", find.name, {"name": name, "postcode": "AL-2217"})
        assert view.canonical(call).arguments == find.arguments
        properties: Any = view.show(environment.tools("agent")).by_name[find.name].parameters
        assert "enum" not in properties["properties"]["name"]

    assert {key: shown["tools"][key] for key in names} == names
    assert shown["tools"]["plan"] == shown["tools+database"]["plan"] != "basic"
    for key, text in names.items():
        assert shown["tools+database"][key] != text


def test_a_text_that_is_no_name_reaches_the_tool_as_it_is() -> None:
    setup = courier("", "domain")
    view = setup.localization(setup.conditions[0]).views["agent"]
    for name, argument, text in (
        ("find_customer_by_contact", "contact", "+44 7700 900102"),
        ("find_customers_by_name", "name", "Stephen Marsh"),
        ("change_address", "street", "ถนนที่ไม่มีอยู่"),
    ):
        call = ToolCall("1", name, {argument: text})
        assert view.canonical(call) == call


def test_users_who_say_names_that_the_database_lacks_are_told_of() -> None:
    setup = courier("", "conversation+tasks")
    (note,) = setup.localization(setup.conditions[0]).record.notes
    assert "its database is English" in note
    setup = courier("", "domain")
    assert setup.localization(setup.conditions[0]).record.notes == ()


def test_a_folder_of_ones_own_stands_in_for_what_comes_with_it(assets: Path) -> None:
    setup = courier(assets, "tools+database")
    localization = setup.localization(setup.conditions[0])
    assert set(localization.record.assets) == {
        "courier/th/data_model.json",
        "courier/th/tools.json",
    }
    (note,) = localization.record.notes
    assert note.startswith("th: no Contents, Country, Email")


def test_what_must_be_said_may_be_said_in_the_language() -> None:
    setup = courier("", "domain")
    wording = setup.localization(setup.conditions[0]).wording(setup.suite.tasks[0])
    must = {
        text
        for task in setup.suite.tasks
        for text in (task.criteria.communicate_info if task.criteria else ())
        if not text.replace(".", "").replace(":", "").isdecimal()
    }
    assert must == {"Brackwater", "invoice", "17 March", "Aldermoor", "Pennick Station"}
    assert must <= wording.labels.keys()


def test_the_list_of_languages_names_the_suites_that_have_artifacts(dragoman: RunJson) -> None:
    lines = dragoman("list", "languages").stdout.splitlines()
    shown = {line.split()[0] for line in lines if line.endswith("; artifacts of courier")}
    assert shown == set(bundled_languages()) == {"id", "th", "tl", "vi", "zh"}


def test_a_task_with_other_facts_than_in_english_is_refused(tmp_path: Path) -> None:
    (subject,) = lint_subjects("courier", Path(), languages=["th"])
    folder = tmp_path / "courier" / "th"
    folder.mkdir(parents=True)
    for name in subject.folder.names:
        (folder / name).write_bytes(subject.folder.read(name))
    tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    tasks[0]["scenario"]["facts"][0]["name"] = "nickname"
    (folder / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    with pytest.raises(DataError, match="where-is-my-parcel has other facts or user actions"):
        courier(tmp_path, "domain")
    (subject,) = lint_subjects(str(tmp_path), Path())
    assert {each.code for each in lint(subject)} == {"hand-patched", "fixed-leaf-changed"}
