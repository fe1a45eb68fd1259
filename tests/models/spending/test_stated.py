"""Prices in the name of a model."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.costs import FREE, Price, cost_of
from dragoman.core.errors import UsageError
from dragoman.core.usage import Usage
from dragoman.models.model_spec import parse_model_spec, sent_settings
from dragoman.models.prices import FREE_OF_CHARGE, price_in_name, strip_price
from dragoman.models.realtime_spec import parse_realtime_spec

MODEL = "compatible/m?base_url=http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("written", "price"),
    [
        (f"{MODEL}&price=0", FREE_OF_CHARGE),
        (f"{MODEL}&price=0.00", FREE_OF_CHARGE),
        (f"{MODEL}&price=0/0", FREE_OF_CHARGE),
        (f"{MODEL}&price=0.15/0.6", Price(Decimal("0.15"), Decimal("0.6"), batch=Decimal(1))),
        ("local/folder?price=0", FREE_OF_CHARGE),
        ("openai/m?pri%63e=0", FREE_OF_CHARGE),
        (MODEL, None),
        ("http://127.0.0.1:8000/agent?price=0", None),
        ("module:function", None),
        (f"{MODEL}&extra.price=7", None),
    ],
)
def test_a_price_is_read_from_the_name_of_a_model(written: str, price: Price | None) -> None:
    assert price_in_name(written) == price


@pytest.mark.parametrize(
    "text", ["", "1", "free", "-1/2", "1/2/3", "1e3/2", "NaN/1", "inf/1", "1,5/2", "9999999/1", "/"]
)
def test_what_is_no_price_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"^compatible/m: price is 0 for a model that is free, or"):
        price_in_name(f"{MODEL}&extra.api_key=sk-2718281828&price={text}")


def test_two_prices_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^compatible/m: price is given twice$"):
        price_in_name(f"{MODEL}&price=0&price=1/2")


@given(
    before=st.lists(st.sampled_from(["temperature=0", "base_url=http://h/v1", "extra.a=b"])),
    after=st.lists(st.sampled_from(["top_p=1", "seed=off"])),
)
def test_a_name_without_its_price_is_what_was_written_around_it(
    before: list[str], after: list[str]
) -> None:
    around = "&".join([*before, *after])
    plain = f"openai/m?{around}" if around else "openai/m"
    assert strip_price(f"openai/m?{'&'.join([*before, 'price=0', *after])}") == plain
    assert strip_price(plain) == plain


def test_a_price_is_neither_sent_nor_part_of_what_a_model_is() -> None:
    priced, plain = parse_model_spec(f"{MODEL}&price=1/2"), parse_model_spec(MODEL)
    assert sent_settings(priced.settings) == {}
    assert priced.identity == plain.identity
    spoken, free = (
        parse_realtime_spec("openai-realtime/m"),
        parse_realtime_spec("openai-realtime/m?price=0"),
    )
    assert (free.identity, free.session()) == (spoken.identity, spoken.session())


def test_what_is_free_costs_nothing_whatever_is_not_told_of_it() -> None:
    unreported = Usage("agent", "m", audio_seconds=3.0)
    assert cost_of(unreported, lambda _: FREE_OF_CHARGE) == FREE
    assert cost_of(unreported, lambda _: FREE_OF_CHARGE.in_batch) == FREE
    assert cost_of(unreported, lambda _: Price(Decimal(0), Decimal(0))) is None
