"""The package's promises to those who import or install it."""

import json
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import distribution, entry_points
from importlib.resources import files
from pathlib import Path

import pytest

import dragoman

HEAVY = {"polars", "numpy", "jinja2", "msgspec", "zstandard", "rich", "typer", "asyncio", "sqlite3"}


def test_every_public_name_exists_and_has_a_word_about_it() -> None:
    for name in dragoman.__all__:
        thing = getattr(dragoman, name)
        assert thing is not None
        if callable(thing):
            assert thing.__doc__, name


def test_the_public_names_are_all_that_completion_offers() -> None:
    assert dir(dragoman) == sorted(dragoman.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        _ = dragoman.walk


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import json, sys, dragoman; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    assert HEAVY.isdisjoint(json.loads(done.stdout))


def test_the_version_is_the_installed_one() -> None:
    assert dragoman.__version__ == distribution("dragoman").version


def test_every_entry_point_of_the_project_leads_somewhere() -> None:
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text("utf-8"))["project"]
    groups = {"console_scripts": project["scripts"], **project.get("entry-points", {})}

    for group, entries in groups.items():
        for name, value in entries.items():
            module, _, attribute = value.partition(":")
            assert callable(getattr(import_module(module), attribute)), value
            (installed,) = entry_points(group=group, name=name)
            assert installed.value == value


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("dragoman") / "py.typed").is_file()


def test_the_package_runs_as_a_module_and_as_a_command() -> None:
    script = Path(sys.executable).with_name("dragoman")
    if not script.exists():
        pytest.skip(f"{script} is not installed")
    module = subprocess.run(
        [sys.executable, "-m", "dragoman", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    command = subprocess.run(
        [str(script), "--version"], capture_output=True, text=True, timeout=60, check=True
    )

    assert module.stdout == command.stdout == f"dragoman {dragoman.__version__}\n"
