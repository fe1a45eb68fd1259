import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.core.errors import StoreError
from dragoman.core.usage import Usage
from dragoman.store.translation_memory import (
    MemoryCount,
    MemoryEntry,
    Origin,
    ReviewCount,
    ReviewRecord,
    SourceText,
    TranslationMemory,
)

HELLO = SourceText("en", "th", "retail/text", "Hello.")
BYE = SourceText("en", "th", "retail/text", "Bye.")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)


def entry(
    target: str, origin: Origin = "machine", made: int = 0, source: SourceText = HELLO
) -> MemoryEntry:
    return MemoryEntry(source, target, origin, "some/model", made)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out" / "translation_memory.sqlite"


@pytest.fixture
def memory(path: Path) -> Iterator[TranslationMemory]:
    with TranslationMemory(path) as opened:
        yield opened


@settings(
    max_examples=settings().max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    texts=st.dictionaries(st.tuples(TEXTS, TEXTS, TEXTS), TEXTS, max_size=10),
    quality=st.none() | st.floats(0, 1),
    back=st.none() | TEXTS,
    notes=st.lists(TEXTS).map(tuple),
)
def test_what_was_put_is_found_by_whoever_opens_the_file_next(
    tmp_path_factory: pytest.TempPathFactory,
    texts: dict[tuple[str, str, str], str],
    quality: float | None,
    back: str | None,
    notes: tuple[str, ...],
) -> None:
    path = tmp_path_factory.mktemp("memory") / "memory.sqlite"
    entries = [
        MemoryEntry(SourceText("en", *place), target, "machine", "m", 7, notes, back, quality)
        for place, target in texts.items()
    ]
    with TranslationMemory(path) as memory:
        assert memory.put(entries) == tuple(entries)
    with TranslationMemory(path, write=False) as memory:
        assert memory.find(each.source for each in entries) == {
            each.source: each for each in entries
        }
        assert memory.find([SourceText("en", "xx", "no", "such")]) == {}
        assert sorted(memory.entries(), key=str) == sorted(entries, key=str)


def test_one_text_has_a_translation_for_each_language_and_context(
    memory: TranslationMemory,
) -> None:
    other_language = msgspec.structs.replace(HELLO, target_language="vi")
    other_context = msgspec.structs.replace(HELLO, context="airline/text")
    memory.put(
        [
            entry("สวัสดี"),
            entry("Xin chào", source=other_language),
            entry("หวัดดี", source=other_context),
        ]
    )
    found = memory.find([HELLO, other_language, other_context])
    assert [each.target for each in found.values()] == ["สวัสดี", "Xin chào", "หวัดดี"]
    assert [each.target for each in memory.entries("en", "vi")] == ["Xin chào"]


STATUS: list[tuple[list[MemoryEntry], str]] = [
    ([entry("one"), entry("two")], "one"),
    ([entry("one"), entry("two", "imported")], "two"),
    ([entry("one", "imported"), entry("two", "imported")], "two"),
    ([entry("one", "imported"), entry("two")], "one"),
    ([entry("one"), entry("two", "reviewed")], "two"),
    ([entry("one", "reviewed", 9), entry("two", "machine", 10)], "one"),
    ([entry("one", "reviewed", 9), entry("two", "imported", 10)], "one"),
    ([entry("one", "reviewed", 9), entry("two", "reviewed", 10)], "two"),
    ([entry("one", "reviewed", 9), entry("two", "reviewed", 8)], "one"),
]


@pytest.mark.parametrize(("put", "stands"), STATUS)
def test_reviewed_wins_over_imported_and_imported_over_machine(
    memory: TranslationMemory, put: list[MemoryEntry], stands: str
) -> None:
    *before, last = put
    for each in before:
        memory.put([each])
    assert [each.target for each in memory.put([last])] == [stands]
    assert memory.find([HELLO])[HELLO].target == stands


def test_a_review_that_changes_nothing_makes_the_text_a_reviewed_one(
    memory: TranslationMemory,
) -> None:
    memory.put([entry("same")])
    memory.put([entry("same", "reviewed", 5)])
    assert memory.find([HELLO])[HELLO] == entry("same", "reviewed", 5)


def test_what_was_replaced_is_kept_in_its_order(memory: TranslationMemory) -> None:
    memory.put([entry("machine's")])
    memory.put([entry("first review", "reviewed", 1)])
    memory.put([entry("second review", "reviewed", 2)])
    assert [each.target for each in memory.history(HELLO)] == ["machine's", "first review"]
    assert memory.history(BYE) == []


def test_notes_and_estimates_are_laid_on_what_stands_and_on_nothing_else(
    memory: TranslationMemory,
) -> None:
    memory.put([entry("one", "reviewed", 3)])
    judged = msgspec.structs.replace(entry("one"), back_translation="Hi.", quality=0.5)
    memory.annotate([judged, entry("gone", source=BYE)])
    memory.annotate([msgspec.structs.replace(entry("another"), quality=0.1)])
    found = memory.find([HELLO, BYE])
    assert found == {
        HELLO: msgspec.structs.replace(
            entry("one", "reviewed", 3), back_translation="Hi.", quality=0.5
        )
    }
    assert memory.history(HELLO) == []


def test_what_requests_consumed_is_kept_with_what_came_of_them_and_added_up(
    memory: TranslationMemory,
) -> None:
    memory.put([entry("one")], [Usage("translation", "some/model", 1, 100, 10)])
    memory.put([], [Usage("translation", "some/model", 1, 50, 5), Usage("x", "other/model")])
    assert memory.usage() == (
        Usage("translation", "some/model", 2, 150, 15),
        Usage("x", "other/model"),
    )


def test_translations_are_counted_by_languages_and_origin(memory: TranslationMemory) -> None:
    memory.put([entry("one"), entry("two", "reviewed", source=BYE)])
    memory.put([entry("ba", source=msgspec.structs.replace(BYE, target_language="vi"))])
    assert memory.counts() == [
        MemoryCount("en", "th", "machine", 1),
        MemoryCount("en", "th", "reviewed", 1),
        MemoryCount("en", "vi", "machine", 1),
    ]


def test_a_text_that_cannot_be_stored_leaves_the_others_of_its_batch_out_too(
    memory: TranslationMemory,
) -> None:
    with pytest.raises(StoreError, match="a text cannot be stored"):
        memory.put([entry("fine"), entry("half a pair: \ud83d", source=BYE)])
    assert memory.entries() == []
    memory.put([entry("fine")])
    assert [each.target for each in memory.entries()] == ["fine"]


PUT_MANY = """
import sys
from pathlib import Path
from dragoman.store.translation_memory import MemoryEntry, SourceText, TranslationMemory

path, number = Path(sys.argv[1]), sys.argv[2]
with TranslationMemory(path) as memory:
    for index in range(20):
        source = SourceText("en", "th", "c", f"text {index}")
        memory.put([MemoryEntry(source, f"by {number}", "machine", "some/model")])
"""


@pytest.mark.slow
def test_processes_that_begin_one_file_together_agree_on_every_translation(path: Path) -> None:
    commands = [[sys.executable, "-c", PUT_MANY, str(path), str(number)] for number in range(3)]
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait() for process in processes] == [0, 0, 0]
    with TranslationMemory(path) as memory:
        assert len(memory.entries()) == 20
        assert memory.history(SourceText("en", "th", "c", "text 0")) == []


def test_a_missing_file_is_made_to_write_and_told_where_it_is_to_be_read(path: Path) -> None:
    with pytest.raises(StoreError, match="no translation memory here"):
        TranslationMemory(path, write=False)
    assert not path.exists()
    TranslationMemory(path).close()
    TranslationMemory(path, write=False).close()


def test_an_empty_file_is_no_memory_to_read_and_stays_empty(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with pytest.raises(StoreError, match="no translation memory"):
        TranslationMemory(path, write=False)
    assert path.read_bytes() == b""


def test_what_is_opened_to_be_read_is_not_written_and_leaves_nothing_beside_it(path: Path) -> None:
    with TranslationMemory(path) as memory:
        memory.put([entry("two hundred", source=BYE)])
    before = path.read_bytes()
    with TranslationMemory(path, write=False) as memory:
        assert len(memory.entries()) == 1
        with pytest.raises(StoreError, match="cannot be written"):
            memory.put([entry("two hundred and one")])
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only folder")
def test_a_memory_in_a_read_only_folder_is_read(path: Path) -> None:
    with TranslationMemory(path) as memory:
        memory.put([entry("two hundred", source=BYE)])
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        with TranslationMemory(path, write=False) as memory:
            assert len(memory.entries()) == 1
        with pytest.raises(StoreError, match="readonly"):
            TranslationMemory(path)
    finally:
        path.parent.chmod(0o755)


def test_a_file_of_something_else_is_one_line(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match=r"memory\.sqlite: damaged or no translation memory"):
        TranslationMemory(path)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE birds (name TEXT)")
    other.close()
    with pytest.raises(StoreError, match="a database, but no translation memory"):
        TranslationMemory(path)


def test_a_file_with_a_trigger_in_it_is_refused(path: Path) -> None:
    TranslationMemory(path).close()
    with sqlite3.connect(path) as file:
        file.execute("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM replaced; END")
    file.close()
    with pytest.raises(StoreError, match="no translation memory"):
        TranslationMemory(path)


def test_a_changed_bit_in_a_translation_is_told_and_not_read(path: Path) -> None:
    with TranslationMemory(path) as memory:
        memory.put([entry("two hundred", source=BYE)])
    with sqlite3.connect(path) as file:
        file.execute("UPDATE entries SET data = CAST(replace(data, 'two', 'ten') AS BLOB)")
    file.close()
    with (
        TranslationMemory(path) as memory,
        pytest.raises(StoreError, match="from en into th is damaged"),
    ):
        memory.find([BYE])


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="folder cannot be made or written"):
        TranslationMemory(tmp_path / "file" / "memory.sqlite")


def review(language: str = "th", made: int = 5) -> ReviewRecord:
    counts = (ReviewCount("retail_tasks", 10, 9, 1),)
    return ReviewRecord(language, "Somchai", "th.xlsx", "ab" * 32, made, counts)


def test_a_review_is_kept_with_what_it_approved(memory: TranslationMemory) -> None:
    memory.put([entry("machine's")])
    (kept,) = memory.put_review([entry("reviewer's", "reviewed", 5)], review())
    assert kept.target == "reviewer's"
    memory.put_review([], review("vi"))
    assert memory.reviews("th") == [review()]
    assert memory.reviews() == [review(), review("vi")]


def test_a_review_whose_texts_cannot_be_stored_is_not_kept(memory: TranslationMemory) -> None:
    with pytest.raises(StoreError, match="cannot be stored"):
        memory.put_review([entry("\ud800", "reviewed", 5)], review())
    assert memory.reviews() == []


def test_a_damaged_record_of_a_review_is_told_in_one_line(
    memory: TranslationMemory, path: Path
) -> None:
    memory.put_review([], review())
    with sqlite3.connect(path) as file:
        file.execute("UPDATE reviews SET target_language = 'vi'")
    file.close()
    with pytest.raises(StoreError, match="record of a review is damaged"):
        memory.reviews()


def test_a_memory_that_another_process_holds_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.store.sqlite_files.LOCK_WAIT_SECONDS", 0)
    with TranslationMemory(path) as memory:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process has been writing it"):
            memory.put([entry("two hundred", source=BYE)])
        other.close()
