"""Sends calls of speech through the gate of their endpoint, within the run's budget, and counts them."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.usage import Usage
from dragoman.models.budget import SpendTracker, reserve_spend
from dragoman.models.chat.openai import OF_ONE_REQUEST
from dragoman.models.http.transport import CallContext, RequestRejected, Sender
from dragoman.speech.providers.wire import Given, ReportedUsage, SpeechRequest, usage_of

T = TypeVar("T")

ADVICE: Mapping[int, str] = {
    401: "check the key in the environment",
    402: "the account has no credit",
    403: "check the key in the environment",
    404: "check the names of model and voice, and the address",
}
"""What to do where an endpoint refuses whatever it is asked."""


class SpeechCalls:
    """Calls of one model for one purpose.

    Args:
        who: For whom: the purpose, and the model as in prices.
        sender: Sends the calls.
        budget: What the run may spend; None for no limit.
    """

    def __init__(
        self, who: CallContext, sender: Sender, budget: SpendTracker | None = None
    ) -> None:
        self._who = who
        self._sender = sender
        self._budget = budget
        self._has_answered = False

    async def ask(
        self,
        request: SpeechRequest,
        read: Callable[[bytes], Given[T]],
        counted: Callable[[Given[T]], ReportedUsage],
    ) -> tuple[T, Usage]:
        """Return what came back and what it consumed.

        Args:
            request: What is sent.
            read: Reads the reply.
            counted: Completes what the provider counted by what we know ourselves.

        Raises:
            ParticipantError: Where no readable reply could be had.
            RunHalted: Where the endpoint refuses whatever it is asked, or the budget is spent.
        """
        async with reserve_spend(self._budget, self._who.model):
            return await self._asked(request, read, counted)

    async def _asked(
        self,
        request: SpeechRequest,
        read: Callable[[bytes], Given[T]],
        counted: Callable[[Given[T]], ReportedUsage],
    ) -> tuple[T, Usage]:
        try:
            given, attempts = await self._sender.send(
                request.url, request.headers, request.body, read, self._who
            )
        except RequestRejected as refusal:
            raise self._refused(refusal) from refusal
        except ParticipantError as error:
            if isinstance(error.usage, Usage):
                self._spend(error.usage)
            raise
        self._has_answered = True
        usage = usage_of(self._who.purpose, self._who.model, counted(given))
        usage = msgspec.structs.replace(usage, faults=attempts.faults, seconds=attempts.seconds)
        self._spend(usage)
        return given.value, usage

    def _spend(self, usage: Usage) -> None:
        if self._budget is not None:
            self._budget.spend(usage)

    def _refused(self, refusal: RequestRejected) -> ParticipantError | RunHalted:
        line = f"{self._who.model}: {refusal}"
        if refusal.status in OF_ONE_REQUEST and self._has_answered:
            return ParticipantError(line)
        advice = ADVICE.get(refusal.status)
        return RunHalted(f"{line}: {advice}" if advice else line)
