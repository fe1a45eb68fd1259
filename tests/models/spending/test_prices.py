from datetime import date
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from dragoman.core.costs import Price
from dragoman.core.errors import UsageError
from dragoman.models.prices import load_prices, prices_with

OWN = """
[[lists]]
as_of = 2026-05-01

[lists.prices]
"vllm/mine" = { input = 0.1, output = 0.2 }
"openai/gpt-4.1" = { input = 1, cached_input = 0.25, output = 4 }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_prices_that_ship_are_those_of_lists_with_a_date() -> None:
    table = load_prices(None)
    assert table.price_of("openai/gpt-4.1-mini") == Price(
        Decimal("0.40"), Decimal("1.60"), Decimal("0.10"), batch=Decimal("0.5")
    )
    assert table.as_of.startswith("list prices of 2025-")
    assert table.own == {}


def test_every_price_that_ships_is_sound() -> None:
    prices = load_prices(None).prices
    assert len(prices) > 40
    for model, price in prices.items():
        assert "/" in model
        given = [dollars for dollars in msgspec.structs.astuple(price) if dollars is not None]
        assert all(dollars > 0 for dollars in given)
        if price.input is not None and price.output is not None:
            assert price.input <= price.output
            assert price.cached_input is None or price.cached_input < price.input


@pytest.mark.parametrize(
    ("dated", "undated"),
    [
        ("openai/gpt-4.1-mini-2025-04-14", "openai/gpt-4.1-mini"),
        ("anthropic/claude-sonnet-4-20250514", "anthropic/claude-sonnet-4"),
        ("anthropic/claude-sonnet-4@20250514", "anthropic/claude-sonnet-4"),
    ],
)
def test_a_date_at_the_end_of_a_name_does_not_matter(dated: str, undated: str) -> None:
    table = load_prices(None)
    assert table.price_of(dated) == table.price_of(undated)
    assert table.price_of(dated) is not None


def test_a_dated_name_with_a_price_of_its_own_keeps_it() -> None:
    table = load_prices(None)
    assert table.price_of("openai/gpt-4o-2024-05-13") != table.price_of("openai/gpt-4o")


@pytest.mark.parametrize(
    "model", ["ollama/llama3", "vllm/mine", "scripted/file.json", "agent:agent", "", "openai/"]
)
def test_a_model_that_no_list_names_has_no_price(model: str) -> None:
    assert load_prices(None).price_of(model) is None


def test_a_table_of_ones_own_is_laid_over_the_one_that_ships(tmp_path: Path) -> None:
    table = load_prices(written(tmp_path, OWN))
    assert table.price_of("vllm/mine") == Price(Decimal("0.1"), Decimal("0.2"))
    assert table.price_of("openai/gpt-4.1") == Price(Decimal(1), Decimal(4), Decimal("0.25"))
    assert table.price_of("openai/gpt-4.1-mini") == load_prices(None).price_of(
        "openai/gpt-4.1-mini"
    )
    assert set(table.own) == {"vllm/mine", "openai/gpt-4.1"}
    assert table.as_of.endswith("2 of one's own")
    assert prices_with(table.own) == table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lists = ", "price table"),
        ("[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nm = { input = 1 }", "output"),
        ("[[lists]]\n[lists.prices]\nm = { input = 1, output = 1 }", "as_of"),
        (
            "[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nm = { input = 1, outputs = 1 }",
            "outputs",
        ),
        ("[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nm = { input = -1, output = 1 }", "-1"),
        ("[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nm = { input = nan, output = 1 }", "NaN"),
        ("[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nm = { input = inf, output = 1 }", "Infin"),
        ("[[lists]]\nas_of = 2026-05-01\n[lists.prices]\nm = { input = 'x', output = 1 }", "m"),
    ],
)
def test_a_table_with_a_mistake_is_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        load_prices(written(tmp_path, text))
    assert "prices.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load_prices(tmp_path / "none.toml")


def test_speech_is_priced_by_the_minute_or_by_characters() -> None:
    table = load_prices(None)
    assert table.price_of("openai/whisper-1") == Price(minute=Decimal("0.006"))
    assert table.price_of("openai/tts-1") == Price(characters=Decimal("15.00"))


@pytest.mark.parametrize(
    "row", ["{}", "{ input = 1 }", "{ minute = 1, output = 2 }", "{ minute = 1, cached_input = 1 }"]
)
def test_a_price_of_nothing_or_of_half_the_tokens_is_refused(tmp_path: Path, row: str) -> None:
    text = f'[[lists]]\nas_of = 2026-05-01\n[lists.prices]\n"a/b" = {row}\n'
    with pytest.raises(UsageError, match="price table"):
        load_prices(written(tmp_path, text))


def test_every_price_that_ships_has_a_date_and_the_page_it_is_from() -> None:
    table = load_prices(None)
    origins = [table.origin_of(model) for model in table.prices]
    assert all(origin is not None and origin.source.startswith("https://") for origin in origins)


def test_prices_that_were_looked_up_long_ago_are_told_the_oldest_first() -> None:
    table = load_prices(None)
    models = ("openai/whisper-1", "gemini/gemini-2.5-pro", "openai/gpt-4.1", "vllm/mine")
    old = table.aged(models, date(2026, 11, 1))
    assert [(each.model, each.days) for each in old] == [
        ("gemini/gemini-2.5-pro", 396),
        ("openai/whisper-1", 364),
    ]


def test_a_price_is_old_after_180_days_also_by_a_dated_or_batched_name() -> None:
    table = load_prices(None)
    names = ("openai/gpt-4.1-2025-04-14", "openai/gpt-4.1 (batch)")
    assert table.aged(names, date(2027, 3, 30)) == ()
    assert {each.model for each in table.aged(names, date(2027, 3, 31))} == set(names)


def test_a_price_of_ones_own_is_as_old_as_its_owner_lets_it_be(tmp_path: Path) -> None:
    table = load_prices(written(tmp_path, OWN))
    assert table.aged(("openai/gpt-4.1", "vllm/mine"), date(2040, 1, 1)) == ()
