import re
from pathlib import Path

import pytest

from dragoman.core.errors import UsageError
from dragoman.testing.request_log import LogLine, LogView, RequestLog, read_log


def test_requests_are_counted_by_outcome_and_by_content() -> None:
    log = RequestLog()
    assert [log.start("a"), log.start("a"), log.start("b")] == [1, 2, 3]
    log.end("a", "ok")
    log.end("a", "abandoned")
    view = log.view()
    assert view == LogView(
        started=3,
        completed=1,
        abandoned=1,
        peak=3,
        outcomes={"ok": 1, "abandoned": 1},
        contents={"a": {"ok": 1, "abandoned": 1}},
    )
    assert view.in_flight == 1
    log.end("b", "cut")
    assert log.view().in_flight == 0
    assert log.view().completed == 2


def test_a_file_has_every_line_at_once(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    log = RequestLog(path)
    log.start("a")
    assert read_log(path) == [LogLine("started", "a")]
    log.end("a", "ok")
    assert read_log(path) == [LogLine("started", "a"), LogLine("ended", "a", "ok")]
    log.close()


def test_a_file_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    for content in ("a", "b"):
        log = RequestLog(path)
        log.start(content)
        log.close()
    assert [line.content for line in read_log(path)] == ["a", "b"]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=re.escape(f"log {tmp_path}: Is a directory")):
        RequestLog(tmp_path)
