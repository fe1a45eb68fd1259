"""Runs over a Ray cluster of two nodes, one of which dies or hangs: equal to those of one process."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest

from dragoman.core.scores import METRIC_VERSION
from dragoman.distributed.worker_backends import RayActor
from dragoman.store.audio_files import FOLDER
from dragoman.store.run_store import open_run

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.extras,
    pytest.mark.slow,
    pytest.mark.speech,
    # Ray leaves pipes of the processes that it started to the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

Command = Callable[..., list[str]]

TIME_LIMIT = 280
STORE_BYTES = 80 * 2**20
SPOKEN = ("--voice", "text,telephone", "--asr", "generic", "--concurrency", 4, "--judge", "rule")
COURIER = ("run", "courier:easy", "--agent", "literal", "--limit", 6, *SPOKEN, "--quiet")
TAU2 = (
    "run",
    "tau2:airline",
    "--agent",
    "gold",
    "--user",
    "gold",
    "--limit",
    4,
    *SPOKEN,
    "--quiet",
)
SPOKEN_LIMITED = (*COURIER, "--timeout", 100)
"""An actor may be silent for as long as a conversation may take: a few seconds, 40 on a busy machine."""

SLOW = ("run", "sample:shop", "--agent", "own:Slow", "--user", "gold", "--judge", "rule")
LIMITED = (*SLOW, "--trials", 60, "--concurrency", 4, "--timeout", 10, "--quiet")
ENVIRONMENT = {
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "4",
}
"""Environment in which a hanging node is given up after about ten seconds.

By default, Ray waits for a minute.
"""


class Node(Protocol):
    """A node, as Ray's own tests see it."""

    all_processes: dict[str, list[Any]]


class Cluster(Protocol):
    """Nodes on this machine, as Ray's own tests see them."""

    address: str
    worker_nodes: set[Node]

    def add_node(self, **options: object) -> Node: ...
    def remove_node(self, node: Node, allow_graceful: bool) -> None: ...
    def shutdown(self) -> None: ...


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory, speech_models: Path) -> Path:
    """The cache of all nodes."""
    cache = tmp_path_factory.mktemp("cache-of-nodes")
    (cache / "dragoman").mkdir()
    (cache / "dragoman" / "speech").symlink_to(speech_models)
    return cache


@pytest.fixture(scope="module")
def clusters(cache: Path) -> Iterator[Callable[..., Cluster]]:
    """Start clusters with the token settings that Ray reads once, when it is loaded."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, "RAY_AUTH_TOKEN": secrets.token_hex(16)}.items():
            patch.setenv(name, value)
        patch.setenv("XDG_CACHE_HOME", str(cache))
        needs = "needs Ray: pip install 'dragoman[ray]'"
        yield pytest.importorskip("ray.cluster_utils", reason=needs).Cluster


@pytest.fixture
def nodes(clusters: Callable[..., Cluster]) -> Iterator[Cluster]:
    """A cluster of a head and another node, with a core each."""
    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    cluster = clusters(initialize_head=True, head_node_args=head)
    try:
        cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
        yield cluster
    finally:
        cluster.shutdown()


def actors_of(node: Node) -> list[int]:
    """Return the processes of a node that play."""
    raylet = node.all_processes["raylet"][0].process.pid
    children = Path(f"/proc/{raylet}/task/{raylet}/children").read_text().split()
    return [
        int(child)
        for child in children
        if Path(f"/proc/{child}/cmdline")
        .read_bytes()
        .startswith(f"ray::{RayActor.__name__}".encode())
    ]


def killed(cluster: Cluster, node: Node) -> None:
    cluster.remove_node(node, allow_graceful=False)


def hung(_cluster: Cluster, node: Node) -> None:
    for process in (node.all_processes["raylet"][0].process.pid, *actors_of(node)):
        os.kill(process, signal.SIGSTOP)


def hung_actors(_cluster: Cluster, node: Node) -> None:
    for process in actors_of(node):
        os.kill(process, signal.SIGSTOP)


Lost = tuple[tuple[object, ...], Callable[[Cluster, Node], None]]


@pytest.fixture(
    params=[
        pytest.param((COURIER, killed), id="courier-killed"),
        pytest.param((COURIER, hung), id="courier-hung"),
        pytest.param((SPOKEN_LIMITED, hung_actors), id="courier-hung-actor"),
        pytest.param((TAU2, killed), id="tau2-killed"),
        pytest.param((LIMITED, hung_actors), id="text-hung-actor"),
    ]
)
def lost(request: pytest.FixtureRequest, cache: Path) -> Lost:
    """The grid to play, and the way in which one of the two nodes is lost during it."""
    grid, loses = request.param
    if grid is TAU2:
        request.getfixturevalue("pulled_data")("tau2", cache)
    return grid, loses


def stored(folder: Path) -> tuple[dict[str, object], dict[str, bytes]]:
    """Return by cell the stored conversation, without clock times, and all audio."""
    with open_run(folder, write=False) as store:
        scores = store.scores("dragoman-2", "rule-1", METRIC_VERSION)
        cells = {cell.key for cell in store.cells()}
        timeless = {
            key: (attempt, msgspec.structs.replace(episode, started=0.0, seconds=0.0), scores[key])
            for key, attempt, episode in store.episodes()
        }
    assert timeless.keys() == cells
    sounds = {path.name: path.read_bytes() for path in (folder / FOLDER).rglob("*.wav")}
    return dict(timeless), sounds


def begun(command: list[str], folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ),
    )


def ended(run: "subprocess.Popen[str]") -> None:
    try:
        said, _ = run.communicate(timeout=TIME_LIMIT)
    finally:
        run.kill()
    assert run.returncode == 0, said
    assert "Traceback" not in said


def test_a_node_that_is_lost_in_the_middle_changes_nothing(
    nodes: Cluster,
    lost: Lost,
    folder: Path,
    command: Command,
    counts: Callable[[Path], tuple[int, int, int]],
) -> None:
    grid, loses = lost
    ended(begun(command(*grid, "--out", folder / "whole"), folder))
    out = folder / "spread"
    (node,) = nodes.worker_nodes
    words = ("--ray", nodes.address, "--workers", 2, "--out", out)
    run = begun(command(*grid, *words), folder)
    end = time.monotonic() + TIME_LIMIT
    while run.poll() is None and not (actors_of(node) and counts(out)[1] >= 2):
        assert time.monotonic() < end
        time.sleep(0.05)
    actors = actors_of(node)
    assert actors
    assert counts(out)[1] < counts(out)[0], "the run was over before its node died"
    try:
        loses(nodes, node)
        ended(run)
    finally:
        run.kill()
        for process in actors:
            if Path(f"/proc/{process}/cmdline").exists():
                os.kill(process, signal.SIGKILL)

    episodes, sounds = stored(out)
    assert bool(sounds) == ("--voice" in grid)
    assert (episodes, sounds) == stored(folder / "whole")


def test_actors_measure_stored_conversations_as_one_process_does(
    nodes: Cluster, tmp_path: Path, command: Command
) -> None:
    ended(
        begun(command("run", "sample:shop", "--agent", "gold", "--out", tmp_path / "one"), tmp_path)
    )
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    words = ("--judge", "rule", "--quiet")
    ended(begun(command("score", tmp_path / "one", *words), tmp_path))
    by_actors = ("--ray", nodes.address, "--workers", 2)
    ended(begun(command("score", tmp_path / "two", *words, *by_actors), tmp_path))
    assert stored(tmp_path / "two") == stored(tmp_path / "one")


def test_an_audio_set_is_the_same_whatever_node_is_killed_while_it_is_made(
    nodes: Cluster, folder: Path, command: Command
) -> None:
    asked = ("speak", "courier:easy", "--asr", "generic,simulated:15", "--line", "telephone")
    ended(begun(command(*asked, "--out", "whole"), folder))
    (node,) = nodes.worker_nodes
    spread = ("--ray", nodes.address, "--workers", 2, "--concurrency", 4, "--out", "spread")
    being_made = begun(command(*asked, *spread), folder)
    enough = lines_of(folder / "whole") // 3
    end = time.monotonic() + TIME_LIMIT
    while being_made.poll() is None and not (
        actors_of(node) and lines_of(folder / "spread") > enough
    ):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert lines_of(folder / "spread") < 3 * enough, "the set was made before the node died"
    killed(nodes, node)
    ended(being_made)
    assert content_of(folder / "spread") == content_of(folder / "whole")


def lines_of(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.jsonl"))


def content_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
