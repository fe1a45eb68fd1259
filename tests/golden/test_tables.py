"""Freeze the tables of every SQLite file: a run whose tables differ by a letter is refused as foreign."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dragoman.store.dataset import Dataset
from dragoman.store.pending_batches import PendingBatches
from dragoman.store.reply_cache import ReplyCache
from dragoman.store.run_index import open_index
from dragoman.store.run_plan import NewRun
from dragoman.store.run_store import create_run
from dragoman.store.translation_memory import TranslationMemory


def test_stored_files_have_the_tables_of_before(
    tmp_path: Path, same_json: Callable[[str, object], None]
) -> None:
    """Compare names, columns and formats of each new file with the golden ones."""
    create_run(tmp_path / "run", NewRun(b"{}", (), {})).close()
    Dataset(tmp_path / "dataset").close()
    TranslationMemory(tmp_path / "memory.sqlite").close()
    ReplyCache(tmp_path / "replies.sqlite", 1 << 20).close()
    PendingBatches(tmp_path / "batches.sqlite").begin("name", "endpoint", ["key"])
    open_index(tmp_path / "index.sqlite").close()
    found = {
        path.relative_to(tmp_path).as_posix(): tables(path) for path in tmp_path.rglob("*.sqlite")
    }
    assert len(found) == 6
    same_json("tables.json", found)


def tables(path: Path) -> dict[str, object]:
    """Return the SQL statements that made a file, and its statement of the format."""
    with closing(sqlite3.connect(path)) as file:
        made = file.execute("SELECT type || ' ' || name, sql FROM sqlite_master").fetchall()
        (version,), (application,) = (
            file.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")
        )
    return {**dict(made), "user_version": version, "application_id": application}
