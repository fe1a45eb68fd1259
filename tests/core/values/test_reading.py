"""Money, dates, times, shares, units and codes are read in each of their spellings."""

from decimal import Decimal

import pytest

from dragoman.core.value_matching.reader_state import ReadItem
from dragoman.core.value_matching.value_reader import read


def first_value(text: str, language: str = "en") -> ReadItem:
    return next(item for item in read(text, language).items if item.kind not in {"word", "sign"})


def atoms(text: str, language: str = "en") -> list[str]:
    return [atom for item in read(text, language).items for atom in item.atoms]


@pytest.mark.parametrize(
    ("text", "language", "currency", "amount"),
    [
        ("$20", "en", "dollar", "20"),
        ("USD 20", "en", "dollar", "20"),
        ("twenty dollars and fifty cents", "en", "dollar", "20.5"),
        ("minus five dollars", "en", "dollar", "-5"),
        ("$1.2M", "en", "dollar", "1200000"),
        ("fifty cents", "en", "dollar", "0.5"),
        ("1,5 juta rupiah", "id", "rupiah", "1500000"),
        ("dois mil e cinco reais", "pt", "real", "2005"),
        ("三块五", "zh", "yuan", "3.5"),
        ("hai mươi lăm nghìn đồng", "vi", "dong", "25000"),
        ("๒๐ บาท", "th", "baht", "20"),
        ("limang piso", "fil", "peso", "5"),
    ],
)
def test_amounts_are_read(text: str, language: str, currency: str, amount: str) -> None:
    found = first_value(text, language)
    assert (found.kind, found.value) == ("money", (currency, Decimal(amount)))


@pytest.mark.parametrize(
    ("text", "language", "date"),
    [
        ("2026-05-05", "en", (2026, 5, 5)),
        ("the fifth of May, 2026", "en", (2026, 5, 5)),
        ("May 5th", "en", (None, 5, 5)),
        ("March 3, twenty twenty six", "en", (2026, 3, 3)),
        ("05/06/2026", "en", (2026, 5, 6)),
        ("05/06/2026", "pt", (2026, 6, 5)),
        ("5 tháng 5 năm 2026", "vi", (2026, 5, 5)),
        ("2026年5月5日", "zh", (2026, 5, 5)),
        ("13 เมษายน 2569", "th", (2026, 4, 13)),
    ],
)
def test_dates_are_read(text: str, language: str, date: tuple[int | None, ...]) -> None:
    found = first_value(text, language)
    assert (found.kind, found.value) == ("date", date)


@pytest.mark.parametrize("text", ["2026-02-30", "February 31, 2026"])
def test_days_that_no_month_has_are_no_dates(text: str) -> None:
    assert all(
        item.kind != "date" or item.value == (2026, 2, None) for item in read(text, "en").items
    )


@pytest.mark.parametrize(
    ("text", "language", "minutes"),
    [
        ("17:30", "en", {1050}),
        ("half past five", "en", {330, 1050}),
        ("quarter to six in the morning", "en", {345}),
        ("5.30 pm", "en", {1050}),
        ("noon", "en", {720}),
        ("five thirty p m", "en", {1050}),
        ("setengah enam sore", "id", {1050}),
        ("quinze para as oito", "pt", {465, 1185}),
        ("下午五点半", "zh", {1050}),
        ("บ่าย 3 โมง", "th", {900}),
        ("alas singko y medya", "fil", {330, 1050}),
    ],
)
def test_times_are_read(text: str, language: str, minutes: set[int]) -> None:
    found = first_value(text, language)
    assert (found.kind, found.value) == ("time", minutes)


@pytest.mark.parametrize(
    ("text", "language", "share"),
    [("60%", "en", "60"), ("minus five percent", "en", "-5"), ("百分之二十", "zh", "20")],
)
def test_percentages_are_read(text: str, language: str, share: str) -> None:
    found = first_value(text, language)
    assert (found.kind, found.value) == ("percent", Decimal(share))


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [("21st", "en", 21), ("twenty first", "en", 21), ("ikalima", "fil", 5)],
)
def test_ordinals_are_read(text: str, language: str, number: int) -> None:
    found = first_value(text, language)
    assert (found.kind, found.value) == ("ordinal", number)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("20km/h", "twenty kilometers per hour"),
        ("5 °C", "five degrees celsius"),
        ("9.8 m/s^2", "nine point eight meters per second squared"),
        ("3/4", "three slash four"),
        ("mark_reyes7@example.com", "mark underscore reyes 7 at example dot com"),
        ("don't", "do not"),
    ],
)
def test_what_is_written_and_what_is_said_have_the_same_units(one: str, other: str) -> None:
    assert atoms(one) == atoms(other)


def test_codes_are_letters_and_digits() -> None:
    found = first_value("order W2378156")
    assert (found.kind, found.atoms) == ("code", tuple("w2378156"))


@pytest.mark.parametrize("text", ["20km", "5pm", "5th", "300K"])
def test_what_a_figure_counts_is_no_code(text: str) -> None:
    assert all(item.kind != "code" for item in read(text, "en").items)


def test_a_minus_between_terms_subtracts() -> None:
    assert atoms("x^2 - 1") == atoms("x squared minus one") == ["x", "squared", "minus", "1"]
    assert first_value("-1").value == -1
