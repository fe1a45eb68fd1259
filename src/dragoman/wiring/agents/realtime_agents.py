"""Realtime models as agents, named like chat models: `openai-realtime/MODEL?parameter=value`."""

from functools import partial
from urllib.parse import quote

from dragoman.core.prompts import PromptSet
from dragoman.models.realtime_agent import RealtimeAgent, RealtimeEndpoint, SessionResources
from dragoman.models.realtime_spec import RealtimeSpec, load_realtime_catalog, websocket_address
from dragoman.simulation.prompts import agent_prompt
from dragoman.wiring.connections import Connections
from dragoman.wiring.environment import proxy_for
from dragoman.wiring.providers import base_address_of, describe_provider, key_of


def realtime_agent(
    spec: RealtimeSpec, prompts: PromptSet, connections: Connections
) -> RealtimeAgent:
    """Return a realtime model that plays the agent.

    Raises:
        UsageError: Where its address or its key is missing, or a budget in money cannot be kept for it.
    """
    key, url = key_of(spec), realtime_address(spec)
    endpoint = RealtimeEndpoint(
        label=spec.written,
        model=spec.name,
        url=url,
        key=key,
        proxy=proxy_for(url),
        session=spec.session(),
        interrupted_after=spec.interrupted_after,
        total=connections.timeouts.total,
    )
    reach = SessionResources(
        connections.sockets(),
        connections.gate(url, key, spec.name),
        connections.budget_for(spec.name),
    )
    return RealtimeAgent(endpoint, reach, partial(agent_prompt, prompts))


def realtime_address(spec: RealtimeSpec) -> str:
    """Return the address that a model's sessions are opened at.

    Raises:
        UsageError: Where there is none.
    """
    base = websocket_address(base_address_of(spec), "base_url")
    return f"{base}/realtime?model={quote(spec.model, safe='')}"


def describe_realtime() -> dict[str, str]:
    """Return a line about every provider of realtime sessions; whether a key is set, never the key."""
    return {
        f"{name}/MODEL": f"{describe_provider(provider)}; realtime, as agent only"
        for name, provider in load_realtime_catalog().providers.items()
    }
