"""Opening a stranger's files runs, reaches and writes nothing that was not requested."""

import csv
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from tests.safety import audited, hostile
from tests.safety import hostile_files as files
from tests.safety.audited import MARK
from tests.safety.pages import crawled, wait_for

Cli = Callable[..., CompletedProcess[str]]
Words = Sequence[str]

ROOT = Path(__file__).resolve().parents[2]
ACTS_ON_A_TERMINAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LIMIT_S = 300


class Place:
    """Folders of a stranger, of the person, and of victims.

    Attributes:
        stranger: Folder with the received files.
        work: Working folder of the commands.
        own: Folder of the person's cache, state and temporary files.
        victims: Folder that must not change.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.stranger, self.work = root / "stranger", root / "work"
        self.own, self.victims = root / "own", root / "victims"
        for folder in (self.stranger, self.work, self.own / "tmp", self.victims):
            folder.mkdir(parents=True)
        (self.victims / "precious").write_text("as it was")
        hostile.with_module(self.stranger)

    def opened(
        self, *commands: Words, meanwhile: Callable[[subprocess.Popen[str]], None] | None = None
    ) -> list[Any]:
        """Run commands under an audit hook, and return the actions of each."""
        reported = self.root / "told.json"
        environment = {
            **os.environ,
            **{f"XDG_{name}_HOME": str(self.own / name) for name in ("CACHE", "STATE")},
            "TMPDIR": str(self.own / "tmp"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "AUDITED": str(reported),
            "AWS_SECRET_ACCESS_KEY": "aws-31415926535897",
            "COLUMNS": "120",
        }
        words = [sys.executable, "-m", "tests.safety.audited", json.dumps(commands)]
        with subprocess.Popen(
            words,
            cwd=self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                if meanwhile is not None:
                    meanwhile(process)
                printed, _ = process.communicate(timeout=LIMIT_S)
            finally:
                process.kill()
        assert process.returncode == 0, printed
        ended: list[Any] = json.loads(reported.read_text())
        return ended

    def problems(self, ended: Iterable[Mapping[str, Any]], *allowed: Path) -> list[str]:
        """Return the forbidden actions of commands; they may write into the allowed folders."""
        may = (self.work, self.own, *allowed)
        found = []
        for each in ended:
            words, printed = " ".join(each["words"]), each["printed"]
            found += [f"{words}: {why}" for why in _undue(each["done"], may)]
            if isinstance(each["status"], str) or "Traceback" in printed:
                found.append(f"{words}: {each['status']}: {printed[-600:]}")
            acting = ACTS_ON_A_TERMINAL.search(printed)
            if acting:
                found.append(f"{words}: prints {acting.group()!r}")
        return found + self._traces() + _unsafe_files(self.work)

    def _traces(self) -> list[str]:
        made = [str(path) for path in self.root.rglob("made_by_a_module")]
        escaped = [str(path) for path in self.root.rglob("*escaped*")]
        victims = sorted(path.name for path in self.victims.iterdir())
        changed = (self.victims / "precious").read_text() != "as it was" or victims != ["precious"]
        return made + escaped + (["a victim was changed"] if changed else [])


def _undue(done: Iterable[Mapping[str, str]], may: Sequence[Path]) -> list[str]:
    """Return the actions that are neither in the allowed folders nor harmless."""
    found = []
    for each in done:
        event, what = each["event"], each["what"]
        is_path = event == "open" or event in audited.ONE_PATH | audited.TWO_PATHS
        if is_path and (what == os.devnull or _is_in(Path(what), may)):
            continue
        found.append(f"{event}: {what}")
    return list(dict.fromkeys(found))


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    places = (Path(os.path.normpath(path)), path.parent.resolve() / path.name)
    return all(any(place.is_relative_to(folder) for folder in folders) for place in places)


def _unsafe_files(folder: Path) -> list[str]:
    """Return the active content in files that were written from a stranger's texts."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            check = _CHECKS.get(path.suffix)
            found += [f"{path.name}: {why}" for why in check(path)] if check else []
    return found


def _of_pages(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    acting = (f"<script>{MARK}", "<img src=http", f"href=javascript:{MARK}", f'"javascript:{MARK}')
    return [each for each in acting if each in text]


def _of_tables(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [cell[:60] for row in csv.reader(file) for cell in row if _is_formula(cell)]


def _is_formula(cell: str) -> bool:
    return MARK in cell and cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def _of_latex(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    return [each for each in (r"\input{/etc", r"\write18", r"\immediate") if each in text]


def _of_markdown(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    acting = (f"[{MARK}](javascript", "![x](http", "<script>", "<img src")
    return [each for each in acting if each in text]


_CHECKS: Mapping[str, Callable[[Path], list[str]]] = {
    ".html": _of_pages,
    ".csv": _of_tables,
    ".tex": _of_latex,
    ".md": _of_markdown,
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, in_process: Cli) -> Path:
    """A finished run and its bundle, before any change."""
    folder = tmp_path_factory.mktemp("sound")
    for words in (
        ("run", "sample:shop", "--agent", "gold,lexical", "--limit", 2, "--out", "run"),
        ("bundle", "run"),
    ):
        done = in_process(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def sent(place: Place, sound: Path, name: str) -> Path:
    """Lay a run that was changed in one of the ways into the stranger's folder."""
    run = place.stranger / name
    shutil.copytree(sound / "run", run)
    hostile.with_module(run)
    hostile.RUNS[name](run)
    return run


def readings(run: str) -> list[Words]:
    """Return every command that opens a run without trusting the names in it."""
    read = [
        (command, run)
        for command in (
            *(
                "show",
                "errors",
                "usage",
                "verify",
                "blame",
                "validate",
                "label-check",
                "judge-check",
            ),
            *("resume", "score", "upgrade", "show"),
        )
    ]
    name = Path(run).name
    exports = [
        ("export", run, "--to", form, "--out", f"{name}-{form}")
        for form in ("tau2", "jsonl", "csv", "parquet", "junit", "inspect")
    ]
    written = [
        ("report", run, "--out", f"{name}.html"),
        ("figures", run, "--out", f"{name}-figures"),
        ("bundle", run, "--out", f"{name}.zip"),
        ("merge", run, run, "--out", f"{name}-merged"),
        ("rows", run, "--out", f"{name}.jsonl"),
        ("leaderboard", run, "--style", "itc", "--out", f"{name}-board.tex"),
        ("errors", run, "--out", f"{name}-errors.md", "--out", f"{name}-errors.csv"),
    ]
    shown = [
        ("show", run, "--json"),
        ("show", run, "too-late"),
        ("compare", run, run),
        ("merge", run, run, "--out", f"{name}-merged"),
    ]
    return [*read, *shown, *exports, *written]


@pytest.mark.slow
def test_opening_a_strangers_run_runs_and_reaches_nothing(place: Place, sound: Path) -> None:
    run = sent(place, sound, "names")
    ended = place.opened(("show", str(run)), ("verify", str(run)), ("resume", str(run)))
    assert place.problems(ended, run) == []
    assert "give --trust if you know where it comes from" in ended[-1]["printed"]


@pytest.mark.slow
@pytest.mark.nightly
def test_the_hook_tells_what_is_done(place: Place) -> None:
    (place.work / "own.py").write_text(hostile.MODULE)
    words = ("run", "sample:shop", "--agent", "own:agent", "--limit", "1", "--out", "run")
    found = "\n".join(place.problems(place.opened(words)))
    assert "compile: " in found
    assert "made_by_a_module" in found


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("name", hostile.RUNS)
def test_no_command_that_opens_a_strangers_run_does_more_than_it_says(
    place: Place, sound: Path, name: str
) -> None:
    run = sent(place, sound, name)
    ended = place.opened(*readings(str(run)))
    assert place.problems(ended, run) == []


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("name", ["texts", "names", "bomb"])
def test_pages_of_a_strangers_run_do_no_more_than_be_shown(
    place: Place, sound: Path, name: str
) -> None:
    run = sent(place, sound, name)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("view", str(run), "--no-browser", "--port", str(port))
    pages: dict[str, bytes] = {}

    def look(process: subprocess.Popen[str]) -> None:
        wait_for(f"http://127.0.0.1:{port}/")
        pages.update(crawled(f"http://127.0.0.1:{port}"))
        process.send_signal(signal.SIGINT)

    assert place.problems(place.opened(words, meanwhile=look), run) == []
    assert pages
    for path, page in pages.items():
        (place.work / "page.html").write_bytes(page)
        assert (path, _of_pages(place.work / "page.html")) == (path, [])


@pytest.mark.slow
@pytest.mark.nightly
def test_no_bundle_of_a_strangers_does_more_than_it_says(place: Place, sound: Path) -> None:
    files = list(hostile.bundles(place.stranger, sound / "run.zip"))
    ended = place.opened(
        *(("unbundle", str(path), "--out", path.stem) for path in files),
        *(("import", str(path), "--out", f"{path.stem}-imported") for path in files),
    )
    assert place.problems(ended) == []
    assert {each["status"] for each in ended} <= {1, 2}


def with_own(place: Place, sound: Path) -> None:
    """Give the person a run of their own, which files are read for."""
    shutil.copytree(sound / "run", place.work / "run")


def read_by(commands: Iterable[Words], path: Path) -> list[Words]:
    return [tuple(word.replace("{}", str(path)) for word in words) for words in commands]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("content", files.CONTENTS)
def test_no_file_of_a_strangers_does_more_than_be_read(
    place: Place, sound: Path, content: str
) -> None:
    with_own(place, sound)
    commands: list[Words] = []
    for at, (name, read) in enumerate(files.READERS.values()):
        path = files.laid(place.stranger / str(at) / name, content)
        commands += read_by(read, path)
    ended = place.opened(*commands)
    assert place.problems(ended, place.stranger) == []


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("content", [*files.CONTENTS, "pipe", "device", "endless"])
def test_no_folder_of_a_strangers_does_more_than_be_read(place: Place, content: str) -> None:
    commands: list[Words] = []
    for at, (names, read) in enumerate(files.FOLDERS.values()):
        for turn, name in enumerate(names):
            folder = place.stranger / f"{at}-{turn}"
            for each in names[:turn]:
                files.laid(folder / each, "nothing").write_text("{}\n")
            lay = files.laid if content in files.CONTENTS else files.in_disguise
            lay(folder / name, content)
            hostile.with_module(folder)
            commands += read_by(read, folder)
    ended = place.opened(*commands)
    assert place.problems(ended, place.stranger) == []
