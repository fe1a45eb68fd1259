"""Output of commands that are stopped early, or whose terminal knows ASCII only."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]


@pytest.mark.parametrize("name", ["typer", "msgspec"])
def test_a_command_that_is_stopped_while_it_loads_says_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])

    done = subprocess.run(
        [sys.executable, "-m", "dragoman", "list", "languages"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )

    assert done.stderr == ""
    assert done.returncode in {-signal.SIGINT, 130}


def test_a_run_that_is_stopped_in_its_preflight_says_that_nothing_is_stored(
    dragoman: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dragoman.cli.run.run_preflight_checks", stopped)

    done = dragoman("run", "sample:shop", "--agent", "gold", "--out", "mine")

    assert done.returncode == 130
    assert done.stderr.endswith(
        "stopped in the preflight: nothing is stored; run the same command again\n"
    )
    assert not (folder / "mine").exists()


@pytest.mark.parametrize("what", ["languages", "suites", "agents", "voices"])
def test_names_are_listed_where_only_ascii_is_shown(process: Cli, what: str) -> None:
    done = process("list", what, PYTHONIOENCODING="ascii")

    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def test_a_conversation_is_shown_and_printed_as_json_where_only_ascii_is(
    process: Cli, folder: Path
) -> None:
    (folder / "own.py").write_text("def agent(messages, tools):\n    return 'n\u00e3o \u4e0d'\n")
    run = ("run", "sample:shop", "--agent", "own:agent", "--tasks", "too-late", "--out", "mine")
    assert process(*run, PYTHONIOENCODING="ascii").returncode == 0

    shown = process("show", "mine", "too-late", PYTHONIOENCODING="ascii")
    printed = process("show", "mine", "too-late", "--json", PYTHONIOENCODING="ascii")

    assert shown.returncode == 0, shown.stderr
    assert "n\\xe3o \\u4e0d" in shown.stdout
    assert "n\u00e3o \u4e0d" in json.dumps(json.loads(printed.stdout), ensure_ascii=False)
