"""Amounts of money as they are said in English."""

from decimal import Decimal

from dragoman.conditions.voice.spoken.numbers import cardinal, spoken_number
from dragoman.core.texts.entities import canonical

_CURRENCIES = {"$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "penny")}


def spoken_amount(amount: str) -> str:
    """Return an amount of money in words: `five dollars and nine cents`."""
    plain = canonical("amount", amount)
    one, hundredth = _CURRENCIES[plain[0]]
    whole, cents = divmod(int(Decimal(plain[1:]) * 100), 100)
    said = [_counted(whole, one)] if whole or not cents else []
    if cents:
        # Alone, a cent is one of a dollar.
        name = f"euro {hundredth}" if one == "euro" and not whole else hundredth
        said.append(_counted(cents, name))
    return " and ".join(said)


def spoken_round_amount(sign: str, number: str, scale: str) -> str:
    """Return an amount like `$2.5 million` in words: the currency is said last, and of many.

    Args:
        sign: Of the currency.
        number: In figures.
        scale: What it counts: `million`.
    """
    return f"{spoken_number(number)} {scale} {_CURRENCIES[sign][0]}s"


def _counted(number: int, name: str) -> str:
    if number != 1:
        name = "pence" if name == "penny" else f"{name}s"
    return f"{cardinal(number)} {name}"
