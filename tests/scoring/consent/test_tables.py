"""The rule of consent on tables that were written without knowledge of it.

Each table led to corrections of the rule afterwards.
"""

import pytest
from tests.scoring.consent.measuring import FOLDER, Verdict, figures, verdicts

TABLES = ("held_out", "second", "third", "fourth", "fifth", "sixth")


def found_in(table: str) -> list[Verdict]:
    return [each for path in sorted(FOLDER.glob(f"{table}_*.json")) for each in verdicts(path)]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_verdicts_are_right_and_most_actions_have_one(table: str) -> None:
    found = figures(found_in(table))
    assert found["actions"] >= 60
    assert found["confirmed"] >= 0.95
    assert found["not confirmed"] >= 0.92
    assert found["undecided"] <= 0.15


def test_every_action_of_a_table_has_a_verdict_and_a_reason() -> None:
    for each in found_in("fifth"):
        assert each.found in {"confirmed", "not confirmed", "undecided"}
        assert each.why.startswith(f"{each.found}: ")
