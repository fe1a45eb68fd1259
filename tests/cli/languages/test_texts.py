"""Output of `dragoman list texts`."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]
Refused = Callable[..., str]


def cells(output: str, first: str) -> list[str]:
    """Return the cells of the first line that begins so."""
    return next(line.split() for line in output.splitlines() if line.split()[:1] == [first])


def test_texts_are_counted_by_file_and_languages_beside_english(dragoman: Cli) -> None:
    shown = dragoman("list", "texts", "courier")
    assert shown.returncode == 0
    assert cells(shown.stdout, "policy.md")[:4] == ["policy.md", "policy", "1", "1"]
    assert cells(shown.stdout, "en")[1:3] == ["8", "33"]
    assert cells(shown.stdout, "th")[1:3] == ["6", "33"]
    assert "translated  not translated" in shown.stdout
    assert " left: " not in shown.stdout
    # Its databases stay English: the names in them are value sets.
    assert cells(shown.stdout, "db.json")[:4] == ["db.json", "database", "0", "0"]


def test_a_suite_without_translations_is_counted_too(dragoman: Cli) -> None:
    shown = dragoman("list", "texts", "sample:shop")
    assert shown.returncode == 0
    assert cells(shown.stdout, "db.json")[:4] == ["db.json", "database", "13", "4"]


@pytest.mark.parametrize(
    ("suite", "expected"),
    [
        ((), "name a suite"),
        (("nobody:knows",), "nobody:knows"),
    ],
)
def test_what_has_no_texts_is_refused(
    refused: Refused, suite: tuple[str, ...], expected: str
) -> None:
    assert expected in refused("list", "texts", *suite, status=2)
