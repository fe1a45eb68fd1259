"""The forecast of a dry run: the cost and time that a plan would take."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import msgspec

from dragoman.analysis.forecast import UNLIKE, Forecast, ForecastLine
from dragoman.analysis.intervals import Interval
from dragoman.cli.output import print_line
from dragoman.cli.usage import aged_price, today
from dragoman.composition.setup import Setup
from dragoman.core.costs import Cost
from dragoman.dataframes.forecasts import forecast_plan, seconds_of
from dragoman.models.prices import AgedPrice
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table
from dragoman.runs.plan import Cell

_UNKNOWN = "unknown"


def estimate_costs(
    setup: Setup, cells: Iterable[Cell], like: Sequence[Path], averages: Path | None
) -> Forecast:
    """Return what a plan would take: as these runs did, and else as a file of averages states.

    Raises:
        StoreError: Where a run cannot be read.
        UsageError: Where the file is none of averages.
    """
    if averages is None:
        return forecast_plan(setup, cells, like)
    from dragoman.composition.spending import read_averages

    return forecast_plan(setup, cells, like, read_averages(averages))


def print_forecast(setup: Setup, found: Forecast) -> None:
    """Print what a plan would cost and how long it would take."""
    seconds = seconds_of(found, setup.config)
    if found.lines:
        print_table(_table(found))
    print()
    for line in _totals(found, setup, seconds):
        print_line(line)


def forecast_object(setup: Setup, found: Forecast) -> dict[str, object]:
    """Return the same as an object; unknown is null."""
    return {
        **msgspec.to_builtins(found),
        "cost_is_whole": not found.unknown and not _unlike(found),
        "seconds_in_all": seconds_of(found, setup.config),
        "conversations_at_once": setup.at_once,
        "prices": setup.prices.as_of,
        "old_prices": msgspec.to_builtins(_outdated_prices(found, setup)),
    }


def _table(found: Forecast) -> TextTable:
    numbers = ("calls", "tokens in", "out", "audio", "cost, USD", "95 %")
    return TextTable(
        ("for", "model", *numbers),
        tuple(map(_row, found.lines)),
        "what it would take",
        "means of recorded conversations, or stated ones; 95 %: a normal interval from the spread "
        "of "
        "recorded ones, how many they are and how many are planned",
        frozenset(numbers),
        keys=2,
    )


def _row(line: ForecastLine) -> tuple[str, ...]:
    audio = "" if line.audio_seconds is None else formatting.duration(line.audio_seconds)
    counts = (_whole(line.calls), _whole(line.input_tokens), _whole(line.output_tokens))
    return (
        line.purpose,
        line.model,
        *counts,
        audio,
        _dollar_text(line.cost),
        _reach(line.interval),
    )


def _totals(found: Forecast, setup: Setup, seconds: float | None) -> Iterator[str]:
    unlike = _unlike(found)
    is_whole = not found.unknown and not unlike
    if not found.lines and is_whole:
        yield "cost: nothing: no model of an endpoint is asked"
    elif found.cost is None:
        yield f"cost: {_UNKNOWN}"
    else:
        reach = f" (95 %: {_reach(found.interval)})" if found.interval else ""
        yield f"cost: {'about' if is_whole else 'at least'} {_dollar_text(found.cost)} USD{reach}"
    for why in found.unknown:
        yield f"  {_UNKNOWN}: {why}"
    if unlike:
        yield (
            f"  {_UNKNOWN}: {formatting.format_count(unlike, 'conversation')}: "
            "nothing like them is "
            "recorded"
        )
    yield f"time: {_time(setup, seconds)}"
    yield f"prices: {setup.prices.as_of}"
    for each in _outdated_prices(found, setup):
        yield f"  old price: {aged_price(each)}"
    yield f"from {formatting.format_count(found.recorded, 'recorded conversation')}:"
    for basis, count in found.bases.items():
        yield f"  {basis}: for {count:,} planned"


def _time(setup: Setup, seconds: float | None) -> str:
    if setup.config.batches:
        return f"{_UNKNOWN}: a batch may take a day"
    if seconds is None:
        return f"{_UNKNOWN}: for some, nothing without the cache is recorded, or stated"
    at_once = formatting.format_count(setup.at_once, "conversation")
    return f"about {formatting.duration(seconds)}, {at_once} at a time"


def _outdated_prices(found: Forecast, setup: Setup) -> tuple[AgedPrice, ...]:
    return setup.prices.aged({line.model for line in found.lines}, today())


def _unlike(found: Forecast) -> int:
    return found.bases.get(UNLIKE, 0)


def _whole(count: float | None) -> str:
    return _UNKNOWN if count is None else f"{count:,.0f}"


def _dollar_text(amount: float | None) -> str:
    if amount is None:
        return _UNKNOWN
    dollars = Decimal(str(amount))
    return formatting.money(Cost(dollars, dollars)).removesuffix(" USD")


def _reach(interval: Interval | None) -> str:
    return (
        f"{_dollar_text(interval.low)} to {_dollar_text(interval.high)}" if interval else _UNKNOWN
    )
