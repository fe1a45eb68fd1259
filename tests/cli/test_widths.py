"""Real tables in terminals, pipes and logs of 80 columns."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

RUN = ("run", "courier", "--limit", "1", "--agent", "careful", "--agent", "literal")
GRID = ("--language", "vi", "--scenario", "english", "--scenario", "interaction")
NAMES = ("careful", "literal", "en/text/none", "vi:interaction/text/none", "[0.025, 1.000]")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_summary_is_as_wide_as_the_terminal_and_breaks_no_name(dragoman: Cli, width: int) -> None:
    printed = dragoman(*RUN, *GRID, "--out", "mine", COLUMNS=str(width)).stdout

    table, _, _ = printed.partition("warning:")
    assert max(map(len, table.splitlines())) <= width
    assert all(name in table for name in NAMES), table
    assert table.count("^1 1.000 [0.025, 1.000]") == 4
