"""Sends a call once and keeps its answer: for who looks at an endpoint instead of playing against it."""

import codecs
from collections.abc import Callable, Mapping
from typing import TypeVar

from dragoman.core.errors import ParticipantError
from dragoman.core.texts.hidden_keys import hidden
from dragoman.models.wire.sending import Attempts, EndpointRefused, Unreadable, Who
from dragoman.models.wire.target import now
from dragoman.models.wire.transport import GOOD, HttpResponse, Transport

T = TypeVar("T")


class OneTry:
    """A sender that tries once: no gate, no pauses, no second attempt.

    Args:
        transport: Carries what is sent.
        proxy: The address of a proxy, or None.
        secrets: Texts that are taken out of every answer.

    Attributes:
        answer: The last answer, whatever its status, without the secrets; None before the first.
    """

    def __init__(
        self, transport: Transport, proxy: str | None = None, secrets: tuple[str, ...] = ()
    ) -> None:
        self.answer: HttpResponse | None = None
        self._transport = transport
        self._proxy = proxy
        self._secrets = secrets

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[bytes], T],
        who: Who,
    ) -> tuple[T, Attempts]:
        """Post a body once and return what `read_reply` makes of the answer's.

        Raises:
            Fault: Where no whole answer came.
            ParticipantError: Where the answer is not what it must be.
            EndpointRefused: For any status but 200.
        """
        self.answer = None
        began = now()
        given = await self._transport.post(url, headers, body, self._proxy, who.most_bytes)
        seconds = now() - began
        is_good = given.status in GOOD
        content = hidden(given.body.removeprefix(codecs.BOM_UTF8), self._secrets)
        self.answer = HttpResponse(given.status, given.headers, content, given.arrivals)
        if not is_good:
            raise EndpointRefused(given.status, content)
        try:
            value = read(content)
        except Unreadable as error:
            raise ParticipantError(str(error)) from error
        arrivals = tuple((come, at - began) for come, at in given.arrivals)
        return value, Attempts({}, seconds, arrivals if len(arrivals) > 1 else ())

    def settle(self, sent: int, tokens: int) -> None:
        """Learn nothing: nothing is paced."""
