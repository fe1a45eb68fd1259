"""The documentation of speech recognition shows the output of `dragoman heard`."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from dragoman.conditions.voice.inverse_text_normalization.normalizer import (
    EARLIER_NORMALIZER,
    NORMALIZER,
)
from dragoman.core.value_matching.lexicon import FULL_LANGUAGES
from dragoman.core.value_matching.matcher import MATCHER
from dragoman.scoring.speech_accuracy import EARLIER_NORMALIZATION, NORMALIZATION

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

FILE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "recognized_values.md"
PAGE = FILE.read_text("utf-8")
COLUMNS = 8


def examples() -> list[list[str]]:
    """Return the cells of each row of the examples."""
    part = PAGE.partition("\n## Examples\n")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def percent(rate: float | None) -> str:
    return "none" if rate is None else f"{100 * rate:.1f} %"


@pytest.mark.parametrize("row", examples(), ids=lambda row: f"{row[0]} {row[5]}")
def test_an_example_is_what_the_command_says(run_json: RunJson, row: list[str]) -> None:
    language, said, heard, *shown = row

    explanation = run_json("heard", said, heard, "--language", language, "--value", shown[2])

    (value,) = explanation["values"]
    assert shown == [
        percent(explanation["word_error_rate"]),
        percent(explanation["character_error_rate"]),
        value["value"],
        value["type"],
        value["form"] or "not stated",
    ]


def test_every_language_with_number_words_has_an_example() -> None:
    assert {row[0] for row in examples()} == {*FULL_LANGUAGES}
    assert {len(row) for row in examples()} == {COLUMNS}


def test_the_session_is_what_the_command_prints(dragoman: Cli) -> None:
    (command, shown) = re.findall(r"^```\n\$ dragoman (.*)\n((?s:.*?))^```", PAGE, re.MULTILINE)[0]

    printed = dragoman(*shlex.split(command), "--plain", COLUMNS="80").stdout

    assert printed == shown


def test_every_version_is_named() -> None:
    names = (NORMALIZER, EARLIER_NORMALIZER, NORMALIZATION, EARLIER_NORMALIZATION, MATCHER)
    assert [name for name in names if f"`{name}`" not in PAGE] == []
