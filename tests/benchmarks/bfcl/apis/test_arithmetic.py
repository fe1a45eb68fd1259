"""MathAPI: Python's numbers, shown as the reference shows them, within bounds."""

from decimal import getcontext
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.math_api import MathAPI
from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, result_text

api: Any = MathAPI({}, None)


def test_sums_and_means_of_nothing_are_refused_before_types_are_looked_at() -> None:
    assert api.mean([]) == {"error": "Cannot calculate mean of an empty list"}
    assert api.sum_values(0) == {"error": "Cannot calculate sum of an empty list"}
    assert api.mean("ab") == {"error": "All elements in the list must be numbers"}


def test_a_standard_deviation_is_that_of_a_population() -> None:
    assert api.standard_deviation([2, 4, 4, 4, 5, 5, 7, 9]) == {"result": 2.0}


def test_metric_lengths_are_converted_through_metres() -> None:
    assert api.si_unit_conversion(3, "km", "m") == {"result": 3000.0}
    assert api.si_unit_conversion(3, "km", "ft") == {
        "error": "Conversion from 'km' to 'ft' is not supported"
    }
    assert api.si_unit_conversion("3", "km", "m") == {"error": "Value must be a number"}
    assert api.si_unit_conversion(10**400, "km", "cm") == {
        "error": "Conversion resulted in a value too large to represent"
    }


def test_equal_units_need_not_be_known() -> None:
    assert api.imperial_si_conversion(7, "a", "a") == {"result": 7}
    assert api.imperial_si_conversion(100, "celsius", "fahrenheit") == {"result": 212.0}
    assert api.imperial_si_conversion(212, "fahrenheit", "celsius") == {"result": 100.0}


def test_only_products_look_at_types_themselves() -> None:
    assert api.add("a", "b") == {"result": "ab"}
    assert api.add("a", 1) == {"error": "Both inputs must be numbers"}
    assert api.multiply("a", 3) == {"error": "Both inputs must be numbers"}


def test_zero_is_no_divisor_and_no_whole() -> None:
    assert api.divide("a", 0) == {"error": "Cannot divide by zero"}
    assert api.percentage(1, 0.0) == {"error": "Whole value cannot be zero"}
    assert api.percentage(1, 8) == {"result": 12.5}


def test_logarithms_are_shown_with_the_precision_asked_for() -> None:
    assert result_text(api.logarithm(20, 10, 2)) == "{'result': mpf('1.3027')}"
    assert result_text(api.logarithm("20", 10, 5)) == "{'result': mpf('1.3010292')}"
    assert api.logarithm("", 10, 2) == {"error": "cannot create mpf from ''"}
    assert api.logarithm(2, 1, 2) == {"error": ""}


def test_logarithms_leave_the_precision_of_others_alone() -> None:
    import mpmath

    before = mpmath.mp.dps
    api.logarithm(20, 10, 77)
    assert mpmath.mp.dps == before


def test_square_roots_have_the_precision_asked_for_and_change_nobody_else_s() -> None:
    before = getcontext().prec
    assert result_text(api.square_root(3, 3)) == "{'result': Decimal('1.73')}"
    assert getcontext().prec == before
    assert api.square_root(-4, 3) == {"error": "Cannot calculate square root of a negative number"}
    with pytest.raises(ValueError, match="valid range for prec"):
        api.square_root(4, 0)


def test_what_would_never_end_is_refused() -> None:
    assert api.power(-2, 3) == {"result": -8}
    assert api.power(1, 10**12) == {"result": 1}
    with pytest.raises(ApiRefusal, match="14000 bits"):
        api.power(9, 10**12)
    with pytest.raises(ApiRefusal, match="20000 places"):
        api.round_number(5, -(10**12))
    with pytest.raises(ApiRefusal, match="20000 digits"):
        api.square_root(2, 10**12)
    assert api.logarithm(2, 10, 10**12) == {"error": "more than 20000 digits of precision"}
    assert api.logarithm("1e999999999", 10, 5) == {"error": "cannot create mpf from '1e999999999'"}


def test_halves_are_rounded_to_even() -> None:
    assert api.round_number(2.5) == {"result": 2}
    assert api.round_number("a") == {
        "error": "First input must be a number, second input must be an integer"
    }
