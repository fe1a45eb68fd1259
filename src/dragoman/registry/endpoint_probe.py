"""Endpoint probe for `dragoman doctor`: one request as a run would send it, kept raw."""

import msgspec

from dragoman.config.environment import (
    disable_litellm_network,
    key_values,
    proxy_for,
    proxy_secrets,
    redact_environment,
)
from dragoman.core.errors import DragomanError
from dragoman.core.protocols import ChatRequest
from dragoman.core.replies import Reply
from dragoman.core.texts.redaction import redact
from dragoman.models.catalog import LITELLM
from dragoman.models.chat.openai import OpenAIModel
from dragoman.models.endpoints.endpoint_client import SingleAttemptSender
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import Timeouts, Transport, TransportError, TransportErrorKind
from dragoman.models.model_spec import ModelSpec
from dragoman.registry.model_clients import chat_endpoint
from dragoman.registry.providers import COMPLETIONS

PURPOSE = "doctor"
MAX_PROBE_BYTES = 4 * 1024 * 1024
"""Size of the largest list of models that is read, in bytes."""

PROBE_SECONDS = 10.0


class ProbeResult(msgspec.Struct, frozen=True):
    """Result of one request.

    Attributes:
        reply: The words or calls of the model; None if the answer holds no readable reply.
        status: The HTTP status of the answer; 0 without an answer.
        body: The answer without keys; b"" without an answer.
        error: The reason for a missing reply, as text; "" if there is a reply.
        fault: The transport error; None if there was none.
        tokens_in: Tokens of the request; None if the endpoint does not report them.
        tokens_out: Tokens of the reply; None if the endpoint does not report them.
        seconds: Duration in seconds; None if unknown.
        first_word: Seconds until the first word; None if it was not observed.
        server: Content of the answer's header `Server`.
    """

    reply: Reply | None = None
    status: int = 0
    body: bytes = b""
    error: str = ""
    fault: TransportErrorKind | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    first_word: float | None = None
    server: str = ""


class EndpointProbe:
    """One endpoint of a model, asked without rate limits and without a cache.

    Args:
        spec: The model, with one address.
        seconds: Time-out of one answer, in seconds.

    Raises:
        UsageError: If its address or its key is missing.
    """

    def __init__(self, spec: ModelSpec, seconds: float) -> None:
        self.endpoint = chat_endpoint(spec)
        self._name = spec.name
        soon = min(PROBE_SECONDS, seconds)
        self._http = HttpClient(Timeouts(connect=soon, read=seconds, total=seconds))
        self._looking = HttpClient(Timeouts(soon, soon, soon))
        self._seconds = seconds
        self._litellm: Transport | None = None
        self._proxy = None if self.is_by_litellm else proxy_for(self.base)
        others = key_values() if self.is_by_litellm else proxy_secrets(self._proxy)
        self._secrets = (self.endpoint.key, *others)

    @property
    def is_by_litellm(self) -> bool:
        """Whether litellm reaches the endpoint; other addresses are then unknown."""
        return self.endpoint.url.startswith(LITELLM)

    @property
    def base(self) -> str:
        """The address to which the paths of the protocol are added."""
        return self.endpoint.url.removesuffix(COMPLETIONS)

    async def ask(self, request: ChatRequest, *, streams: bool) -> ProbeResult:
        """Send one request, as a run would, and return the result."""
        sender = SingleAttemptSender(self._transport(), self._proxy, self._secrets)
        endpoint = msgspec.structs.replace(self.endpoint, streams=streams)
        try:
            done = await OpenAIModel(self._name, endpoint, sender).complete(request, PURPOSE)
        except TransportError as fault:
            return ProbeResult(error=redact_environment(fault.detail), fault=fault.kind)
        except DragomanError as error:
            answer = sender.answer
            status, body = (answer.status, answer.body) if answer else (0, b"")
            return ProbeResult(status=status, body=body, error=redact_environment(str(error)))
        answer, latency = sender.answer, done.latency
        return ProbeResult(
            reply=done.reply,
            status=answer.status if answer else 0,
            body=answer.body if answer else b"",
            tokens_in=done.usage.input_tokens,
            tokens_out=done.usage.output_tokens,
            seconds=None if latency is None else latency.seconds,
            first_word=None if latency is None else latency.first_word,
        )

    async def look(self, url: str) -> ProbeResult:
        """Return the content at an address of the same server, without parsing a reply."""
        try:
            given = await self._looking.get(
                url, self.endpoint.headers, self._proxy, MAX_PROBE_BYTES
            )
        except TransportError as fault:
            return ProbeResult(error=redact_environment(fault.detail), fault=fault.kind)
        body = redact(given.body, self._secrets)
        return ProbeResult(status=given.status, body=body, server=given.headers.get("Server", ""))

    async def close(self) -> None:
        """Close all connections."""
        for each in (self._litellm, self._http, self._looking):
            if each is not None:
                await each.close()

    def _transport(self) -> Transport:
        if not self.is_by_litellm:
            return self._http
        if self._litellm is None:
            disable_litellm_network()
            from dragoman.models.chat.litellm_client import LitellmClient

            self._litellm = LitellmClient(self._seconds, self._http, proxy_for)
        return self._litellm
