"""Hundreds of conversations against a server that refuses half of all calls and breaks a fifth of them."""

import asyncio
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from tests.chaos.sizes import CONVERSATIONS

from dragoman.core.episodes import Episode, Message
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fault_injection import (
    Cut,
    EmptyBody,
    Faults,
    Hang,
    HugeBody,
    MalformedJson,
    RateLimited,
    Redirect,
    Reset,
    ServerError,
    Slow,
    WrongContentType,
)
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Answerer, Unanswered
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

pytestmark = pytest.mark.nightly

MANY = 1_000
TASKS = 5
MOST_AT_A_TIME = 64
TIME_LIMIT = 600

EVERY_FAULT = Faults(
    transport=(
        # Half of all calls are refused: with a retry time, without one, or with one in a year.
        RateLimited(rate=0.15, retry_after=0),
        RateLimited(rate=0.05, retry_after=1, as_date=True),
        RateLimited(rate=0.109, retry_after=None),
        RateLimited(rate=0.0005, retry_after=31_536_000),
        ServerError(rate=0.13, statuses=(503,)),
        ServerError(rate=0.06, statuses=(503,), retry_after=1),
        ServerError(rate=0.0005, statuses=(503,), retry_after=31_536_000),
        # A fifth breaks.
        ServerError(rate=0.03, statuses=(500, 502, 504)),
        Slow(rate=0.02, seconds=0.5),
        Cut(rate=0.03),
        Reset(rate=0.03),
        MalformedJson(rate=0.03),
        WrongContentType(rate=0.03),
        EmptyBody(rate=0.03),
        Redirect(rate=0.01),
        HugeBody(rate=0.005),
        Hang(rate=0.005, seconds=60),
    ),
    most_in_a_row=100,
    first=32,
)
WILD = ServerConfig(
    EVERY_FAULT, Capacity(most_concurrent=MOST_AT_A_TIME, latency_seconds=0.05), seed=1
)
NOWHERE_ELSE = msgspec.structs.replace(
    WILD,
    faults=msgspec.structs.replace(
        EVERY_FAULT,
        transport=tuple(one for one in EVERY_FAULT.transport if not isinstance(one, Redirect)),
    ),
)
"""A redirection that a process is given before any answer ends it: its address is taken to be wrong."""

REFUSALS = {"rate_limited", "overloaded"}
MOST_ATTEMPTS = 8
CONCURRENCY = 200
KILLED_AT = tuple(CONVERSATIONS * percent // 100 for percent in (15, 40, 70))
WHOLE = ("ok", "slow")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def both_sides(tmp_path_factory: pytest.TempPathFactory, in_process: Run) -> Answerer:
    """Plays the agent's model and the user's as gold does."""
    folder = tmp_path_factory.mktemp("gold") / "run"
    done = in_process("run", "sample:shop", "--agent", "gold", "--out", folder)
    assert done.returncode == 0, done.stderr
    answers = {side: asyncio.run(answers_from_run(folder, side)) for side in ("agent", "user")}

    def answer(request: ChatBody) -> CannedReply | Unanswered:
        return answers[request.model](request)

    return answer


@pytest.fixture
def server(both_sides: Answerer) -> Iterator[ModelServer]:
    with ModelServer(both_sides, WILD) as serving:
        yield serving


@pytest.fixture
def straight(both_sides: Answerer) -> Iterator[ModelServer]:
    with ModelServer(both_sides, NOWHERE_ELSE) as serving:
        yield serving


def arguments(server: ModelServer, conversations: int, *more: object) -> tuple[object, ...]:
    """Return the words of a run of many conversations, each with requests of its own."""
    return (
        *("run", "sample:shop", "--trials", conversations // TASKS),
        *("--agent", f"compatible/agent?base_url={server.url}"),
        *("--user", f"compatible/user?base_url={server.url}"),
        # A busy machine takes seconds to read an answer, which the server has counted as given.
        *("--judge", "assume-met", "--concurrency", CONCURRENCY, "--read-timeout", 10),
        # The server would count a request of the preflight, which belongs to no conversation.
        *("--no-preflight", "--quiet", *more),
    )


def stored(folder: Path, conversations: int) -> dict[str, Episode]:
    """Return the conversations of a run by key, each planned one and each once."""
    with open_run(folder, write=False) as store:
        planned = [cell.key for cell in store.cells()]
        episodes = [(key, episode) for key, _, episode in store.episodes()]
    assert len(planned) == len(set(planned)) == conversations
    assert sorted(key for key, _ in episodes) == sorted(planned)
    return dict(episodes)


def plain(episode: Episode) -> object:
    """Return the events, without ids of bodies, times and usage."""
    events = tuple(
        msgspec.structs.replace(event, raw=msgspec.UNSET) if isinstance(event, Message) else event
        for event in episode.events
    )
    return msgspec.to_builtins((events, episode.ending))


def broken_attempts(reason: str) -> int:
    """Return the number of failed attempts in a reason, without refusals."""
    reported = dict(re.findall(r"(\w+) (\d+)[,)]", reason.rpartition("(gave up after ")[2]))
    return sum(int(count) for kind, count in reported.items() if kind not in REFUSALS)


def require_whole_or_infrastructure(episodes: dict[str, Episode]) -> int:
    """Require that each conversation is like gold's or states what broke.

    Return the number of broken conversations.
    """
    endings = Counter(episode.ending.reason for episode in episodes.values())
    assert set(endings) <= {"user_stop", "infrastructure_error"}
    for episode in episodes.values():
        if episode.ending.reason == "infrastructure_error":
            assert broken_attempts(episode.ending.detail) >= MOST_ATTEMPTS, episode.ending.detail
    whole = {
        str(plain(episode)) for episode in episodes.values() if episode.ending.reason == "user_stop"
    }
    assert len(whole) == TASKS, "each task went as it goes without any fault"
    return endings["infrastructure_error"]


def require_same_counts(episodes: dict[str, Episode], server: ModelServer) -> None:
    """Require equal counts: answered calls and counted calls, failed attempts and faults."""
    ledger = [entry for episode in episodes.values() for entry in episode.usage]
    faults: Counter[str] = Counter()
    for entry in ledger:
        faults.update(entry.faults)
    outcomes = Counter(server.log.outcomes)
    answered = sum(outcomes[name] for name in WHOLE)
    assert sum(entry.calls for entry in ledger) == answered
    assert faults.total() == outcomes.total() - answered
    refused = outcomes["rate_limited"] + outcomes["limited"]
    assert faults["rate_limited"] == refused


def answered_by_content(server: ModelServer) -> Counter[int]:
    """Count the requests by the number of their answers."""
    return Counter(
        sum(outcomes.get(name, 0) for name in WHOLE) for outcomes in server.log.contents.values()
    )


@pytest.mark.parametrize(
    ("conversations", "spread"),
    [
        pytest.param(CONVERSATIONS, (), id="one process"),
        pytest.param(CONVERSATIONS, ("--workers", 2), id="two workers"),
    ],
)
def test_all_conversations_are_there_once_and_whole_or_infrastructure(
    server: ModelServer,
    in_process: Run,
    tmp_path: Path,
    conversations: int,
    spread: tuple[object, ...],
) -> None:
    run = tmp_path / "run"
    done = in_process(*arguments(server, conversations, "--no-cache", "--out", run, *spread))
    assert done.returncode == 0, done.stderr
    episodes = stored(run, conversations)
    broken = require_whole_or_infrastructure(episodes)
    assert broken < conversations // 20
    # About one in a hundred breaks: of a thousand some do.
    assert broken or conversations < MANY
    require_same_counts(episodes, server)
    times = answered_by_content(server)
    assert set(times) - {0} == {1}, "no request is answered twice"
    assert times[0] == broken, "what was never answered is what a conversation broke at"


@pytest.fixture
def start(
    environment: dict[str, str], command: Callable[..., list[str]], tmp_path: Path
) -> Callable[..., subprocess.Popen[bytes]]:
    """Start a process that remembers replies."""
    environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    return lambda *words: subprocess.Popen(
        command(*words), env=environment, stdout=subprocess.DEVNULL
    )


def test_killed_in_the_middle_all_are_there_once_and_what_was_answered_is_not_asked_again(
    straight: ModelServer,
    start: Callable[..., subprocess.Popen[bytes]],
    counts: Callable[[Path], tuple[int, int, int]],
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    words = arguments(straight, CONVERSATIONS, "--out", run)
    for goal in KILLED_AT:
        process = start(*words)
        while process.poll() is None and counts(run)[1] < goal:
            time.sleep(0.1)
        assert process.poll() is None
        process.kill()
        process.wait()
        words = ("resume", run, "--quiet")
    assert start(*words).wait(TIME_LIMIT) == 0
    require_whole_or_infrastructure(stored(run, CONVERSATIONS))
    times = answered_by_content(straight)
    assert times.total() - times[0] - times[1] <= len(KILLED_AT) * CONCURRENCY
    assert max(times) <= 1 + len(KILLED_AT)
