"""Carries chat completions through litellm, for providers that do not speak OpenAI's protocol.

An optional extra: `pip install dragoman[litellm]`. Its own retries and its silent dropping of
parameters are switched off: both are the gate's and the user's business.
"""

import logging
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from dragoman.core.errors import UsageError
from dragoman.models.chat.litellm_replies import written_reply
from dragoman.models.facts import LITELLM
from dragoman.models.wire.http import Http
from dragoman.models.wire.transport import CHAT_BYTES, OK, Fault, HttpResponse

if TYPE_CHECKING:
    from dragoman.models.chat.litellm_carrier import Carried

UNSENT = r"coroutine '[\w.]*completion' was never awaited"
"""What Python says of a call that litellm made and did not send."""

BAD_REQUEST, UNAUTHORIZED, TIMED_OUT, BROKEN = 400, 401, 408, 500

OPENAI_LIKE = frozenset({"azure"})
"""Providers that litellm asks through `aclient_session`."""

HANDED_A_CLIENT = frozenset({"bedrock", "vertex_ai", "gemini"})
"""Providers that litellm asks through the client it is given."""


class LitellmWire:
    """A transport whose bodies are answered by litellm.

    Args:
        seconds: How long to wait for a whole answer.
        http: Our connections, which carry what OPENAI_LIKE and HANDED_A_CLIENT send.
        proxy_for: The proxy for an address, or None.

    Raises:
        UsageError: Where litellm is not installed.
    """

    def __init__(self, seconds: float, http: Http, proxy_for: Callable[[str], str | None]) -> None:
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
        from dragoman.models.chat.litellm_carrier import CARRIED, Carried

        carried = Carried(most_bytes)
        CARRIED.set(carried)
        asked = self._asked(url.removeprefix(LITELLM), headers, body)
        try:
            written = await written_reply(await self._litellm.acompletion(**asked))
        except Fault:
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
        """Return what sends over our connections, and have those that speak OpenAI's protocol use it."""
        if self._client is None:
            import httpx
            from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

            from dragoman.models.chat.litellm_carrier import Carrier

            carrier = Carrier(self._http, self._proxy_for)
            self._litellm.aclient_session = httpx.AsyncClient(transport=carrier)
            self._client = AsyncHTTPHandler(transport=carrier, follow_redirects=False)
        return self._client

    def _unanswered(self, error: Exception, carried: "Carried") -> HttpResponse:
        """Return the refusal behind an error of litellm's, or raise the fault."""
        if carried.fault is not None:
            raise carried.fault
        said, status = _said(error), getattr(error, "status_code", None)
        if carried.answer is not None:
            self._has_sent = True
            if carried.answer.status == OK:
                raise Fault("malformed", f"not understood by litellm ({type(error).__name__})")
            if type(error).__name__ == "ContextWindowExceededError":
                return _refusal(BAD_REQUEST, said, code="context_length_exceeded")
            return carried.answer
        if status == TIMED_OUT:
            raise Fault("timeout", "no answer in time")
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


def _said(error: Exception) -> str:
    """Return what an error says, without the stack that litellm adds."""
    return f"{type(error).__name__}: {error}".partition("Traceback (most")[0].strip()


def _refusal(
    status: int, said: str, headers: Mapping[str, str] | None = None, **more: str
) -> HttpResponse:
    content = msgspec.json.encode({"error": {"message": said, **more}})
    return HttpResponse(status, headers or {}, content)
