"""Every command as the process that people start; all other tests run it in their own process."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.conftest import without_progress
from typer.main import get_command

from dragoman.cli.commands.tree import command_line

pytestmark = pytest.mark.slow

Cli = Callable[..., CompletedProcess[str]]

COMMANDS = {
    "label-check": ("label-check", "mine"),
    "list": ("list", "rules"),
    "run": ("run", "sample:shop", "--agent", "silent", "--out", "new"),
    "resume": ("resume", "mine"),
    "score": ("score", "mine", "--judge", "assume-met"),
    "judge-check": ("judge-check", "mine"),
    "errors": ("errors", "mine"),
    "critical-fields": ("critical-fields", "courier"),
    "fields": ("fields", "courier"),
    "table": ("table", "mine"),
    "show": ("show", "mine", "too-late"),
    "report": ("report", "mine"),
    "plots": ("plots", "mine"),
    "figures": ("figures", "mine"),
    "view": ("view", "none"),
    "compare": ("compare", "mine", "mine"),
    "attribute": ("attribute", "mine"),
    "blame": ("blame", "mine"),
    "validate": ("validate", "mine"),
    "leaderboard": ("leaderboard", "mine"),
    "import": ("import", "mine", "--out", "theirs"),
    "export": ("export", "mine", "--to", "jsonl", "--out", "lines"),
    "bundle": ("bundle", "mine"),
    "unbundle": ("unbundle", "mine"),
    "verify": ("verify", "mine"),
    "upgrade": ("upgrade", "mine"),
    "merge": ("merge", "mine", "mine", "--out", "whole"),
    "check": ("check", "sample:shop"),
    "lint": ("lint", "seataubench"),
    "translate": ("translate", "sample:shop", "--to", "th", "--model", "glossary", "--out", "out"),
    "speak": ("speak", "courier", "--texts-only", "--out", "said"),
    "heard": ("heard", "It costs $5", "it costs five dollars", "--value", "$5"),
    "memory show": ("memory", "show", "none.sqlite"),
    "memory import": ("memory", "import", "none.tmx", "memory.sqlite"),
    "memory export": ("memory", "export", "none.sqlite", "--out", "out.tmx"),
    "memory compare": (
        "memory",
        "compare",
        "none.sqlite",
        "other.sqlite",
        "--suite",
        "sample:shop",
    ),
    "curate answer": ("curate", "answer", "mine"),
    "curate card": ("curate", "card", "mine"),
    "curate check": ("curate", "check", "mine"),
    "curate export": ("curate", "export", "mine", "--to", "itc", "--out", "out"),
    "curate generate": ("curate", "generate", "mine"),
    "curate run": ("curate", "run", "plan.toml"),
    "curate rate": ("curate", "rate", "mine", "--model", "openai/a"),
    "curate collect": ("curate", "collect", "new", "mine"),
    "curate list": ("curate", "list", "mine"),
    "curate review export": (
        "curate",
        "review",
        "export",
        "mine",
        "--out",
        "sheets",
        "--annotators",
        "ana,bo",
    ),
    "curate review import": ("curate", "review", "import", "mine", "a.csv", "--annotator", "ana"),
    "curate review settle": ("curate", "review", "settle", "mine"),
    "curate split": ("curate", "split", "mine"),
    "curate verify": ("curate", "verify", "mine"),
    "curate monitor": ("curate", "monitor", "mine"),
    "curate filter": ("curate", "filter", "mine"),
    "curate status": ("curate", "status", "mine"),
    "review export": ("review", "export", "sample:shop", "--to", "th", "--out", "th.xlsx"),
    "review import": ("review", "import", "sample:shop", "none.xlsx", "--to", "th"),
    "review status": ("review", "status", "--memory", "none.sqlite"),
    "world serve": ("world", "serve", "--faults", "none.json"),
    "world documents": ("world", "documents", "--out", "documents"),
    "finetune": ("finetune", "none.toml"),
    "finetune-study": ("finetune-study", "none.toml"),
    "rows": ("rows", "mine", "--out", "rows.jsonl"),
    "tiny-model": ("tiny-model", "mine", "--rows", "none.jsonl"),
    "usage": ("usage", "mine"),
    "init": ("init", "new.toml", "--yes"),
    "data pull": ("data", "pull", "tau2", "--from", "mine"),
    "cache info": ("cache", "info"),
    "cache clear": ("cache", "clear"),
}

DAILY = {
    *("run", "resume", "score", "show", "report", "list", "export", "unbundle", "check"),
    *("translate", "speak", "curate run", "world serve", "init", "data pull"),
}
"""Commands that `make test` tries: one of each kind. `make nightly` tries them all."""


def names(group: object, before: str = "") -> Iterator[str]:
    """Name the commands of a group and of the groups in it."""
    for name, command in getattr(group, "commands", {}).items():
        if hasattr(command, "commands"):
            yield from names(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def test_a_command_in_the_projects_own_folder_leaves_its_modules_loaded(
    in_process: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "dragoman.cli.list_names", raising=False)

    done = in_process("list", "suites", cwd=Path(__file__).parents[2])

    assert done.returncode == 0, done.stderr
    assert "dragoman.cli.list_names" in sys.modules


def test_no_command_but_the_demonstration_and_the_doctor_is_left_out() -> None:
    """The space on a disk changes from one process to the next."""
    assert {*COMMANDS, "demo", "doctor"} == set(names(get_command(command_line())))
    assert set(COMMANDS) > DAILY


@pytest.mark.parametrize(
    "name",
    [name if name in DAILY else pytest.param(name, marks=pytest.mark.nightly) for name in COMMANDS],
)
def test_a_process_prints_leaves_and_ends_as_the_command_does_in_another(
    dragoman: Cli, process: Cli, finished: Path, folder: Path, name: str
) -> None:
    found = []
    for run in (dragoman, process):
        shutil.copytree(finished, folder / "mine")
        done = run(*COMMANDS[name])
        left = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        # A busy machine gets progress lines.
        found.append((done.returncode, done.stdout, without_progress(done.stderr), left))
        shutil.rmtree(folder)
        folder.mkdir()

    here, there = found
    assert here == there
