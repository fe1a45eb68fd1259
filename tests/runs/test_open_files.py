"""More conversations than files that may be open are played one after the other."""

import logging
import resource
from collections.abc import Iterator

import pytest

from dragoman.runs.process_limits import SPARE, fit_open_files


@pytest.fixture
def soft() -> Iterator[int]:
    """The limit that this process may lower, set back afterwards."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
    yield 512
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_what_fits_is_played_at_once_and_changes_nothing(soft: int) -> None:
    assert fit_open_files(soft - SPARE) == soft - SPARE
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == soft


def test_the_limit_is_raised_where_it_may_be(soft: int) -> None:
    assert fit_open_files(soft) == soft
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == soft + SPARE


def test_fewer_are_played_at_once_where_it_may_not(
    soft: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, soft))
    with caplog.at_level(logging.WARNING):
        assert fit_open_files(1_000) == soft - SPARE
    assert "ulimit -n" in caplog.text
