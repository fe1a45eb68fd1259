"""Agent specifications: `NAME=SPEC`, a display name and the agent that it stands for.

Seeds and cached replies depend on the spec alone. One model under two names therefore gets the same
draws and is paid for once.
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
"""Text with an equals sign before any slash or question mark.

A later equals sign is part of a parameter.
"""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_RESERVED = frozenset({*DIAGNOSTIC_AGENTS, HUMAN})


class AgentSpec(msgspec.Struct, frozen=True):
    """The display name of an agent and the spec that it is resolved by.

    Attributes:
        name: The name in tables, figures and options: the given name, otherwise the spec.
        spec: The text that the agent is resolved by, without a price.
        is_given: Whether the name was given.
        price: The price of its model, if the spec states one.
    """

    name: str
    spec: str
    is_given: bool = False
    price: Price | None = None


def parse_agent(written: str) -> AgentSpec:
    """Parse an agent as written on the command line, in a grid file or in Python.

    Raises:
        UsageError: If a name is malformed or reserved, or has no agent behind it.
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
    """Return an agent with the given display name.

    Raises:
        UsageError: If the name is malformed or reserved, or has no agent behind it.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r:.80}= is not a name of an agent, which has letters, digits, '.', '_' and "
            "'-': write NAME=AGENT"
        )
    if name in _RESERVED:
        raise UsageError(f"{name}=: {name} is an agent that ships: choose another name")
    if not spec:
        raise UsageError(f"{name}= names no agent: write {name}=PROVIDER/MODEL")
    if (other := _NAMED.fullmatch(spec)) is not None:
        raise UsageError(f"{name}={other['name']:.80}=: an agent has one name: leave one out")
    return AgentSpec(name, strip_price(spec), is_given=True, price=price_in_name(spec))


def require_distinct_agents(agents: Iterable[str]) -> None:
    """Raise UsageError if two agents have the same display name.

    Raises:
        UsageError: If two agents share a name; the message names the first two.
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
    """Return the display names that users gave to agents."""
    return frozenset(each.name for each in map(_as_stored, agents) if each.is_given)


def agent_text(agents: Iterable[str], name: str) -> str:
    """Return the text of a run's agent by its display name.

    Arguments in the text are in canonical form.
    """
    written = {_as_stored(each).name: each for each in agents}
    behind = wrapped_agent_name(name)
    if name in written or behind == name:
        return written.get(name, name)
    return canonical_name(written.get(behind, behind))


def specs_of(agents: Iterable[str]) -> Mapping[str, str]:
    """Return the specs of agents by their display names."""
    return {each.name: each.spec for each in map(_as_stored, agents)}


def _as_stored(written: str) -> AgentSpec:
    """Parse an agent of a stored run; in imported results an agent can have any name."""
    try:
        return parse_agent(written)
    except UsageError:
        return AgentSpec(written, written)
