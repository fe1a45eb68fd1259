"""Shell completion, requested in the way in which the shells' scripts request it."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("run tau2:r", {"tau2:retail"}),
        ("check cour", {"courier"}),
        ("run courier --agent ca", {"careful"}),
        ("run courier --agent gold,li", {"gold,literal"}),
        ("run courier --language t", {"th", "tl"}),
        ("run courier --voice tele", {"telephone"}),
        ("run courier --judge as", {"assume-met"}),
        ("fine", {"finetune", "finetune-study"}),
    ],
)
def test_commands_suites_and_values_of_options_are_completed(
    dragoman: Cli, typed: str, completed: set[str]
) -> None:
    words = ["dragoman", *typed.split(" ")]

    done = dragoman(
        _DRAGOMAN_COMPLETE="complete_bash",
        COMP_WORDS="\n".join(words),
        COMP_CWORD=str(len(words) - 1),
    )

    assert {line.strip() for line in done.stdout.splitlines()} == completed


def test_patterns_and_names_for_another_option_are_not_completed(dragoman: Cli) -> None:
    asked = {"_DRAGOMAN_COMPLETE": "complete_bash", "COMP_CWORD": "4"}

    agents = dragoman(**asked, COMP_WORDS="dragoman\nrun\ncourier\n--agent\n").stdout.split()
    lines = dragoman(**asked, COMP_WORDS="dragoman\nrun\ncourier\n--voice\n").stdout.split()

    assert {"gold", "human"} <= {*agents}
    assert "MODULE:ATTRIBUTE" not in agents
    assert "telephone" in lines
    assert "mixed" not in lines
