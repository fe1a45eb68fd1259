"""An option of a run has one description; every surface is made from it and lacks none."""

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest
import typer.main

import dragoman
from dragoman.api import AgentLike, ResumeOptions, RunOptions
from dragoman.cli.commands.tree import command_line
from dragoman.composition.grid_files import build_run_request, by_field, load_config, read_grid
from dragoman.config.options import Key, keys_of
from dragoman.config.run_config import RunConfig, RunRequest
from dragoman.core.errors import UsageError

KEYS = keys_of(RunRequest)
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "grid.md"


def option_names(command: str) -> set[str]:
    """Return the fields that a command of the command line takes as options."""
    commands: Any = typer.main.get_command(command_line())
    return {each.name for each in commands.commands[command].params}


def python_kind(key: Key, name: str) -> object:
    """Return the type that Python callers give an option under one of its names."""
    (value,) = [each for each in get_args(key.kind) if each not in {NoneType, ...}] or [key.kind]
    if key.name == "agents":
        value = AgentLike
    if name == "agents":
        return Sequence[AgentLike] | Mapping[str, AgentLike]
    if key.is_list:
        return Sequence[value] if name != key.option.singular else value | Sequence[value]  # type: ignore[valid-type]
    kind = str | Path if key.option.is_path else key.kind
    return kind | None if key.name == "out" else kind  # type: ignore[operator]


def row(key: Key) -> str:
    """Return an option's line in the table of keys."""
    names = " or ".join(f"`{name}`" for name in key.spellings)
    flag = "(comes first)" if key.name == "suite" else f"`{key.flag}`"
    also = ", ".join(key.option.commands)
    axis = "yes" if key.option.axis else ""
    example = f"`{key.name} = {key.option.example}`"
    return f"| {names} | {flag} | {key.option.help} | {key.shown_default} | {example} | {axis} | {also} |"


def test_every_field_of_a_run_says_what_it_is() -> None:
    assert {key.name for key in KEYS} == {*RunRequest.__struct_fields__}


def test_the_command_line_takes_every_option() -> None:
    assert {key.name for key in KEYS} - {"suite"} <= option_names("run")


@pytest.mark.parametrize("command", ["resume", "score", "check"])
def test_other_commands_take_the_options_that_say_so(command: str) -> None:
    flagged = {key.name for key in KEYS} - ({"suite"} if command == "check" else set())
    named = {key.name for key in KEYS if command in key.option.commands}

    assert named
    assert option_names(command) & flagged == named


def test_python_takes_every_option_under_every_name() -> None:
    expected = {
        name: python_kind(key, name)
        for key in KEYS
        for name in key.spellings
        if name not in {"suite", "agent"}
    }

    assert get_type_hints(RunOptions) == expected
    parameters = inspect.signature(dragoman.run).parameters
    assert [*parameters] == ["suite", "agent", *get_type_hints(RunOptions)]


def test_the_signature_tells_the_defaults_of_the_description() -> None:
    parameters = inspect.signature(dragoman.run).parameters

    for key in KEYS:
        if key.name not in {"suite", "agents", "out"}:
            assert [parameters[name].default for name in key.spellings] == [key.default] * len(
                key.spellings
            )


def test_going_on_in_python_takes_what_the_command_takes() -> None:
    named = {key.name for key in KEYS if "resume" in key.option.commands}

    assert {*get_type_hints(ResumeOptions)} == named
    parameters = inspect.signature(dragoman.resume).parameters
    assert {*parameters} == {"folder", "retry_invalid", "trust", *named}
    assert all(parameters[name].default is None for name in named)


def test_the_table_of_keys_is_that_of_the_description() -> None:
    lines = DOCUMENT.read_text("utf-8").splitlines()

    assert [line for line in lines if line.startswith("| `")] == [row(key) for key in KEYS]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_example_is_one(key: Key) -> None:
    given = tomllib.loads(f"{key.name} = {key.option.example}")
    needed = {"suite": "sample:shop", "agents": ["gold"]}

    request = build_run_request(by_field({**needed, **given}, "key"))

    value = getattr(request, key.name)
    assert (list(value) if key.is_list else value) == given[key.name]
    assert request.config.trials > 0


def grid(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(text, "utf-8")
    return path


def test_one_value_may_stand_under_the_singular_name(tmp_path: Path) -> None:
    singular = grid(
        tmp_path, 'suite = "sample:shop"\nagent = "gold"\ntask = "too-late"\nvoice = ["text"]'
    )

    assert load_config(singular) == RunConfig(
        "sample:shop", ("gold",), tasks=("too-late",), voices=("text",)
    )


def test_a_split_and_a_folder_may_be_named_in_a_grid_file(tmp_path: Path) -> None:
    path = grid(tmp_path, 'suite = "courier"\nsplit = "easy"\nagent = "gold"\nout = "runs/mine"')

    request = build_run_request(read_grid(path))

    assert (request.config.suite, request.out) == ("courier:easy", "runs/mine")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('agent = "gold"\nagents = ["silent"]', "agents and agent are the same: give one of them"),
        ('voices = "telephone"', 'voices must be a list, such as ["text", "telephone"]'),
        ('voise = "telephone"', "unknown key 'voise': did you mean 'voice'?"),
        ('langauge = "th"', "unknown key 'langauge': did you mean 'language'?"),
        ("places = []", "unknown key 'places'"),
    ],
)
def test_what_is_wrong_with_a_key_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = grid(tmp_path, text)

    with pytest.raises(UsageError, match=f"^{re.escape(str(path))}: .*{re.escape(words)}"):
        read_grid(path)


def test_python_takes_agents_and_singular_names(tmp_path: Path) -> None:
    result = dragoman.run(
        "sample:shop", agents=["gold", "silent"], task="too-late", patience=5, read_timeout=5,
        out=tmp_path / "mine",
    )  # fmt: skip

    assert result.cells["agent"].to_list() == ["gold", "silent"]
    assert result.episodes["task"].unique().to_list() == ["too-late"]


def test_an_option_that_does_not_exist_is_named_in_python() -> None:
    options: Any = {"langauge": "th"}

    with pytest.raises(UsageError, match="unknown option 'langauge': did you mean 'language'"):
        dragoman.run("sample:shop", "gold", **options)


def test_help_tells_every_description_whole() -> None:
    commands: Any = typer.main.get_command(command_line())
    with commands.make_context("dragoman", [], resilient_parsing=True) as context:
        text = " ".join(commands.get_help(context).split())

    assert "... " not in text.partition("Commands:")[2]
    assert "Play the bundled parcel service as text and as speech, and write a report" in text
    assert "-h, --help" in text


def test_going_on_takes_no_option_that_would_make_it_another_run(tmp_path: Path) -> None:
    options: Any = {"max_steps": 3}
    dragoman.run("sample:shop", "gold", limit=1, out=tmp_path / "mine")

    with pytest.raises(UsageError, match="unknown option 'max_steps'"):
        dragoman.resume(tmp_path / "mine", **options)


def test_the_keys_are_listed(in_process: Callable[..., CompletedProcess[str]]) -> None:
    listed = in_process("list", "options").stdout

    for key in KEYS:
        assert " or ".join(key.spellings) in listed
        assert key.option.help in listed
