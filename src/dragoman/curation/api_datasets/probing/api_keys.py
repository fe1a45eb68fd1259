"""API keys from the environment, each bound to one host: sent with calls, never stored.

Documents are untrusted data. A document that chose the variable whose value is sent could choose
any variable. So the user names the host, the parameter and the variable, and the value is sent to
no other host.
"""

import base64
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec
from msgspec.structs import replace

from dragoman.config.environment import header_variable
from dragoman.core.apis.documents import ConfiguredParameter, Operation
from dragoman.core.errors import UsageError
from dragoman.core.texts.redaction import REDACTED, SHORTEST_KEY
from dragoman.curation.api_datasets.credential_detection import parameter_kind, redact_known_formats
from dragoman.curation.api_datasets.probing.request_builder import (
    build_request,
    require_filled_address,
    sample_arguments,
)
from dragoman.web.exchange import HttpExchange, redact_exchange
from dragoman.web.fetcher import FetchRequest

_is_variable = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}").fullmatch

SHORTEST = 6
"""Shortest value, in characters; a shorter one could not be removed from responses."""


class ApiKey(msgspec.Struct, frozen=True):
    """A value that calls to one host carry under a name."""

    host: str
    name: str
    value: str


class PreparedCall(NamedTuple):
    """A call in its stored and in its sent form, and the secrets that only the latter has."""

    stored: FetchRequest
    sent: FetchRequest
    secrets: tuple[str, ...] = ()


def keys_from_environment(variables: Mapping[str, str]) -> tuple[ApiKey, ...]:
    """Return the keys in environment variables.

    Args:
        variables: The names of variables by "HOST/NAME".

    Raises:
        UsageError: If a target is not HOST/NAME, or if a variable is not set or too short.
    """
    return tuple(_from_environment(*each) for each in variables.items())


def _from_environment(target: str, variable: str) -> ApiKey:
    host, _, name = target.partition("/")
    if not (host and name) or "@" in host or not _is_variable(variable):
        # The text may be a key itself, so it is not repeated.
        raise UsageError("--key: HOST/NAME=VARIABLE, as in api.example.org/X-API-Key=MY_KEY")
    value = header_variable(variable)
    if not value:
        raise UsageError(f"--key {target}=...: the variable that it names is not set")
    if len(value) < SHORTEST:
        raise UsageError(
            f"--key {target}=...: fewer than {SHORTEST} characters could not be taken out of what "
            "comes back"
        )
    return ApiKey(host.lower(), name, value)


def host_of(url: str) -> str:
    """Return the host and port of an address; "" if it has none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def sample_calls(
    operation: Operation, most: int, keys: Iterable[ApiKey] = ()
) -> list[PreparedCall]:
    """Return calls with only the values that the operation's document states.

    Raises:
        ValueError: If it cannot be called with them; the text gives the reason.
    """
    keys = tuple(keys)
    return [prepare_call(operation, each, keys) for each in sample_arguments(operation, most)]


def prepare_call(
    operation: Operation, arguments: Mapping[str, object], keys: Iterable[ApiKey] = ()
) -> PreparedCall:
    """Return a call with the keys configured for its host.

    Raises:
        ValueError: If the call cannot be built; the text gives the reason.
    """
    stored = build_request(operation, arguments)
    host = host_of(operation.url)
    values = {key.name.casefold(): key.value for key in keys if key.host == host}
    held = [
        (each, values[each.name.casefold()])
        for each in operation.configuration
        if each.name.casefold() in values
    ]
    in_body = {each.name: value for each, value in held if each.place == "body"}
    sent = build_request(operation, arguments, in_body) if in_body else stored
    for each, value in held:
        sent = _with(sent, each, value)
    try:
        require_filled_address(sent.url)
    except ValueError as error:
        place = next(each.name for each in operation.configuration if each.place == "path")
        raise ValueError(f"it needs a key: --key {host}/{place}=VARIABLE") from error
    secrets = {value for _, value in held}
    secrets |= {base64.b64encode(value.encode()).decode() for value in secrets}
    return PreparedCall(stored, sent, tuple(secrets))


async def send_call(
    fetch: Callable[[FetchRequest, str], Awaitable[HttpExchange]], call: PreparedCall, at: str = ""
) -> HttpExchange:
    """Make a call, and return the exchange without the configured keys."""
    came = _without_names(_without_formats(await fetch(call.sent, at)))
    if not call.secrets:
        return came
    stored = replace(
        came,
        url=call.stored.url,
        request_headers=dict(call.stored.headers),
        request_body=call.stored.body,
    )
    return _without_short(redact_exchange(stored, call.secrets), call.secrets)


def _without_formats(came: HttpExchange) -> HttpExchange:
    """Return an exchange without keys of known formats in the response."""
    # Latin-1 maps every byte to one character, and keys are written in ASCII.
    body = redact_known_formats(came.body.decode("latin-1")).encode("latin-1")
    return came if body == came.body else replace(came, body=body)


def _without_names(came: HttpExchange) -> HttpExchange:
    """Return an exchange with the values of headers that are credentials by name redacted.

    The exchange may be one that others recorded.
    """

    def plain(headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: REDACTED.decode()
            if parameter_kind(name, is_header=True) == "credential"
            else value
            for name, value in headers.items()
        }

    return replace(came, request_headers=plain(came.request_headers), headers=plain(came.headers))


def _with(request: FetchRequest, each: ConfiguredParameter, value: str) -> FetchRequest:
    parts = urlsplit(request.url)
    match each.place:
        case "header":
            # If the variable holds the whole header, it is sent unchanged.
            said = (
                value
                if value.lower().startswith(f"{each.scheme} ")
                else _header(each.scheme, value)
            )
            return replace(request, headers={**request.headers, each.name: said})
        case "cookie":
            before = request.headers.get("Cookie", "")
            pair = f"{each.name}={value}"
            return replace(
                request,
                headers={**request.headers, "Cookie": "; ".join(filter(None, (before, pair)))},
            )
        case "query":
            pair = f"{quote(each.name, safe='')}={quote(value, safe='')}"
            query = "&".join(filter(None, (parts.query, pair)))
            return replace(request, url=urlunsplit(parts._replace(query=query)))
        case "path":
            path = parts.path.replace("{" + each.name + "}", quote(value, safe=":"))
            return replace(request, url=urlunsplit(parts._replace(path=path)))
        case "body":
            return request


def _header(scheme: str, value: str) -> str:
    if scheme == "bearer":
        return f"Bearer {value}"
    return f"Basic {base64.b64encode(value.encode()).decode()}" if scheme == "basic" else value


def _without_short(exchange: HttpExchange, secrets: Iterable[str]) -> HttpExchange:
    """Return an exchange without short keys in the response.

    Short keys are not removed from other texts.
    """
    for secret in secrets:
        if len(secret) < SHORTEST_KEY:
            hidden = REDACTED.decode()
            exchange = replace(
                exchange,
                body=exchange.body.replace(secret.encode(), REDACTED),
                headers={k: v.replace(secret, hidden) for k, v in exchange.headers.items()},
                redirects=tuple(each.replace(secret, hidden) for each in exchange.redirects),
            )
    return exchange
