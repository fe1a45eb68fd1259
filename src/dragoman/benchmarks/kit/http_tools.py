"""HTTP tools: tool calls mapped to HTTP requests that an environment answers in process.

No request leaves the process.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlencode

import msgspec

from dragoman.benchmarks.kit.tool_schemas import Validator
from dragoman.core.errors import ToolError
from dragoman.core.lazy_names import old_names
from dragoman.core.protocols import StateDelta
from dragoman.core.tools import (
    NO_TOOLS,
    Change,
    Role,
    ToolCall,
    ToolKind,
    ToolResult,
    Toolset,
    ToolSpec,
)

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

FIRST_FAILURE = 400
"""The lowest status that says that a request failed."""

_PLACE = re.compile(r"\{(\w+)\}")
_ENCODER = msgspec.json.Encoder(order="sorted")


class HttpEndpoint(msgspec.Struct, frozen=True):
    """One operation of an API, offered as a tool.

    Attributes:
        name: The tool's name.
        description: The tool's purpose.
        method: The request's method; GET changes nothing.
        url: The request's address; arguments that it names in braces are put into it.
        parameters: The JSON schema of the arguments. Those that the address does not name are the
            query of a GET or DELETE, and fields of the JSON body of others.
    """

    name: str
    description: str
    method: Method
    url: str
    parameters: dict[str, object]


class ApiRequest(msgspec.Struct, frozen=True):
    """The request of a call."""

    method: Method
    url: str
    body: dict[str, object] | None = None


class Response(msgspec.Struct, frozen=True):
    """The response of an API: a status, and a body that JSON can hold."""

    status: int
    body: object = None


Api = Callable[[ApiRequest], Response]
"""Function that answers requests; each conversation has its own if it keeps state."""


def endpoint_tools(endpoints: Sequence[HttpEndpoint]) -> Toolset:
    """Return endpoints as the tools that an agent is shown."""
    return Toolset(
        tuple(
            ToolSpec(each.name, each.description, each.parameters, _kind(each))
            for each in endpoints
        )
    )


def build_request(endpoint: HttpEndpoint, arguments: Mapping[str, object]) -> ApiRequest:
    """Return the request that a call of an endpoint sends."""
    rest = dict(arguments)

    def put(place: re.Match[str]) -> str:
        return quote(str(rest.pop(place.group(1), "")), safe="")

    url = _PLACE.sub(put, endpoint.url)
    if endpoint.method not in {"GET", "DELETE"}:
        return ApiRequest(endpoint.method, url, rest)
    return ApiRequest(endpoint.method, f"{url}?{urlencode(rest)}" if rest else url)


class HttpEnvironment:
    """The environment of one conversation with an API.

    Its state is the list of the requests that may have changed something, in their order.

    Args:
        endpoints: The operations by name.
        tools: The same as tools.
        validators: Functions that check the arguments of a tool, by its name, before anything is
            sent.
        api: Function that answers requests.
    """

    def __init__(
        self,
        endpoints: Mapping[str, HttpEndpoint],
        tools: Toolset,
        validators: Mapping[str, Validator],
        api: Api,
    ) -> None:
        self.sent: list[ApiRequest] = []
        self._endpoints = endpoints
        self._tools = tools
        self._validators = validators
        self._api = api
        self._reported = 0

    def tools(self, side: Role) -> Toolset:
        """Return the endpoints as tools; a user has none."""
        return self._tools if side == "agent" else NO_TOOLS

    def kind(self, name: str) -> ToolKind | None:
        """Return whether a request reads or may write; None for no endpoint."""
        return _kind(self._endpoints[name]) if name in self._endpoints else None

    def owner(self, call: ToolCall) -> Role | None:
        """Return the agent for every endpoint."""
        return "agent" if call.by == "agent" and call.name in self._endpoints else None

    def call(self, call: ToolCall) -> ToolResult:
        """Send the request of a call and return status and body as JSON."""
        try:
            response = self._answered(call)
        except ToolError as error:
            return ToolResult(call.id, call.name, f"Error: {error}", call.by, error=True)
        failed = response.status >= FIRST_FAILURE
        return ToolResult(call.id, call.name, _text(response), call.by, error=failed)

    def take_changes(self) -> tuple[Change, ...]:
        """Return the requests since this was last asked that may have changed something."""
        new, self._reported = self.sent[self._reported :], len(self.sent)
        return tuple(
            Change(("requests", at), "add", msgspec.to_builtins(request))
            for at, request in enumerate(new, self._reported - len(new))
        )

    def delta(self) -> StateDelta:
        """Return the requests that may have changed something."""
        return {
            ("requests", str(at)): _ENCODER.encode(request) for at, request in enumerate(self.sent)
        }

    def _answered(self, call: ToolCall) -> Response:
        endpoint = self._endpoints.get(call.name)
        if endpoint is None or call.by != "agent":
            raise ToolError(f"no endpoint {call.name!r}")
        if call.malformed:
            raise ToolError(f"the arguments could not be read: {call.malformed}")
        self._validators[call.name](call.arguments)
        request = build_request(endpoint, call.arguments)
        if endpoint.method != "GET":
            self.sent.append(request)
        return self._api(request)


def _kind(endpoint: HttpEndpoint) -> ToolKind:
    return "read" if endpoint.method == "GET" else "write"


def _text(response: Response) -> str:
    return _ENCODER.encode(response).decode()


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
