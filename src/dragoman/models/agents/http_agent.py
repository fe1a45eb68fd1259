"""An agent behind HTTP, in the place of a chat model."""

import logging

import msgspec

from dragoman.core.agent_answers import AgentAnswer
from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.usage import Usage
from dragoman.core.voice.clock import Latency
from dragoman.core.voice.histories import has_sound
from dragoman.models.agents.protocol import MOST_ANSWER_BYTES, decode_answer, encode_request
from dragoman.models.wire.sending import EndpointRefused, Misshapen, Sender, Who

log = logging.getLogger(__name__)

ADVICE = {
    401: "check its token in the environment",
    403: "check its token in the environment",
    404: "check the path of its address",
    405: "check the path of its address",
}
"""What to do where an endpoint refuses whatever it is asked."""


class HttpAgent:
    """Asks an agent's server for each reply; keeps nothing between them.

    Args:
        name: The name in tables.
        url: Where it is asked.
        sender: Sends the requests.
        token: Sent as a bearer token; "" for none.
        hears_audio: Whether it can be given audio itself.
    """

    def __init__(
        self, name: str, url: str, sender: Sender, token: str = "", *, hears_audio: bool = False
    ) -> None:
        self.name = name
        self.hears_audio = hears_audio
        self._url = url
        self._sender = sender
        self._has_warned = self._has_answered = False
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the agent's reply.

        Raises:
            ParticipantError: Where no answer could be had.
            RunHalted: Where the server refuses whatever it is asked, or its first answer is none.
        """
        position = len(request.messages)

        def read(body: bytes) -> tuple[AgentAnswer, msgspec.Raw]:
            return decode_answer(body, position), msgspec.Raw(body)

        who = Who(purpose, self.name, MOST_ANSWER_BYTES, is_itself=True)
        try:
            (answer, raw), attempts = await self._sender.send(
                self._url, self._headers, encode_request(request), read, who
            )
        except EndpointRefused as refusal:
            raise self._refused(refusal) from refusal
        except Misshapen as error:
            raise self._misshapen(error) from error
        self._has_answered = True
        if answer.odd_usage and not self._has_warned:
            self._has_warned = True
            log.warning("%s: the tokens it tells make no sense: %s", self.name, answer.odd_usage)
        usage = Usage(
            purpose,
            self.name,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            faults=attempts.faults,
            seconds=attempts.seconds,
            input_audio_tokens=None if has_sound(request.messages) else 0,
        )
        return Completion(answer.reply, raw, usage, Latency(attempts.seconds))

    def _misshapen(self, error: Misshapen) -> ParticipantError | RunHalted:
        """Return the end of a conversation, or of the run where no answer was one so far."""
        if self._has_answered:
            return error
        return RunHalted(f"{self.name}: {error}: docs/agents.md says what it must be")

    def _refused(self, refusal: EndpointRefused) -> ParticipantError | RunHalted:
        line = f"{self.name}: {refusal}"
        if advice := ADVICE.get(refusal.status):
            return RunHalted(f"{line}: {advice}")
        return ParticipantError(line)
