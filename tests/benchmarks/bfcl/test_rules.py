import re
from pathlib import Path

import pytest

from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, DIFFERENCES, DRAGOMAN_1, RULES
from dragoman.core.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]


def rows() -> list[list[str]]:
    page = (ROOT / "docs" / "reference" / "rule_sets.md").read_text("utf-8")
    section = page.partition("\n## Rule sets of BFCL\n")[2].partition("\n## ")[0]
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line[:1] == "|"
    ]


def test_the_rule_sets_differ_in_every_rule() -> None:
    for name in DIFFERENCES:
        assert getattr(DEFAULT_RULES, name) is True
        assert getattr(BFCL_V4, name) is False


def test_the_first_version_knows_all_rules_but_the_one_that_came_later() -> None:
    missing = [name for name in DIFFERENCES if not getattr(DRAGOMAN_1, name)]
    assert (DRAGOMAN_1.name, missing) == ("dragoman-1", ["written_calls_are_calls"])


def test_a_rule_set_is_found_by_its_name() -> None:
    assert [RULES.find(name).name for name in RULES] == ["dragoman-2", "dragoman-1", "bfcl-v4"]
    with pytest.raises(UsageError, match="choose one of dragoman-2, dragoman-1, bfcl-v4"):
        RULES.find("bfcl-v3")


def test_every_rule_has_its_line() -> None:
    assert set(DIFFERENCES) <= {row[0] for row in rows()}


def test_every_line_names_a_test_that_is_there() -> None:
    named = [row[-1] for row in rows() if row[-1].startswith("test_")]
    assert len(named) > len(DIFFERENCES)
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py"))
    defined = set(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))
    assert [name for name in named if name not in defined] == []
