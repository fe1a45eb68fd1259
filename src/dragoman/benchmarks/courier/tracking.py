"""Tracking numbers: two letters, eight digits, and a digit that checks them.

The letters are not checked, as on real labels: a B heard for a P names another parcel.
"""

import re

from dragoman.core.errors import ToolError

_SHAPE = re.compile(r"[A-Z]{2}\d{9}")
_WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)


def check_digit(digits: str) -> str:
    """Return the digit that follows eight digits (the rule of S10 labels)."""
    total = sum(
        weight * int(digit) for weight, digit in zip(_WEIGHTS, digits[: len(_WEIGHTS)], strict=True)
    )
    rest = 11 - total % 11
    return {10: "0", 11: "5"}.get(rest, str(rest))


def require_tracking_number(number: str) -> None:
    """Refuse what cannot be a tracking number, saying how it is wrong."""
    if not _SHAPE.fullmatch(number) or not number.isascii():
        raise ToolError(
            f"{number[:20]!r} is no tracking number: two capital letters and nine digits, no spaces"
        )
    if check_digit(number[2:10]) != number[10]:
        raise ToolError(f"{number} is mistyped or misheard: its last digit does not fit the others")
