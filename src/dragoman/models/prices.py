"""Price table per million tokens: shipped dated prices, user prices, prices in names.

A price in a model's name is `price=0` for a free model, `price=0.15/0.60` for input and output.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote_plus

import msgspec
from msgspec.structs import replace

from dragoman.core.costs import BATCHED, NOTHING, Price
from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS, MOST_BYTES, load_toml
from dragoman.store.safe_files import read_bounded

PRICE = "price"
"""The parameter with a model's price; it is neither sent nor part of the model's identity."""

FREE_OF_CHARGE = Price(
    NOTHING,
    NOTHING,
    cached_input=NOTHING,
    input_audio=NOTHING,
    output_audio=NOTHING,
    batch=Decimal(1),
)
"""The price of a free model, whatever its usage."""

_NUMBER = r"\d{1,6}(?:\.\d{1,9})?"
_BOTH = re.compile(rf"({_NUMBER})/({_NUMBER})")
_ONE = re.compile(_NUMBER)


def parse_price(text: str, written: str) -> Price:
    """Parse the price of a model.

    Args:
        text: The parameter's value: 0, or dollars per million input and output tokens.
        written: The model's name, for messages.

    Raises:
        UsageError: If the text is not a price.
    """
    if _ONE.fullmatch(text) and not Decimal(text):
        return FREE_OF_CHARGE
    both = _BOTH.fullmatch(text)
    dollars = [Decimal(each) for each in both.groups()] if both else []
    if not dollars:
        raise UsageError(
            f"{written.partition('?')[0]}: {PRICE} is 0 for a model that is free, or US dollars "
            "per million tokens in and "
            f"out, such as {PRICE}=0.15/0.60, not {text!r:.40}"
        )
    sent, received = dollars
    # A price in a name is the price that is paid, in batches, too.
    return Price(sent, received, batch=Decimal(1)) if any(dollars) else FREE_OF_CHARGE


def strip_price(written: str) -> str:
    """Return a model's name without its price, which identifies the model."""
    name, mark, query = written.partition("?")
    if not mark or "/" not in name or name.startswith(("http://", "https://")):
        return written
    rest = [part for part in query.split("&") if not _is_price(part)]
    return f"{name}?{'&'.join(rest)}" if rest else name


def price_in_name(written: str) -> Price | None:
    """Return the price in a model's name; None if it has none.

    Raises:
        UsageError: If the parameter is not a price, or occurs twice.
    """
    if strip_price(written) == written:
        return None
    parts = written.partition("?")[2].split("&")
    texts = [unquote_plus(part.partition("=")[2]) for part in parts if _is_price(part)]
    if len(texts) > 1:
        raise UsageError(f"{written.partition('?')[0]}: {PRICE} is given twice")
    return parse_price(texts[0], written)


def _is_price(part: str) -> bool:
    return unquote_plus(part.partition("=")[0]) == PRICE


OLD_DAYS = 180
"""Age in days from which a shipped price is reported as old."""

MOST_DOLLARS = Decimal(1_000_000)
_DATE_STAMP = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|20\d{6})$")


class _PriceList(msgspec.Struct, forbid_unknown_fields=True):
    as_of: date
    prices: dict[str, Price]
    source: str = ""
    batch: Decimal | None = None

    @property
    def priced(self) -> dict[str, Price]:
        """The prices; each has the list's factor for batches if it has none of its own."""
        if self.batch is None:
            return self.prices
        return {
            model: price if price.batch is not None else replace(price, batch=self.batch)
            for model, price in self.prices.items()
        }


class _Lists(msgspec.Struct, forbid_unknown_fields=True):
    lists: list[_PriceList]


class PriceOrigin(msgspec.Struct, frozen=True):
    """The date of the look-up of a price that ships, and the address of the page.

    The address is "" if it is unknown.
    """

    as_of: date
    source: str


class AgedPrice(msgspec.Struct, frozen=True):
    """A model, and the age of its price in days."""

    model: str
    origin: PriceOrigin
    days: int


class PriceTable(msgspec.Struct, frozen=True):
    """Prices by the names of models.

    Attributes:
        as_of: Description of the source of the prices.
        prices: All prices.
        own: Prices that the user gave, which `prices` contains, too.
        origins: Origins of the shipped prices, by model.
    """

    as_of: str
    prices: Mapping[str, Price]
    own: Mapping[str, Price]
    origins: Mapping[str, PriceOrigin] = {}

    def price_of(self, model: str) -> Price | None:
        """Return the price of a model by its name, or by its name without a date at the end."""
        if model.endswith(BATCHED):
            price = self.price_of(model.removesuffix(BATCHED))
            return None if price is None else price.in_batch
        return self.prices.get(model) or self.prices.get(_DATE_STAMP.sub("", model))

    def origin_of(self, model: str) -> PriceOrigin | None:
        """Return the origin of a model's price; None if it has no price or the user gave it."""
        plain = model.removesuffix(BATCHED)
        name = plain if plain in self.prices else _DATE_STAMP.sub("", plain)
        return None if name in self.own else self.origins.get(name)

    def aged(self, models: Iterable[str], today: date) -> tuple[AgedPrice, ...]:
        """Return the models whose shipped price is older than `OLD_DAYS`, the oldest first."""
        origins = {model: self.origin_of(model) for model in models}
        aged = [
            AgedPrice(model, origin, (today - origin.as_of).days)
            for model, origin in origins.items()
            if origin is not None and (today - origin.as_of).days > OLD_DAYS
        ]
        return tuple(sorted(aged, key=lambda each: (each.origin.as_of, each.model)))


NO_PRICES = PriceTable("", {}, {})


def load_prices(extra: Path | None) -> PriceTable:
    """Return the shipped prices, overridden by those of a user's own file.

    Raises:
        UsageError: If the file cannot be read or is not a table of prices.
    """
    if extra is None:
        return prices_with({})
    try:
        lists = _read(read_bounded(extra, MOST_BYTES).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"price table {extra}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, *DECODING_ERRORS) as error:
        raise UsageError(f"price table {extra}: {error}") from error
    for one in lists:
        for model, price in one.priced.items():
            for kind, dollars in msgspec.structs.asdict(price).items():
                if dollars is not None and not (
                    dollars.is_finite() and 0 <= dollars <= MOST_DOLLARS
                ):
                    raise UsageError(
                        f"price table {extra}: {kind} of {model} is {dollars}: give US dollars per "
                        "million tokens or characters, or per minute"
                    )
    return prices_with({model: price for one in lists for model, price in one.priced.items()})


def prices_with(own: Mapping[str, Price]) -> PriceTable:
    """Return the shipped prices, overridden by others."""
    lists = _load_bundled_prices()
    dates = sorted({one.as_of.isoformat() for one in lists})
    listed = {model: price for one in lists for model, price in one.priced.items()}
    as_of = f"list prices of {dates[0]} to {dates[-1]}"
    if own:
        as_of += f", and {len(own)} of one's own"
    origins = {model: PriceOrigin(one.as_of, one.source) for one in lists for model in one.prices}
    return PriceTable(as_of, {**listed, **own}, dict(own), origins)


@cache
def _load_bundled_prices() -> Sequence[_PriceList]:
    return _read((files("dragoman.models") / "prices.toml").read_text("utf-8"))


def _read(text: str) -> Sequence[_PriceList]:
    return msgspec.convert(load_toml(text, Decimal), _Lists).lists
