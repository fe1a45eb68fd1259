"""Amounts of money as they are said in English."""

from decimal import Decimal

from dragoman.conditions.voice.spoken.numbers import cardinal
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


def _counted(number: int, name: str) -> str:
    if number != 1:
        name = "pence" if name == "penny" else f"{name}s"
    return f"{cardinal(number)} {name}"
