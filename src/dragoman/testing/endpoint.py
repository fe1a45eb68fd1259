"""The routes of a model server, and what each answers."""

import itertools
import time

from aiohttp import web
from msgspec import json
from msgspec.structs import replace

from dragoman.core.content_keys import content_key
from dragoman.testing.answers import Answerer, Unanswered
from dragoman.testing.batches import BatchDesk
from dragoman.testing.behaviour import Behaviour
from dragoman.testing.chat_requests import (
    MAX_BODY_BYTES,
    ChatBody,
    Refusal,
    audio_bytes,
    read_request,
)
from dragoman.testing.completions import (
    CannedReply,
    Envelope,
    count_tokens,
    encode_chunks,
    encode_completion,
)
from dragoman.testing.embeddings import encode_embeddings, read_embedding_request
from dragoman.testing.exchange import Exchange, ReceivedRequest
from dragoman.testing.faults import FaultDraws, kind_of
from dragoman.testing.http_answers import EVENTS, JSON, HttpAnswer, error_answer
from dragoman.testing.request_log import OK, RequestLog
from dragoman.testing.spoiling import spoil_reply

ANY_MODEL = "any"


class Endpoint:
    """Answers requests for completions and embeddings, through an exchange that may break them."""

    def __init__(self, answerer: Answerer, behaviour: Behaviour, log: RequestLog) -> None:
        self._answerer = answerer
        self._behaviour = behaviour
        self._draws = FaultDraws(behaviour.faults, behaviour.seed)
        self.exchange = Exchange(behaviour, log, self._draws)
        self._desk = BatchDesk(behaviour, log, self._completion)
        self._number = itertools.count(1)
        self._fingerprint = f"fp_{content_key(behaviour)[:10]}"

    def application(self) -> web.Application:
        """Return the routes, each with and without `/v1`."""
        application = web.Application(client_max_size=MAX_BODY_BYTES)
        for prefix in ("", "/v1"):
            application.router.add_post(f"{prefix}/chat/completions", self.complete)
            application.router.add_post(f"{prefix}/embeddings", self.embed)
            application.router.add_routes(self._desk.routes(prefix))
            application.router.add_get(f"{prefix}/models", self.list_models)
            application.router.add_get(f"{prefix}/log", self.show_log)
        return application

    async def list_models(self, _: web.Request) -> web.Response:
        """List the models served."""
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "dragoman"}
            for name in self._behaviour.checks.models or (ANY_MODEL,)
        ]
        return web.Response(body=json.encode({"object": "list", "data": models}), content_type=JSON)

    async def show_log(self, _: web.Request) -> web.Response:
        """Show the log's counts."""
        return web.Response(body=json.encode(self.exchange.log.view()), content_type=JSON)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer a chat completion request."""
        return await self.exchange.serve(request, self._completion)

    async def embed(self, request: web.Request) -> web.StreamResponse:
        """Answer a request for embeddings."""
        return await self.exchange.serve(request, self._embeddings)

    def _completion(self, asked: ReceivedRequest) -> tuple[str, HttpAnswer]:
        """Return the completion that a body asks for."""
        chat = read_request(asked.body, self._behaviour.checks, asked.content)
        if isinstance(chat, Refusal):
            return "refused", error_answer(chat)
        reply = self._answerer(chat)
        if isinstance(reply, Unanswered):
            return "refused", error_answer(Refusal(reply.reason, "messages", "no_answer"))
        return self._answer(chat, reply, asked.content, len(asked.body))

    def _embeddings(self, asked: ReceivedRequest) -> tuple[str, HttpAnswer]:
        """Return the embeddings that a body asks for."""
        request = read_embedding_request(asked.body, self._behaviour.checks)
        if isinstance(request, Refusal):
            return "refused", error_answer(request)
        return OK, HttpAnswer(200, (encode_embeddings(request, len(asked.body)),))

    def _answer(
        self, asked: ChatBody, reply: CannedReply, content: str, size: int
    ) -> tuple[str, HttpAnswer]:
        """Return the completion, with the model's own mistake in it if one is due."""
        outcome, reply = OK, with_ids(reply, content)
        mistake = self._draws.agent(content)
        if mistake is not None and (mistaken := spoil_reply(mistake, reply)) != reply:
            outcome, reply = kind_of(mistake), mistaken
        envelope = Envelope(
            # As at any provider no two answers are the same, whatever is asked.
            id=f"chatcmpl-{content}-{next(self._number)}",
            created=int(time.time()),
            model=asked.model,
            system_fingerprint=self._fingerprint,
            prompt_tokens=count_tokens(size),
            audio_tokens=count_tokens(audio_bytes(asked.messages)),
            spoken_as=asked.audio.format if asked.is_to_be_spoken and asked.audio else "",
        )
        if not asked.stream:
            return outcome, HttpAnswer(200, (encode_completion(reply, envelope),))
        with_usage = asked.stream_options is not None and asked.stream_options.include_usage
        chunks = encode_chunks(reply, envelope, with_usage=with_usage)
        return outcome, HttpAnswer(200, chunks, EVENTS)


def with_ids(reply: CannedReply, content: str) -> CannedReply:
    """Give the calls that have none an id; other requests get other ids."""
    if all(call.id for call in reply.tool_calls):
        return reply
    calls = [
        call if call.id else replace(call, id=f"call_{content[:16]}_{index}")
        for index, call in enumerate(reply.tool_calls)
    ]
    return replace(reply, tool_calls=tuple(calls))
