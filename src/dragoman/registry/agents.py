"""Agents over HTTP, realtime sessions and text-based tool calls; their names in ledgers.

`http://HOST:PORT/PATH` is an agent's server, `openai-realtime/MODEL` a realtime model, and
`PROVIDER/MODEL?calls=python` a model that calls functions in its text.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from dragoman.config.environment import header_variable, proxy_for
from dragoman.core.capabilities import CallsAsText, TextProtocol
from dragoman.core.costs import BATCHED
from dragoman.core.errors import UsageError
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import Participant, Suite
from dragoman.core.rules import Rules
from dragoman.models.catalog import model_server_base, suggest_model_name
from dragoman.models.endpoints.rate_limit import first_given
from dragoman.models.http_agent import HttpAgent
from dragoman.models.model_spec import HEARS, holds_secret, parse_model_spec, parse_switch
from dragoman.models.realtime_agent import RealtimeAgent, RealtimeEndpoint, SessionResources
from dragoman.models.realtime_spec import (
    RealtimeSpec,
    is_realtime,
    load_realtime_catalog,
    parse_realtime_spec,
    websocket_address,
)
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.providers import (
    addresses_of,
    base_address_of,
    describe_provider,
    limited_as,
)
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.simulation.prompts import agent_prompt

SCHEMES = ("http://", "https://")
TOKEN_VARIABLE = "DRAGOMAN_AGENT_TOKEN"  # noqa: S105 - the variable's name, not what it holds


def http_agent(url: str, connections: ModelClients, name: str = "") -> HttpAgent:
    """Return the agent at an address.

    Args:
        url: The address.
        connections: The resources that the models of a run share.
        name: The agent's name in usage ledgers; "" for its address.

    Raises:
        UsageError: If the address is malformed or carries credentials, which would be stored with
            the run; if its `hears` is neither on nor off; or if the token in the environment cannot
            be sent.
    """
    _check(url)
    token = header_variable(TOKEN_VARIABLE)
    hears = parse_switch(dict(parse_qsl(urlsplit(url).query)).get(HEARS, "off"), HEARS, url)
    return HttpAgent(name or url, url, connections.client(url, token), token, hears_audio=hears)


def _check(url: str) -> None:
    """Raise UsageError for a bad address, without quoting it: it may hold credentials."""
    try:
        parts = urlsplit(url)
        is_address = bool(parts.hostname) and parts.port != 0 and url.isprintable()
    except ValueError:
        raise UsageError(_NO_ADDRESS) from None
    if not is_address or " " in url:
        raise UsageError(_NO_ADDRESS)
    if parts.username is not None or parts.fragment:
        raise UsageError(
            f"the address of the agent at {parts.hostname} has credentials or a fragment in it: "
            f"leave them out, set {TOKEN_VARIABLE} for a bearer token"
        )
    require_own_address(url)
    if holds_secret(parts.query):
        raise UsageError(
            f"the address of the agent at {parts.hostname} holds a secret in its query, and is "
            f"stored: leave it out, set {TOKEN_VARIABLE} for a bearer token"
        )


def require_own_address(url: str) -> None:
    """Raise UsageError if the address of an agent is that of a model server.

    A model server speaks another protocol than a user's own agent.

    Raises:
        UsageError: For a model server; the message gives the form to write.
    """
    if base := model_server_base(url):
        raise UsageError(
            f"{base} is the address of a model server, not of an agent "
            "(docs/reference/agents.md): write "
            f"{suggest_model_name(base)}, or serve an agent of your own under another path"
        )


_NO_ADDRESS = "the agent's address is none: write http://HOST:PORT/PATH"


def realtime_agent(
    spec: RealtimeSpec, prompts: PromptSet, connections: ModelClients
) -> RealtimeAgent:
    """Return a realtime model that plays the agent.

    Raises:
        UsageError: If its address or its key is missing, or a budget in money cannot be kept for
            it.
    """
    key, url = connections.key_for(spec), realtime_address(spec)
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
        connections.client(url, key, spec.name),
        connections.budget_for(spec.name),
    )
    return RealtimeAgent(endpoint, reach, partial(agent_prompt, prompts))


def realtime_address(spec: RealtimeSpec) -> str:
    """Return the address at which a model's sessions are opened.

    Raises:
        UsageError: If the model has no address.
    """
    base = websocket_address(base_address_of(spec), "base_url")
    return f"{base}/realtime?model={quote(spec.model, safe='')}"


def describe_realtime() -> dict[str, str]:
    """Return a line about every provider of realtime sessions.

    The line says whether a key is set, and never contains the key.
    """
    return {
        f"{name}/MODEL": f"{describe_provider(provider)}; realtime, as agent only"
        for name, provider in load_realtime_catalog().providers.items()
    }


CALLS_OPTION = "calls"
_BY_TASK = "task"
_OPTIONS = (CALLS_OPTION, "tags", "documents", "layout", "style")

TextProtocolFactory = Callable[[Mapping[str, str]], TextProtocol]
"""A function that returns a suite's text protocol for the options of an agent."""


def split_options(spec: str) -> tuple[str, dict[str, str]]:
    """Return an agent's name without the options of calls in text, and these options.

    Raises:
        UsageError: For options that need `calls=` if it is missing.
    """
    name, mark, query = spec.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    own = {key: value for key, value in pairs if key in _OPTIONS}
    if not own:
        return spec, {}
    if CALLS_OPTION not in own:
        raise UsageError(
            f"{spec}: {next(iter(own))}= goes with {CALLS_OPTION}=python or another form"
        )
    rest = [(key, value) for key, value in pairs if key not in _OPTIONS]
    return name + (mark + urlencode(rest) if rest else ""), own


def text_protocol_factory(suite: Suite, rules: Rules) -> TextProtocolFactory:
    """Return the function that makes a suite's text protocol for the options of an agent.

    The function raises UsageError if the suite has no calls in text, or does not know an option's
    value.
    """

    def offer(options: Mapping[str, str]) -> TextProtocol:
        if not isinstance(suite, CallsAsText):
            raise UsageError(
                f"{suite.name} has no form for calls in text: leave {CALLS_OPTION}= out"
            )
        if suite.asks_for_text and options != {CALLS_OPTION: _BY_TASK}:
            raise UsageError(
                f"{suite.name} sets the form itself: write {CALLS_OPTION}={_BY_TASK} alone"
            )
        return suite.text_protocol({} if suite.asks_for_text else options, rules)

    return offer


def require_text_calls(suite: Suite, agent: Participant) -> None:
    """Raise UsageError for a model with native calls if the suite tests prompts."""
    from dragoman.simulation.participants.canonical_arguments import CanonicalAgent
    from dragoman.simulation.participants.llm import LlmParticipant

    agent = agent.agent if isinstance(agent, CanonicalAgent) else agent
    asks_for_text = isinstance(suite, CallsAsText) and suite.asks_for_text
    if asks_for_text and isinstance(agent, LlmParticipant):
        raise UsageError(
            f"{suite.name} is about prompts: write {agent.name}?{CALLS_OPTION}={_BY_TASK}"
        )


class LedgerName(NamedTuple):
    """A model's name in usage ledgers, and its names in rate limits.

    The latter are the names of its provider and of its addresses.
    """

    model: str
    limited_as: tuple[str, ...]


def ledger_name(written: str, batches: Mapping[str, float], called: str = "") -> LedgerName:
    """Return the name of an agent or model in usage ledgers and rate limits.

    Args:
        written: Its name with parameters, as an agent, user or judge.
        batches: The providers and addresses that are asked in batches.
        called: The display name of an agent; "" for none.

    Raises:
        UsageError: If the model does not exist, or its address is missing.
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
