"""Prices and budget of a run, and stated averages per conversation for cost estimates."""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from dragoman.analysis.forecast import ROLES, MeanConsumption
from dragoman.composition.conditions.clarification import SPOKEN
from dragoman.composition.conditions.personas import BY_MODEL
from dragoman.conditions.clarification.judges import PURPOSE as CLARIFICATION
from dragoman.conditions.persona.profile_inference import PURPOSE as CONTEXT
from dragoman.conditions.voice.channel import RECOGNITION
from dragoman.config.agent_specs import parse_agent
from dragoman.config.run_config import RunConfig
from dragoman.core.costs import Price
from dragoman.core.errors import UsageError
from dragoman.core.replies import SYNTHESIS
from dragoman.core.texts.decoding import DECODING_ERRORS, MOST_BYTES, load_toml
from dragoman.core.usage import SEARCH, Usage
from dragoman.models.budget import Budget, parse_spend_limit
from dragoman.models.embeddings import PURPOSE as EMBEDDING
from dragoman.models.prices import PriceTable, load_prices, price_in_name, prices_with, strip_price
from dragoman.models.realtime_spec import is_realtime, parse_realtime_spec
from dragoman.registry.agents import split_options
from dragoman.registry.chat_models import model_identity
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.store.safe_files import read_bounded


def prices_of(config: RunConfig) -> PriceTable:
    """Return the bundled prices, overridden by the run's own table.

    Raises:
        UsageError: If that table cannot be read.
    """
    return load_prices(Path(config.prices) if config.prices else None)


def with_stated_prices(table: PriceTable, models: Iterable[str]) -> PriceTable:
    """Return prices, overridden by those that models' names state.

    Args:
        table: The prices.
        models: Models as written; only chat models and realtime models may state a price.

    Raises:
        UsageError: If a price is malformed, or a model has two prices.
    """
    stated: dict[str, Price] = {}
    for written in models:
        price = price_in_name(written)
        if price is None:
            continue
        model = _ledger_name(strip_price(written))
        if stated.setdefault(model, price) != price:
            raise UsageError(f"{model} has two prices: it is one model in what runs cost")
    return prices_with({**table.own, **stated}) if stated else table


def models_of(config: RunConfig) -> Iterable[str]:
    """Yield the models of a run that may state a price, as they are written."""
    for written in config.agents:
        behind = wrapped_agent_name(written)
        named = parse_agent(behind)
        yield behind.removeprefix(f"{named.name}=") if named.is_given else behind
    yield from (config.user, config.judge, config.user_judge, config.embeddings)
    yield from (name.removeprefix(SPOKEN) for name in config.clarify)
    yield from (value.removeprefix(BY_MODEL) for value in config.exposures)


def _ledger_name(written: str) -> str:
    if is_realtime(written):
        return parse_realtime_spec(written).name
    return model_identity(split_options(written)[0])[0]


def budget_of(config: RunConfig, prices: PriceTable) -> Budget | None:
    """Return the budget of a run, with nothing spent yet; None without a limit.

    Raises:
        UsageError: If the limit is malformed.
    """
    return Budget(parse_spend_limit(config.max_cost), prices.price_of) if config.max_cost else None


PURPOSES = (*ROLES, SYNTHESIS, RECOGNITION, CONTEXT, CLARIFICATION, EMBEDDING, SEARCH)
"""The purposes of model calls in conversations, as in usage ledgers."""

_FORM = "docs/how_to/costs.md shows what to write"

_Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=10**9)]


class _Average(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    calls: Annotated[int, msgspec.Meta(gt=0, le=10**9)]
    model: str = ""
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cached_tokens: _Count | None = None
    audio_seconds: _Seconds | None = None
    characters: _Count | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    purposes: Annotated[dict[str, dict[str, object]], msgspec.Meta(min_length=1)]
    seconds: _Seconds | None = None


def read_averages(path: Path) -> MeanConsumption:
    """Return the mean consumption of one conversation, as a file states it.

    Raises:
        UsageError: If the file cannot be read; the message says what is wrong and what to write.
    """
    try:
        values = load_toml(read_bounded(path, MOST_BYTES).decode("utf-8"))
        written = msgspec.convert(values, _File)
    except OSError as error:
        raise UsageError(f"averages {path}: {error.strerror}: name a TOML file") from error
    except (tomllib.TOMLDecodeError, *DECODING_ERRORS) as error:
        raise UsageError(f"averages {path}: {error}: {_FORM}") from error
    usage = tuple(_usage(purpose, each, path) for purpose, each in written.purposes.items())
    return MeanConsumption(usage, written.seconds)


def _usage(purpose: str, written: Mapping[str, object], path: Path) -> Usage:
    if purpose not in PURPOSES:
        near = difflib.get_close_matches(purpose, PURPOSES, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose of {', '.join(PURPOSES)}"
        raise UsageError(f"averages {path}: no purpose {purpose!r:.60}: {hint}")
    try:
        stated = msgspec.convert(written, _Average)
    except msgspec.ValidationError as error:
        raise UsageError(f"averages {path}: {purpose}: {error}: {_FORM}") from error
    if purpose in ROLES and stated.model:
        raise UsageError(f"averages {path}: {purpose}: its model is the plan's: leave model out")
    if (stated.cached_tokens or 0) > (stated.input_tokens or 0):
        raise UsageError(
            f"averages {path}: {purpose}: cached_tokens are a part of input_tokens: write fewer"
        )
    return Usage(
        purpose,
        stated.model,
        stated.calls,
        stated.input_tokens,
        stated.output_tokens,
        stated.cached_tokens,
        audio_seconds=stated.audio_seconds,
        characters=stated.characters,
    )
