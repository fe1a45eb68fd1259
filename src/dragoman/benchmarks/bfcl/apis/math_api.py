"""`MathAPI`: arithmetic, with logarithms of any precision as mpmath shows them."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation, localcontext
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Protocol, cast

import msgspec

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongTexts

_NUMERAL = re.compile(r"[+-]?\d{1,400}(?:\.\d{0,400})?(?:[eE][+-]?\d{1,3})?")
"""Numbers as texts, bounded: an exponent may have any size otherwise."""


class _Logarithmic(Protocol):
    dps: int

    def log(self, value: object) -> float: ...


class ShownNumber:
    """A number as its text: what it is shown as depends on the precision it was computed with."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def logarithm(value: object, base: object, digits: int) -> ShownNumber:
    """Return the logarithm of a number, computed with so many decimal digits.

    Raises:
        TypeError: If an argument is not a number.
        ZeroDivisionError: For a base whose logarithm is zero.
    """
    for number in (value, base):
        if isinstance(number, str) and _NUMERAL.fullmatch(number) is None:
            raise TypeError(f"cannot create mpf from {number!r}")
    context, lock = _context()
    with lock:
        context.dps = digits
        return ShownNumber(repr(context.log(value) / context.log(base)))


@cache
def _context() -> tuple[_Logarithmic, Lock]:
    """Return a context of our own and the lock that each use needs: it is slow to make."""
    from mpmath import mp

    return cast("_Logarithmic", mp.clone()), Lock()


MAX_DIGITS = 20_000
"""The maximum number of digits of precision, or of decimal places, of a request.

The computation of this number takes a third of a second.
"""

MAX_BITS = 14_000
"""Size of a power; Python writes numbers of up to 4,300 digits, which are some 14,300 bits."""

_BOTH = "Both inputs must be numbers"
_ALL = "All elements in the list must be numbers"
_TOO_LARGE = "Conversion resulted in a value too large to represent"
_ROUNDING = "First input must be a number, second input must be an integer"
_ROOT = "Input must be a number or computation resulted in an invalid operation"

Shown = dict[str, object]
Number = float
"""Intended type of arguments; the actual value is whatever a model wrote."""


class _Factors(msgspec.Struct, frozen=True):
    metres: dict[str, float]
    imperial: dict[str, float]


@cache
def _factors() -> _Factors:
    text = files(__package__).joinpath("arithmetic.toml").read_bytes()
    return msgspec.toml.decode(text, type=_Factors)


class MathAPI:
    """Arithmetic on numbers; keeps nothing between calls."""

    __slots__ = ()

    def __init__(self, _scenario: Mapping[str, object], _long: LongTexts | None) -> None:
        pass

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared: none."""
        return {}

    def logarithm(self, value: Number, base: Number, precision: int) -> Shown:
        """Return a logarithm with about so many decimal digits."""
        try:
            digits = int(precision)
            if digits > MAX_DIGITS:
                return {"error": f"more than {MAX_DIGITS} digits of precision"}
            return {"result": logarithm(value, base, digits)}
        except (TypeError, ValueError, ArithmeticError) as error:
            return {"error": str(error)}

    def mean(self, numbers: Sequence[Number]) -> Shown:
        """Return the mean of numbers."""
        return _of_list("calculate mean", numbers, lambda: sum(numbers) / len(numbers))

    def standard_deviation(self, numbers: Sequence[Number]) -> Shown:
        """Return the standard deviation of a population."""
        return _of_list("calculate standard deviation", numbers, lambda: _deviation(numbers))

    def si_unit_conversion(self, value: Number, unit_in: str, unit_out: str) -> Shown:
        """Convert a length between metric units."""
        if not _are_numbers(value):
            return {"error": "Value must be a number"}
        metres = _factors().metres
        if unit_in not in metres or unit_out not in metres:
            return _not_supported(unit_in, unit_out)
        try:
            return {"result": value * metres[unit_in] * (1 / metres[unit_out])}
        except OverflowError:
            return {"error": _TOO_LARGE}

    def imperial_si_conversion(self, value: Number, unit_in: str, unit_out: str) -> Shown:
        """Convert between an imperial and a metric unit; between equal ones, whatever they are."""
        if not _are_numbers(value):
            return {"error": "Value must be a number"}
        if unit_in == unit_out:
            return {"result": value}
        conversion = f"{unit_in}_to_{unit_out}"
        factor = _factors().imperial.get(conversion)
        if factor is None:
            return _not_supported(unit_in, unit_out)
        try:
            return {"result": _convert_number(value, conversion, factor)}
        except OverflowError:
            return {"error": _TOO_LARGE}

    def add(self, a: Number, b: Number) -> Shown:
        """Return the sum of two numbers."""
        return _compute_or_complain(_BOTH, lambda: a + b)

    def subtract(self, a: Number, b: Number) -> Shown:
        """Return the difference of two numbers."""
        return _compute_or_complain(_BOTH, lambda: a - b)

    def multiply(self, a: Number, b: Number) -> Shown:
        """Return the product of two numbers."""
        if not _are_numbers(a, b):
            return {"error": _BOTH}
        return {"result": a * b}

    def divide(self, a: Number, b: Number) -> Shown:
        """Return the quotient of two numbers."""
        if b == 0:
            return {"error": "Cannot divide by zero"}
        return _compute_or_complain(_BOTH, lambda: a / b)

    def power(self, base: Number, exponent: Number) -> Shown:
        """Return a power of bounded size."""
        _check_power(base, exponent)
        return _compute_or_complain(_BOTH, lambda: base**exponent)

    def square_root(self, number: Number, precision: int) -> Shown:
        """Return a square root with so many digits."""
        try:
            if number < 0:
                return {"error": "Cannot calculate square root of a negative number"}
            if precision > MAX_DIGITS:
                raise ApiRefusal(f"more than {MAX_DIGITS} digits of precision")
            with localcontext() as context:
                context.prec = precision
                return {"result": Decimal(number).sqrt()}
        except (TypeError, InvalidOperation):
            return {"error": _ROOT}

    def absolute_value(self, number: Number) -> Shown:
        """Return a number without its sign."""
        return _compute_or_complain("Input must be a number", lambda: abs(number))

    def round_number(self, number: Number, decimal_places: int = 0) -> Shown:
        """Round a number, halves to even."""
        return _compute_or_complain(
            _ROUNDING, lambda: round(number, _bounded_places(decimal_places))
        )

    def percentage(self, part: Number, whole: Number) -> Shown:
        """Return how many per cent of the whole a part is."""
        if whole == 0:
            return {"error": "Whole value cannot be zero"}
        return _compute_or_complain(_BOTH, lambda: part / whole * 100)

    def min_value(self, numbers: Sequence[Number]) -> Shown:
        """Return the smallest of numbers."""
        return _of_list("find minimum", numbers, lambda: min(numbers))

    def max_value(self, numbers: Sequence[Number]) -> Shown:
        """Return the largest of numbers."""
        return _of_list("find maximum", numbers, lambda: max(numbers))

    def sum_values(self, numbers: Sequence[Number]) -> Shown:
        """Return the sum of numbers."""
        return _of_list("calculate sum", numbers, lambda: sum(numbers))


def _compute_or_complain(complaint: str, compute: Callable[[], object]) -> Shown:
    """Return a result, or the complaint where Python finds the types unfit."""
    try:
        return {"result": compute()}
    except TypeError:
        return {"error": complaint}


def _of_list(doing: str, numbers: Sequence[Number], compute: Callable[[], object]) -> Shown:
    if not numbers:
        return {"error": f"Cannot {doing} of an empty list"}
    return _compute_or_complain(_ALL, compute)


def _deviation(numbers: Sequence[Number]) -> float:
    mean = sum(numbers) / len(numbers)
    return math.sqrt(sum((number - mean) ** 2 for number in numbers) / len(numbers))


def _convert_number(value: Number, conversion: str, factor: float) -> float:
    match conversion:
        case "celsius_to_fahrenheit":
            return value * factor + 32
        case "fahrenheit_to_celsius":
            return (value - 32) * factor
        case _:
            return value * factor


def _bounded_places(places: int) -> int:
    if abs(places) > MAX_DIGITS:
        raise ApiRefusal(f"more than {MAX_DIGITS} places")
    return places


def _not_supported(unit_in: object, unit_out: object) -> Shown:
    return {"error": f"Conversion from '{unit_in}' to '{unit_out}' is not supported"}


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _check_power(base: object, exponent: object) -> None:
    if not isinstance(base, int) or not isinstance(exponent, int) or abs(base) < 2:  # noqa: PLR2004
        return
    if abs(exponent) * base.bit_length() > MAX_BITS:
        raise ApiRefusal(f"a power of more than {MAX_BITS} bits")
