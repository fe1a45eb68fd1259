import hashlib
import logging
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.core.errors import StoreError
from dragoman.store.reply_cache import ReplyCache, clear_replies, describe_replies

PLENTY = 1 << 30
ONE, TWO = b"1" * 16, b"2" * 16

KEYS = st.binary(min_size=16, max_size=16)
BODIES = st.binary(max_size=20_000)


def key_of(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "replies.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(path, PLENTY) as opened:
        yield opened


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


@settings(
    max_examples=settings().max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(replies=st.dictionaries(KEYS, BODIES, max_size=20))
def test_what_was_put_is_got_by_whoever_opens_the_file_next(
    tmp_path: Path, replies: dict[bytes, bytes]
) -> None:
    path = tmp_path / "replies.sqlite"
    clear_replies(path)
    with ReplyCache(path, PLENTY) as cache:
        for key, body in replies.items():
            cache.put(key, body)
    with ReplyCache(path, PLENTY) as cache:
        assert {key: cache.get(key) for key in replies} == replies
        assert cache.get(b"another key here") is None


def test_a_reply_can_be_got_before_it_is_written(cache: ReplyCache) -> None:
    for number in range(2_000):
        body = b"%d" % number
        cache.put(key_of(body), body)
        assert cache.get(key_of(body)) == body


def test_a_reply_put_again_replaces_the_first(cache: ReplyCache) -> None:
    cache.put(ONE, b"old")
    cache.flush()
    cache.put(ONE, b"new")
    cache.flush()
    assert cache.get(ONE) == b"new"


def test_what_one_process_puts_another_gets_while_both_are_open(
    path: Path, cache: ReplyCache
) -> None:
    with ReplyCache(path, PLENTY) as other:
        assert other.get(ONE) is None
        cache.put(ONE, b"body")
        cache.flush()
        assert other.get(ONE) == b"body"


def test_a_call_that_nobody_saw_end_was_in_flight(path: Path) -> None:
    with ReplyCache(path, PLENTY) as killed:
        killed.begin(ONE)
        killed.begin(TWO)
        killed.flush()
        killed.put(TWO, b"body")
        assert not killed.was_in_flight(ONE)
    with ReplyCache(path, PLENTY) as later:
        assert later.was_in_flight(ONE)
        assert not later.was_in_flight(TWO)
        assert not later.was_in_flight(b"3" * 16)


@pytest.mark.parametrize("how", ["put", "forget"])
def test_a_call_that_ended_is_no_longer_in_flight(path: Path, how: str) -> None:
    with ReplyCache(path, PLENTY) as killed:
        killed.begin(ONE)
    with ReplyCache(path, PLENTY) as resumed:
        resumed.begin(ONE)
        resumed.flush()
        if how == "put":
            resumed.put(ONE, b"body")
        else:
            resumed.forget(ONE)
        assert not resumed.was_in_flight(ONE)
    with ReplyCache(path, PLENTY) as later:
        assert not later.was_in_flight(ONE)
        assert later.get(ONE) == (b"body" if how == "put" else None)


def test_a_call_begun_long_ago_is_not_in_flight_for_ever(path: Path) -> None:
    with ReplyCache(path, PLENTY, clock=lambda: 0.0) as killed:
        killed.begin(ONE)
    with ReplyCache(path, PLENTY) as later:
        later.flush()
    assert describe_replies(path).in_flight == 0


def test_the_file_stays_within_its_bound_and_keeps_what_was_used_last(path: Path) -> None:
    now = [0.0]
    body = b"x" * 1_000
    with ReplyCache(path, 400_000, clock=lambda: now[0]) as cache:
        for number in range(1_000):
            now[0] += 10_000.0
            cache.put(b"%016d" % number, body)
            cache.flush()
            assert cache.get(b"%016d" % 0) == body
        kept = [number for number in range(1_000) if cache.get(b"%016d" % number)]
    assert path.stat().st_size < 500_000
    assert 200 < len(kept) < 400
    assert kept == [0, *range(1_000 - len(kept) + 1, 1_000)]


def test_a_reply_larger_than_the_bound_is_not_kept(path: Path) -> None:
    with ReplyCache(path, 200_000) as cache:
        cache.put(ONE, b"x" * 1_000_000)
        cache.flush()
        assert cache.get(ONE) is None
        cache.put(TWO, b"small")
        cache.flush()
        assert cache.get(TWO) == b"small"


def test_a_closed_cache_is_an_empty_one(path: Path) -> None:
    cache = ReplyCache(path, PLENTY)
    cache.put(ONE, b"body")
    cache.close()
    cache.close()
    cache.put(TWO, b"body")
    cache.flush()
    assert cache.get(ONE) is None
    assert cache.get(TWO) is None


@pytest.mark.parametrize("content", [b"this is not a database" * 500, b"\0" * 8_192])
def test_a_file_that_is_no_database_is_set_aside_and_begun_anew(
    path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with ReplyCache(path, PLENTY) as cache:
        cache.put(ONE, b"body")
    with ReplyCache(path, PLENTY) as cache:
        assert cache.get(ONE) == b"body"
    assert path.with_name("replies.sqlite.damaged").read_bytes() == content
    assert len(warnings(caplog)) == 1


def test_a_file_damaged_while_in_use_is_told_once_and_begun_anew_by_the_next(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ReplyCache(path, PLENTY) as cache:
        for number in range(500):
            cache.put(b"%016d" % number, b"x" * 3_000)
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(os.urandom(path.stat().st_size - 4_096))
    with ReplyCache(path, PLENTY) as cache:
        assert [cache.get(b"%016d" % number) for number in range(500)] == [None] * 500
        cache.put(ONE, b"body")
        cache.flush()
    assert len(warnings(caplog)) == 1
    with ReplyCache(path, PLENTY) as cache:
        cache.put(ONE, b"body")
        cache.flush()
        assert cache.get(ONE) == b"body"


def test_a_reply_of_which_a_byte_has_changed_is_not_got(path: Path) -> None:
    with ReplyCache(path, PLENTY) as cache:
        cache.put(ONE, b"forty two " * 20)
        cache.put(TWO, b"body")
    content = path.read_bytes()
    assert content.count(b"forty two ") == 20
    path.write_bytes(content.replace(b"forty two ", b"forty one ", 1))
    with ReplyCache(path, PLENTY) as cache:
        assert cache.get(ONE) is None
        assert cache.get(TWO) == b"body"
        cache.put(ONE, b"again")
        cache.flush()
        assert cache.get(ONE) == b"again"


def test_a_place_where_nothing_can_be_kept_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    with ReplyCache(tmp_path / "file" / "replies.sqlite", PLENTY) as cache:
        cache.begin(ONE)
        cache.put(ONE, b"body")
        cache.flush()
        assert cache.get(ONE) is None
        assert not cache.was_in_flight(ONE)
    (reported,) = warnings(caplog)
    assert "going on without them" in reported


def test_a_file_of_another_format_is_left_alone(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    file = sqlite3.connect(path)
    file.execute("PRAGMA user_version = 7")
    file.close()
    with ReplyCache(path, PLENTY) as cache:
        cache.put(ONE, b"body")
        assert cache.get(ONE) is None
    (reported,) = warnings(caplog)
    assert "format 7" in reported
    assert not path.with_name("replies.sqlite.damaged").exists()


def test_a_file_that_may_not_grow_is_told_once_and_the_caller_goes_on(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ReplyCache(path, PLENTY) as cache:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
        try:
            for number in range(400):
                cache.put(b"%016d" % number, b"x" * 2_000)
                cache.flush()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert cache.get(ONE) is None
    (reported,) = warnings(caplog)
    assert "written" in reported
    with ReplyCache(path, PLENTY) as cache:
        assert cache.get(b"%016d" % 0) == b"x" * 2_000


WRITING = """
import hashlib, sys
from pathlib import Path
from dragoman.store.reply_cache import ReplyCache

cache = ReplyCache(Path(sys.argv[1]), 1 << 30)
for number in range(int(sys.argv[3])):
    body = f"{sys.argv[2]}-{number}-".encode() * 100
    cache.put(hashlib.blake2b(body, digest_size=16).digest(), body)
    if number % 10 == 9:
        cache.flush()
        print(number, flush=True)
cache.close()
"""


def writing(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITING, str(path), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def body_of(name: str, number: int) -> bytes:
    return f"{name}-{number}-".encode() * 100


@pytest.mark.slow
def test_processes_that_begin_and_fill_one_file_at_once_lose_nothing(path: Path) -> None:
    names = ("a", "b", "c")
    for process in [writing(path, name, 300) for name in names]:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    bodies = [body_of(name, number) for name in names for number in range(300)]
    with ReplyCache(path, PLENTY) as cache:
        assert [cache.get(key_of(body)) for body in bodies] == bodies


@pytest.mark.slow
@pytest.mark.chaos
@pytest.mark.parametrize("lines", [1, 7, 20])
def test_a_process_killed_while_it_puts_leaves_whole_replies_only(path: Path, lines: int) -> None:
    process = writing(path, "k", 1_000_000)
    assert process.stdout is not None
    reported = [int(process.stdout.readline()) for _ in range(lines)]
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    with ReplyCache(path, PLENTY) as cache:
        for number in range(reported[-1] + 1):
            assert cache.get(key_of(body_of("k", number))) == body_of("k", number)
    file = sqlite3.connect(path)
    stored = file.execute("SELECT key, body FROM replies").fetchall()
    file.close()
    assert len(stored) > reported[-1]
    assert all(key_of(body) == key for key, body in stored)


def test_a_file_is_described_and_cleared(path: Path) -> None:
    assert describe_replies(path) == describe_replies(path.with_name("none"))
    assert clear_replies(path) == 0
    with ReplyCache(path, PLENTY) as cache:
        cache.put(ONE, b"body")
        cache.begin(TWO)
        cache.flush()
        facts = describe_replies(path)
        assert (facts.replies, facts.in_flight) == (1, 1)
        assert facts.bytes > 0
        assert clear_replies(path) == facts.bytes
        cache.put(TWO, b"goes on with its own file")
        cache.flush()
    assert describe_replies(path).replies == 0


def test_a_file_that_cannot_be_read_says_how_to_get_rid_of_it(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is not a database" * 500)
    with pytest.raises(StoreError, match="dragoman cache clear"):
        describe_replies(path)
    clear_replies(path)
    assert describe_replies(path).bytes == 0


def test_a_copy_taken_while_it_is_written_holds_whole_replies(
    path: Path, tmp_path: Path, cache: ReplyCache
) -> None:
    for number in range(100):
        cache.put(key_of(body_of("c", number)), body_of("c", number))
    cache.flush()
    for part in ("", "-wal"):
        shutil.copy(f"{path}{part}", tmp_path / f"copy.sqlite{part}")
    with ReplyCache(tmp_path / "copy.sqlite", PLENTY) as copy:
        assert copy.get(key_of(body_of("c", 99))) == body_of("c", 99)
