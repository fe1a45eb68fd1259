"""Client of chat completions through litellm, for providers with their own protocols.

litellm is an optional extra: `pip install dragoman[litellm]`. The client switches off litellm's
retries and its silent dropping of parameters; the endpoint client makes retries. litellm ends a
stream that stopped in the middle as if it were complete, counts tokens itself if a stream reports
none, and reports 0 for an answer without counts. This module encodes replies without these
additions.
"""

import logging
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

import httpx
import msgspec
from yarl import URL

from dragoman.core.errors import UsageError
from dragoman.models.catalog import LITELLM
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.http_request import OUR_OWN
from dragoman.models.http.transport import CHAT_BYTES, OK, HttpResponse, TransportError


class CallTrace:
    """HTTP trace of one call: its last answer, or its error."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.answer: HttpResponse | None = None
        self.fault: TransportError | None = None


CALL_TRACE: ContextVar[CallTrace] = ContextVar("CARRIED")
"""The trace of the call in this context."""


class LitellmTransport(httpx.AsyncBaseTransport):
    """HTTP transport for litellm that uses our connections.

    Args:
        http: HTTP client with our connections.
        proxy_for: Function that returns the proxy for an address, or None.
    """

    def __init__(self, http: HttpClient, proxy_for: Callable[[str], str | None]) -> None:
        self._http = http
        self._proxy_for = proxy_for

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request unchanged and return the whole answer.

        Raises: httpx.TransportError: If no answer came; the trace of the call keeps the error.
        """
        carried, url = CALL_TRACE.get(), str(request.url)
        headers = {n: v for n, v in request.headers.items() if n not in OUR_OWN}
        body, proxy = await request.aread(), self._proxy_for(url)
        address = URL(url, encoded=True)
        try:
            answer = await self._http.post(address, headers, body, proxy, carried.most_bytes)
        except TransportError as fault:
            carried.fault = fault
            raise httpx.TransportError(fault.detail, request=request) from None
        carried.answer, carried.fault = answer, None
        kind = answer.headers.get("Content-Type", "application/json")
        return httpx.Response(answer.status, headers={"Content-Type": kind}, content=answer.body)


Fields = dict[str, msgspec.Raw]

_decode = msgspec.json.Decoder(Fields).decode
_encode = msgspec.json.Encoder().encode


class LitellmRecord(Protocol):
    """A record of pydantic that litellm returns: an answer or a chunk of one."""

    def model_dump_json(self) -> str:
        """Return the record as JSON."""
        ...


class _Counts(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


async def encode_litellm_reply(reply: LitellmRecord | AsyncIterator[LitellmRecord]) -> bytes:
    """Return the body of a reply, or the events of a stream.

    Raises:
        TransportError: If a stream stopped before its end.
        Exception: Any other error that litellm raises while it reads a stream.
    """
    if not isinstance(reply, AsyncIterator):
        fields = _decode(reply.model_dump_json())
        return _encode(fields if _counts_something(fields) else _without_usage(fields))
    try:
        chunks = [_decode(chunk.model_dump_json()) async for chunk in reply]
    except Exception as error:
        if not _is_premature_end(error):
            raise
        chunks = []
    if not chunks or not _has_finish_reason(reply):
        raise TransportError("cut", "the stream stopped before its end")
    if not _has_usage(reply):
        chunks = [_without_usage(chunk) for chunk in chunks]
    return b"".join([*(b"data: %b\n\n" % _encode(chunk) for chunk in chunks), b"data: [DONE]\n\n"])


def _counts_something(fields: Fields) -> bool:
    counts = msgspec.json.decode(fields.get("usage", b"null"), type=_Counts | None)
    return counts is not None and bool(counts.prompt_tokens or counts.completion_tokens)


def _without_usage(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name != "usage"}


def _is_premature_end(error: Exception) -> bool:
    """Return whether litellm failed because a stream ended early.

    The result is False if a part of the stream caused the error.
    """
    return isinstance(error.__context__, StopAsyncIteration)


def _has_finish_reason(stream: object) -> bool:
    """Return whether the provider gave a reason for the end of a stream.

    litellm keeps the reason under either of two names.
    """
    reasons = ("received_finish_reason", "intermittent_finish_reason")
    return any(getattr(stream, name) for name in reasons)


def _has_usage(stream: object) -> bool:
    """Return whether a chunk from the provider contains token counts."""
    return any(getattr(chunk, "usage", None) for chunk in getattr(stream, "chunks", ()))


UNSENT = r"coroutine '[\w.]*completion' was never awaited"
"""Python's warning about a call that litellm created and did not send."""

BAD_REQUEST, UNAUTHORIZED, TIMED_OUT, BROKEN = 400, 401, 408, 500

OPENAI_LIKE = frozenset({"azure"})
"""Providers for which litellm uses `aclient_session`."""

HANDED_A_CLIENT = frozenset({"bedrock", "vertex_ai", "gemini"})
"""Providers for which litellm uses the client that it is given."""


class LitellmClient:
    """Transport that sends bodies through litellm.

    Args:
        seconds: Longest wait for a whole answer, in seconds.
        http: HTTP client with our connections, for the providers in OPENAI_LIKE and
            HANDED_A_CLIENT.
        proxy_for: Function that returns the proxy for an address, or None.

    Raises:
        UsageError: If litellm is not installed.
    """

    def __init__(
        self, seconds: float, http: HttpClient, proxy_for: Callable[[str], str | None]
    ) -> None:
        try:
            import litellm
        except ImportError as error:
            raise UsageError("litellm is not installed: pip install 'dragoman[litellm]'") from error
        _keep_quiet(litellm)
        self._litellm: Any = litellm
        self._seconds = seconds
        self._http = http
        self._proxy_for = proxy_for
        self._has_sent = False
        self._client: Any = None

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        proxy: str | None = None,  # noqa: ARG002 - each address that litellm asks has its own
        most_bytes: int = CHAT_BYTES,
    ) -> HttpResponse:
        """Send a body and return the answer; a refusal keeps the endpoint's text.

        Raises:
            TransportError: If no answer came, or none that litellm understands.
        """
        carried = CallTrace(most_bytes)
        CALL_TRACE.set(carried)
        asked = self._asked(url.removeprefix(LITELLM), headers, body)
        try:
            written = await encode_litellm_reply(await self._litellm.acompletion(**asked))
        except TransportError:
            self._has_sent = True
            raise
        except Exception as error:  # noqa: BLE001 - litellm raises whatever its parts raise
            failed = error
        else:
            self._has_sent = True
            faults = carried.answer.faults if carried.answer is not None else {}
            return HttpResponse(200, {}, written, faults=faults)
        # The error is raised outside of the handler, because litellm's exception quotes the
        # request.
        return self._unanswered(failed, carried)

    def _asked(self, address: str, headers: Mapping[str, str], body: bytes) -> dict[str, object]:
        asked = {
            **msgspec.json.decode(body, type=dict[str, object]),
            "timeout": self._seconds,
            "max_retries": 0,
            "drop_params": False,
            "api_base": address if "://" in address else None,
            "api_key": headers.get("Authorization", "").removeprefix("Bearer ") or None,
        }
        if str(asked["model"]).partition("/")[0] in HANDED_A_CLIENT:
            asked["client"] = self._own_client()
        elif str(asked["model"]).partition("/")[0] in OPENAI_LIKE:
            self._own_client()
        return asked

    def _own_client(self) -> object:
        """Return the client that litellm is given and that sends over our connections.

        Clients in litellm that use OpenAI's protocol use these connections too.
        """
        if self._client is None:
            import httpx
            from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

            carrier = LitellmTransport(self._http, self._proxy_for)
            self._litellm.aclient_session = httpx.AsyncClient(transport=carrier)
            self._client = AsyncHTTPHandler(transport=carrier, follow_redirects=False)
        return self._client

    def _unanswered(self, error: Exception, carried: "CallTrace") -> HttpResponse:
        """Return the refusal behind an error of litellm, or raise the transport error."""
        if carried.fault is not None:
            raise carried.fault
        said, status = _error_text(error), getattr(error, "status_code", None)
        if carried.answer is not None:
            self._has_sent = True
            if carried.answer.status == OK:
                raise TransportError(
                    "malformed", f"not understood by litellm ({type(error).__name__})"
                )
            if type(error).__name__ == "ContextWindowExceededError":
                return _refusal(BAD_REQUEST, said, code="context_length_exceeded")
            return carried.answer
        if status == TIMED_OUT:
            raise TransportError("timeout", "no answer in time")
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        if isinstance(status, int) and status != BROKEN:
            return _refusal(status, said, headers)
        # An error before any request was sent comes from the set-up: no credentials, region or
        # project.
        by_us = self._client is not None and not self._has_sent
        return _refusal(UNAUTHORIZED if by_us else BROKEN, said, headers)

    async def close(self) -> None:
        """Close litellm's connections; the owner of our connections closes them."""
        if self._client is not None:
            self._litellm.aclient_session, self._client = None, None
        await self._litellm.close_litellm_async_clients()


def _keep_quiet(litellm: Any) -> None:  # noqa: ANN401 - a module without types
    """Prevent litellm from printing, logging, storing or sharing any part of a call."""
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    for called in ("callbacks", "input_callback", "success_callback", "failure_callback"):
        setattr(litellm, called, [])
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).disabled = True
    # litellm creates a call in a thread before it awaits the call. If it is cancelled in between, a
    # coroutine was never awaited, and Python would warn a user who pressed Ctrl-C.
    warnings.filterwarnings("ignore", UNSENT, RuntimeWarning)


def _error_text(error: Exception) -> str:
    """Return the text of an error, without the stack that litellm adds."""
    return f"{type(error).__name__}: {error}".partition("Traceback (most")[0].strip()


def _refusal(
    status: int, said: str, headers: Mapping[str, str] | None = None, **more: str
) -> HttpResponse:
    content = msgspec.json.encode({"error": {"message": said, **more}})
    return HttpResponse(status, headers or {}, content)
