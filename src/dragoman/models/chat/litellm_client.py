"""Client of chat completions through litellm, for providers with protocols of their own.

An optional extra: `pip install dragoman[litellm]`. litellm's retries and its silent dropping of
parameters are switched off; retries are made by the endpoint client. litellm ends a stream that
stopped in the middle as if it were complete, counts tokens itself where a stream reports none, and
reports 0 for an answer without counts: replies are written here without these additions.
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
    """What went over the wire for one call: its last answer, or how it broke."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.answer: HttpResponse | None = None
        self.fault: TransportError | None = None


CALL_TRACE: ContextVar[CallTrace] = ContextVar("CARRIED")
"""The call that is being answered in this context."""


class LitellmTransport(httpx.AsyncBaseTransport):
    """What litellm takes for the network.

    Args:
        http: Our connections.
        proxy_for: The proxy for an address, or None.
    """

    def __init__(self, http: HttpClient, proxy_for: Callable[[str], str | None]) -> None:
        self._http = http
        self._proxy_for = proxy_for

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request as it is and return the whole answer.

        Raises:
            httpx.TransportError: Where none came; the fault is kept with the call.
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
    """What litellm answers, or a chunk of it: a record of pydantic."""

    def model_dump_json(self) -> str:
        """Return it as JSON."""
        ...


class _Counts(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


async def encode_litellm_reply(reply: LitellmRecord | AsyncIterator[LitellmRecord]) -> bytes:
    """Return the body of a reply, or the events of a stream.

    Raises:
        Fault: Where a stream stopped before its end.
        Exception: Whatever else litellm raises at a stream.
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
    """Return whether litellm failed because a stream ended, and not at a part of the stream."""
    return isinstance(error.__context__, StopAsyncIteration)


def _has_finish_reason(stream: object) -> bool:
    """Return whether the provider gave a reason for the end of a stream.

    litellm keeps the reason under either of two names.
    """
    reasons = ("received_finish_reason", "intermittent_finish_reason")
    return any(getattr(stream, name) for name in reasons)


def _has_usage(stream: object) -> bool:
    """Whether a chunk that came from the provider counts tokens."""
    return any(getattr(chunk, "usage", None) for chunk in getattr(stream, "chunks", ()))


UNSENT = r"coroutine '[\w.]*completion' was never awaited"
"""What Python says of a call that litellm made and did not send."""

BAD_REQUEST, UNAUTHORIZED, TIMED_OUT, BROKEN = 400, 401, 408, 500

OPENAI_LIKE = frozenset({"azure"})
"""Providers that litellm asks through `aclient_session`."""

HANDED_A_CLIENT = frozenset({"bedrock", "vertex_ai", "gemini"})
"""Providers that litellm asks through the client it is given."""


class LitellmClient:
    """A transport whose bodies are answered by litellm.

    Args:
        seconds: How long to wait for a whole answer.
        http: Our connections, which carry what OPENAI_LIKE and HANDED_A_CLIENT send.
        proxy_for: The proxy for an address, or None.

    Raises:
        UsageError: Where litellm is not installed.
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
        """Have a body answered; a refusal comes back as the endpoint wrote it.

        Raises:
            Fault: Where no answer came, or none that litellm understands.
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
        # Raised out here so that nothing hangs on it: what litellm raises quotes what was sent.
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
        """Return the client that sends over our connections.

        Clients in litellm that speak OpenAI's protocol use these connections too.
        """
        if self._client is None:
            import httpx
            from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

            carrier = LitellmTransport(self._http, self._proxy_for)
            self._litellm.aclient_session = httpx.AsyncClient(transport=carrier)
            self._client = AsyncHTTPHandler(transport=carrier, follow_redirects=False)
        return self._client

    def _unanswered(self, error: Exception, carried: "CallTrace") -> HttpResponse:
        """Return the refusal behind an error of litellm's, or raise the fault."""
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
        # Before anything was sent it is the set-up: no credentials, no region, no project.
        by_us = self._client is not None and not self._has_sent
        return _refusal(UNAUTHORIZED if by_us else BROKEN, said, headers)

    async def close(self) -> None:
        """Close litellm's connections; ours are closed by whose they are."""
        if self._client is not None:
            self._litellm.aclient_session, self._client = None, None
        await self._litellm.close_litellm_async_clients()


def _keep_quiet(litellm: Any) -> None:  # noqa: ANN401 - a module without types
    """Let nothing of a call be printed, logged, kept or handed to anybody."""
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    for called in ("callbacks", "input_callback", "success_callback", "failure_callback"):
        setattr(litellm, called, [])
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).disabled = True
    # It makes a call in a thread before it awaits it: who is cut off in between leaves one that was
    # never sent, of which Python would tell who pressed Ctrl-C.
    warnings.filterwarnings("ignore", UNSENT, RuntimeWarning)


def _error_text(error: Exception) -> str:
    """Return what an error says, without the stack that litellm adds."""
    return f"{type(error).__name__}: {error}".partition("Traceback (most")[0].strip()


def _refusal(
    status: int, said: str, headers: Mapping[str, str] | None = None, **more: str
) -> HttpResponse:
    content = msgspec.json.encode({"error": {"message": said, **more}})
    return HttpResponse(status, headers or {}, content)
