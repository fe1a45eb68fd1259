"""Whole runs with models over real HTTP, against servers that misbehave, die and listen for keys."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from tests.chaos.sizes import KILLS

from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import ToolCallReply
from dragoman.core.scores import METRIC_VERSION
from dragoman.core.tools import Role, ToolResult
from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import (
    Cut,
    EmptyBody,
    Faults,
    Hang,
    InvalidArguments,
    MalformedJson,
    RateLimited,
    Reset,
    ServerError,
    Slow,
    WrongContentType,
)
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.scripted_answers import RecordedAnswers, Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

pytestmark = pytest.mark.nightly

TIME_LIMIT = 300
CANARY = "sk-canary-4f1d9a0c7b"  # gitleaks:allow

EVERY_FAULT = Faults(
    transport=(
        RateLimited(rate=0.08, retry_after=0),
        RateLimited(rate=0.02, retry_after=1, as_date=True, with_limits=True),
        ServerError(rate=0.05),
        Slow(rate=0.03, seconds=0.3),
        Cut(rate=0.05),
        Reset(rate=0.05),
        MalformedJson(rate=0.05),
        WrongContentType(rate=0.03),
        EmptyBody(rate=0.03),
        Hang(rate=0.01, seconds=20),
    )
)
ANSWERED = ("ok", "slow")

Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., tuple[ModelServer, ModelServer]]


@pytest.fixture(scope="session")
def gold(pulled: Path, tmp_path_factory: pytest.TempPathFactory, in_process: Run) -> Path:
    """A stored run in which gold plays all of retail."""
    folder = tmp_path_factory.mktemp("gold") / "run"
    options = ("--agent", "gold", "--out", folder)
    done = in_process("run", "tau2:retail", *options, XDG_CACHE_HOME=str(pulled))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def answers(gold: Path, pulled: Path) -> dict[Role, RecordedAnswers]:
    """Replies of each side's model in that run."""
    del pulled
    return {
        "agent": asyncio.run(answers_from_run(gold, "agent")),
        "user": asyncio.run(answers_from_run(gold, "user")),
    }


@pytest.fixture
def serve(answers: dict[Role, RecordedAnswers]) -> Iterator[Serve]:
    """Start a server for each side."""
    with ExitStack() as stack:

        def start(behaviour: ServerConfig) -> tuple[ModelServer, ModelServer]:
            agent, user = (
                stack.enter_context(
                    ModelServer(answers[side], msgspec.structs.replace(behaviour, seed=seed))
                )
                for seed, side in enumerate(answers)
            )
            return agent, user

        yield start


@pytest.fixture
def environment(pulled: Path, tmp_path: Path) -> dict[str, str]:
    """An environment with the data and with a memory of replies of its own."""
    cache = tmp_path / "cache"
    (cache / "dragoman").mkdir(parents=True)
    (cache / "dragoman" / "data").symlink_to(pulled / "dragoman" / "data")
    return {**os.environ, "XDG_CACHE_HOME": str(cache), "COLUMNS": "100"}


def models(agent: ModelServer, user: ModelServer) -> list[str]:
    """Return the options that name both models; seeds would differ by the servers' addresses."""
    return [
        *("--agent", f"compatible/agent?base_url={agent.url}&seed=off"),
        *("--user", f"compatible/user?base_url={user.url}&seed=off"),
    ]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "dragoman", *map(str, arguments)]


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path, in_process: Run) -> Run:
    """Run a command to its end."""

    def call(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        return in_process(*arguments, cwd=tmp_path, **{**environment, **more})

    return call


def run_json(done: subprocess.CompletedProcess[str]) -> Any:  # noqa: ANN401 - whatever JSON holds
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def said_and_done(folder: Path) -> dict[str, tuple[Any, Any]]:
    """Return by task the events and the reward, without times, raw bodies and usage."""
    with open_run(folder, write=False) as store:
        tasks = {cell.key: (cell.task, cell.trial) for cell in store.cells()}
        rules, judge = store.scorings()[-1]
        scores = store.scores(rules, judge, METRIC_VERSION)
        return {
            str(tasks[key]): (_plain(episode), msgspec.to_builtins(scores[key].reward))
            for key, _, episode in store.episodes()
        }


def _plain(episode: Episode) -> Any:  # noqa: ANN401 - whatever JSON holds
    events = tuple(
        msgspec.structs.replace(event, raw=msgspec.UNSET) if isinstance(event, Message) else event
        for event in episode.events
    )
    return msgspec.to_builtins((events, episode.ending, episode.steps, episode.errors))


def given(*servers: ModelServer) -> Counter[str]:
    """Count by content how often a whole answer was given."""
    counts: Counter[str] = Counter()
    for server in servers:
        for content, outcomes in server.log.contents.items():
            counts[content] += sum(outcomes.get(name, 0) for name in ANSWERED)
    return counts


def test_with_every_fault_on_nothing_is_lost_or_doubled_and_rewards_are_the_same(
    serve: Serve, run: Run, tmp_path: Path
) -> None:
    # The server would count a request of the preflight, which belongs to no conversation.
    options = (
        "--judge",
        "assume-met",
        "--concurrency",
        64,
        "--no-cache",
        "--no-preflight",
        "--json",
    )
    quiet = serve(ServerConfig())
    run_json(run("run", "tau2:retail", *models(*quiet), *options, "--out", "quiet"))
    wild = serve(ServerConfig(EVERY_FAULT))
    result = run_json(
        run("run", "tau2:retail", *models(*wild), *options, "--read-timeout", 3, "--out", "wild")
    )

    (cell,) = result["cells"]
    assert (cell["tasks"], cell["pass_hat"]) == (114, {"1": 1})
    assert (cell["missing"], cell["infrastructure_errors"]) == (0, 0)
    assert said_and_done(tmp_path / "wild") == said_and_done(tmp_path / "quiet")
    assert given(*wild) == given(*quiet)
    faults: Counter[str] = Counter()
    for entry in result["usage"]:
        faults.update(entry["faults"])
    assert set(faults) >= {"rate_limited", "server_error", "cut", "malformed", "timeout"}
    outcomes = sum((Counter(server.log.outcomes) for server in wild), Counter())
    assert faults.total() == outcomes.total() - sum(outcomes[name] for name in ANSWERED)


CALLING = RuleAnswers(
    [
        Rule(ScriptedReply("All done."), When(last_role="tool")),
        Rule(ScriptedReply(tool_calls=(ScriptedCall("list_all_product_types", {}),))),
    ]
)
LEAVING = RuleAnswers(
    [
        Rule(ScriptedReply("###STOP###"), When(contains="All done.")),
        Rule(ScriptedReply("What do you sell?")),
    ]
)


def test_arguments_that_are_no_json_are_the_agents_mistake_and_counted_as_such(
    run: Run, tmp_path: Path
) -> None:
    broken = ServerConfig(Faults(agent=(InvalidArguments(rate=1),)))
    with ModelServer(CALLING, broken) as agent, ModelServer(LEAVING) as user:
        options = ("--limit", 10, "--no-cache", "--json", "--out", "run")
        (cell,) = run_json(run("run", "tau2:retail", *models(agent, user), *options))["cells"]
    assert (cell["infrastructure_errors"], cell["tool_errors"]) == (0, 10)
    assert cell["malformed_calls"] == 10
    with open_run(tmp_path / "run", write=False) as store:
        for _, _, episode in store.episodes():
            (call,) = [
                call
                for event in episode.events
                if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
                for call in event.reply.calls
            ]
            assert call.raw
            assert call.malformed
            (result,) = [event for event in episode.events if isinstance(event, ToolResult)]
            assert result.error
            assert result.content.startswith("Error: the arguments could not be read")


def test_a_run_waits_for_a_server_that_is_down_says_so_and_goes_on(
    serve: Serve, environment: dict[str, str], tmp_path: Path
) -> None:
    agent, user = serve(ServerConfig(capacity=Capacity(latency_seconds=0.05)))
    options = ("--limit", 40, "--concurrency", 4, "--no-cache", "--json", "--out", "run")
    process = subprocess.Popen(
        command("run", "tau2:retail", *models(agent, user), *options),
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and agent.log.completed < 20:
        time.sleep(0.01)
    agent.outage = "refused"
    time.sleep(4)
    before = agent.log.completed
    agent.outage = None
    output, errors = process.communicate(timeout=TIME_LIMIT)

    assert process.returncode == 0, errors
    assert agent.log.completed > before
    (cell,) = json.loads(output.splitlines()[-1])["cells"]
    assert (cell["missing"], cell["infrastructure_errors"]) == (0, 0)
    assert "does not answer" in errors
    assert "answers again" in errors


@pytest.mark.nightly
def test_killed_many_times_a_run_ends_the_same_and_pays_again_only_what_was_under_way(
    serve: Serve, run: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    concurrency = 8
    behaviour = ServerConfig(capacity=Capacity(latency_seconds=0.03))
    options = ("--limit", 40, "--judge", "assume-met", "--concurrency", concurrency)
    unbroken = serve(behaviour)
    run_json(run("run", "tau2:retail", *models(*unbroken), *options, "--json", "--out", "unbroken"))
    needed = sum(server.log.completed for server in unbroken)

    servers = serve(behaviour)
    seed = time.time_ns()
    print(f"seed of the moments: {seed}")  # noqa: T201 - shown where the test fails
    moments = Random(seed)  # noqa: S311 - moments, not secrets
    arguments: tuple[object, ...] = ("run", "tau2:retail", *models(*servers), *options)
    arguments = (*arguments, "--out", "killed")
    for _ in range(KILLS):
        asked = sum(server.log.completed for server in servers)
        goal = asked + moments.randint(1, needed // KILLS)
        process = subprocess.Popen(
            command(*arguments),
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and sum(s.log.completed for s in servers) < goal:
            time.sleep(0.002)
        process.kill()
        process.wait()
        if not (tmp_path / "killed" / "run.sqlite").is_file():
            continue
        arguments = ("resume", "killed")
    result = run_json(run(*arguments, "--json"))

    (cell,) = result["cells"]
    assert (cell["missing"], cell["infrastructure_errors"]) == (0, 0)
    assert said_and_done(tmp_path / "killed") == said_and_done(tmp_path / "unbroken")
    asked = sum(server.log.started for server in servers)
    print(f"{asked} calls, {needed} without kills")  # noqa: T201 - shown where the test fails
    assert asked - needed <= KILLS * concurrency
    assert sum(entry["replayed"] for entry in result["usage"]) > 0


def test_a_key_appears_nowhere(serve: Serve, run: Run, tmp_path: Path) -> None:
    agent, user = serve(ServerConfig(EVERY_FAULT, checks=Checks(api_key=CANARY)))
    key = {"COMPATIBLE_API_KEY": CANARY}
    options = ("--limit", 10, "--read-timeout", 3)
    good = run("run", "tau2:retail", *models(agent, user), *options, "--out", "good", **key)
    assert good.returncode == 0, good.stderr
    report = run("report", "good", **key)
    assert report.returncode == 0, report.stderr
    wrong = run(
        *("run", "tau2:retail", *models(agent, user), *options, "--no-cache", "--out", "wrong"),
        COMPATIBLE_API_KEY=f"{CANARY}-of-another",
    )
    assert wrong.returncode == 1
    assert "status 401" in wrong.stderr
    assert "check the key" in wrong.stderr
    assert "Traceback" not in wrong.stderr

    shown = "".join(part for done in (good, report, wrong) for part in (done.stdout, done.stderr))
    assert CANARY not in shown
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"run.sqlite", "report.html", "replies.sqlite"}
    assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []
    with open_run(tmp_path / "good", write=False) as store:
        assert CANARY not in str(list(store.episodes()))
        assert CANARY.encode() not in store.manifest()
