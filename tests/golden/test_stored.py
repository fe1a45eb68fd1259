"""Read the files of version 0.1.0: each opens, has equal content, and can be resumed.

`make.py` made the files in `stored`. Their expected content is in `expected`.
"""

import asyncio
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest

from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.tools import NO_TOOLS
from dragoman.models.chat.cached_model import CachedModel
from dragoman.store.pending_batches import PendingBatches
from dragoman.store.reply_cache import ReplyCache
from dragoman.store.translation_memory import SourceText, TranslationMemory

SameJson = Callable[[str, object], None]
RunJson = Callable[..., Any]
Unpack = Callable[[str], Path]

STORED = Path(__file__).parent / "stored"
WHOLE_RUNS = ("grid", "spoken", "format-3", "format-2", "format-1")
READ = {
    "grid": ("show", "compare", "usage", "errors"),
    "spoken": ("show", "compare", "usage", "leaderboard --style bfcl-audio"),
}
ENGINES = {"espeakng-loader": "0.2.4", "pocketsphinx": "5.1.1"}


@pytest.fixture
def unpack(tmp_path: Path) -> Unpack:
    """Return a function that unpacks a stored folder under its name."""

    def unpacked(name: str) -> Path:
        with tarfile.open(STORED / f"{name}.tar.xz") as archive:
            archive.extractall(tmp_path / name, filter="data")
        return tmp_path / name

    return unpacked


@pytest.fixture
def dragoman(in_process: Callable[..., CompletedProcess[str]], tmp_path: Path) -> RunJson:
    """Return a function that runs a command, requires success, and returns its output."""

    def call(words: str) -> str:
        done = in_process(*words.split(), cwd=tmp_path, COLUMNS="100")
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.fixture
def run_json(dragoman: RunJson) -> RunJson:
    """Return a function that runs a command with `--json` and returns the object it ends with."""
    return lambda words: json.loads(dragoman(f"{words} --json").splitlines()[-1])


def conversations(run: Path) -> int:
    """Return how many conversations a run holds."""
    with closing(sqlite3.connect(run / "run.sqlite")) as file:
        ((count,),) = file.execute("SELECT count(*) FROM episodes")
    return int(count)


def _require_engines() -> None:
    pytest.importorskip("pocketsphinx")
    if {engine: version(engine) for engine in ENGINES} != ENGINES:
        pytest.skip("the versions of the embedded engines are part of the keys, and differ here")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["grid", "spoken"])
def test_a_stored_run_says_what_it_said(
    name: str, unpack: Unpack, run_json: RunJson, same_json: SameJson
) -> None:
    """Compare the output of commands on a run with the golden output."""
    unpack(name)
    found = {words: run_json(f"{words} {name}") for words in READ[name]}
    same_json(f"run_{name}.json", found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["format-3", "format-2", "format-1"])
def test_a_run_of_an_older_format_is_read_and_upgraded(
    name: str, unpack: Unpack, run_json: RunJson, dragoman: RunJson, same_json: SameJson
) -> None:
    """Compare the output on an older run with one golden file, before and after an upgrade."""
    run = unpack(name)
    run.rename(run.with_name("older"))
    for _ in range(2):
        same_json(
            "run_older.json", {words: run_json(f"{words} older") for words in ("show", "compare")}
        )
        dragoman("upgrade older")
    dragoman("verify older")


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE_RUNS)
def test_a_stored_run_that_is_whole_plays_nothing_again(
    name: str, unpack: Unpack, run_json: RunJson
) -> None:
    """Resume a whole run: no conversation is added, and its figures stay."""
    if name == "spoken":
        _require_engines()
    run = unpack(name)
    played, shown = conversations(run), run_json(f"show {name}")
    run_json(f"resume {name}")
    assert conversations(run) == played
    assert run_json(f"show {name}") == shown


@pytest.mark.slow
def test_stored_attribution_is_found_again(
    unpack: Unpack, run_json: RunJson, same_json: SameJson
) -> None:
    """Attribute the failures again: the counterfactuals are found under their keys."""
    _require_engines()
    replays = sorted((unpack("spoken") / "blame").iterdir())
    before = {folder.name: conversations(folder) for folder in replays}
    same_json("blame.json", run_json("blame spoken"))
    after = {
        path.parent.name: conversations(path.parent)
        for path in replays[0].parent.glob("*/run.sqlite")
    }
    assert after == before


@pytest.mark.slow
def test_a_stored_run_is_scored_again_with_equal_results(unpack: Unpack, run_json: RunJson) -> None:
    """Score a run again: its verdicts and figures stay the same."""
    unpack("grid")
    shown = run_json("show grid --rules dragoman-2")
    run_json("score grid --anew --rules dragoman-2")
    assert run_json("show grid --rules dragoman-2") == shown


@pytest.mark.slow
def test_a_stored_run_is_reported_bundled_and_unbundled(
    unpack: Unpack, run_json: RunJson, dragoman: RunJson, tmp_path: Path
) -> None:
    """Send a run through a report and a bundle: it comes back as it was."""
    run = unpack("grid")
    shown = run_json("show grid")
    dragoman("report grid --out report.html")
    dragoman("bundle grid --out grid.zip")
    shutil.rmtree(run)
    dragoman("unbundle grid.zip --out grid")
    assert run_json("show grid") == shown
    assert (tmp_path / "report.html").stat().st_size > 1_000


@pytest.mark.slow
def test_a_stored_bundle_is_unbundled(
    run_json: RunJson, dragoman: RunJson, same_json: SameJson
) -> None:
    """Unpack a stored bundle: its run gives the same output as runs of older formats."""
    dragoman(f"unbundle {STORED / 'bundle.zip'} --out older")
    same_json(
        "run_older.json", {words: run_json(f"{words} older") for words in ("show", "compare")}
    )


@pytest.mark.slow
def test_a_stored_audio_set_is_played(
    unpack: Unpack, run_json: RunJson, same_json: SameJson
) -> None:
    """Verify a stored audio set and play it: its conversations have the golden results."""
    pytest.importorskip("soundfile")
    folder = unpack("set")
    verified = run_json("speak --verify set")
    played = run_json("run set:set --agent literal --out played")
    with closing(sqlite3.connect(folder.with_name("played") / "run.sqlite")) as file:
        keys = [key.hex() for (key,) in file.execute("SELECT key FROM cells ORDER BY id")]
    same_json("audio_set.json", {"verified": verified, "cells": played["cells"], "keys": keys})


@pytest.mark.slow
def test_a_stored_dataset_is_read_and_its_steps_have_nothing_to_do(
    unpack: Unpack, run_json: RunJson, same_json: SameJson
) -> None:
    """Go through the steps of a dataset again: its items and its card stay."""
    path = unpack("dataset") / "dataset.sqlite"
    before = _rows(path)
    for step in ("generate", "answer", "check", "split --share 0.4 --seed 2"):
        run_json(f"curate {step} dataset")
    assert _rows(path) == before
    status, card = run_json("curate status dataset"), run_json("curate card dataset")
    same_json("dataset.json", {"status": status, "card": card, "items": before})


def _rows(path: Path) -> list[list[str]]:
    with closing(sqlite3.connect(path)) as file:
        query = (
            "SELECT kind, name, digest FROM items UNION ALL SELECT step, name, digest FROM ledger"
        )
        return sorted([str(column) for column in row] for row in file.execute(query))


class Refusing:
    """A chat model that must not get any request."""

    name = "model"

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        raise AssertionError(request, purpose)


def test_stored_replies_translations_and_batches_are_found(
    unpack: Unpack, same_json: SameJson
) -> None:
    """Find a reply, a translation with its history, and a batch in stored files."""
    folder = unpack("files")
    request = ChatRequest([{"role": "user", "content": "Hello"}], NO_TOOLS, 7, "task", draw="draw")
    with ReplyCache(folder / "replies.sqlite", 1 << 30) as cache:
        model = CachedModel(Refusing(), cache, "identity")
        reply = asyncio.run(model.complete(request, "agent"))
    source = SourceText("en", "vi", "tool find", "Finds a parcel.")
    with TranslationMemory(folder / "memory.sqlite") as memory:
        memories = [
            memory.find([source])[source],
            memory.history(source),
            memory.reviews(),
            memory.usage(),
        ]
    batches = PendingBatches(folder / "batches.sqlite").holding(
        "https://models.example/v1", ["two"]
    )
    found = [[reply.reply, reply.latency, reply.usage], memories, batches]
    same_json("files.json", msgspec.to_builtins(found))
