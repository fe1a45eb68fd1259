"""Price table: dated prices per million tokens that ship, a user's own, prices in model names.

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


def parse_price(text: str, written: str) -> Price:
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
            f"{written.partition('?')[0]}: {PRICE} is 0 for a model that is free, or US dollars "
            "per million tokens in and "
            f"out, such as {PRICE}=0.15/0.60, not {text!r:.40}"
        )
    sent, received = dollars
    # What is stated is what is paid: also in batches.
    return Price(sent, received, batch=Decimal(1)) if any(dollars) else FREE_OF_CHARGE


def strip_price(written: str) -> str:
    """Return a model's name without its price: what the model is, and what it is called by."""
    name, mark, query = written.partition("?")
    if not mark or "/" not in name or name.startswith(("http://", "https://")):
        return written
    rest = [part for part in query.split("&") if not _is_price(part)]
    return f"{name}?{'&'.join(rest)}" if rest else name


def price_in_name(written: str) -> Price | None:
    """Return the price that stands in a model's name; None where none does.

    Raises:
        UsageError: Where it is no price, or stands there twice.
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
"""A price that was looked up longer ago is told to be old."""

MOST_DOLLARS = Decimal(1_000_000)
_DATE_STAMP = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|20\d{6})$")


class _PriceList(msgspec.Struct, forbid_unknown_fields=True):
    as_of: date
    prices: dict[str, Price]
    source: str = ""
    batch: Decimal | None = None

    @property
    def priced(self) -> dict[str, Price]:
        """The prices, each with the list's share for batches where it has none of its own."""
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
    """A model whose price was looked up so many days ago."""

    model: str
    origin: PriceOrigin
    days: int


class PriceTable(msgspec.Struct, frozen=True):
    """Prices by the names of models.

    Attributes:
        as_of: Where the prices come from, in words.
        prices: All prices.
        own: Those among them that a person gave.
        origins: Where those that ship are from, by model.
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
        """Return where the price of a model is from; None where it has none or a person gave it."""
        plain = model.removesuffix(BATCHED)
        name = plain if plain in self.prices else _DATE_STAMP.sub("", plain)
        return None if name in self.own else self.origins.get(name)

    def aged(self, models: Iterable[str], today: date) -> tuple[AgedPrice, ...]:
        """Return the models whose price that ships is older than `OLD_DAYS`, the oldest first."""
        origins = {model: self.origin_of(model) for model in models}
        aged = [
            AgedPrice(model, origin, (today - origin.as_of).days)
            for model, origin in origins.items()
            if origin is not None and (today - origin.as_of).days > OLD_DAYS
        ]
        return tuple(sorted(aged, key=lambda each: (each.origin.as_of, each.model)))


NO_PRICES = PriceTable("", {}, {})


def load_prices(extra: Path | None) -> PriceTable:
    """Return the prices that ship, with those of a person's own file laid over them.

    Raises:
        UsageError: Where the file cannot be read or is not a table of prices.
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
    """Return the prices that ship, with others laid over them."""
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
