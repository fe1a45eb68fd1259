"""Required phrases in another language."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.language.localized_values import (
    ENGLISH_NUMBERS,
    ENGLISH_VALUES,
    DateFormat,
    LocalizedValues,
    NumberFormat,
)
from dragoman.core.rules import DEFAULT_RULES, TAU2_RULES
from dragoman.scoring.required_phrases import contains_localized_phrase, date_forms, whole_numbers

POINTS = NumberFormat(decimal=",", thousands=".")
MONTHS = tuple(f"tháng {number}" for number in range(1, 13))
DATES = DateFormat(("{day}/{month}/{year}", "{day} {month_name} năm {year}"), MONTHS, (0, 543))
VIETNAMESE = LocalizedValues("vi", POINTS, DATES, labels={"gift card": ("thẻ quà tặng",)})


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("Tổng cộng 1.786 đô la.", "1786", True),
        ("Tổng cộng 8.276,23 đô la.", "8276.23", True),
        ("Tổng cộng 46,66 đô la.", "46.66", True),
        ("Tổng cộng $8,276.23.", "8276.23", True),
        ("Tổng cộng 1.786,5 đô la.", "1786", False),
        ("Tổng cộng 11.786 đô la.", "1786", False),
        ("Tôi hoàn vào Thẻ Quà Tặng.", "gift card", True),
        ("Tôi hoàn vào gift card.", "gift card", True),
        ("Tôi hoàn vào thẻ tín dụng.", "gift card", False),
        ("Chuyến bay ngày 5/3/2024.", "2024-03-05", True),
        ("Chuyến bay ngày 05/03/2024.", "2024-03-05", True),
        ("Chuyến bay ngày 5 tháng 3 năm 2567.", "2024-03-05", True),
        ("Chuyến bay ngày 15/3/2024.", "2024-03-05", False),
    ],
)
def test_numbers_dates_and_labels_are_found_as_the_language_writes_them(
    text: str, wanted: str, *, found: bool
) -> None:
    assert contains_localized_phrase(text, wanted, DEFAULT_RULES, VIETNAMESE) == found


def test_the_reference_knows_no_language() -> None:
    assert not contains_localized_phrase("Tổng cộng 1.786 đô la.", "1786", TAU2_RULES, VIETNAMESE)


def test_english_has_no_other_wording() -> None:
    assert not contains_localized_phrase(
        "It is 1.786 in all.", "1786", DEFAULT_RULES, ENGLISH_VALUES
    )


@given(st.decimals(0, 10**9, places=2))
def test_a_number_is_read_as_it_is_written_in_either_way(number: Decimal) -> None:
    english = f"{number:,}"
    swapped = english.translate(str.maketrans(",.", ".,"))
    assert whole_numbers(f"= {english} =", ENGLISH_NUMBERS) == {number}
    assert whole_numbers(f"= {swapped} =", POINTS) == {number}


def test_digits_of_other_scripts_are_numbers_too() -> None:
    assert whole_numbers("รวม ๑,๗๘๖ บาท") == {Decimal(1786)}


@pytest.mark.parametrize("text", ["", "2024-13-01", "2024-02-30", "yesterday", "20240305"])
def test_what_is_no_date_has_no_forms(text: str) -> None:
    assert list(date_forms(text, DATES)) == []


def test_without_habits_a_date_has_no_other_form() -> None:
    assert list(date_forms("2024-03-05", None)) == []
