"""Cost of a call over HTTP, nearness of a run to the ideal, and goodput under faults.

Both sides of retail are chat models behind local servers that replay gold: lean servers, and the
server of `dragoman.testing` when faults are wanted. The servers run on the same cores as the run,
so their CPU is printed too: if both together fill the machine, the wall time says nothing about the
run.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.measuring import measured, pace

from dragoman.composition.setup import build_setup
from dragoman.config.event_loop import run_event_loop
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode
from dragoman.core.protocols import ChatRequest
from dragoman.core.scores import Score
from dragoman.core.tools import NO_TOOLS
from dragoman.models.http.transport import Timeouts
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.model_clients import ModelClients
from dragoman.runs.executor import execute, pending_cells
from dragoman.runs.jobs import Job, start_job
from dragoman.runs.plan import Cell

SUITE = "tau2:retail"
QUOTED = (
    "reference: 4.6 ms CPU each, never more than 10 in flight, 44 times the ideal at 64 (quoted)"
)
LATENCY = 0.1
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A model server in a separate process."""

    def __init__(self, process: "subprocess.Popen[str]", url: str) -> None:
        self._process = process
        self.url = url
        self.pid = process.pid

    def cpu(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def served(folder: Path, behaviour: dict[str, object], *answers: str) -> Iterator[Server]:
    faults = folder / f"behaviour-{time.monotonic_ns()}.json"
    faults.write_text(json.dumps(behaviour))
    command = (sys.executable, "-m", "dragoman.testing.server", "--faults", str(faults), *answers)
    with _started(command) as server:
        yield server


@contextmanager
def _lean(gold: Path, side: str, latency: float) -> Iterator[Server]:
    replayed = ("--replay", str(gold), "--side", side, "--latency", str(latency))
    with _started((sys.executable, "-m", "bench.lean_server", *replayed)) as server:
        yield server


@contextmanager
def _started(command: tuple[str, ...]) -> Iterator[Server]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Server(process, process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait()


def print_wire() -> None:
    print(f"over HTTP, {SUITE}, agent and user behind local servers; {QUOTED}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold = _gold(folder / "gold")
        _print_run(folder, gold, concurrency=200, trials=10, latency=0.0)
        _print_run(folder, gold, concurrency=64, trials=10, latency=LATENCY)
        _print_run(folder, gold, concurrency=500, trials=50, latency=LATENCY)
        _print_goodput(folder)


def _gold(folder: Path) -> Path:
    job = start_job(build_setup(RunConfig(SUITE, ("gold",))), folder, time.time())
    with job.store:
        asyncio.run(
            execute(job.setup, pending_cells(job.cells, job.store), job.store, lambda *_: None)
        )
    return folder


def _print_run(folder: Path, gold: Path, *, concurrency: int, trials: int, latency: float) -> None:
    with ExitStack() as stack:
        agent, user = (
            stack.enter_context(_lean(gold, side, latency)) for side in ("agent", "user")
        )
        config = RunConfig(
            SUITE,
            (f"compatible/agent?base_url={agent.url}",),
            user=f"compatible/user?base_url={user.url}",
            judge="assume-met",
            trials=trials,
            concurrency=concurrency,
            cache=False,
        )
        out = folder / f"run-{concurrency}-{latency}"
        job = start_job(build_setup(config), out, time.time())
        calls = [0]
        before, quick = agent.cpu() + user.cpu(), pace()
        with job.store, measured() as spent:
            run_event_loop(_played(job, calls))
            wall, cpu = spent()
        served_cpu = agent.cpu() + user.cpu() - before
    line = (
        f"  concurrency {concurrency}, answers after {latency:g} s: {calls[0]} calls, "
        f"{cpu / calls[0] * 1e3:.3f} ms CPU each all-in"
    )
    if latency:
        ideal = calls[0] * latency / concurrency
        line += f", wall {wall:.1f} s, ideal {ideal:.1f} s: {ideal / wall:.0%}"
    print(
        f"{line} (servers: {served_cpu / calls[0] * 1e3:.3f} ms CPU each; "
        f"{os.cpu_count()} cores busy {(cpu + served_cpu) / wall:.2f}, load {os.getloadavg()[0]:.1f}, "
        f"a round of plain Python {quick:.0f} ns)"
    )


async def _played(job: Job, calls: list[int]) -> None:
    def count(_cell: Cell, episode: Episode, _score: Score) -> None:
        calls[0] += sum(entry.calls for entry in episode.usage)

    await execute(job.setup, pending_cells(job.cells, job.store), job.store, count)
    await job.setup.close()


def _print_goodput(folder: Path) -> None:
    """Print the goodput of a server with a rate limit that refuses half of the calls.

    It refuses them at random; some other calls hang for a minute.
    """
    allowed, seconds = 150.0, 20.0
    script = folder / "script.json"
    script.write_text('{"rules": [{"reply": {"content": "Hello."}}]}')
    behaviour: dict[str, object] = {
        "faults": {
            "transport": [
                {"kind": "rate_limited", "rate": 0.5, "retry_after": 0},
                {"kind": "hang", "rate": 0.002, "seconds": 60},
            ],
            "most_in_a_row": 20,
        },
        "capacity": {"latency_seconds": LATENCY, "requests_per_second": allowed},
    }
    with served(folder, behaviour, "--script", str(script)) as server:
        answered, refused = run_event_loop(_flooded(server.url, seconds))
    # Of the calls that the server lets in, those that it then refuses at random are not served.
    print(
        f"  half refused, some hanging for 60 s: {answered / seconds:.0f} answers/s, {refused} "
        f"refusals; let in {allowed:.0f}/s, of which half may be answered: "
        f"{answered / seconds / (allowed / 2):.0%}"
    )


async def _flooded(url: str, seconds: float) -> tuple[int, int]:
    connections = ModelClients(Timeouts(read=120))
    model = connections.chat_model(parse_model_spec(f"compatible/any?base_url={url}"))
    answered, refused, number = 0, 0, 0
    end = time.monotonic() + seconds

    async def work() -> None:
        nonlocal answered, refused, number
        while time.monotonic() < end:
            number += 1
            message = {"role": "user", "content": f"Hello {number}."}
            completion = await model.complete(
                ChatRequest([message], NO_TOOLS, number, "flood"), "agent"
            )
            answered += time.monotonic() < end
            refused += sum(completion.usage.faults.values())

    tasks = [asyncio.create_task(work()) for _ in range(64)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await connections.close()
    return answered, refused


if __name__ == "__main__":
    print_wire()
