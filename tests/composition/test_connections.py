"""Resources that the models of a run share, over real connections."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from dragoman.composition.setup import build_setup
from dragoman.config.run_config import RunConfig
from dragoman.core.episodes import Message, Termination
from dragoman.core.errors import RunHalted, UsageError
from dragoman.core.protocols import ChatRequest, JudgeContext
from dragoman.core.replies import text_reply
from dragoman.core.tools import NO_TOOLS
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.http.transport import RetryPolicy, Timeouts
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.model_clients import ModelClients
from dragoman.runs.conversation_player import Player
from dragoman.runs.plan import plan_cells
from dragoman.scoring.judges import ChatJudge
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import UNRESOLVABLE_URL
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

T = TypeVar("T")

KEY = "sk-2718281828459045"
VERDICT = '{"verdicts": [{"id": 1, "met": true, "why": "said so"}]}'
ANSWERS = RuleAnswers(
    [Rule(ScriptedReply(VERDICT), When(contains="<assertions>")), Rule(ScriptedReply("hi"))]
)
HELLO = ChatRequest([{"role": "user", "content": "hello"}], NO_TOOLS, 7, "task")


def connected(work: Callable[[ModelClients, str], Awaitable[T]], checks: Checks | None = None) -> T:
    async def go() -> T:
        behaviour = ServerConfig(checks=checks or Checks())
        connections = ModelClients(Timeouts(connect=5, read=5), RetryPolicy(outage=1))
        async with ModelServer(ANSWERS, behaviour) as server:
            try:
                return await work(connections, server.url)
            finally:
                await connections.close()

    return asyncio.run(go())


def test_a_model_answers_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", KEY)

    async def work(connections: ModelClients, url: str) -> object:
        spec = parse_model_spec(f"compatible/any?base_url={url}&key_env=MINE&temperature=0")
        return (await connections.chat_model(spec).complete(HELLO, "agent")).reply

    assert connected(work, Checks(api_key=KEY)) == text_reply("hi")


def test_a_models_silence_is_no_time_out_of_the_agents() -> None:
    async def go() -> Termination:
        behaviour = ServerConfig(capacity=Capacity(latency_seconds=60))
        async with ModelServer(ANSWERS, behaviour) as server:
            agent = f"compatible/any?base_url={server.url}"
            config = RunConfig("sample:shop", (agent,), timeout=0.3, limit=1, cache=False)
            setup = build_setup(config)
            try:
                episode, _ = await Player(setup).play(plan_cells(setup)[0])
            finally:
                await setup.close()
        return episode.ending

    ending = asyncio.run(go())
    assert ending.reason == "infrastructure_error"
    assert re.fullmatch(
        r"the time limit was reached: http://127\.0\.0\.1:\d+: no answer for \d\.\d s",
        ending.detail,
    )


def test_models_of_one_endpoint_share_a_gate_and_keys_do_not() -> None:
    async def work(connections: ModelClients, url: str) -> None:
        assert connections.client(f"{url}/a", "x") is connections.client(f"{url}/b", "x")
        assert connections.client(url, "x") is not connections.client(url, "y")
        assert connections.client(url) is not connections.client("http://localhost:1")

    connected(work)


def test_a_missing_address_or_key_is_told_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    connections = ModelClients()
    with pytest.raises(UsageError, match=r"where is it\? Add \?base_url="):
        connections.chat_model(parse_model_spec("compatible/any"))
    with pytest.raises(UsageError, match="openai/any needs a key: set OPENAI_API_KEY"):
        connections.chat_model(parse_model_spec("openai/any"))


def test_litellm_that_is_not_installed_is_told_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with pytest.raises(UsageError, match="litellm is not installed"):
        ModelClients().chat_model(parse_model_spec("litellm/gemini/flash"))


def test_a_name_that_nobody_knows_ends_the_run_after_its_patience() -> None:
    async def work(connections: ModelClients, url: str) -> None:
        assert url
        spec = parse_model_spec(f"compatible/any?base_url={UNRESOLVABLE_URL}")
        model = connections.chat_model(spec)
        await asyncio.gather(*(model.complete(HELLO, "agent") for _ in range(16)))

    with pytest.raises(RunHalted, match=r"no-such-host\.invalid has never answered"):
        connected(work)


async def judge_at(connections: ModelClients, url: str, parameters: str = "") -> bool | None:
    spec = parse_model_spec(f"compatible/any?base_url={url}{parameters}")
    judge = ChatJudge(connections.chat_model(spec))
    (verdict,) = (
        await judge.judge(["Be kind."], [Message("agent", text_reply("Hi."))], JudgeContext("1"))
    ).verdicts
    return verdict.met


def test_a_judge_asks_with_a_schema_where_the_provider_takes_one() -> None:
    refusing = Checks(refuses=("response_format",))
    with pytest.raises(RunHalted, match=r"response_format.*: add schema=off"):
        connected(judge_at, refusing)
    assert connected(judge_at) is True
    assert connected(lambda c, url: judge_at(c, url, "&schema=off"), refusing) is True
