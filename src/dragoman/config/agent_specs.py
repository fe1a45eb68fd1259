"""Agent specifications: `NAME=SPEC`, a display name and the agent that it stands for.

Seeds and cached replies follow from the spec, so that one model under two names draws alike and is
paid for once.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec

from dragoman.config.builtin_names import DIAGNOSTIC_AGENTS, HUMAN
from dragoman.core.costs import Price
from dragoman.core.errors import UsageError
from dragoman.models.prices import price_in_name, strip_price
from dragoman.simulation.participants.canonical_arguments import canonical_name, wrapped_agent_name

_NAMED = re.compile(r"(?P<name>[^/?=]*)=(?P<spec>.*)", re.DOTALL)
"""Text with an equals sign before any slash or question mark; any other sign is a parameter's."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_RESERVED = frozenset({*DIAGNOSTIC_AGENTS, HUMAN})


class AgentSpec(msgspec.Struct, frozen=True):
    """An agent as it is shown, and what it is.

    Attributes:
        name: What tables, figures and options call it: the name given, or else the spec.
        spec: What it is resolved by; a price is no part of it.
        is_given: Whether the name was given.
        price: What its model costs, where that is stated.
    """

    name: str
    spec: str
    is_given: bool = False
    price: Price | None = None


def parse_agent(written: str) -> AgentSpec:
    """Read an agent as it is written on the command line, in a grid file or in Python.

    Raises:
        UsageError: Where a name is not one, is taken, or names nothing.
    """
    behind = wrapped_agent_name(written)
    if behind != written:
        found = parse_agent(behind)
        return msgspec.structs.replace(
            found, name=canonical_name(found.name), spec=canonical_name(found.spec)
        )
    named = _NAMED.fullmatch(written)
    if named is None:
        spec = strip_price(written)
        return AgentSpec(spec, spec, price=price_in_name(written))
    return name_agent(named["name"], named["spec"])


def name_agent(name: str, spec: str) -> AgentSpec:
    """Return an agent with the name that is given to it.

    Raises:
        UsageError: Where the name is not one, is taken, or names nothing.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r:.80}= is no name of an agent, which has letters, digits, '.', '_' and '-': "
            "write "
            "NAME=AGENT"
        )
    if name in _RESERVED:
        raise UsageError(f"{name}=: {name} is an agent that ships: choose another name")
    if not spec:
        raise UsageError(f"{name}= names no agent: write {name}=PROVIDER/MODEL")
    if (other := _NAMED.fullmatch(spec)) is not None:
        raise UsageError(f"{name}={other['name']:.80}=: an agent has one name: leave one out")
    return AgentSpec(name, strip_price(spec), is_given=True, price=price_in_name(spec))


def require_distinct_agents(agents: Iterable[str]) -> None:
    """Refuse agents that could not be told apart where they are shown.

    Raises:
        UsageError: Naming the first two of one name.
    """
    seen: dict[str, AgentSpec] = {}
    for written in agents:
        found = parse_agent(written)
        other = seen.setdefault(found.name, found)
        if other is found:
            continue
        if not (found.is_given or other.is_given):
            raise UsageError("an agent is named twice: every agent is one cell of the grid")
        raise UsageError(f"two agents are called {found.name!r}: give each a name of its own")


def display_names(agents: Iterable[str]) -> frozenset[str]:
    """Return the names that were given, as agents are shown by them."""
    return frozenset(each.name for each in map(_as_stored, agents) if each.is_given)


def agent_text(agents: Iterable[str], name: str) -> str:
    """Return the written form of a run's agent from its displayed name.

    The form may have canonical arguments.
    """
    written = {_as_stored(each).name: each for each in agents}
    behind = wrapped_agent_name(name)
    if name in written or behind == name:
        return written.get(name, name)
    return canonical_name(written.get(behind, behind))


def specs_of(agents: Iterable[str]) -> Mapping[str, str]:
    """Return the specs of agents by the names that they are shown by."""
    return {each.name: each.spec for each in map(_as_stored, agents)}


def _as_stored(written: str) -> AgentSpec:
    """Read an agent of a stored run; in imported results it may be called anything."""
    try:
        return parse_agent(written)
    except UsageError:
        return AgentSpec(written, written)
