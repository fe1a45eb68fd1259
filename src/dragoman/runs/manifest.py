"""Manifest of a run: its initial configuration, for people and for resuming.

This module imports no code that plays a run, so that commands which read results start quickly.
"""

from collections.abc import Callable
from typing import Annotated

import msgspec

from dragoman.conditions.language.localization_record import LocalizationRecord
from dragoman.config.agent_specs import display_names
from dragoman.config.concurrency_limits import ConcurrencyLimits
from dragoman.config.run_config import RunConfig
from dragoman.core.content_keys import named_key
from dragoman.core.costs import Price
from dragoman.core.errors import StoreError
from dragoman.core.protocols import Provenance
from dragoman.core.rules import UNNAMED_RULES
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.core.usage import Usage
from dragoman.models.prices import PriceTable, prices_with
from dragoman.simulation.participants.canonical_arguments import canonical_name
from dragoman.store.run_plan import StoredCell
from dragoman.store.run_store import RunStore

LAST_SECOND = 250_000_000_000
"""Latest time of creation, in seconds since 1970, which calendars can still represent."""


class Manifest(msgspec.Struct, frozen=True):
    """The initial configuration of a run and its circumstances, for people and for resuming.

    `not_applicable` holds the conditions of the grid that are not played, with reasons. `imported`
    is set in a run that was played elsewhere: the results file without its conversations. `prices`
    are the prices of the user's own table, whose file may be gone when the run is read.
    `localization_records` holds for each condition the parts that were actually in another
    language: tools, files, directives. `voices` holds for each condition the voices, channels and
    recognizers. `clarified` holds for each condition who decided about the agent's questions.
    `is_explicit` is set if the plan is a list of conversations, and not the whole grid of the
    configuration. `preflight` holds the usage of the preflight before the run, by cell key.
    `waiting` holds timeouts and concurrency; None in older runs.
    """

    dragoman: str
    python: str
    created: Annotated[float, msgspec.Meta(ge=0, le=LAST_SECOND)]
    config: RunConfig
    judge: str
    prompts: str
    provenance: Provenance
    not_applicable: dict[str, str] = {}
    imported: dict[str, msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    prices: dict[str, Price] = {}
    localization_records: dict[str, LocalizationRecord] = msgspec.field(
        default_factory=dict, name="realised"
    )
    voices: dict[str, dict[str, object]] = {}
    is_explicit: bool = False
    clarified: dict[str, str] = {}
    preflight: dict[str, tuple[Usage, ...]] = {}
    waiting: ConcurrencyLimits | None = None


def read_manifest(store: RunStore) -> Manifest:
    """Return a run's manifest."""
    with TranslatedErrors(StoreError, f"{store.folder}: the run's manifest is damaged"):
        return _manifest(store.manifest())


class _OlderConfig(msgspec.Struct):
    """The part of an older configuration that has a different meaning today.

    `canonical_arguments` and `places` occur in counterfactual runs from before plans could be
    lists. A missing `rules` stands for the first version of the default rules.
    """

    canonical_arguments: bool = False
    places: list[msgspec.Raw] = []
    rules: str = ""


_COUNTERFACTUAL = frozenset({"canonical_arguments", "places"})
"""Keys that no current configuration has."""


class _Older(msgspec.Struct):
    """The part of an older manifest that has a different meaning today."""

    config: _OlderConfig


def _manifest(content: bytes) -> Manifest:
    """Decode a manifest, including older ones; raise one of `DECODING_ERRORS` if it is damaged."""
    older = msgspec.json.decode(content, type=_Older).config
    is_counterfactual = bool(older.places or older.canonical_arguments)
    if older.rules and not is_counterfactual:
        return msgspec.json.decode(content, type=Manifest)
    fields = msgspec.json.decode(content, type=dict[str, object])
    config = {"rules": UNNAMED_RULES, **msgspec.convert(fields["config"], dict[str, object])}
    if older.canonical_arguments:
        agents = msgspec.convert(config.get("agents"), list[str])
        config["agents"] = [canonical_name(name) for name in agents]
    if is_counterfactual:
        config = {key: value for key, value in config.items() if key not in _COUNTERFACTUAL}
        fields["is_explicit"] = True
    return msgspec.json.decode(msgspec.json.encode({**fields, "config": config}), type=Manifest)


def spec_keys(manifest: Manifest) -> Callable[[StoredCell], str]:
    """Return a function that gives the keys of cells without the names of agents.

    The keys are those of `Cell.spec_key`.
    """
    is_own = manifest.imported is msgspec.UNSET
    named = display_names(manifest.config.agents) if is_own else frozenset()
    return lambda cell: named_key(cell.key, cell.agent) if cell.agent in named else cell.key


def stored_prices(store: RunStore) -> PriceTable:
    """Return the shipped prices, overridden by those that the run was started with."""
    return prices_with(read_manifest(store).prices)
