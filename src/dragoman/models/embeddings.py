"""Client of OpenAI-compatible embedding endpoints: one vector for each text."""

from collections.abc import Sequence

import msgspec

from dragoman.core.errors import ParticipantError, RunHalted
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.core.usage import Usage
from dragoman.models.budget import SpendTracker, reserve_spend
from dragoman.models.chat.openai import OF_ONE_REQUEST, ChatEndpoint
from dragoman.models.http.transport import (
    MEDIA_BYTES,
    CallContext,
    MalformedResponse,
    RequestRejected,
    Sender,
)

PURPOSE = "embedding"


class EmbeddingModel:
    """A model that turns texts into vectors.

    Args:
        name: The name in tables and prices, for example `openai/text-embedding-3-small`.
        endpoint: Address of the model; its settings are sent with every call.
        sender: The sender of the calls.
        budget: The budget of the run; None for no limit.
    """

    def __init__(
        self, name: str, endpoint: ChatEndpoint, sender: Sender, budget: SpendTracker | None = None
    ) -> None:
        self.name = name
        self._endpoint = endpoint
        self._sender = sender
        self._budget = budget
        self._has_answered = False

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """Return one vector per text, in the order of the texts, and the usage.

        Raises:
            ParticipantError: If no vectors came back.
            RunHalted: If the budget is spent, or the endpoint refuses every request.
        """
        async with reserve_spend(self._budget, self.name):
            return await self._counted(texts)

    async def _counted(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        try:
            vectors, usage = await self._asked(texts)
        except RequestRejected as refusal:
            line = f"{self.name}: the endpoint of embeddings {refusal}"
            if refusal.status in OF_ONE_REQUEST and self._has_answered:
                raise ParticipantError(line) from refusal
            raise RunHalted(line) from refusal
        except ParticipantError as error:
            if isinstance(error.usage, Usage):
                self._spend(error.usage)
            raise
        self._spend(usage)
        return vectors, usage

    async def _asked(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        endpoint = self._endpoint
        body = {"model": endpoint.model, **endpoint.settings, "input": list(texts)}
        (vectors, tokens), attempts = await self._sender.send(
            endpoint.url,
            endpoint.headers,
            msgspec.json.encode(body),
            lambda answer: _read(answer, len(texts)),
            CallContext(PURPOSE, self.name, MEDIA_BYTES),
        )
        self._has_answered = True
        usage = Usage(
            PURPOSE,
            self.name,
            input_tokens=tokens,
            output_tokens=0,
            faults=attempts.faults,
            seconds=attempts.seconds,
        )
        return vectors, usage

    def _spend(self, usage: Usage) -> None:
        if self._budget is not None:
            self._budget.record(usage)


class _Vector(msgspec.Struct):
    index: int
    embedding: list[float]


class _Used(msgspec.Struct):
    prompt_tokens: int | None = None


class _Body(msgspec.Struct):
    data: list[_Vector]
    usage: _Used | None = None


def _read(answer: bytes, count: int) -> tuple[list[list[float]], int | None]:
    """Return the vectors in the order of their texts, and the input tokens if they are reported."""
    try:
        body = msgspec.json.decode(answer, type=_Body)
    except DECODING_ERRORS as error:
        raise MalformedResponse(f"no embeddings: {error}") from error
    ordered = sorted(body.data, key=lambda vector: vector.index)
    if [vector.index for vector in ordered] != list(range(count)):
        raise MalformedResponse(f"{len(ordered)} embeddings that do not fit {count} texts")
    if len({len(vector.embedding) for vector in ordered}) > 1:
        raise MalformedResponse("embeddings of several lengths")
    tokens = None if body.usage is None else body.usage.prompt_tokens
    return [vector.embedding for vector in ordered], tokens
