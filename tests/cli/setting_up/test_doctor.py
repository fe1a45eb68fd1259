"""`dragoman doctor`: its findings on keys, data, extras and the machine, and its end."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from dragoman.cli.system_checks import _by_extra, _extra, check_prices
from dragoman.models.prices import OLD_DAYS, load_prices

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]

SECRET = "sk-3fa9d1c07b"  # noqa: S105 - looked for in what is printed


def _finding(found: Any, subject: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    return next(each for each in found["findings"] if each["subject"] == subject)


def test_keys_are_named_and_no_part_of_a_value_is_shown(dragoman: Cli) -> None:
    done = dragoman("doctor", OPENAI_API_KEY=SECRET, COLUMNS="80")

    line = next(each for each in done.stdout.splitlines() if "OPENAI_API_KEY" in each)
    assert line.split()[:3] == ["ok", "OPENAI_API_KEY", "set;"]
    assert SECRET not in done.stdout + done.stderr
    assert f"{len(SECRET)} " not in line


def test_every_line_fits_the_terminal_and_breaks_no_word(dragoman: Cli, folder: Path) -> None:
    narrow = dragoman("doctor", COLUMNS="80").stdout
    wide = dragoman("doctor", COLUMNS="400").stdout

    # A path is one word, and may be longer than any terminal.
    assert [
        line for line in narrow.splitlines() if len(line) > 80 and str(folder) not in line
    ] == []
    assert {*narrow.split()} <= {*wide.split()}


def test_nothing_pulled_is_missing_and_no_failure(run_json: RunJson) -> None:
    found = run_json("doctor")

    tau2 = _finding(found, "tau2")
    assert (tau2["state"], tau2["todo"]) == ("missing", "dragoman data pull tau2")


def test_an_extra_is_whole_only_with_all_of_it_and_in_the_very_version_that_is_asked_for() -> None:
    extras = _by_extra(
        [
            "msgspec>=0.19",
            "msgspec>=0.1; extra == 'one'",
            "no-such-package>=1; extra == 'one'",
            "msgspec==0.0.1; extra == 'two'",
            "no-such-package; python_version < '3.0' and extra == 'three'",
            "msgspec[toml]<9,>=0.1; extra == 'three'",
        ]
    )

    assert extras["one"] == {"msgspec": "", "no-such-package": ""}
    found = {name: _extra(name, wanted) for name, wanted in extras.items()}
    assert (found["one"].state, found["one"].found) == ("missing", "missing: no-such-package")
    assert found["two"].state == "wrong"
    assert found["two"].found.endswith(" instead of 0.0.1")
    assert found["two"].todo == "pip install 'dragoman[two]'"
    assert found["three"].state == "ok"


def test_prices_are_old_half_a_year_after_they_were_looked_up() -> None:
    table = load_prices(None)
    looked_up = sorted(origin.as_of for origin in table.origins.values())
    still = check_prices(looked_up[0] + timedelta(days=OLD_DAYS))
    some = check_prices(looked_up[0] + timedelta(days=OLD_DAYS + 1))

    assert (still.state, still.todo) == ("ok", "")
    assert some.state == "old"
    assert some.found.startswith(f"{looked_up.count(looked_up[0])} of {len(table.prices)} ")
    assert some.found.endswith(f"the oldest on {looked_up[0]}")
    assert check_prices(date(2100, 1, 1)).found.startswith(f"{len(table.prices)} of ")


def test_old_prices_are_one_line_and_no_failure(dragoman: Cli, run_json: RunJson) -> None:
    found = _finding(run_json("doctor"), "price table")
    (line,) = [
        each
        for each in dragoman("doctor", COLUMNS="400").stdout.splitlines()
        if "price table  " in each
    ]

    assert found["part"] == "prices"
    assert found["state"] in {"ok", "old"}
    assert line.split()[0] == {"ok": "ok", "old": "OLD"}[found["state"]]
    assert found["found"] in line
    assert ("--prices FILE" in found["todo"]) is (found["state"] == "old")
