"""Models with batch requests, over real connections to a server for files and batches."""

import asyncio
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from dragoman.core.costs import cost_of
from dragoman.core.errors import ParticipantError, RunHalted, UsageError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import TextReply
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.models.endpoints.rate_limit import PacingOptions, read_batches, read_rates
from dragoman.models.http.transport import RetryPolicy, Timeouts
from dragoman.models.model_spec import parse_model_spec
from dragoman.models.prices import load_prices
from dragoman.registry.model_clients import ModelClients
from dragoman.testing.chat_requests import Checks
from dragoman.testing.fault_injection import BatchFaults, Ending, LineFault
from dragoman.testing.request_log import LogView
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import ServerConfig

KEY = "sk-2718281828459045"  # gitleaks:allow
ANSWERS = RuleAnswers([Rule(ScriptedReply("hi"))])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("MINE", KEY)


def asking(seed: int) -> ChatRequest:
    return ChatRequest(
        [{"role": "user", "content": "hello"}], NO_TOOLS, seed, "task", draw=f"{seed}"
    )


async def asked(
    server: ModelServer, seeds: Sequence[int], *, cache_enabled: bool = True
) -> list[Completion | BaseException]:
    """Ask once for every seed, all at the same time, as one process does."""
    pacing = PacingOptions(batches=read_batches([f"{server.origin}=0.01"]))
    timeouts, retry_policy = Timeouts(connect=5, read=5), RetryPolicy(outage=1)
    connections = ModelClients(timeouts, retry_policy, None, pacing, cache_enabled=cache_enabled)
    try:
        spec = parse_model_spec(f"compatible/any?base_url={server.url}&key_env=MINE")
        model = connections.chat_model(spec)
        calls = (model.complete(asking(seed), "agent") for seed in seeds)
        return await asyncio.gather(*calls, return_exceptions=True)
    finally:
        await connections.close()


def answered(
    faults: BatchFaults, seeds: Sequence[int]
) -> tuple[list[Completion | BaseException], LogView]:
    async def go() -> tuple[list[Completion | BaseException], LogView]:
        behaviour = ServerConfig(checks=Checks(api_key=KEY), batches=faults)
        async with ModelServer(ANSWERS, behaviour) as server:
            return await asked(server, seeds), server.log

    return asyncio.run(go())


def faults_of(replies: list[Completion | BaseException]) -> list[dict[str, int]]:
    for reply in replies:
        assert isinstance(reply, Completion), reply
        assert isinstance(reply.reply, TextReply)
    return [reply.usage.faults for reply in replies if isinstance(reply, Completion)]


def test_requests_of_many_conversations_are_answered_together_and_tell_no_time() -> None:
    replies, log = answered(BatchFaults(), range(20))
    assert faults_of(replies) == [{}] * 20
    assert log.completed == len(log.contents) == 20
    first = replies[0]
    assert isinstance(first, Completion)
    assert first.latency is None
    assert first.usage.model == "compatible/any (batch)"


def test_lines_that_are_wrong_are_asked_for_again_and_the_others_are_not() -> None:
    lines: tuple[LineFault, ...] = ("malformed", "ok", "wrong_id", "missing", "overloaded", "ok")
    replies, log = answered(BatchFaults(lines=lines), range(6))
    bad = {"malformed": 1}
    assert faults_of(replies) == [bad, {}, bad, bad, {"overloaded": 1}, {}]
    assert log.completed == 10


@pytest.mark.parametrize(
    ("ending", "faults"),
    [
        ("expired", [{}, {"timeout": 1}, {}, {"timeout": 1}]),
        ("cancelled", [{"server_error": 1}] * 4),
        ("failed", [{"overloaded": 1}] * 4),
    ],
)
def test_what_a_batch_did_not_answer_goes_into_the_next(
    ending: Ending, faults: list[dict[str, int]]
) -> None:
    replies, log = answered(BatchFaults(endings=(ending,)), range(4))
    assert faults_of(replies) == faults
    assert log.completed == len(log.contents) == 4


def test_what_three_batches_did_not_answer_is_infrastructure_in_one_line() -> None:
    (reply,), _ = answered(BatchFaults(endings=("cancelled",) * 3), [1])
    assert isinstance(reply, ParticipantError)
    assert str(reply) == "compatible/any: batch batch_2 was cancelled (gave up after 3 batches)"
    assert isinstance(reply.usage, Usage)
    assert (reply.usage.calls, reply.usage.faults) == (0, {"server_error": 3})


def test_a_request_that_is_refused_beside_good_ones_ends_its_own_conversation_only() -> None:
    replies, _ = answered(BatchFaults(lines=("refused",)), range(3))
    assert isinstance(replies[0], ParticipantError)
    assert "refused in the batch" in str(replies[0])
    assert faults_of(replies[1:]) == [{}, {}]


def test_a_batch_whose_answer_was_lost_is_found_again_and_not_made_twice() -> None:
    replies, log = answered(BatchFaults(lost=1, refused=1), range(3))
    assert faults_of(replies) == [{}] * 3
    assert log.completed == 3


def test_an_endpoint_without_batches_ends_the_run_with_a_line() -> None:
    (reply,), _ = answered(BatchFaults(are_served=False), [1])
    assert isinstance(reply, RunHalted)
    assert "takes no batches (status 404): leave --batch out" in str(reply)


def test_who_was_cut_off_while_waiting_finds_the_batch_again() -> None:
    async def go() -> tuple[list[Completion | BaseException], LogView]:
        behaviour = ServerConfig(batches=BatchFaults(seconds=0.5))
        async with ModelServer(ANSWERS, behaviour) as server:
            first = asyncio.create_task(asked(server, range(4)))
            while server.log.completed < 4:  # noqa: ASYNC110 - counts tell nobody when they change
                await asyncio.sleep(0.01)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            return await asked(server, range(6)), server.log

    replies, log = asyncio.run(go())
    assert faults_of(replies) == [{"interrupted": 1}] * 4 + [{}] * 2
    assert log.completed == len(log.contents) == 6


def test_without_remembered_replies_equal_requests_are_two() -> None:
    async def go() -> tuple[list[Completion | BaseException], LogView]:
        async with ModelServer(ANSWERS) as server:
            return await asked(server, [1, 1], cache_enabled=False), server.log

    replies, log = asyncio.run(go())
    assert faults_of(replies) == [{}, {}]
    assert log.completed == 2


def test_a_batch_costs_half_where_that_is_known_and_is_unknown_elsewhere() -> None:
    price_of = load_prices(None).price_of
    direct = Usage("agent", "openai/gpt-4.1", 1, input_tokens=1_000_000, output_tokens=0)
    batched = Usage("agent", "openai/gpt-4.1 (batch)", 1, input_tokens=1_000_000, output_tokens=0)
    known, half = cost_of(direct, price_of), cost_of(batched, price_of)
    assert known is not None and half is not None  # noqa: PT018 - for the types
    assert (known.paid, half.paid) == (Decimal(2), Decimal(1))
    assert price_of("gemini/gemini-2.5-pro (batch)") is None


@pytest.mark.parametrize("written", ["=5", "openai=soon", "openai,openai"])
def test_what_is_no_batch_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="write each provider or address once"):
        read_batches(written.split(","))


@pytest.mark.parametrize("read", [read_batches, read_rates])
@pytest.mark.parametrize("address", ["http://me:sesame-1001@host", "http://host?key=sesame-1001"])
def test_credentials_in_an_address_are_refused_and_not_repeated(
    read: Callable[[Sequence[str]], object], address: str
) -> None:
    with pytest.raises(UsageError, match="holds credentials or a query") as caught:
        read([f"{address}=5rpm"])
    assert "sesame" not in str(caught.value)


def test_streams_are_not_for_batches() -> None:
    connections = ModelClients(pacing=PacingOptions(batches=read_batches(["compatible"])))
    with pytest.raises(UsageError, match="without stream=on"):
        connections.chat_model(
            parse_model_spec("compatible/any?base_url=http://127.0.0.1:1/v1&stream=on")
        )
