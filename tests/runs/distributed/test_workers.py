"""Conversations in worker processes: the same results, even if a process breaks."""

import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

from dragoman.core.scores import METRIC_VERSION
from dragoman.store.run_store import open_run

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

Cli = Callable[..., CompletedProcess[str]]

AGENTS = """
import os


def deadly(messages, tools):
    os._exit(7)


def printing(messages, tools):
    print("a line that is no frame")
    return "I cannot help you with that."


class Broken:
    def __init__(self):
        raise RuntimeError("never made")
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own_agents.py").write_text(AGENTS, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def stored(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return by cell the stored conversation, without clock times."""
    with open_run(folder, write=False) as store:
        scores = store.scores("dragoman-2", "none", METRIC_VERSION)
        return {
            key: (attempt, episode.events, episode.ending, episode.usage, scores[key].reward)
            for key, attempt, episode in store.episodes()
        }


def ran(in_process: Cli, home: Path, out: str, *words: object) -> CompletedProcess[str]:
    return in_process("run", *words, "--out", home / out, "--quiet", cwd=home)


def test_two_processes_play_what_one_plays(in_process: Cli, home: Path) -> None:
    grid = ("courier:easy", "--agent", "attentive,own_agents:printing", "--persona", "none,hurried")
    assert ran(in_process, home, "here", *grid).returncode == 0
    assert ran(in_process, home, "there", *grid, "--workers", 2).returncode == 0
    assert len(stored(home / "here")) > 20
    assert stored(home / "there") == stored(home / "here")


def test_an_agent_that_kills_its_process_is_given_up_and_the_others_are_played(
    in_process: Cli, home: Path
) -> None:
    done = ran(
        in_process,
        home,
        "out",
        "sample:shop",
        "--agent",
        "gold,own_agents:deadly",
        "--limit",
        1,
        "--workers",
        2,
    )
    assert done.returncode == 0, done.stderr
    assert "1 infrastructure" in done.stdout
    with open_run(home / "out", write=False) as store:
        endings = {
            cell.agent: episode.ending
            for cell in store.cells()
            for key, _, episode in store.episodes()
            if key == cell.key
        }
    assert endings["gold"].reason == "user_stop"
    assert endings["own_agents:deadly"].reason == "infrastructure_error"
    assert "worker processes died" in endings["own_agents:deadly"].detail


def test_agents_that_kill_every_worker_end_the_run_in_one_line(in_process: Cli, home: Path) -> None:
    done = ran(
        in_process,
        home,
        "out",
        "sample:shop",
        *("--agent", "own_agents:deadly", "--trials", 20, "--workers", 2, "--concurrency", 4),
    )
    assert done.returncode == 1
    assert "workers died one after another" in done.stderr
    assert "Traceback" not in done.stderr


def test_workers_and_a_backend_of_another_package_exclude_each_other(
    in_process: Cli, home: Path
) -> None:
    done = ran(
        in_process, home, "out", "sample:shop", "--agent", "gold", "--workers", 2, "--backend", "x"
    )
    assert (done.returncode, "leave one of them out" in done.stderr) == (2, True)


def measured(folder: Path) -> dict[str, bytes]:
    """Return all stored measures and scores, by cell."""
    with open_run(folder, write=False) as store:
        entries = {key: sorted(map(repr, found)) for key, found in store.measured().items()}
        scores = store.scores("tau2-1.0.1", "rule-1", METRIC_VERSION)
        return {
            cell.key: msgspec.json.encode((entries.get(cell.key), scores[cell.key]))
            for cell in store.cells()
        }


def test_two_processes_measure_what_one_measures(in_process: Cli, home: Path) -> None:
    grid = ("courier:easy", "--agent", "attentive,gold", "--voice", "text,simulated:30")
    assert ran(in_process, home, "here", *grid).returncode == 0
    shutil.copytree(home / "here", home / "there")
    words = ("--rules", "tau2-1.0.1", "--judge", "rule", "--json")
    one = in_process("score", home / "here", *words, cwd=home)
    two = in_process("score", home / "there", *words, "--workers", 2, cwd=home)
    assert (one.returncode, two.returncode) == (0, 0), two.stderr
    assert len(measured(home / "here")) > 20
    assert measured(home / "there") == measured(home / "here")
    words = ("--measure", "modes", "--measure", "hearing", "--anew")
    assert in_process("score", home / "here", *words, cwd=home).returncode == 0
    assert in_process("score", home / "there", *words, "--workers", 2, cwd=home).returncode == 0
    assert measured(home / "there") == measured(home / "here")


def test_judges_that_are_models_are_not_spread_over_processes(
    in_process: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none-is-sent")
    assert ran(in_process, home, "out", "sample:shop", "--agent", "gold").returncode == 0
    words = ("--judge", "openai/gpt-4.1", "--trust", "--anew", "--workers", 2)
    done = in_process("score", home / "out", *words, cwd=home)
    assert (done.returncode, "leave them out" in done.stderr) == (2, True), done.stderr
    none = in_process("score", home / "out", "--workers", 0, cwd=home)
    assert (none.returncode, "at least 1" in none.stderr) == (2, True)
