"""Prices and costs of usage in US dollars. An unknown cost is None, never 0."""

from collections.abc import Callable, Iterable
from decimal import Decimal

import msgspec
from msgspec.structs import asdict

from dragoman.core.usage import Count, Usage

NOTHING = Decimal(0)
_PER_ONE = Decimal("1e-6")
_SECONDS = 60


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Prices of a model in US dollars: for tokens, minutes or characters, or several.

    Cached input costs as much as other input if `cached_input` is None.

    Attributes:
        input: Price per million tokens sent.
        output: Price per million tokens received; input and output have a price both, or neither.
        cached_input: Price per million tokens that the provider had cached.
        minute: Price per minute of audio.
        characters: Price per million characters spoken.
        input_audio: Price per million audio tokens sent; without it their cost is unknown.
        output_audio: Price per million audio tokens received; without it their cost is unknown.
        batch: Batch price as a share of all these prices; None if unknown.
    """

    input: Decimal | None = None
    output: Decimal | None = None
    cached_input: Decimal | None = None
    minute: Decimal | None = None
    characters: Decimal | None = None
    input_audio: Decimal | None = None
    output_audio: Decimal | None = None
    batch: Decimal | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an empty price, and for one with one side of the tokens only."""
        if (self.input is None) != (self.output is None):
            raise ValueError("input and output have a price both, or neither")
        if self.input is None and self.minute is None and self.characters is None:
            raise ValueError("a price has input and output, minute or characters")
        if self.input is None and self.cached_input is not None:
            raise ValueError("cached_input needs the price of input")
        if self.input is None and (self.input_audio, self.output_audio) != (None, None):
            raise ValueError("audio in tokens needs the prices of input and output")

    @property
    def is_free(self) -> bool:
        """Whether everything is free, including audio tokens.

        In this case no count needs to be known.
        """
        tokens = (self.input, self.output, self.input_audio, self.output_audio)
        others = (self.cached_input, self.minute, self.characters)
        return all(dollars == 0 for dollars in tokens) and not any(others)

    @property
    def in_batch(self) -> "Price | None":
        """The prices in a batch; None if they are unknown."""
        share = self.batch
        if share is None:
            return None
        given = {kind: dollars for kind, dollars in asdict(self).items() if dollars is not None}
        scaled = {kind: dollars * share for kind, dollars in given.items() if kind != "batch"}
        return Price(**scaled)


BATCHED = " (batch)"
"""The suffix of the names in usage ledgers of models that are asked in batches."""

PriceOf = Callable[[str], Price | None]
"""A function that returns a model's price by its ledger name; None if unknown."""


def no_price(model: str) -> Price | None:  # noqa: ARG001 - obeys PriceOf
    """Return None, as a price function without any prices."""
    return None


class Cost(msgspec.Struct, frozen=True):
    """The cost of calls, in US dollars.

    `nominal` is the cost of all calls. `paid` excludes calls that Dragoman's own cache answered.
    """

    nominal: Decimal
    paid: Decimal


FREE = Cost(NOTHING, NOTHING)


def cost_of(usage: Usage, price_of: PriceOf) -> Cost | None:
    """Return the cost of usage; None if a needed price or count is unknown."""
    if not usage.calls:
        return FREE
    price = price_of(usage.model)
    if price is None:
        return None
    if price.is_free:
        return FREE
    every = _Counts(
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_tokens,
        usage.audio_seconds,
        usage.characters,
        usage.input_audio_tokens,
        usage.output_audio_tokens,
    )
    replayed = _Counts(
        usage.replayed_input_tokens,
        usage.replayed_output_tokens,
        usage.replayed_cached_tokens,
        usage.replayed_audio_seconds,
        usage.replayed_characters,
        usage.replayed_input_audio_tokens,
        usage.replayed_output_audio_tokens,
    )
    nominal = _cost_of_counts(price, every)
    paid = _cost_of_counts(price, _without(every, replayed))
    return None if nominal is None or paid is None else Cost(nominal, paid)


def total_cost(costs: Iterable[Cost | None]) -> Cost | None:
    """Return the sum of costs; it is unknown if one of them is unknown."""
    nominal = paid = NOTHING
    for cost in costs:
        if cost is None:
            return None
        nominal, paid = nominal + cost.nominal, paid + cost.paid
    return Cost(nominal, paid)


class _Counts(msgspec.Struct, frozen=True):
    sent: int | None
    received: int | None
    cached: int | None
    seconds: float | None
    characters: int | None
    sent_audio: int | None
    received_audio: int | None


def _without(every: _Counts, replayed: _Counts) -> _Counts:
    return _Counts(
        _less(every.sent, replayed.sent),
        _less(every.received, replayed.received),
        _less(every.cached, replayed.cached),
        _less(every.seconds, replayed.seconds),
        _less(every.characters, replayed.characters),
        _less(every.sent_audio, replayed.sent_audio),
        _less(every.received_audio, replayed.received_audio),
    )


def _less(every: Count | None, replayed: Count | None) -> Count | None:
    return None if every is None or replayed is None else every - replayed


def _cost_of_counts(price: Price, counts: _Counts) -> Decimal | None:
    """Return the cost of counts; None if a priced count is unknown."""
    dollars = NOTHING
    if price.input is not None and price.output is not None:
        sent = _price_input_tokens(counts, price, price.input)
        received = _price_output_tokens(counts, price, price.output)
        if sent is None or received is None:
            return None
        dollars += (sent + received) * _PER_ONE
    if price.minute is not None:
        if counts.seconds is None:
            return None
        dollars += Decimal(str(counts.seconds)) / _SECONDS * price.minute
    if price.characters is not None:
        if counts.characters is None:
            return None
        dollars += counts.characters * price.characters * _PER_ONE
    return dollars


def _price_input_tokens(counts: _Counts, price: Price, text_price: Decimal) -> Decimal | None:
    audio = _of_audio(counts.sent_audio, price.input_audio)
    if counts.sent is None or counts.sent_audio is None or audio is None:
        return None
    words = max(counts.sent - counts.sent_audio, 0)
    # A provider that does not report cached tokens is priced as if there were none.
    reused = min(counts.cached or 0, words)
    cached_price = text_price if price.cached_input is None else price.cached_input
    return (words - reused) * text_price + reused * cached_price + audio


def _price_output_tokens(counts: _Counts, price: Price, text_price: Decimal) -> Decimal | None:
    audio = _of_audio(counts.received_audio, price.output_audio)
    if counts.received is None or counts.received_audio is None or audio is None:
        return None
    return max(counts.received - counts.received_audio, 0) * text_price + audio


def _of_audio(tokens: int | None, price: Decimal | None) -> Decimal | None:
    """Return the cost of audio tokens.

    None if there are some and their number or price is not known.
    """
    if tokens == 0:
        return NOTHING
    return None if tokens is None or price is None else tokens * price
