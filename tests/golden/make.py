"""Makes stored files with the current code: `python tests/golden/make.py`.

Run it in the root of the repository. Files are made once for each version whose files must stay
readable for ever. So files are added here and not made again: the committed files show that files
of an earlier version are still read. Runs of older formats are made by removing the parts that they
did not have.
"""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path
from shutil import copytree

from dragoman.core.conditions import condition_from
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage
from dragoman.models.chat.cached_model import CachedModel
from dragoman.models.chat.completions import decode_completion
from dragoman.store.pending_batches import PendingBatches
from dragoman.store.reply_cache import ReplyCache
from dragoman.store.translation_memory import (
    MemoryEntry,
    ReviewCount,
    ReviewRecord,
    SourceText,
    TranslationMemory,
)

STORED = Path(__file__).parent / "stored"
COURIER = ("run", "courier", "--agent", "literal", "--limit", "2", "--plain", "--quiet")
LANGUAGES = ("--language", "en,th", "--scenario", "domain")
API = {
    "openapi": "3.0.0",
    "info": {"title": "Parcels", "x-country": "Thailand", "license": {"name": "MIT"}},
    "servers": [{"url": "https://parcels.example"}],
    "paths": {
        path: {
            "get": {
                "summary": f"Returns the {path[1:]} of a parcel.",
                "tags": ["Transport"],
                "parameters": [
                    {
                        "name": "parcel",
                        "in": "query",
                        "required": True,
                        "description": "The number of the parcel.",
                        "schema": {"type": "string"},
                        "example": "P-1",
                    }
                ],
            }
        }
        for path in ("/place", "/weight", "/sender")
    },
}


class Answering:
    """A chat model that says good day."""

    name = "model"

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the same answer to every request."""
        assert request.messages
        body = b'{"choices": [{"message": {"role": "assistant", "content": "Good day."}}]}'
        return decode_completion(body, self.name, purpose, Latency(2.5, 0.75))


def main() -> None:
    """Make the missing files."""
    makers = {
        "files": make_files,
        "dataset": make_dataset,
        "format-3": make_older_runs,
        "grid": make_grid,
        "spoken": make_spoken,
        "set": make_audio_set,
    }
    for name, make in makers.items():
        if not (STORED / f"{name}.tar.xz").exists():
            with tempfile.TemporaryDirectory() as made:
                make(Path(made))


def make_grid(folder: Path) -> None:
    """Make a run over three axes with two scorings and further measures."""
    voices = ("--voice", "text,simulated:30", "--persona", "task,hard")
    dragoman(folder, *COURIER, *LANGUAGES, *voices, "--out", "grid")
    dragoman(folder, "score", "grid", "--rules", "tau2-1.0.1")
    for measure in ("modes", "effort", "safety"):
        dragoman(folder, "score", "grid", "--measure", measure)
    pack(folder / "grid")


def make_spoken(folder: Path) -> None:
    """Make a spoken run, and attribute its failures."""
    dragoman(folder, *COURIER, "--voice", "text,telephone", "--out", "spoken")
    dragoman(folder, "blame", "spoken")
    pack(folder / "spoken")


def make_audio_set(folder: Path) -> None:
    """Make an audio set of one task, spoken over a telephone and heard by embedded engines."""
    engines = ("--tts", "us", "--asr", "generic", "--line", "telephone")
    dragoman(folder, "speak", "courier", "--sample", "1", *engines, "--out", "set")
    pack(folder / "set")


def make_older_runs(folder: Path) -> None:
    """Make runs of formats without counts (3), without checksums (2), and with labels (1); a bundle too."""
    dragoman(folder, *COURIER, *LANGUAGES, "--out", "format-3")
    dragoman(folder, "bundle", "format-3", "--out", str(STORED / "bundle.zip"))
    with closing(sqlite3.connect(folder / "format-3" / "run.sqlite")) as file, file:
        file.execute("DROP TABLE tallies")
        file.execute("DROP INDEX episodes_that_broke")
        file.execute("UPDATE meta SET value = '3' WHERE name = 'format'")
    copytree(folder / "format-3", folder / "format-2")
    with closing(sqlite3.connect(folder / "format-2" / "run.sqlite")) as file, file:
        file.execute("UPDATE meta SET value = '2' WHERE name = 'format'")
        file.execute("DELETE FROM meta WHERE name = 'plan'")
        for table, column in (("meta", "value"), ("episodes", "data"), ("scores", "data")):
            file.execute(
                f"UPDATE {table} SET {column} = substr({column}, 1, length({column}) - 4) "  # noqa: S608 - literals
                f"WHERE typeof({column}) = 'blob'"
            )
    copytree(folder / "format-2", folder / "format-1")
    with closing(sqlite3.connect(folder / "format-1" / "run.sqlite")) as file, file:
        file.execute("UPDATE meta SET value = '1' WHERE name = 'format'")
        for (text,) in file.execute("SELECT DISTINCT condition FROM cells").fetchall():
            label = condition_from(text).label
            file.execute("UPDATE cells SET condition = ? WHERE condition = ?", (label, text))
    for number in (3, 2, 1):
        pack(folder / f"format-{number}")


def make_files(made: Path) -> None:
    """Make a translation memory, remembered replies and a ledger of batches."""
    folder = made / "files"
    folder.mkdir()
    source = SourceText("en", "vi", "tool find", "Finds a parcel.")
    with TranslationMemory(folder / "memory.sqlite") as memory:
        machine = MemoryEntry(source, "Tìm hàng.", "machine", "m", 1, ("odd",), "Find", 0.5)
        memory.put([machine], [Usage("translation", "m", input_tokens=9, output_tokens=3)])
        review = ReviewRecord("vi", "Lan", "vi.csv", "0" * 64, 3, (ReviewCount("tools", 2, 1),))
        memory.put_review([MemoryEntry(source, "Tìm bưu kiện.", "reviewed", "Lan", 2)], review)
    request = ChatRequest([{"role": "user", "content": "Hello"}], NO_TOOLS, 7, "task", draw="draw")
    with ReplyCache(folder / "replies.sqlite", 1 << 30) as cache:
        asyncio.run(CachedModel(Answering(), cache, "identity").complete(request, "agent"))
    batches = PendingBatches(folder / "batches.sqlite")
    batches.begin("batch", "https://models.example/v1", ["one", "two"])
    batches.accepted("batch", "batch-1")
    pack(folder)


def make_dataset(folder: Path) -> None:
    """Make a dataset of one invented API, by templates."""
    (folder / "api.json").write_text(json.dumps(API), "utf-8")
    dragoman(folder, "curate", "collect", "dataset", "api.json")
    for step in ("generate", "answer", "check"):
        dragoman(folder, "curate", step, "dataset")
    dragoman(folder, "curate", "split", "dataset", "--share", "0.4", "--seed", "2")
    pack(folder / "dataset")


def dragoman(folder: Path, *words: str) -> None:
    """Run a command in a folder, without recording its run for the current user."""
    subprocess.run(
        [sys.executable, "-m", "dragoman", *words],
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def pack(folder: Path) -> None:
    """Write a folder as an archive, without sounds of runs: they are large, and runs open without."""
    with tarfile.open(STORED / f"{folder.name}.tar.xz", "w:xz") as archive:
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder)
            if path.suffix == ".sqlite":
                with closing(sqlite3.connect(path)) as file:
                    file.execute("PRAGMA journal_mode = DELETE")
            if path.is_file() and path.suffix not in {".wav", ".lock"}:
                archive.add(path, str(place), filter=_of_nobody)


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    return entry.replace(uid=0, gid=0, uname="", gname="", mode=0o644, deep=False)


if __name__ == "__main__":
    main()
