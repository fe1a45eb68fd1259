"""Written figures: which of their dots and commas divide thousands, decimals, or several figures."""

import re

_THOUSANDS_COMMA = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_THOUSANDS_DOT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?")
_DECIMAL = re.compile(r"[0-9]*\.[0-9]+")
_DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]+")

DOTTED_PHONE = re.compile(
    r"[0-9]{2,4}(?:\.[0-9]{2,4}){1,4}\.[0-9]{4}|[0-9]{3}\.[0-9]{3,4}\.[0-9]{4}"
)
"""Groups of a telephone number between dots."""


def figure_of(found: str, decimal: str = ".") -> str | None:
    """Return a written figure as a plain decimal; None where its signs divide several figures.

    A comma or dot before groups of three digits divides thousands. Where one group of three follows
    a dot, it does so only in languages with a decimal comma.
    """
    if found.isdigit():
        return found
    if _THOUSANDS_COMMA.fullmatch(found):
        return found.replace(",", "")
    if decimal == "," or found.count(".") > 1:
        if _THOUSANDS_DOT.fullmatch(found):
            return found.replace(".", "").replace(",", ".")
        if decimal == "," and _DECIMAL_COMMA.fullmatch(found):
            return found.replace(",", ".")
    return found if _DECIMAL.fullmatch(found) else None
