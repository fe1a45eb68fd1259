import asyncio
import gzip
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import msgspec
import pytest

import dragoman
from dragoman.benchmarks.tau2.suite import ALL_DOMAINS, DomainSuite
from dragoman.composition.setup import Setup, build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.protocols import ChatRequest, Completion, Provenance, Suite
from dragoman.core.replies import UnparsedReply, text_reply
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolResult
from dragoman.models.chat.completions import decode_completion
from dragoman.registry.participants import ResolvedParticipant
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells
from dragoman.runs.runner import play, start
from dragoman.simulation.participants.llm import LlmParticipant
from dragoman.simulation.prompts import default_prompts
from dragoman.store.run_store import open_run
from dragoman.testing.chat_requests import ChatBody, ChatMessage
from dragoman.testing.fault_injection import Faults, ServerError
from dragoman.testing.realtime.server import RealtimeServer
from dragoman.testing.recorded_runs import answers_from_episodes, answers_from_run
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import ServerConfig

TRIALS = 3
WITHHELD = "multi_turn_miss_func_0"
"""Calls a tool that is not there at first by position."""


class WireModel:
    """A chat model over HTTP that retries when the server breaks."""

    name = "wire"

    def __init__(self, client: aiohttp.ClientSession, url: str) -> None:
        self._client = client
        self._url = f"{url}/chat/completions"

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        body: dict[str, object] = {
            "model": "m",
            "messages": request.messages,
            "user": request.label,
        }
        if len(request.tools):
            body |= {"tools": request.tools.encoded}
        encoded = msgspec.json.encode(body)
        while True:
            async with self._client.post(self._url, data=encoded) as response:
                answer = await response.read()
            if response.status != 500:
                assert response.status == 200, answer
                return decode_completion(answer, self.name, purpose)


def setup_for(suite: Suite, trials: int = 1) -> Setup:
    setup = build_setup(RunConfig("sample:shop", ("gold",), trials=trials))
    return msgspec.structs.replace(setup, suite=suite, tasks=tuple(suite.tasks))


async def recorded(setup: Setup) -> list[tuple[Task, Episode]]:
    player = Player(setup)
    return [(cell.task, await player.converse(cell)) for cell in plan_cells(setup)]


async def played_again(suite: Suite, recordings: Sequence[tuple[Task, Episode]]) -> list[Episode]:
    """Play every task over HTTP against the recordings of both sides, trials side by side."""
    # Broken answers show that a retry changes nothing.
    behaviour = ServerConfig(Faults((ServerError(0.2, (500,)),)))
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(aiohttp.ClientSession())
        sides: dict[Role, ResolvedParticipant] = {}
        side: Role
        for side in ("agent", "user"):
            answers = await answers_from_episodes(recordings, side)
            server = await stack.enter_async_context(ModelServer(answers, behaviour))
            model = WireModel(client, server.url)
            sides[side] = ResolvedParticipant(side, LlmParticipant(model, default_prompts()), side)
        setup = msgspec.structs.replace(
            setup_for(suite, TRIALS), pairs=((sides["agent"], sides["user"]),)
        )
        player = Player(setup)
        return await asyncio.gather(*(player.converse(cell) for cell in plan_cells(setup)))


def without_raw(events: Sequence[Event]) -> list[Event]:
    return [
        msgspec.structs.replace(event, raw=msgspec.UNSET) if isinstance(event, Message) else event
        for event in events
    ]


def assert_replays(suite: Suite) -> None:
    recordings = asyncio.run(recorded(setup_for(suite)))
    episodes = asyncio.run(played_again(suite, recordings))
    again = [(without_raw(episode.events), episode.ending) for episode in episodes]
    once = [(without_raw(episode.events), episode.ending) for _, episode in recordings]
    assert sorted(map(repr, again)) == sorted(map(repr, once * TRIALS))


def test_a_run_over_http_repeats_the_recorded_one(shop: DomainSuite) -> None:
    assert_replays(shop)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "retail",
        pytest.param("telecom", marks=pytest.mark.nightly),
        pytest.param("telecom-solo", marks=pytest.mark.nightly),
    ],
)
@pytest.mark.nightly
def test_a_benchmark_over_http_repeats_the_recorded_one(data_folder: Path, name: str) -> None:
    domain = ALL_DOMAINS[name]
    folder = data_folder / "tau2" / (domain.folder or name)

    def read(file: str) -> bytes:
        raw = folder / file
        if raw.exists():
            return raw.read_bytes()
        return gzip.decompress((folder / f"{file}.gz").read_bytes())

    source = Provenance("tau2-bench", "MIT", "", "")
    assert_replays(DomainSuite(f"tau2:{name}", read, source, domain, "base"))


def test_a_stored_run_is_replayed(tmp_path: Path) -> None:
    config = RunConfig("sample:shop", ("gold",), trials=2)
    play(start(build_setup(config), tmp_path / "run"), lambda *_: None)
    answers = asyncio.run(answers_from_run(tmp_path / "run", "user"))
    greeting = (ChatMessage("user", "Hi! How can I help you today?"),)
    ambiguous = answers(ChatBody("m", greeting))
    assert isinstance(ambiguous, Unanswered)
    assert "go on differently" in ambiguous.reason


def test_a_reply_without_words_or_calls_is_recorded_as_it_was(shop: DomainSuite) -> None:
    events = (
        Message("agent", text_reply("Hi!"), scripted=True),
        Message("user", text_reply("Cancel it.")),
        Message("agent", UnparsedReply("<<<", "neither words nor calls")),
    )
    episode = Episode(events, Termination("agent_error"), 2, 0)
    answers = asyncio.run(answers_from_episodes([(shop.tasks[0], episode)], "agent"))
    history = (ChatMessage("assistant", "Hi!"), ChatMessage("user", "Cancel it."))
    assert answers(ChatBody("m", history)) == CannedReply("<<<")


@pytest.mark.parametrize(
    ("suite", "task"),
    [("bfcl:multi_turn_base", "multi_turn_base_0"), ("bfcl:multi_turn_miss_func", WITHHELD)],
    ids=["a tool that is there", "a tool that appears later"],
)
def test_arguments_without_a_name_are_replayed_by_name(
    suite: str, task: str, pulled_bfcl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pulled_bfcl))
    dragoman.run(suite, agent="gold", task=task, out=tmp_path / "gold")
    answers = asyncio.run(answers_from_run(tmp_path / "gold", "agent"))
    with ModelServer(answers) as server, RealtimeServer(answers) as realtime:
        agents = [
            f"compatible/any?base_url={server.url}",
            f"compatible-realtime/any?base_url={realtime.url}",
        ]
        dragoman.run(suite, agent=agents, task=task, out=tmp_path / "again")

    (gold,) = results(tmp_path / "gold")
    assert results(tmp_path / "again") == [gold, gold]


def results(folder: Path) -> list[list[tuple[str, str, bool]]]:
    """Return the calls of each conversation of a run, with their answers."""
    with open_run(folder, write=False) as store:
        return [
            [(e.name, e.content, e.error) for e in episode.events if isinstance(e, ToolResult)]
            for _, _, episode in store.episodes()
        ]
