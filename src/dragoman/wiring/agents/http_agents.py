"""Agents behind HTTP, named by their address."""

from urllib.parse import parse_qsl, urlsplit

from dragoman.core.errors import UsageError
from dragoman.models.catalog import model_server_base, suggest_model_name
from dragoman.models.http_agent import HttpAgent
from dragoman.models.model_spec import HEARS, holds_secret, parse_switch
from dragoman.wiring.connections import Connections
from dragoman.wiring.environment import header_variable

SCHEMES = ("http://", "https://")
TOKEN_VARIABLE = "DRAGOMAN_AGENT_TOKEN"  # noqa: S105 - the variable's name, not what it holds


def http_agent(url: str, connections: Connections, name: str = "") -> HttpAgent:
    """Return the agent at an address.

    Args:
        url: The address.
        connections: What the models of a run share.
        name: What ledgers call the agent; "" for its address.

    Raises:
        UsageError: Where the address is none or carries credentials, which would be stored with the
            run, where its `hears` is neither on nor off, or where the token in the environment
            cannot be sent.
    """
    _check(url)
    token = header_variable(TOKEN_VARIABLE)
    hears = parse_switch(dict(parse_qsl(urlsplit(url).query)).get(HEARS, "off"), HEARS, url)
    return HttpAgent(name or url, url, connections.gate(url, token), token, hears_audio=hears)


def _check(url: str) -> None:
    """Refuse what is no address, without repeating it: it may hold credentials."""
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
    """Refuse the address of a model server, which speaks another protocol than an agent of one's own.

    Raises:
        UsageError: With the form that is meant.
    """
    if base := model_server_base(url):
        raise UsageError(
            f"{base} is the address of a model server, not of an agent (docs/agents.md): write "
            f"{suggest_model_name(base)}, or serve an agent of your own under another path"
        )


_NO_ADDRESS = "the agent's address is none: write http://HOST:PORT/PATH"
