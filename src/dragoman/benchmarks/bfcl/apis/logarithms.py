"""Logarithms of any precision, shown as the library that the reference uses shows them."""

import re
from functools import cache
from threading import Lock
from typing import Protocol, cast

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
        TypeError: For what is no number.
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
