"""Long commands report early and repeatedly that they work, in any kind of wait."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.cli.output import set_mode
from dragoman.cli.progress import LINE_PACE, LinePace, heartbeat, progress
from dragoman.core.progress import long_step
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.fake_translation_llm import FakeTranslationLlm
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

Cli = Callable[..., CompletedProcess[str]]

DEADLINE_S = 10.0


@pytest.fixture(autouse=True)
def _usual() -> Iterator[None]:
    yield
    set_mode("usual")


@pytest.fixture
def hasty() -> Iterator[None]:
    """Print progress lines a thousand times as often as usual."""
    noted = LINE_PACE.set(LinePace(first=0.004, every=0.03, look=0.001))
    yield
    LINE_PACE.reset(noted)


@pytest.fixture
def hastiest() -> Iterator[None]:
    """Print progress lines so often that a step of a few milliseconds has one."""
    noted = LINE_PACE.set(LinePace(first=0.001, every=0.001, look=0.0005))
    yield
    LINE_PACE.reset(noted)


class _Clock:
    """A clock that stands still until a test sets it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _lines_after(capsys: pytest.CaptureFixture[str], wanted: int) -> list[str]:
    """Return the text on stderr once it has a number of lines."""
    said = ""
    deadline = time.monotonic() + DEADLINE_S
    while said.count("\n") < wanted and time.monotonic() < deadline:
        time.sleep(0.001)
        said += capsys.readouterr().err
    return said.splitlines()


def test_people_see_a_first_line_within_5_s_and_another_within_30() -> None:
    pace = LinePace()

    assert pace.first + pace.look <= 5
    assert pace.every <= 30
    assert 2 * pace.look < pace.first


@pytest.mark.usefixtures("hasty")
def test_lines_come_though_nothing_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    clock = _Clock()

    with progress("conversations", 10, lambda: "1 timeout", clock):
        clock.now = 5.0
        first = _lines_after(capsys, 1)
        clock.now = 35.0
        second = _lines_after(capsys, 1)

    assert first == ["conversations: 0 of 10 after 5 s; 1 timeout"]
    assert second == ["conversations: 0 of 10 after 35 s; 1 timeout"]


@pytest.mark.usefixtures("hasty")
def test_a_line_of_introduction_comes_with_the_first_and_never_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = _Clock()

    with progress("conversations", 10, clock=clock, intro="on this machine: \x1b[31mmine"):
        clock.now = 5.0
        first = _lines_after(capsys, 2)
        clock.now = 35.0
        second = _lines_after(capsys, 1)

    assert first == [
        "on this machine: \\x1b[31mmine",
        "conversations: 0 of 10 after 5 s",
    ]
    assert second == ["conversations: 0 of 10 after 35 s"]


@pytest.mark.usefixtures("hasty")
def test_where_nothing_is_counted_a_heartbeat_names_the_long_steps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = _Clock()

    with heartbeat("demo", clock), long_step("reading the suite"), long_step("loading a voice"):
        clock.now = 5.0
        first = _lines_after(capsys, 1)
    with heartbeat("demo", clock):
        clock.now = 40.0
        second = _lines_after(capsys, 1)

    assert first == ["demo: reading the suite, loading a voice, 5 s so far"]
    assert second == ["demo: at work, 35 s so far"]


@pytest.mark.usefixtures("hasty")
def test_a_heartbeat_is_silent_while_progress_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = _Clock()

    with heartbeat("translate", clock), progress("Thai", 3, clock=clock):
        clock.now = 50.0
        lines = _lines_after(capsys, 1)
        time.sleep(0.02)

    assert [*lines, *capsys.readouterr().err.splitlines()] == ["Thai: 0 of 3 after 50 s"]


@pytest.mark.usefixtures("hasty")
def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    set_mode("quiet")

    with heartbeat("demo"), progress("conversations", 10):
        time.sleep(0.05)

    assert not capsys.readouterr().err


SLOW = ServerConfig(capacity=Capacity(latency_seconds=0.2))


@pytest.mark.usefixtures("hasty")
def test_translate_says_how_far_it_is_while_a_slow_server_is_silent(dragoman: Cli) -> None:
    with ModelServer(FakeTranslationLlm(), SLOW) as server:
        model = f"compatible/any?base_url={server.url}"
        asked = ("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out")
        done = dragoman(*asked)
        quiet = dragoman(*asked[:-1], "quiet", "--quiet")

    assert done.returncode == 0, done.stderr
    assert "translate: reading the suite, " in done.stderr
    silent = [line for line in done.stderr.splitlines() if line.startswith("Thai: 0 of ")]
    assert len(silent) > 1, done.stderr
    assert quiet.stderr == ""


@pytest.mark.usefixtures("hasty")
def test_speak_says_how_far_it_is_while_a_slow_model_rewrites(dragoman: Cli) -> None:
    replies = RuleAnswers([Rule(ScriptedReply("no rewriting"))])
    with ModelServer(replies, SLOW) as server:
        model = f"compatible/any?base_url={server.url}"
        asked = ("speak", "courier", "--rewriter", model, "--texts-only", "--sample", "1")
        done = dragoman(*asked, "--out", "set")

    assert "texts: 0 of " in done.stderr


@pytest.mark.usefixtures("hastiest")
def test_curate_says_that_it_is_at_work(dragoman: Cli, folder: Path) -> None:
    dragoman("world", "documents", "--out", "documents")

    done = dragoman("curate", "collect", "mine", "documents", "--licence", "CC0-1.0")

    assert done.returncode == 0, done.stderr
    assert (folder / "mine").exists()
    assert "reading documents: " in done.stderr
    assert "collect: merging duplicates, " in done.stderr


@pytest.mark.usefixtures("hasty")
def test_a_run_says_so_once_that_its_server_is_on_this_machine(dragoman: Cli) -> None:
    answers = RuleAnswers([Rule(ScriptedReply("I cannot help you."))])
    with ModelServer(answers, SLOW) as server:
        model = f"compatible/any?base_url={server.url}"
        run = ("run", "sample:shop", "--limit", "2", "--agent", model)
        chosen = dragoman(*run)
        given = dragoman(*run, "--read-timeout", "60", "--concurrency", "2", "--no-cache")

    line = f"on this machine: {model}: 4 conversations at a time (--concurrency), silence of up to 1800 s (--read-timeout)"
    assert chosen.stderr.splitlines().count(line) == 1, chosen.stderr
    assert "conversations: 0 of 2 after " in chosen.stderr
    assert "on this machine" not in given.stderr


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "mine"),
        ("bundle", "mine"),
        ("export", "mine", "--to", "csv", "--out", "tables"),
        ("table", "mine"),
        ("usage", "mine"),
        ("verify", "mine"),
        ("show", "mine"),
    ],
    ids=lambda words: words[0],
)
def test_each_command_that_reads_whole_runs_says_that_it_is_at_work(
    dragoman: Cli, arguments: tuple[str, ...]
) -> None:
    assert dragoman("run", "sample:shop", "--agent", "gold", "--out", "mine").returncode == 0

    done = dragoman(*arguments)

    assert done.returncode == 0, done.stderr
    assert re.search(r" s so far$|^\w+: \d+ after ", done.stderr, re.MULTILINE), done.stderr
