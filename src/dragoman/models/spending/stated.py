"""Prices that stand in a model's name: `price=0` for one that is free, `price=0.15/0.60` for others."""

import re
from decimal import Decimal
from urllib.parse import unquote_plus

from dragoman.core.costs import NOTHING, Price
from dragoman.core.errors import UsageError

PRICE = "price"
"""The parameter that says what a model costs; it is neither sent nor part of what the model is."""

FREE_OF_CHARGE = Price(
    NOTHING,
    NOTHING,
    cached_input=NOTHING,
    input_audio=NOTHING,
    output_audio=NOTHING,
    batch=Decimal(1),
)
"""What costs nothing, whatever was used of it."""

_NUMBER = r"\d{1,6}(?:\.\d{1,9})?"
_BOTH = re.compile(rf"({_NUMBER})/({_NUMBER})")
_ONE = re.compile(_NUMBER)


def read_price(text: str, written: str) -> Price:
    """Read what a model costs.

    Args:
        text: The parameter's value: 0, or dollars per million tokens sent and received.
        written: The model's name, for messages.

    Raises:
        UsageError: Where it is no price.
    """
    if _ONE.fullmatch(text) and not Decimal(text):
        return FREE_OF_CHARGE
    both = _BOTH.fullmatch(text)
    dollars = [Decimal(each) for each in both.groups()] if both else []
    if not dollars:
        raise UsageError(
            f"{written.partition('?')[0]}: {PRICE} is 0 for a model that is free, or US dollars per million tokens in and "
            f"out, such as {PRICE}=0.15/0.60, not {text!r:.40}"
        )
    sent, received = dollars
    # What is stated is what is paid: also in batches.
    return Price(sent, received, batch=Decimal(1)) if any(dollars) else FREE_OF_CHARGE


def without_price(written: str) -> str:
    """Return a model's name without its price: what the model is, and what it is called by."""
    name, mark, query = written.partition("?")
    if not mark or "/" not in name or name.startswith(("http://", "https://")):
        return written
    rest = [part for part in query.split("&") if not _is_price(part)]
    return f"{name}?{'&'.join(rest)}" if rest else name


def stated_price(written: str) -> Price | None:
    """Return the price that stands in a model's name; None where none does.

    Raises:
        UsageError: Where it is no price, or stands there twice.
    """
    if without_price(written) == written:
        return None
    parts = written.partition("?")[2].split("&")
    texts = [unquote_plus(part.partition("=")[2]) for part in parts if _is_price(part)]
    if len(texts) > 1:
        raise UsageError(f"{written.partition('?')[0]}: {PRICE} is given twice")
    return read_price(texts[0], written)


def _is_price(part: str) -> bool:
    return unquote_plus(part.partition("=")[0]) == PRICE
