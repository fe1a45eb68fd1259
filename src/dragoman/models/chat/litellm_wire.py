"""Carries chat completions through litellm, for providers that do not speak OpenAI's protocol.

An optional extra: `pip install dragoman[litellm]`. Its own retries and its silent dropping of
parameters are switched off: both are the gate's and the user's business.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

import msgspec

from dragoman.core.errors import UsageError
from dragoman.models.facts import LITELLM
from dragoman.models.wire.transport import CHAT_BYTES, Fault, HttpResponse

_TIMED_OUT, _BROKEN = 408, 500


class _Reply(Protocol):
    """What litellm answers: a record of pydantic, or a stream of them."""

    def model_dump_json(self) -> str:
        """Return it as JSON."""
        ...


class LitellmWire:
    """A transport whose bodies are answered by litellm.

    Args:
        seconds: How long to wait for a whole answer.

    Raises:
        UsageError: Where litellm is not installed.
    """

    def __init__(self, seconds: float) -> None:
        try:
            import litellm
        except ImportError as error:
            raise UsageError("litellm is not installed: pip install 'dragoman[litellm]'") from error
        # It prints advice of its own among ours.
        litellm.suppress_debug_info = True
        self._litellm: Any = litellm
        self._seconds = seconds

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        proxy: str | None = None,  # noqa: ARG002 - litellm reads the environment itself
        most_bytes: int = CHAT_BYTES,  # noqa: ARG002 - litellm reads the body itself
    ) -> HttpResponse:
        """Have a body answered; what litellm raises becomes the status that it stands for.

        Raises:
            Fault: Where no answer came in time.
        """
        address = url.removeprefix(LITELLM)
        asked = {
            **msgspec.json.decode(body, type=dict[str, object]),
            "timeout": self._seconds,
            "max_retries": 0,
            "drop_params": False,
            "api_base": address if "://" in address else None,
            "api_key": headers.get("Authorization", "").removeprefix("Bearer ") or None,
        }
        try:
            return HttpResponse(200, {}, await _written(await self._litellm.acompletion(**asked)))
        except Exception as error:  # noqa: BLE001 - litellm raises whatever its parts raise
            answer = _refusal(error)
        if answer.status == _TIMED_OUT:
            raise Fault("timeout", "no answer in time")
        return answer

    async def close(self) -> None:
        """Close litellm's connections."""
        await self._litellm.close_litellm_async_clients()


async def _written(reply: _Reply | AsyncIterator[_Reply]) -> bytes:
    if not isinstance(reply, AsyncIterator):
        return reply.model_dump_json().encode()
    events = [b"data: %b\n\n" % chunk.model_dump_json().encode() async for chunk in reply]
    return b"".join([*events, b"data: [DONE]\n\n"])


def _refusal(error: Exception) -> HttpResponse:
    status = getattr(error, "status_code", None)
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    said = f"{type(error).__name__}: {error}"
    return HttpResponse(
        status if isinstance(status, int) else _BROKEN,
        headers,
        msgspec.json.encode({"error": {"message": said}}),
    )
