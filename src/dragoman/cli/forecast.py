"""The dry run: the plan of a run, and the cost and time that it would take."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from shutil import get_terminal_size
from typing import NamedTuple

import msgspec

from dragoman.analysis.forecast import UNLIKE, Forecast, ForecastLine
from dragoman.analysis.intervals import Interval
from dragoman.cli.output import print_json, print_line
from dragoman.cli.preflight import local_server_notice
from dragoman.cli.run_answer import WIDEST
from dragoman.cli.run_result import MAX_CELLS
from dragoman.cli.usage import aged_price, today
from dragoman.composition.concurrency import concurrency_limits
from dragoman.composition.setup import Setup
from dragoman.core.costs import Cost
from dragoman.core.texts.characters import escape_controls
from dragoman.dataframes.forecasts import forecast_plan, seconds_of
from dragoman.models.prices import AgedPrice
from dragoman.report import formatting, labels
from dragoman.report.text_tables import TextTable, print_table
from dragoman.runs.plan import Cell, not_applicable, plan_cells
from dragoman.runs.preflight import count_asking

MAX_NAMES = 12
"""Agents and conditions that are named."""


class EstimateRequest(NamedTuple):
    """The basis of a dry run's cost estimate: recorded runs, and a file of averages.

    The averages cover conversations that are unlike all recorded runs.
    """

    like: Sequence[Path] = ()
    averages: Path | None = None

    @property
    def options(self) -> list[str]:
        """The given options."""
        given = {"--like": bool(self.like), "--averages": self.averages is not None}
        return [name for name, is_given in given.items() if is_given]


def print_plan(setup: Setup, estimated: EstimateRequest, *, as_json: bool, full: bool) -> None:
    """Print the plan with its cost and time; `full` and JSON list every conversation."""
    from dragoman.dataframes.forecasts import planned_power
    from dragoman.report.comparison import power_line, power_summary

    cells = plan_cells(setup)
    found = estimate_costs(setup, cells, *estimated) if estimated.options else None
    left_out, waiting = not_applicable(setup), concurrency_limits(setup.config)
    missing_keys = {} if setup.connections is None else setup.connections.missing_keys
    power = planned_power(cells, estimated.like)
    if as_json:
        reported = {} if found is None else {"estimate": forecast_object(setup, found)}
        print_json(
            {
                **reported,
                "planned": len(cells),
                "power": power,
                "waiting": waiting,
                "not_applicable": left_out,
                "not_played": left_out,
                "missing_keys": missing_keys,
                "cells": [
                    {
                        "task": cell.task.id,
                        "agent": cell.agent.name,
                        "user": cell.user.name,
                        "condition": cell.condition.label,
                        "trial": cell.trial,
                        "key": cell.key,
                    }
                    for cell in cells
                ],
            }
        )
        return
    _print_wrapped(
        f"{formatting.format_count(len(cells), 'conversation')} planned, none played: "
        f"{_plan_size(setup, cells)}"
    )
    notes = [
        *_planned_values(cells),
        *(f"not played: {line}" for line in formatting.not_played_lines(left_out)),
    ]
    notes += _missing_keys(missing_keys)
    if line := local_server_notice(waiting):
        notes.append(line)
    for note in notes:
        _print_wrapped(note)
    if found is not None:
        print_forecast(setup, found, full=full)
    elif count_asking(setup.config, cells):
        print(
            "cost and time: for an estimate, name similar runs with --like RUN, or give "
            "--averages FILE"
        )
    for each in power:
        _print_wrapped(power_line(each) if full else power_summary(each))
    if full:
        _print_cells(cells)
    else:
        print("all conversations and prices: --full")


def _planned_values(cells: "Sequence[Cell]") -> Iterator[str]:
    """Yield the names of a plan's agents and conditions."""
    agents = labels.agent_labels(cell.agent.name for cell in cells)
    yield f"agents: {_named(agents.values())}"
    conditions = dict.fromkeys(cell.condition for cell in cells)
    yield f"conditions: {_named(map(labels.condition_label, conditions), '; ')}"


def _named(names: Iterable[str], between: str = ", ") -> str:
    found = list(names)
    more = [f"{len(found) - MAX_NAMES:,} more"] if len(found) > MAX_NAMES else []
    return between.join([*found[:MAX_NAMES], *more])


def _missing_keys(variables: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each key that is not set, with the models that a run needs it for."""
    for name in dict.fromkeys(variables.values()):
        models = [model for model, variable in variables.items() if variable == name]
        yield f"key not set: {name}, which a run needs for {_named(models)}"


def _print_cells(cells: "Sequence[Cell]") -> None:
    print()
    for cell in cells[:MAX_CELLS]:
        print_line(
            f"{cell.key}  {cell.task.suite}  task {cell.task.id}  {cell.condition.label}  agent "
            f"{cell.agent.name}  user {cell.user.name}  trial {cell.trial}"
        )
    if len(cells) > MAX_CELLS:
        print(f"and {len(cells) - MAX_CELLS:,} more (--json has all)")


def _print_wrapped(text: str) -> None:
    width = min(get_terminal_size().columns, WIDEST)
    for line in textwrap.wrap(escape_controls(text), width, subsequent_indent="  "):
        print(line)


def _plan_size(setup: Setup, cells: "Sequence[Cell]") -> str:
    """Return the factors of a plan's size, and the number of conversations that call endpoints."""
    parts: dict[str, set[object]] = {
        "task": {cell.task.id for cell in cells},
        "agent": {cell.agent.name for cell in cells},
        "condition": {cell.condition.label for cell in cells},
        "trial": {cell.trial for cell in cells},
    }
    counts = " x ".join(formatting.format_count(len(found), noun) for noun, found in parts.items())
    return f"{counts}; {count_asking(setup.config, cells):,} call an endpoint"


_UNKNOWN = "unknown"


def estimate_costs(
    setup: Setup, cells: Iterable[Cell], like: Sequence[Path], averages: Path | None
) -> Forecast:
    """Return the estimated cost of a plan, from recorded runs or a file of averages.

    Raises:
        StoreError: If a run cannot be read.
        UsageError: If the file has no averages.
    """
    if averages is None:
        return forecast_plan(setup, cells, like)
    from dragoman.composition.spending import read_averages

    return forecast_plan(setup, cells, like, read_averages(averages))


def print_forecast(setup: Setup, found: Forecast, *, full: bool) -> None:
    """Print the cost and time of a plan; `full` lists each model."""
    seconds = seconds_of(found, setup.config)
    if found.lines and full:
        print_table(_table(found))
        print()
    for line in (*_totals(found, setup, seconds), *(_bases(found, setup) if full else ())):
        print_line(line)


def forecast_object(setup: Setup, found: Forecast) -> dict[str, object]:
    """Return the forecast as an object; unknown values are null."""
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
        "estimated usage and cost",
        "means of recorded conversations, or stated averages; 95 %: a normal interval from the "
        "spread and number of recorded conversations and the number of planned ones",
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
        yield "cost: none: no endpoint is called"
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
            "no similar ones are recorded"
        )
    yield f"time: {_time(setup, seconds)}"
    for each in _outdated_prices(found, setup):
        yield f"old price: {aged_price(each)}"


def _bases(found: Forecast, setup: Setup) -> Iterator[str]:
    """Yield the prices and recorded conversations behind an estimate."""
    yield f"prices: {setup.prices.as_of}"
    yield f"from {formatting.format_count(found.recorded, 'recorded conversation')}:"
    for basis, count in found.bases.items():
        yield f"  {basis}: for {count:,} planned"


def _time(setup: Setup, seconds: float | None) -> str:
    if setup.config.batches:
        return f"{_UNKNOWN}: a batch may take a day"
    if seconds is None:
        return f"{_UNKNOWN}: for some conversations, no uncached time is recorded or stated"
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
