"""Progress without a terminal for a bar, and with progress switched off."""

import io
import sys
from collections.abc import Callable, Iterator
from subprocess import CompletedProcess

import pytest

from dragoman.cli.output import set_mode
from dragoman.cli.progress import PLAIN_EVERY_S, progress

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _usual() -> Iterator[None]:
    yield
    set_mode("usual")


def _clock() -> Callable[[], float]:
    times = iter([0.0, 1.0, PLAIN_EVERY_S, PLAIN_EVERY_S + 1, 2 * PLAIN_EVERY_S])
    return lambda: next(times)


@pytest.mark.parametrize(
    ("total", "of", "left"),
    [(114, " of 114", ("28 min 0 s left", "27 min 30 s left")), (None, "", ())],
)
def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is_and_how_long_it_takes(
    capsys: pytest.CaptureFixture[str], total: int | None, of: str, left: tuple[str, ...]
) -> None:
    with progress("conversations", total, lambda: "1 timeout", _clock()) as advance:
        for _ in range(4):
            advance()

    rest = [f", {each}" for each in left] or ["", ""]
    assert capsys.readouterr().err.splitlines() == [
        f"conversations: 2{of} after 30 s, 4.0 per minute{rest[0]}; 1 timeout",
        f"conversations: 4{of} after 60 s, 4.0 per minute{rest[1]}; 1 timeout",
    ]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    set_mode("quiet")

    with progress("conversations", 114, clock=_clock()) as advance:
        for _ in range(4):
            advance()

    assert not capsys.readouterr().err


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("mode", "has_bar"), [("usual", True), ("plain", False)])
def test_a_terminal_shows_a_bar_with_speed_time_left_and_what_is_known_unless_plain(
    monkeypatch: pytest.MonkeyPatch, mode: str, has_bar: bool
) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "80")
    set_mode("plain" if mode == "plain" else "usual")

    with progress("conversations", 4, lambda: "1 timeout; cost unknown") as advance:
        advance()
        advance()

    assert ("2/4" in stream.getvalue()) is has_bar
    assert ("left; 1 timeout; cost unknown" in stream.getvalue()) is has_bar


def test_quiet_omits_the_notice_of_the_chosen_scenario(dragoman: Cli) -> None:
    plan = ("run", "courier", "--agent", "gold", "--language", "vi", "--dry-run")

    assert "; --scenario names another" in dragoman(*plan).stderr
    assert dragoman(*plan, "--quiet").stderr == ""


def test_every_command_takes_both_and_the_next_one_shows_all_again(dragoman: Cli) -> None:
    run = ("run", "sample:shop", "--agent", "gold")

    quiet = dragoman(*run, "--quiet", "--out", "a")
    usual = dragoman("score", "a", "--plain")

    assert quiet.stderr == ""
    assert "pass^1" in quiet.stdout
    assert usual.returncode == 0
    assert usual.stderr == "run: a\n"
