"""Paths that the documents of version 0.1 had work for one more minor version, with a warning."""

import json
import os
import pickle
import runpy
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import dragoman
from dragoman._old_paths import NEW_PLACES, REMOVED_IN
from dragoman.cli.python_reference import MODULES
from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.registry.participants import import_attribute

HERE = Path(__file__).parent / "old_paths"
EXAMPLES = sorted(HERE.glob("*.txt"))
"""Examples and blocks of pages as version 0.1 had them."""

MOVED = [(module, name) for module, names in NEW_PLACES.items() for name in names]
DOCUMENTED = [
    (module, name)
    for module, names in json.loads((HERE / "documented.json").read_text("utf-8")).items()
    for name in names
]
"""All that pages of version 0.1 imported from Dragoman."""


def test_every_documented_name_is_there() -> None:
    with warnings.catch_warnings(action="ignore"):
        gone = [
            (module, name)
            for module, name in DOCUMENTED
            if not hasattr(import_module(module), name)
        ]

    assert gone == []


@pytest.mark.parametrize(("module", "name"), MOVED)
def test_an_old_name_is_the_new_one_and_says_where_it_is(module: str, name: str) -> None:
    place, _, new_name = NEW_PLACES[module][name].rpartition(".")
    found: dict[str, object] = {}

    with pytest.warns(
        DeprecationWarning, match=f"{module}.{name} is now {place}.{new_name}"
    ) as seen:
        exec(f"from {module} import {name}", found)  # noqa: S102 - as users write it

    assert found[name] is getattr(import_module(place), new_name)
    assert place in MODULES
    assert new_name in import_module(place).__all__
    assert [each.filename for each in seen] == ["<string>"], (
        "the warning names the line of the import"
    )


def test_every_old_name_was_documented() -> None:
    assert set(MOVED) <= set(DOCUMENTED)


def test_old_paths_go_with_the_next_minor_version_but_one() -> None:
    major, minor, *_ = (int(part) for part in REMOVED_IN.split("."))

    assert tuple(int(part) for part in dragoman.__version__.split(".")[:2]) < (major, minor)


def test_an_undocumented_name_of_an_old_module_is_an_error() -> None:
    with pytest.raises(ImportError, match="cannot import name 'Wiring'"):
        exec("from dragoman.wiring.connections import Wiring")  # noqa: S102
    with pytest.raises(ModuleNotFoundError, match=r"dragoman\.wiring\.nothing"):
        import_module("dragoman.wiring.nothing")


def test_an_old_name_is_found_by_its_text() -> None:
    with pytest.warns(DeprecationWarning, match="Behaviour"):
        found, _ = import_attribute("dragoman.testing.behaviour:Behaviour")

    assert found is import_module("dragoman.testing").ServerConfig


def test_a_pickle_of_an_old_class_is_read() -> None:
    content = pickle.dumps(ToolCallReply, protocol=0)
    old = content.replace(b"dragoman.core.replies\nToolCallReply", b"dragoman.core.speech\nSaid")
    assert old != content

    with pytest.warns(DeprecationWarning, match="Said"):
        assert pickle.loads(old) is TextReply  # noqa: S301 - made above


@pytest.mark.slow
def test_starting_reads_no_table_of_old_paths() -> None:
    program = "import sys, dragoman.core.protocols; print('dragoman._old_paths' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout == "False\n"


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A folder with the old examples as modules."""
    for example in EXAMPLES:
        (tmp_path / f"{example.stem}.py").write_text(example.read_text("utf-8"), "utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", [example.stem for example in EXAMPLES])
def test_an_old_example_runs(name: str, examples: Path) -> None:
    with pytest.warns(DeprecationWarning, match="the old (path|name) goes with"):
        runpy.run_path(str(examples / f"{name}.py"))


@pytest.mark.slow
def test_old_packages_are_found_by_their_entry_points(examples: Path) -> None:
    about = examples / "old-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: old\nVersion: 1\n", "utf-8")
    (about / "entry_points.txt").write_text(
        "[dragoman.benchmarks]\nrooms = old_benchmark:ROOMS\n"
        "[dragoman.layers]\nmood = old_axis:mood\n"
        "[dragoman.measures]\nquestions_asked = old_measure:questions_asked\n"
        "[dragoman.models]\necho = old_provider:Echo\n"
        "[dragoman.backends]\nelsewhere = old_backend:Elsewhere\n",
        "utf-8",
    )
    source = str(Path(dragoman.__file__).parents[1])
    paths = os.pathsep.join([str(examples), source])
    environment = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(examples)}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "dragoman", *words]
        done = subprocess.run(
            command,
            env=environment,
            cwd=examples,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    checked = json.loads(run("check", "rooms:small", "--json"))
    assert (checked["tasks"], checked["gold_passed"]) == (2, 2)
    axis = ("--axis", "mood=none", "--axis", "mood=hurried")
    here = ("--limit", "1", "--backend", "elsewhere", "--out", "r", "--json")
    played = json.loads(run("run", "rooms:small", "--agent", "gold,echo/loud", *axis, *here))
    assert [cell["pass_hat"]["1"] for cell in played["cells"]] == [1, 0, 1, 0]
    measured = json.loads(run("score", "r", "--measure", "questions_asked", "--json"))
    assert {row["measure"] for row in measured["measures"]} >= {"questions_asked"}
