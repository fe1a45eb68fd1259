"""What people are told of a run that stands still."""

import io
import sys
import time
from pathlib import Path

import pytest

from dragoman.cli.stalling import notice, stall_notices
from dragoman.runs.jobs import Job, start_job
from dragoman.runs.play import play
from dragoman.runs.watch import Watch
from dragoman.wiring.grid.config import RunConfig
from dragoman.wiring.participants import resolve_object
from dragoman.wiring.setup import build_setup

DEADLINE_S = 10


def job(folder: Path, agent: object, concurrency: int = 1) -> Job:
    tasks = ("too-late", "two-swaps")
    config = RunConfig("sample:shop", ("mine",), tasks=tasks, concurrency=concurrency)
    return start_job(build_setup(config, {"mine": resolve_object(agent)}), folder, 0.0)


def test_a_watch_knows_what_conversations_wait_for_while_they_last(tmp_path: Path) -> None:
    watch = Watch()
    seen: list[list[tuple[str, str]]] = []

    def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - the shape of an agent
        seen.append([(entry.cell.task.id, entry.what) for entry in watch.stalled(0)])
        assert watch.stalled(60) == []
        return "I cannot help you with that."

    played = job(tmp_path / "run", agent)
    play(played, lambda *_: None, watch=watch)

    assert sorted(entry for (entry,) in seen) == [
        ("too-late", "the agent's reply"),
        ("two-swaps", "the agent's reply"),
    ]
    assert watch.stalled(0) == []


def test_a_run_that_stands_still_says_which_conversations_wait_for_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors, watch = io.StringIO(), Watch()
    monkeypatch.setattr(sys, "stderr", errors)

    def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - the shape of an agent
        deadline = time.monotonic() + DEADLINE_S
        while "the agent's reply" not in errors.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)
        return "I cannot help you with that."

    with stall_notices(watch, is_on=True, silence=0.01, every=0.001):
        play(job(tmp_path / "run", agent), lambda *_: None, watch=watch)

    # Where the machine is slow, something else may have been waited for before.
    line = next(line for line in errors.getvalue().splitlines() if "the agent's reply" in line)
    assert "1 conversation under way, waiting: task " in line
    assert "for the agent's reply (" in line
    assert "--timeout" in line


def test_a_notice_names_the_first_conversations_and_counts_the_rest(tmp_path: Path) -> None:
    watch = Watch()
    lines: list[str] = []

    async def agent(messages: object, tools: object) -> str:  # noqa: ARG001 - the shape of an agent
        lines.append(notice(watch.stalled(0) * 2))
        return "I cannot help you with that."

    play(job(tmp_path / "run", agent, concurrency=2), lambda *_: None, watch=watch)

    assert any(line.endswith("; and 1 more (see --timeout)") for line in lines)
