"""A suite of our own with translated tools: a folder of artifacts is all that it takes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman.core.errors import UsageError
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tools import ToolCall
from dragoman.wiring.conditions.language_assets import lint_subjects
from dragoman.wiring.grid.config import RunConfig
from dragoman.wiring.setup import Setup, build_setup

Told = Callable[..., Any]

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
    world = setup.suite.factory(DEFAULT_RULES)(setup.suite.tasks[0])

    shown = view.show(world.tools("agent")).by_name["file_claim"]
    assert shown.description == "ยื่นคำร้องสำหรับพัสดุ"
    properties: Any = shown.parameters["properties"]
    assert properties["kind"]["enum"] == ["เสียหาย", "สูญหาย"]
    call = ToolCall("1", "file_claim", {"tracking_number": "KX1", "kind": "เสียหาย"})
    assert view.canonical(call).arguments == {"tracking_number": "KX1", "kind": "damage"}
    plain = view.show(world.tools("agent")).by_name["waive_fee"]
    assert plain.description == world.tools("agent").by_name["waive_fee"].description


def test_the_gold_of_a_task_passes_with_translated_tools(told: Told, assets: Path) -> None:
    options = ("--language", "th", "--scenario", "tools", "--assets", str(assets))
    result = told("run", "courier:hardest", "--agent", "gold", "--limit", "4", *options)
    (cell,) = result["cells"]
    assert cell["condition"] == "th:tools/text/none"
    assert cell["pass_hat"] == {"1": 1}


def test_what_is_missing_is_told_in_one_line(assets: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"courier has no translated artifacts.*courier/LANGUAGE"):
        courier("")
    with pytest.raises(UsageError, match="has no language 'vi': choose th"):
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
