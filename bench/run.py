"""Measures what a run costs, with models that answer at once: `make bench`.

Every model-driven conversation goes the whole way that a real one does: prompts, histories, decoding
of completion bodies, tools, scoring with strict replay, and storage. The scripted models yield to the
event loop at every call, so conversations really run side by side.
"""

import asyncio
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from dragoman.core.episodes import Episode, Move
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.protocols import ChatRequest, Completion, Suite
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.speech import Called, Said
from dragoman.core.tools import Role
from dragoman.models.scripted import ScriptedCall, ScriptedModel, ScriptedReply
from dragoman.runs.execute import Player, execute, pending_cells
from dragoman.runs.jobs import start_job
from dragoman.runs.plan import Cell, plan
from dragoman.runs.rescore import rescore
from dragoman.scoring.judges import AssumeMet
from dragoman.simulation.llm import LlmParticipant
from dragoman.simulation.prompts import default_prompts
from dragoman.store.episodes import EpisodeCodec
from dragoman.store.run import NewRun, RunStore, StoredCell, StoredEpisode, create_run
from dragoman.wiring.config import RunConfig
from dragoman.wiring.participants import Resolved
from dragoman.wiring.setup import Setup, build_setup
from dragoman.wiring.suites import load_suite

STORED = 100_000
ROUNDS = 10
ROUND = 1_000


def main() -> None:
    suite = _suite()
    if sys.argv[1:] == ["--memory"]:
        _memory(suite, asyncio.run(_gold_episodes(suite)))
        return
    print(f"suite {suite.name}, {len(suite.tasks)} tasks, Python {sys.version.split()[0]}")
    gold = asyncio.run(_gold_episodes(suite))
    for concurrency, trials in ((1, 10), (64, 10), (1_000, 20)):
        _throughput(suite, gold, concurrency, trials)
    _breakdown(suite, gold)
    # A process of its own: memory that earlier measurements freed would hide what this one takes.
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__, "--memory"], check=True)
    _storage(gold)
    _start_up()


def _suite() -> Suite:
    try:
        return load_suite("tau2:retail")
    except DataError as error:
        print(f"{error}; measuring the sample instead", file=sys.stderr)
        return load_suite("sample:shop")


async def _gold_episodes(suite: Suite) -> dict[str, Episode]:
    setup = build_setup(RunConfig(suite.name, ("gold",), judge="assume-met"))
    player = Player(setup)
    return {cell.task.id: (await player.play(cell))[0] for cell in plan(setup)}


def _script(gold: dict[str, Episode], side: Role) -> dict[str, tuple[ScriptedReply, ...]]:
    return {
        task: tuple(
            _reply(event)
            for event in episode.events
            if isinstance(event, Move) and event.by == side and not event.scripted
        )
        for task, episode in gold.items()
    }


def _reply(move: Move) -> ScriptedReply:
    match move.reply:
        case Said() as said:
            return ScriptedReply(said.text)
        case Called(calls=calls):
            return ScriptedReply(
                None, tuple(ScriptedCall(call.name, call.arguments) for call in calls)
            )
        case other:
            raise TypeError(f"gold does not reply {other}")


def _scripted(gold: dict[str, Episode], side: Role) -> Resolved:
    model = ScriptedModel(f"scripted-{side}", _script(gold, side), 1 if side == "agent" else 0)
    return Resolved(model.name, LlmParticipant(model, default_prompts()), content_key(side))


def _setup(suite: Suite, gold: dict[str, Episode], concurrency: int, trials: int) -> Setup:
    config = RunConfig(
        suite.name, ("scripted",), judge="assume-met", trials=trials, concurrency=concurrency
    )
    pair = (_scripted(gold, "agent"), _scripted(gold, "user"))
    return Setup(config, suite, tuple(suite.tasks), (pair,), AssumeMet(), DEFAULT_RULES)


@contextmanager
def _measured() -> Iterator[Callable[[], tuple[float, float]]]:
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    yield lambda: (time.perf_counter() - wall, time.process_time() - cpu)


def _throughput(suite: Suite, gold: dict[str, Episode], concurrency: int, trials: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        job = start_job(_setup(suite, gold, concurrency, trials), Path(folder) / "run", time.time())
        with job.store:
            waiting = pending_cells(job.cells, job.store)
            passed = []
            with _measured() as spent:
                asyncio.run(
                    execute(
                        job.setup,
                        waiting,
                        job.store,
                        lambda _cell, _episode, score: passed.append(score.reward),
                    )
                )
                wall, cpu = spent()
            count = len(waiting)
            values = {getattr(reward, "value", None) for reward in passed}
            print(
                f"concurrency {concurrency:>5}: {count / wall:7.0f} conversations/s, "
                f"{cpu / count * 1e3:.3f} ms CPU each ({count} conversations, rewards {values})"
            )
            if concurrency == 64:
                _rescoring(job.setup, job.store, count)


def _rescoring(setup: Setup, store: RunStore, count: int) -> None:
    with _measured() as spent:
        asyncio.run(rescore(setup, store, lambda: None, choice="all"))
        wall, cpu = spent()
    print(
        f"re-scoring with strict replay: {count / wall:.0f} conversations/s, {cpu / count * 1e3:.3f} ms CPU each"
    )


def _breakdown(suite: Suite, gold: dict[str, Episode]) -> None:
    setup = _setup(suite, gold, 1, 5)
    player = Player(setup)
    cells = plan(setup)
    episodes: list[tuple[Cell, Episode]] = []

    async def simulate() -> None:
        episodes.extend([(cell, await player.converse(cell)) for cell in cells])

    async def judge() -> None:
        for cell, episode in episodes:
            await player.scorer.score(cell.task, episode)

    codec = EpisodeCodec()
    parts: list[tuple[str, Callable[[], object]]] = [
        ("conversation", lambda: asyncio.run(simulate())),
        ("scoring", lambda: asyncio.run(judge())),
        ("encoding, compression", lambda: [codec.encode_episode(e) for _, e in episodes]),
    ]
    print("CPU ms per conversation:")
    for name, work in parts:
        with _measured() as spent:
            work()
            _, cpu = spent()
        print(f"  {name:<24}{cpu / len(cells) * 1e3:.3f}")
    sizes = [len(codec.encode_episode(episode)) for _, episode in episodes]
    print(f"  stored size {sum(sizes) / len(sizes):.0f} bytes on average")


class _Stuck:
    """A model that passes on the scripted replies until half of a conversation is over, then waits."""

    def __init__(self, model: ScriptedModel, released: asyncio.Event, limit: int) -> None:
        self.name = model.name
        self._model = model
        self._released = released
        self._limit = limit

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        if len(request.messages) >= self._limit:
            await self._released.wait()
        return await self._model.complete(request, purpose)


def _memory(suite: Suite, gold: dict[str, Episode]) -> None:
    count = 1_000
    before = asyncio.run(_hold(suite, gold, 10))
    after = asyncio.run(_hold(suite, gold, count))
    print(f"memory per concurrent conversation: {(after - before) / (count - 10) / 1024:.0f} KB")


async def _hold(suite: Suite, gold: dict[str, Episode], count: int) -> int:
    released = asyncio.Event()
    setup = _setup(suite, gold, count, -(-count // len(suite.tasks)))
    model = ScriptedModel("scripted-agent", _script(gold, "agent"), 1)
    stuck = _Stuck(model, released, 8)
    agent = Resolved("scripted", LlmParticipant(stuck, default_prompts()), content_key("stuck"))
    setup = msgspec.structs.replace(setup, pairs=((agent, setup.pairs[0][1]),))
    player = Player(setup)
    work = [asyncio.create_task(player.converse(cell)) for cell in plan(setup)[:count]]
    for _ in range(60):
        await asyncio.sleep(0)
    resident = _resident()
    released.set()
    await asyncio.gather(*work)
    return resident


def _resident() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def _storage(gold: dict[str, Episode]) -> None:
    """Store by turns into an empty run and into one that holds 100,000, each commit for itself.

    By turns, because a machine's speed varies more over a minute than the costs differ.
    """
    episodes = list(gold.values())
    empty, full = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        with _new_run(Path(folder) / "full", STORED + ROUNDS * ROUND) as store:
            store.put(_entries(episodes, 0, STORED))
            for turn in range(ROUNDS):
                with _new_run(Path(folder) / f"empty-{turn}", ROUND) as fresh:
                    empty += _store_singly(fresh, _entries(episodes, 0, ROUND))
                start = STORED + turn * ROUND
                full += _store_singly(store, _entries(episodes, start, start + ROUND))
        size = (Path(folder) / "full" / "run.sqlite").stat().st_size / 1e6
    count = ROUNDS * ROUND
    print(
        f"ms CPU per stored episode: {empty / count * 1e3:.3f} from the first on, "
        f"{full / count * 1e3:.3f} from the {STORED:,}th on, {full / empty:.2f} times ({size:.0f} MB)"
    )


def _new_run(folder: Path, count: int) -> RunStore:
    cells = tuple(
        StoredCell(content_key(index), "suite", "en", "agent", "task", 0) for index in range(count)
    )
    return create_run(folder, NewRun(b"{}", cells, {}))


def _entries(episodes: list[Episode], start: int, end: int) -> Iterator[StoredEpisode]:
    for index in range(start, end):
        yield StoredEpisode(content_key(index), 0, episodes[index % len(episodes)])


def _store_singly(store: RunStore, entries: Iterator[StoredEpisode]) -> float:
    with _measured() as spent:
        for entry in entries:
            store.put([entry])
        return spent()[1]


def _start_up() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    runs = 5
    for _ in range(runs):
        subprocess.run(
            [sys.executable, "-m", "dragoman", "--help"], check=True, stdout=subprocess.DEVNULL
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"start-up CPU of --help: {cpu / runs:.3f} s")


if __name__ == "__main__":
    main()
