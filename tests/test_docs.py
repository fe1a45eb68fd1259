"""Rules and tests that the documents name exist."""

import re
from pathlib import Path

import msgspec

from dragoman.cli.endpoint_checks import needed_tokens
from dragoman.conditions.language.tool_view_rules import DEFAULT_VIEW_RULES, VIEW_RULES
from dragoman.core.clarifications import DECISIONS, REJECTIONS
from dragoman.core.language.correctness import DEFAULT_LANGUAGE_RULES, LANGUAGE_RULES
from dragoman.core.rules import DEFAULT_RULES, RULES
from dragoman.scoring.measures.turn_timing import timing_conventions

ROOT = Path(__file__).resolve().parents[1]


def section(document: str, heading: str) -> str:
    """Return the section of a document under a heading of the second level."""
    text = (ROOT / "docs" / document).read_text("utf-8")
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of every table in a text."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line[:1] == "|"
    ]


RULES_OF_CONVERSATIONS = section("reference/rule_sets.md", "Rule sets of conversations")
TOOL_VIEWS = section("reference/rule_sets.md", "Rule sets of tool views")
LANGUAGE_CORRECTNESS = section("reference/rule_sets.md", "Rule sets of language correctness")
CLARIFICATIONS = section("reference/personas.md", "Clarifications")
TIMING = (ROOT / "docs" / "reference" / "timing.md").read_text("utf-8")
LOCAL_MODELS = (ROOT / "docs" / "how_to" / "local_models.md").read_text("utf-8")


def test_every_rule_has_its_line() -> None:
    named = {row[0] for row in rows(RULES_OF_CONVERSATIONS)}
    assert set(msgspec.structs.asdict(DEFAULT_RULES)) - {"name"} <= named


def test_every_rule_set_is_named() -> None:
    assert [name for name in RULES if f"`{name}`" not in RULES_OF_CONVERSATIONS] == []


def test_every_choice_in_language_correctness_has_its_line() -> None:
    named = {row[0] for row in rows(LANGUAGE_CORRECTNESS)}
    assert set(msgspec.structs.asdict(DEFAULT_LANGUAGE_RULES)) - {"name"} <= named


def test_every_definition_of_language_correctness_is_named() -> None:
    assert [name for name in LANGUAGE_RULES if f"`{name}`" not in LANGUAGE_CORRECTNESS] == []


def test_every_reason_against_a_clarification_has_its_line() -> None:
    assert f"`{DECISIONS}`" in CLARIFICATIONS
    missing = [reason for reason in ("allowed", *REJECTIONS) if f"`{reason}`" not in CLARIFICATIONS]
    assert missing == []


def test_every_choice_in_tool_views_has_its_line() -> None:
    named = {row[0] for row in rows(TOOL_VIEWS)}
    assert set(msgspec.structs.asdict(DEFAULT_VIEW_RULES)) - {"name"} <= named


def test_every_rule_set_of_tool_views_is_named() -> None:
    assert [name for name in VIEW_RULES if f"`{name}`" not in TOOL_VIEWS] == []


def test_every_defect_that_is_fixed_has_a_test_that_shows_it() -> None:
    shown = [row[2] for row in rows(RULES_OF_CONVERSATIONS) if row[-1].startswith("test_")]
    assert len(shown) > 15
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    defined = set(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))
    assert [name for name in shown if name not in defined] == []


def test_every_defect_is_shown_by_tests_that_are_there() -> None:
    text = (ROOT / "docs" / "explanation" / "defects.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/.]+)`", text)
    assert len(named) > 6
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_constant_of_the_clock_has_its_line_and_its_value() -> None:
    written = {row[0].strip("`"): row[1] for row in rows(TIMING) if len(row) == 3}
    stated = timing_conventions()
    constants: dict[str, object] = {
        f"{part}.{name}": value
        for part in ("caller", "agent", "speaking")
        for name, value in msgspec.to_builtins(getattr(stated, part)).items()
    }
    rates = stated.speaking.signs_per_minute
    constants["speaking.signs_per_minute"] = ", ".join(f"{key} {rates[key]:g}" for key in rates)
    constants["speaking.words_per_minute"] = f"{stated.speaking.words_per_minute:g}"
    assert {name: written.get(name) for name in constants} == {
        name: str(value) for name, value in constants.items()
    }


def test_the_context_that_suites_need_is_that_which_the_doctor_goes_by() -> None:
    reported = {
        row[0].split(" (")[0].strip("`"): row[3] for row in rows(LOCAL_MODELS) if len(row) == 4
    }
    given = {
        name: int(size.replace(",", "")) for name, size in reported.items() if size[:1].isdigit()
    }
    assert given == dict(needed_tokens())


def test_every_cause_that_the_doctor_tells_of_a_model_is_explained() -> None:
    folder = ROOT / "src" / "dragoman" / "cli"
    files = sorted(folder.glob("endpoint_*.py"))
    assert [path.stem for path in files] == ["endpoint_checks", "endpoint_probes"]
    code = "\n".join(path.read_text("utf-8") for path in files)
    subjects = {"server", "key", "name", "words", "tool call", "tool result", "stream"}
    subjects |= {"reasoning", "context"}
    reported = [row[1] for row in rows(LOCAL_MODELS) if row[0] in subjects and row[1][:1] == "`"]
    explained = {cause for cell in reported for cause in re.findall(r"`([a-z_]+)`", cell)}
    assert len(reported) == len(subjects)
    assert {cause for cause in explained if f'"{cause}"' not in code} == set()
