"""Help shows commands and options in groups, by one name each; old names still work."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from dragoman.cli.commands.panels import COMMANDS_BY_PANEL, FIELDS_BY_PANEL, visible_names
from dragoman.cli.commands.tree import command_line
from dragoman.config.options import keys_of
from dragoman.config.run_config import RunRequest


@pytest.fixture(scope="module")
def top() -> Any:  # noqa: ANN401 - typer's own click has no types for it
    return typer.main.get_command(command_line())


def _commands(top: Any) -> Iterator[Any]:  # noqa: ANN401
    for each in top.commands.values():
        if hasattr(each, "commands"):
            yield from _commands(each)
        else:
            yield each


def _help(*words: str) -> str:
    return CliRunner(env={"COLUMNS": "80"}).invoke(command_line(words), [*words, "--help"]).output


def test_every_command_that_help_shows_is_in_one_group(top: Any) -> None:  # noqa: ANN401
    placed = [name for names in COMMANDS_BY_PANEL.values() for name in names]

    shown = [name for name, each in top.commands.items() if not each.hidden]

    assert sorted(placed) == sorted(shown)


def test_every_option_of_a_run_is_in_one_group() -> None:
    placed = [name for names in FIELDS_BY_PANEL.values() for name in names]

    assert sorted(placed) == sorted(key.name for key in keys_of(RunRequest))


def test_help_of_run_has_its_options_in_groups_at_80_columns() -> None:
    lines = _help("run").splitlines()

    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Arguments:", *(f"{title}:" for title in FIELDS_BY_PANEL)]
    assert max(map(len, lines)) <= 80


def test_help_of_all_has_its_commands_in_groups() -> None:
    lines = _help().splitlines()

    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Options:", *(f"{title}:" for title in COMMANDS_BY_PANEL)]


def test_every_command_has_an_example(top: Any) -> None:  # noqa: ANN401
    assert all((each.epilog or "").startswith("Example: dragoman ") for each in _commands(top))


def test_no_option_shows_two_long_names(top: Any) -> None:  # noqa: ANN401
    for command in _commands(top):
        for each in command.params:
            assert sum(name.startswith("--") for name in visible_names(each)) <= 1


@pytest.mark.parametrize(
    ("command", "new", "old"),
    [
        (("run",), "--retry-for", "--patience"),
        (("translate",), "--language", "--to"),
        (("speak",), "--limit", "--sample"),
        (("speak",), "--voice", "--line"),
        (("speak",), "--speaker", "--tts"),
        (("score",), "--recompute", "--anew"),
        (("curate", "list"), "--limit", "--top"),
        (("curate", "verify"), "--timeout", "--seconds"),
    ],
)
def test_an_old_option_is_accepted_and_not_shown(
    command: tuple[str, ...],
    new: str,
    old: str,
    top: Any,  # noqa: ANN401
) -> None:
    found = top
    for name in command:
        found = found.commands[name]

    assert any(each.opts == [new, old] for each in found.params)
    shown = _help(*command)
    assert new in shown
    assert f"{old} " not in shown


@pytest.mark.parametrize(
    ("new", "old"),
    [("attribute", "blame"), ("critical-fields", "fields"), ("plots", "figures")],
)
def test_an_old_command_is_accepted_and_not_shown(
    new: str,
    old: str,
    top: Any,  # noqa: ANN401
) -> None:
    assert top.commands[old].hidden
    assert not top.commands[new].hidden
    assert _help(old).replace(f" {old} ", f" {new} ", 1) == _help(new)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("run", "courier", "--agnet", "gold"), "Did you mean --agent?"),
        (("run", "courier", "--patienc", "3"), "Did you mean --retry-for?"),
        (("review", "export", "courier", "--out", "x"), "Missing option '--language'."),
        (("comparr",), "Did you mean 'compare'?"),
    ],
)
def test_a_name_that_is_not_known_is_answered_with_the_nearest(
    words: tuple[str, ...], hint: str
) -> None:
    done = CliRunner().invoke(command_line(words), list(words))

    assert done.exit_code == 2
    assert hint in done.output
