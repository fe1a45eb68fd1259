"""Real tables in terminals, pipes and logs of 80 columns."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from dragoman.cli.suite_checks import LintReport, _print_table
from dragoman.conditions.language.lint.assets import Defect

Cli = Callable[..., CompletedProcess[str]]

LANGUAGES = ("id", "th", "tl", "vi", "zh")
RUN = ("run", "courier", "--full", "--limit", "1", "--agent", "careful", "--agent", "literal")
GRID = ("--language", "vi", "--scenario", "english", "--scenario", "interaction")
NAMES = ("careful", "literal", "en/text/none", "vi:interaction/text/none", "[0.025, 1.000]")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_summary_is_as_wide_as_the_terminal_and_breaks_no_name(dragoman: Cli, width: int) -> None:
    printed = dragoman(*RUN, *GRID, "--out", "mine", COLUMNS=str(width)).stdout

    table, _, _ = printed.partition("warning:")
    assert max(map(len, table.splitlines())) <= width
    assert all(name in table for name in NAMES), table
    assert table.count("^1 1.000 [0.025, 1.000]") == 4


TABLES = (
    ("show", "mine", "--by", "agent"),
    ("compare", "mine"),
    ("compare", "mine", "--full"),
    ("usage", "mine"),
    ("leaderboard", "mine", "--style", "mm-tau-p2"),
    ("leaderboard", "mine", "--style", "bfcl-audio"),
    ("check", "sample:shop"),
    ("doctor",),
    ("run", "--help"),
)


@pytest.mark.slow
@pytest.mark.nightly
def test_no_table_at_80_columns_cuts_a_line_or_breaks_a_word(dragoman: Cli) -> None:
    """All text of the narrow table is in the wide table as whole words."""
    dragoman("run", "sample:shop", "--agent", "gold", "--agent", "silent", "--out", "mine")
    for command in TABLES:
        narrow = dragoman(*command, COLUMNS="80").stdout
        wide = dragoman(*command, COLUMNS="400").stdout
        words = {*wide.replace(",", " ").split()}
        cut = [line for line in narrow.splitlines() if len(line) > 80 and len(line.split()) > 1]
        broken = {*narrow.replace(",", " ").split()} - words
        assert not [line for line in cut if "/" not in line], command
        assert not {word for word in broken if not set(word) <= {"─"}}, command


def test_defects_of_many_domains_are_counted_within_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    places = [(domain, code) for domain in ("airline", "retail", "telecom") for code in LANGUAGES]
    found = [Defect("stale-by-hash", *place, "file", "", "another hash", 2_829) for place in places]

    _print_table(LintReport(tuple(places), tuple(found)))

    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    assert printed.count("2829") == len(places)
    assert all(printed.count(domain) == len(LANGUAGES) for domain in ("airline", "telecom"))
