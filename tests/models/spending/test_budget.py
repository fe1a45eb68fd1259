import asyncio
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.costs import Price
from dragoman.core.errors import RunHalted, UsageError, attached_delay
from dragoman.core.usage import Usage, as_replayed
from dragoman.models.budget import Budget, Unit, parse_spend_limit

CALL = Usage("agent", "m", input_tokens=1_000_000, output_tokens=500_000)


def price_of(model: str) -> Price | None:
    return Price(Decimal(1), Decimal(2)) if model == "m" else None


def budget(text: str, now: list[float] | None = None) -> Budget:
    return Budget(parse_spend_limit(text), price_of, lambda: now[0] if now else 0.0)


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("5 USD", "5", "USD"),
        ("$5", "5", "USD"),
        (" $ 0.50 ", "0.50", "USD"),
        ("5usd", "5", "USD"),
        ("2000000 tokens", "2000000", "tokens"),
        ("2M tokens", "2000000", "tokens"),
        ("1.5 M tokens", "1500000", "tokens"),
        ("10k tokens", "10000", "tokens"),
        ("90 min", "5400", "seconds"),
        ("2 h", "7200", "seconds"),
        ("30 s", "30", "seconds"),
    ],
)
def test_a_budget_is_written_as_people_write_it(text: str, amount: str, unit: Unit) -> None:
    limit = parse_spend_limit(text)
    assert (limit.amount, limit.unit) == (Decimal(amount), unit)


@pytest.mark.parametrize(
    "text",
    ["", "5", "USD", "5 EUR", "-5 USD", "$", "five USD", "5 USD 6", "1e9 USD", "5 M", "$5 h"],
)
def test_what_is_no_budget_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match="write it like '5 USD'"):
        parse_spend_limit(text)


@given(st.text(max_size=20))
def test_any_text_is_a_limit_above_nothing_or_a_mistake_told(text: str) -> None:
    try:
        limit = parse_spend_limit(text)
    except UsageError:
        return
    assert limit.amount > 0


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="allows nothing"):
        parse_spend_limit("0 USD")


def test_a_budget_in_money_halts_the_run_once_it_is_spent() -> None:
    spend_tracker = budget("3.5 USD")
    spend_tracker.check()
    spend_tracker.record(CALL)
    spend_tracker.check()
    spend_tracker.record(CALL)
    with pytest.raises(RunHalted) as caught:
        spend_tracker.check()
    line = str(caught.value)
    assert "the budget of 3.5 USD is spent (4.0000 USD in 2 calls)" in line
    assert "stored" in line
    assert "dragoman resume" in line


def test_a_budget_in_tokens_counts_input_and_output() -> None:
    spend_tracker = budget("3M tokens")
    spend_tracker.record(CALL)
    spend_tracker.check()
    spend_tracker.record(CALL)
    with pytest.raises(RunHalted, match="3,000,000 tokens in 2 calls"):
        spend_tracker.check()


def test_a_budget_in_time_runs_from_the_first_call() -> None:
    now = [1_000.0]
    spend_tracker = budget("90 min", now)
    spend_tracker.check()
    now[0] += 5_399.0
    spend_tracker.check()
    now[0] += 1.0
    with pytest.raises(RunHalted, match=r"90\.0 min"):
        spend_tracker.check()


def test_a_budget_in_time_needs_neither_prices_nor_tokens() -> None:
    spend_tracker = budget("2 h")
    spend_tracker.require_prices(["unknown"])
    spend_tracker.record(Usage("agent", "unknown"))
    spend_tracker.check()


def test_what_our_own_cache_answered_spends_nothing() -> None:
    for text in ("0.01 USD", "1 tokens"):
        spend_tracker = budget(text)
        spend_tracker.record(as_replayed(CALL))
        spend_tracker.record(as_replayed(Usage("agent", "unknown")))
        spend_tracker.check()


def test_failed_attempts_spend_nothing() -> None:
    spend_tracker = budget("1 tokens")
    spend_tracker.record(Usage("agent", "m", 0, faults={"timeout": 2}))
    spend_tracker.check()


def test_a_reply_without_usage_halts_a_budget_that_cannot_be_kept() -> None:
    spend_tracker = budget("2M tokens")
    spend_tracker.check()
    spend_tracker.record(Usage("agent", "m"))
    with pytest.raises(RunHalted, match="m: the endpoint tells no usage, a budget of 2M tokens"):
        spend_tracker.check()


def test_money_needs_the_price_of_every_model_at_the_start() -> None:
    spend_tracker = budget("5 USD")
    spend_tracker.require_prices(["m"])
    with pytest.raises(UsageError, match="needs the price of vllm/mine"):
        spend_tracker.require_prices(["m", "vllm/mine"])
    budget("2M tokens").require_prices(["vllm/mine"])


def test_a_model_without_a_price_that_was_not_announced_halts_the_run() -> None:
    spend_tracker = budget("5 USD")
    spend_tracker.record(Usage("judge", "other", input_tokens=1, output_tokens=1))
    with pytest.raises(RunHalted, match="price of other is not known"):
        spend_tracker.check()


def test_speech_charged_by_length_spends_money_and_no_tokens() -> None:
    said = Usage("synthesis", "voice", audio_seconds=2.0, characters=100_000)
    prices = {"voice": Price(characters=Decimal(15))}
    in_money, in_tokens = (
        Budget(parse_spend_limit(text), prices.get) for text in ("1 USD", "9 tokens")
    )
    in_money.record(said)
    in_tokens.record(said)
    in_tokens.check()
    with pytest.raises(RunHalted, match=r"the budget of 1 USD is spent \(1\.5000 USD in 1 call\)"):
        in_money.check()


async def spent_at_once(spend_tracker: Budget, calls: list[Usage]) -> list[BaseException | None]:
    """Send calls that all wait for the same moment, as those of conversations at once do."""

    async def call(usage: Usage) -> None:
        async with spend_tracker.reserve(usage.model):
            await asyncio.sleep(0)
            spend_tracker.record(usage)

    return await asyncio.gather(*map(call, calls), return_exceptions=True)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=60),
    st.integers(1, 400),
)
def test_calls_no_dearer_than_twice_the_first_pass_a_budget_by_one_call(
    above: list[int], limit: int
) -> None:
    sizes = [40, *(40 + size for size in above)]
    spend_tracker = budget(f"{limit} tokens")
    calls = [Usage("agent", "m", input_tokens=size, output_tokens=0) for size in sizes]

    asyncio.run(spent_at_once(spend_tracker, calls))

    assert spend_tracker.spent <= min(limit + max(sizes) - 1, sum(sizes))
    assert spend_tracker.spent >= min(limit, sum(sizes))


def test_who_waits_for_room_in_the_budget_is_held_up_by_it() -> None:
    async def cut_off() -> None:
        spend_tracker = budget("3M tokens")
        async with spend_tracker.reserve("m"):
            waiting = asyncio.create_task(spent_at_once(spend_tracker, [CALL]))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError) as caught:
                async with asyncio.timeout(0.001):
                    await spend_tracker.reserve("m").__aenter__()
            waiting.cancel()
        assert "no room for another call" in str(attached_delay(caught.value.__cause__))

    asyncio.run(cut_off())


def test_a_budget_of_time_lets_all_calls_go_at_once() -> None:
    spend_tracker = budget("2 h")

    async def call(client: asyncio.Barrier) -> None:
        async with spend_tracker.reserve("m"):
            await client.wait()

    async def all_of_them() -> None:
        client = asyncio.Barrier(64)
        await asyncio.wait_for(asyncio.gather(*(call(client) for _ in range(64))), 5)

    asyncio.run(all_of_them())
