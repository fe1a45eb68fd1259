from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.costs import FREE, Cost, Price, cost_of, no_price, total_cost
from dragoman.core.usage import Usage, as_replayed, total_usage

PRICE = Price(Decimal(2), Decimal(8), cached_input=Decimal("0.5"))
WITHOUT_DISCOUNT = Price(Decimal(2), Decimal(8))


def price_of(model: str) -> Price | None:
    return {"m": PRICE, "plain": WITHOUT_DISCOUNT}.get(model)


def used(
    model: str = "m",
    sent: int | None = 1_000_000,
    received: int | None = 100_000,
    cached: int | None = None,
) -> Usage:
    return Usage("agent", model, input_tokens=sent, output_tokens=received, cached_tokens=cached)


def both(dollars: str) -> Cost:
    return Cost(Decimal(dollars), Decimal(dollars))


def test_tokens_cost_what_the_price_says_per_million() -> None:
    assert cost_of(used(), price_of) == both("2.8")


def test_input_that_the_provider_had_cached_has_its_own_price() -> None:
    assert cost_of(used(cached=400_000), price_of) == both("2.2")


def test_cached_input_costs_as_much_as_other_input_where_nothing_else_is_known() -> None:
    assert cost_of(used("plain", cached=400_000), price_of) == both("2.8")


@pytest.mark.parametrize("usage", [used(sent=None), used(received=None)])
def test_unknown_tokens_have_an_unknown_cost(usage: Usage) -> None:
    assert cost_of(usage, price_of) is None


def test_audio_in_tokens_has_its_own_price_and_is_never_taken_for_words() -> None:
    heard = msgspec.structs.replace(
        used(cached=400_000), input_audio_tokens=200_000, output_audio_tokens=50_000
    )
    prices = {
        "m": Price(Decimal(2), Decimal(8), Decimal("0.5"), None, None, Decimal(40), Decimal(80))
    }
    # 400,000 words, 400,000 cached, 200,000 of audio; 50,000 words and 50,000 of audio.
    assert cost_of(heard, prices.get) == both("13.4")
    assert cost_of(heard, price_of) is None
    for unknown in ("input_audio_tokens", "output_audio_tokens"):
        assert cost_of(msgspec.structs.replace(heard, **{unknown: None}), prices.get) is None
    assert cost_of(as_replayed(heard), prices.get) == Cost(Decimal("13.4"), Decimal(0))


def test_audio_in_tokens_needs_the_price_of_words() -> None:
    with pytest.raises(ValueError, match="needs the prices of input and output"):
        Price(minute=Decimal(1), input_audio=Decimal(2))


def test_an_unknown_price_is_an_unknown_cost() -> None:
    assert cost_of(used("other"), price_of) is None
    assert cost_of(used(), no_price) is None


def test_attempts_that_were_never_answered_cost_nothing() -> None:
    assert cost_of(Usage("agent", "other", 0, faults={"timeout": 3}), price_of) == FREE


def test_what_our_own_cache_answered_is_not_paid() -> None:
    assert cost_of(as_replayed(used(cached=400_000)), price_of) == Cost(Decimal("2.2"), Decimal(0))


def test_of_a_sum_only_what_was_replayed_is_not_paid() -> None:
    (both_calls,) = total_usage([used(), as_replayed(used(cached=400_000))])
    assert both_calls.calls == 2
    assert both_calls.replayed == 1
    assert cost_of(both_calls, price_of) == Cost(Decimal("5.6"), Decimal("2.8"))


TOKENS = st.integers(0, 10_000)
ENTRY = st.builds(
    lambda sent, received, cached, replayed: (as_replayed if replayed else (lambda same: same))(
        used("m", sent, received, min(sent, cached))
    ),
    TOKENS,
    TOKENS,
    TOKENS,
    st.booleans(),
)


@given(st.lists(ENTRY, min_size=1, max_size=6))
def test_the_cost_of_a_sum_is_the_sum_of_costs(entries: list[Usage]) -> None:
    (together,) = total_usage(entries)
    assert cost_of(together, price_of) == total_cost(cost_of(entry, price_of) for entry in entries)


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    assert total_cost([both("1"), None]) is None
    assert total_cost([both("1"), both("2")]) == both("3")


SPEECH = {
    "ear": Price(minute=Decimal("0.006")),
    "voice": Price(characters=Decimal(15)),
    "both": Price(Decimal(1), Decimal(2), minute=Decimal("0.6")),
}


def test_audio_costs_by_the_minute_and_text_by_the_character() -> None:
    heard = Usage("recognition", "ear", audio_seconds=90.0)
    said = Usage("synthesis", "voice", audio_seconds=4.0, characters=2_000)
    assert cost_of(heard, SPEECH.get) == both("0.009")
    assert cost_of(said, SPEECH.get) == both("0.03")


def test_a_price_of_several_things_needs_all_of_them_known() -> None:
    reported = Usage("recognition", "both", 1, 1_000_000, 500_000, audio_seconds=30.0)
    assert cost_of(reported, SPEECH.get) == both("2.3")
    assert cost_of(Usage("recognition", "both", audio_seconds=30.0), SPEECH.get) is None
    assert cost_of(Usage("recognition", "both", 1, 1, 1), SPEECH.get) is None
    assert cost_of(Usage("synthesis", "voice", audio_seconds=1.0), SPEECH.get) is None


def test_replayed_speech_is_not_paid_again() -> None:
    entry = Usage("synthesis", "voice", audio_seconds=4.0, characters=2_000)
    (together,) = total_usage([entry, as_replayed(entry)])
    assert (together.audio_seconds, together.characters) == (8.0, 4_000)
    assert cost_of(together, SPEECH.get) == Cost(Decimal("0.06"), Decimal("0.03"))


def test_one_unknown_length_makes_the_sum_unknown() -> None:
    known = Usage("recognition", "ear", audio_seconds=90.0)
    (together,) = total_usage([known, Usage("recognition", "ear")])
    assert together.audio_seconds is None
    assert cost_of(together, SPEECH.get) is None
