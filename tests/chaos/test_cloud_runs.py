"""Runs with an agent behind litellm: they have a budget, are interrupted, and continue."""

import asyncio
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from tests.chaos.interrupting import go_on, interruptible, stopped

from dragoman.core.episodes import Episode, Message
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.local_server import LocalServer
from dragoman.testing.openai_api import Endpoint
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Answerer
from dragoman.testing.server_config import Capacity, ServerConfig

pytest.importorskip("litellm", reason="the extra `litellm` is not installed")

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.extras,
    pytest.mark.slow,
    # Warnings of the library and its parts, at import and at their end, are their own.
    pytest.mark.filterwarnings("ignore"),
]

CONCURRENCY = 8
TRIALS = 8
CONVERSATIONS = 5 * TRIALS
PRICES = """
[[lists]]
as_of = 2026-01-01

[lists.prices]
"azure/agent" = { input = 0, output = 1000000 }
"""
"""A dollar for each token that is answered: five for each call."""

SLOW = ServerConfig(capacity=Capacity(latency_seconds=0.2))

Run = Callable[..., subprocess.CompletedProcess[str]]
Counts = Callable[[Path], tuple[int, int, int]]


class Cloud(LocalServer):
    """A model server at the addresses of Azure's deployments."""

    def __init__(self, answerer: Answerer, behaviour: ServerConfig) -> None:
        endpoint = Endpoint(answerer, behaviour, RequestLog(None))
        application = endpoint.application()
        deployment = "/openai/deployments/{name}/chat/completions"
        application.router.add_post(deployment, endpoint.complete)
        super().__init__(application, endpoint.exchange, ())

    def words(self, *more: object) -> tuple[object, ...]:
        """Return the words of a run that asks it."""
        agent = f"azure/agent?base_url={self.origin}&extra.api_version=2024-10-21"
        return (
            *("run", "sample:shop", "--trials", TRIALS, "--concurrency", CONCURRENCY),
            *("--agent", agent, "--user", "gold", "--judge", "assume-met"),
            *("--no-preflight", "--quiet", *more),
        )


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_API_KEY", "a-key")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@pytest.fixture(scope="session")
def gold(tmp_path_factory: pytest.TempPathFactory, in_process: Run) -> Answerer:
    """Plays the agent's model as gold does."""
    folder = tmp_path_factory.mktemp("gold") / "run"
    done = in_process("run", "sample:shop", "--agent", "gold", "--out", folder)
    assert done.returncode == 0, done.stderr
    return asyncio.run(answers_from_run(folder, "agent"))


@pytest.fixture
def slow_cloud(gold: Answerer) -> Iterator[Cloud]:
    with Cloud(gold, SLOW) as serving:
        yield serving


def stored(folder: Path) -> dict[str, object]:
    """Return the events of each conversation, without ids of bodies, times and usage."""
    with open_run(folder, write=False) as store:
        return {key: plain(episode) for key, _, episode in store.episodes()}


def plain(episode: Episode) -> object:
    events = tuple(
        msgspec.structs.replace(event, raw=msgspec.UNSET) if isinstance(event, Message) else event
        for event in episode.events
    )
    return msgspec.to_builtins((events, episode.ending))


def test_a_budget_is_passed_by_less_than_one_call_costs(tmp_path: Path, in_process: Run) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES)

    def asks_back(request: ChatBody) -> CannedReply:  # noqa: ARG001 - obeys Answerer
        return CannedReply("Which order is it?")

    with Cloud(asks_back, SLOW) as cloud:
        budget = ("--max-cost", "102 USD", "--prices", prices, "--no-cache")
        done = in_process(*cloud.words(*budget, "--out", tmp_path / "run"))

    assert done.returncode == 1, done.stderr
    assert "the budget of 102 USD is spent (105.0000 USD in 21 calls)" in done.stderr
    assert cloud.log.outcomes == {OK: 21}
    assert cloud.log.peak > 1
    assert "Traceback" not in done.stderr


def test_a_run_that_is_stopped_ends_in_a_line_and_goes_on(
    slow_cloud: Cloud,
    folder: Path,
    environment: dict[str, str],
    counts: Counts,
    in_process: Run,
) -> None:
    whole = in_process(*slow_cloud.words("--no-cache", "--out", folder / "whole"))
    assert whole.returncode == 0, whole.stderr
    arguments = slow_cloud.words("--out", "stopped")
    process = interruptible(arguments, folder, environment)
    run = folder / "stopped"
    while process.poll() is None and not (counts(run)[1] >= 10 and slow_cloud.log.in_flight):
        time.sleep(0.01)
    words = stopped(process)
    assert 10 <= counts(run)[1] < CONVERSATIONS
    go_on([*words, "--quiet"], folder, environment)
    assert stored(run) == stored(folder / "whole")
    again = [each for each in slow_cloud.log.contents.values() if each[OK] > 2]
    assert len(again) <= CONCURRENCY, "only what was under way is asked again"
