"""Time of the viewer's pages and of its index, over a run of 100,000 conversations.

The viewer is a process of its own, as its users start it.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import aiohttp
import msgspec
from bench.screenshots import viewed

from dragoman.analysis.failure_attribution import (
    ATTRIBUTION_METRICS,
    FAILURE_SOURCES,
    FailureSource,
    attribution_result,
)
from dragoman.benchmarks.tau2.sample_suite import sample_suite
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import Condition, condition_of
from dragoman.core.content_keys import content_key
from dragoman.core.episodes import Episode, Message, Termination
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.scores import ComponentScore, Evidence, Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage
from dragoman.runs.manifest import Manifest
from dragoman.store.conversation_writes import StoredEpisode, StoredMeasure
from dragoman.store.run_plan import NewRun, StoredCell
from dragoman.store.run_store import create_run

AGENTS = ("openai/a", "openai/b", "vllm/c", "gold")
LANGUAGES = ("en", "th", "de", "zh", "tl")
VOICES = ("text", "telephone")
TASKS = 625
TRIALS = 4
TURNS = 12
CONVERSATIONS = len(AGENTS) * len(LANGUAGES) * len(VOICES) * TASKS * TRIALS
REQUESTS = 10
STORED_AT_ONCE = 5_000
CLIENTS = {
    8: "before: first page 740 ms, a filter 610 ms, a conversation 470 ms; at most: 300 ms a page",
    32: "before: 99 % within 11 s; at most: 99 % within 1 s",
}
"""Numbers of concurrent clients: the times of November 2026 before pages were faster, and limits."""

TIME_LIMIT = 600.0

PAGES = {
    "runs": "/",
    "overview": "/run/run",
    "what changes of it": "/run/run/live",
    "first page": "/run/run/conversations",
    "three filters": "/run/run/conversations?outcome=fail&language=th&blame=line",
    "ordered by duration": "/run/run/conversations?order=seconds&falling=1",
    "tasks with 17": "/run/run/conversations?agent=gold&q=17",
    "conversation": "/run/run/conversation/{key}",
    "one in a filter": "/run/run/conversation/{key}?outcome=fail&language=th",
    "side by side": "/compare?a=run/{key}&b=run/{key}",
    "won and lost": "/compare?a=run",
}


def print_viewing() -> None:
    """Write a run with the store, serve it, and print the times of its pages."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        keys = write_run(run)
        size = (run / "run.sqlite").stat().st_size / 1e6
        print(f"viewer, {CONVERSATIONS:,} conversations ({size:.0f} MB)")
        with viewed(run) as address:
            asyncio.run(_print_pages(address, keys))


def write_run(folder: Path, tasks_of_cell: int = TASKS) -> list[str]:
    """Write the run and return the keys of its conversations."""
    cells = list(_cells(tasks_of_cell))
    tasks = {f"task-{number}": _task(number) for number in range(tasks_of_cell)}
    new = NewRun(_manifest(), tuple(cells), tasks)
    draw = random.Random(7)  # noqa: S311 - made-up conversations
    with create_run(folder, new) as store:
        store.declare([ATTRIBUTION_METRICS])
        for start in range(0, len(cells), STORED_AT_ONCE):
            part = cells[start : start + STORED_AT_ONCE]
            store.put(entry for cell in part for entry in _entries(cell, draw))
    return [cell.key for cell in cells]


def _cells(tasks: int) -> Iterator[StoredCell]:
    for language in LANGUAGES:
        for voice in VOICES:
            condition = _condition(language, voice)
            for agent in AGENTS:
                for task in range(tasks):
                    for trial in range(TRIALS):
                        key = content_key("viewing", language, voice, agent, task, trial)
                        yield StoredCell(
                            key, "tau2:retail", condition, agent, f"task-{task}", trial
                        )


def _condition(language: str, voice: str) -> Condition:
    values = {"voice": voice}
    if language != "en":
        values |= {"language": language, "scenario": "domain"}
    if voice != "text":
        values["recognizer"] = "openai/whisper-1"
    return condition_of(values)


def _task(number: int) -> Task:
    return Task(f"task-{number}", "tau2:retail", f"digest {number}", Scenario("You want a refund."))


def _manifest() -> bytes:
    suite = sample_suite()
    config = RunConfig("tau2:retail", AGENTS, trials=TRIALS)
    made = Manifest("bench", "3", 1.7e9, config, "none", "bench", suite.provenance)
    return msgspec.json.encode(made)


def _entries(cell: StoredCell, draw: random.Random) -> Iterator[StoredEpisode | StoredMeasure]:
    passed = draw.random() < 0.6
    yield StoredEpisode(cell.key, 0, _episode(cell, draw), _score(draw, passed=passed))
    if not passed:
        failure_source: FailureSource = draw.choice(tuple(FAILURE_SOURCES))
        yield StoredMeasure(cell.key, 0, attribution_result(failure_source))


def _episode(cell: StoredCell, draw: random.Random) -> Episode:
    """Return a conversation of some length, with calls.

    The texts are random, so that they do not compress well.
    """
    events: list[Message | ToolResult] = []
    for turn in range(TURNS):
        call = ToolCall(f"c{turn}", "get_order", {"order_id": f"#W{draw.randrange(10**7)}"})
        answer = {"order": call.arguments, "total": draw.random(), "note": _words(draw, 20)}
        events += [
            Message("user", text_reply(_words(draw, 15))),
            Message("agent", ToolCallReply((call,))),
            ToolResult(call.id, call.name, msgspec.json.encode(answer).decode()),
            Message("agent", text_reply(_words(draw, 25))),
        ]
    used = (
        Usage("agent", cell.agent, TURNS, draw.randrange(50_000), draw.randrange(2_000)),
        Usage("user", "openai/gpt-4.1-mini", TURNS, draw.randrange(20_000), draw.randrange(1_000)),
    )
    seconds = draw.uniform(20, 200)
    return Episode(
        tuple(events),
        Termination("user_stop"),
        len(events),
        draw.randrange(3),
        usage=used,
        started=1.7e9 + draw.random() * 86_400,
        seconds=seconds,
    )


def _score(draw: random.Random, *, passed: bool) -> Score:
    value = Scored(float(passed))
    parts = (
        ComponentScore("DB", True, value, (Evidence("database", passed, _words(draw, 10)),)),
        ComponentScore("COMMUNICATE", True, Scored(1.0)),
    )
    users = (Evidence("goal_kept", draw.random() > 0.02),)
    return Score("dragoman-1", "none", value, parts, simulator=users)


def _words(draw: random.Random, count: int) -> str:
    return " ".join(f"{draw.getrandbits(24):x}" for _ in range(count))


async def _print_pages(address: str, keys: Sequence[str]) -> None:
    begun = time.perf_counter()
    async with aiohttp.ClientSession(base_url=address) as session:
        await _fetched(session, "/")
        first = time.perf_counter() - begun
        await _fetched(session, "/run/run")
        overview = time.perf_counter() - begun - first
        slowest = 0.0
        while "is being read" in (text := await _fetched(session, "/run/run/conversations")):
            asked = time.perf_counter()
            await _fetched(session, "/run/run/conversations?outcome=fail")
            slowest = max(slowest, time.perf_counter() - asked)
            await asyncio.sleep(0.2)
        assert f"{CONVERSATIONS:,} conversations" in text, text[:2000]
        made = time.perf_counter() - begun
        await _until_without(session, "/run/run", "Figures are being made")
        figures = time.perf_counter() - begun - made
        print(
            f"  before anything is indexed: runs {first * 1e3:.0f} ms, overview "
            f"{overview * 1e3:.0f} ms; index made in {made:.1f} s (a filter meanwhile at most "
            f"{slowest * 1e3:.0f} ms), figures in {figures:.1f} s more"
        )
        for name, path in PAGES.items():
            took = await _median(session, path, _spread(keys, REQUESTS))
            print(f"  {name}: {took:.0f} ms")
        for clients, limits in CLIENTS.items():
            taken = await _by_clients(session, _spread(keys, clients))
            print(f"  {clients} clients: {taken} ({limits})")


async def _until_without(session: aiohttp.ClientSession, path: str, text: str) -> None:
    async with asyncio.timeout(TIME_LIMIT):
        while text in await _fetched(session, path):  # noqa: ASYNC110 - what is asked is a server
            await asyncio.sleep(0.2)


async def _by_clients(session: aiohttp.ClientSession, keys: Sequence[str]) -> str:
    """Return the page times of concurrent clients; each asks for every page.

    Every client looks at another conversation and other tasks, so that few pages are made already.
    """
    taken: list[tuple[float, str]] = []

    async def ask(number: int, key: str) -> None:
        names = list(PAGES)
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            path = PAGES[name].format(key=key)
            if "/conversations" in path and "q=" not in path:
                path += f"{'&' if '?' in path else '?'}q={number + 1}"
            path = path.replace("q=17", f"q={number + 1}")
            begun = time.perf_counter()
            await _fetched(session, path)
            taken.append(((time.perf_counter() - begun) * 1e3, name))

    await asyncio.gather(*(ask(number, key) for number, key in enumerate(keys)))
    taken.sort()
    most = taken[min(len(taken) - 1, len(taken) * 99 // 100)][0]
    slowest, name = taken[-1]
    return (
        f"median {taken[len(taken) // 2][0]:.0f} ms, 99 % within {most:.0f} ms, at most "
        f"{slowest:.0f} ms ({name})"
    )


async def _median(session: aiohttp.ClientSession, path: str, keys: Sequence[str]) -> float:
    """Return the median time of a page; the viewer may keep pages without a key."""
    taken = []
    for key in keys:
        begun = time.perf_counter()
        await _fetched(session, path.format(key=key))
        taken.append((time.perf_counter() - begun) * 1e3)
    return sorted(taken)[len(taken) // 2]


def _spread(keys: Sequence[str], many: int) -> list[str]:
    """Return keys from all parts of a plan."""
    return [keys[len(keys) * number // many] for number in range(many)]


async def _fetched(session: aiohttp.ClientSession, path: str) -> str:
    async with session.get(path) as answer:
        assert answer.status == 200, await answer.text()
        return await answer.text()


if __name__ == "__main__":
    print_viewing()
