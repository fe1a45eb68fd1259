"""What a model is called in ledgers and by limits, from its name as it is written."""

from collections.abc import Mapping
from typing import NamedTuple

from dragoman.core.costs import BATCHED
from dragoman.models.endpoints.rate_limit import first_given
from dragoman.models.model_spec import parse_model_spec
from dragoman.models.realtime_spec import is_realtime, parse_realtime_spec
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.wiring.agents.http_agents import SCHEMES
from dragoman.wiring.agents.realtime_agents import realtime_address
from dragoman.wiring.agents.text_agents import split_options
from dragoman.wiring.providers import addresses_of, limited_as


class LedgerName(NamedTuple):
    """A model's name in ledgers, and the names that limits are given by: its provider's and its addresses'."""

    model: str
    limited_as: tuple[str, ...]


def ledger_name(written: str, batches: Mapping[str, float], called: str = "") -> LedgerName:
    """Return what a model of an endpoint is called where it is asked.

    Args:
        written: Its name with parameters, as an agent, user or judge.
        batches: Who is asked in batches.
        called: The name that an agent was given; "" for none.

    Raises:
        UsageError: Where there is no such model, or its address is missing.
    """
    name = wrapped_agent_name(written)
    if name.startswith(SCHEMES):
        return LedgerName(called or name, limited_as("", (name,)))
    if is_realtime(name):
        realtime = parse_realtime_spec(name)
        return LedgerName(realtime.name, limited_as(realtime.name, (realtime_address(realtime),)))
    spec = parse_model_spec(split_options(name)[0])
    names = limited_as(spec.name, addresses_of(spec))
    is_batched = first_given(batches, names) is not None
    return LedgerName(spec.name + BATCHED if is_batched else spec.name, names)
