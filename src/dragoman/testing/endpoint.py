"""The routes of a model server: takes a request, decides on the answer, and sends or breaks it."""

import asyncio
import hashlib
import socket
import struct
import time

from aiohttp import web
from msgspec import json
from msgspec.structs import replace

from dragoman.core.keys import content_key
from dragoman.testing.answers import Answerer, Unanswered
from dragoman.testing.behaviour import Behaviour
from dragoman.testing.capacity import Admission, Gate, OutageKind
from dragoman.testing.chat_requests import MAX_BODY_BYTES, ChatBody, Refusal, read_request
from dragoman.testing.completions import (
    CannedReply,
    Envelope,
    count_tokens,
    encode_chunks,
    encode_completion,
)
from dragoman.testing.faults import FaultDraws, chance, kind_of
from dragoman.testing.http_answers import EVENTS, JSON, HttpAnswer, error_answer
from dragoman.testing.request_log import ABANDONED, BROKEN, OK, RequestLog
from dragoman.testing.spoiling import Moment, spoil, spoil_reply

ANY_MODEL = "any"

_OUTAGE = Refusal("the server is out of service", status=503, type="server_error")
_LIMITED = Refusal("too many requests", None, "rate_limit_exceeded", 429, "requests")
_WRONG_KEY = Refusal("wrong or no API key", None, "invalid_api_key", 401)
_TOO_LARGE = Refusal(f"the body has more than {MAX_BODY_BYTES} bytes", status=413)


class Endpoint:
    """Answers requests as its behaviour says and counts them in its log."""

    def __init__(self, answerer: Answerer, behaviour: Behaviour, log: RequestLog) -> None:
        self.outage: OutageKind | None = None
        self.log = log
        self._answerer = answerer
        self._behaviour = behaviour
        self._gate = Gate(behaviour.capacity)
        self._draws = FaultDraws(behaviour.faults, behaviour.seed)
        self._fingerprint = f"fp_{content_key(behaviour)[:10]}"

    def application(self) -> web.Application:
        """Return the routes, each with and without `/v1`."""
        application = web.Application(client_max_size=MAX_BODY_BYTES)
        for prefix in ("", "/v1"):
            application.router.add_post(f"{prefix}/chat/completions", self.complete)
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
        return web.Response(body=json.encode(self.log.view()), content_type=JSON)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer a chat completion request."""
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return await deliver(request, error_answer(_TOO_LARGE))
        content = hashlib.sha256(body).hexdigest()[:32]
        in_flight = self.log.start(content)
        outcome = BROKEN
        try:
            decided, answer = self._decide(request, body, content, in_flight)
            response = await deliver(request, answer)
            outcome = decided
        except ConnectionError:
            outcome = ABANDONED
            return web.Response()
        except asyncio.CancelledError:
            outcome = ABANDONED
            raise
        else:
            return response
        finally:
            self.log.end(content, outcome)

    def _decide(
        self, request: web.Request, body: bytes, content: str, in_flight: int
    ) -> tuple[str, HttpAnswer]:
        """Return what becomes of a request, as logs name it, and the answer."""
        if self.outage is not None:
            answer = error_answer(_OUTAGE)
            return "outage", replace(answer, ending="reset") if self.outage == "refused" else answer
        admission = self._gate.admit(time.monotonic(), in_flight)
        if not admission.is_admitted:
            return "limited", error_answer(_LIMITED, admission.headers)
        key = self._behaviour.checks.api_key
        if key and request.headers.get("Authorization") != f"Bearer {key}":
            return "refused", error_answer(_WRONG_KEY)
        asked = read_request(body, self._behaviour.checks)
        if isinstance(asked, Refusal):
            return "refused", error_answer(asked)
        reply = self._answerer(asked)
        if isinstance(reply, Unanswered):
            return "refused", error_answer(Refusal(reply.reason, "messages", "no_answer"))
        return self._spoilt(content, *self._answer(asked, reply, content, len(body)), admission)

    def _answer(
        self, asked: ChatBody, reply: CannedReply, content: str, size: int
    ) -> tuple[str, HttpAnswer]:
        """Return the completion, with the model's own mistake in it if one is due."""
        outcome, reply = OK, with_ids(reply, content)
        mistake = self._draws.agent(content)
        if mistake is not None and (mistaken := spoil_reply(mistake, reply)) != reply:
            outcome, reply = kind_of(mistake), mistaken
        envelope = Envelope(
            id=f"chatcmpl-{content}",
            created=int(time.time()),
            model=asked.model,
            system_fingerprint=self._fingerprint,
            prompt_tokens=count_tokens(size),
        )
        if not asked.stream:
            return outcome, HttpAnswer(200, (encode_completion(reply, envelope),))
        with_usage = asked.stream_options is not None and asked.stream_options.include_usage
        chunks = encode_chunks(reply, envelope, with_usage=with_usage)
        return outcome, HttpAnswer(200, chunks, EVENTS)

    def _spoilt(
        self, content: str, outcome: str, answer: HttpAnswer, admission: Admission
    ) -> tuple[str, HttpAnswer]:
        """Return the answer late as the capacity says, and broken if a fault is due."""
        capacity, seed = self._behaviour.capacity, self._behaviour.seed
        jitter = capacity.jitter_seconds and chance(seed, content, "latency")
        wait = capacity.latency_seconds + jitter * capacity.jitter_seconds
        answer = replace(answer, wait=wait, headers=admission.headers)
        fault = self._draws.transport(content)
        if fault is None:
            return outcome, answer
        moment = Moment(time.time(), chance(seed, content, "details"))
        return kind_of(fault), spoil(fault, answer, moment)


def with_ids(reply: CannedReply, content: str) -> CannedReply:
    """Give the calls that have none an id; other requests get other ids."""
    if all(call.id for call in reply.tool_calls):
        return reply
    calls = [
        call if call.id else replace(call, id=f"call_{content[:16]}_{index}")
        for index, call in enumerate(reply.tool_calls)
    ]
    return replace(reply, tool_calls=tuple(calls))


async def deliver(request: web.Request, answer: HttpAnswer) -> web.StreamResponse:
    """Send an answer as it says.

    Raises:
        ConnectionError: Where the client has gone.
    """
    if answer.wait:
        await asyncio.sleep(answer.wait)
    if answer.ending == "reset":
        _reset(request)
        return web.Response()
    headers = {"Content-Type": answer.content_type, **answer.headers}
    body = answer.body
    if answer.ending == "whole" and not answer.is_stream and not answer.pause:
        return web.Response(status=answer.status, body=body, headers=headers)
    response = web.StreamResponse(status=answer.status, headers=headers)
    if not answer.is_stream:
        response.content_length = len(body) + answer.missing
    await response.prepare(request)
    for index, piece in enumerate(answer.pieces if answer.pause else (body,)):
        if index:
            await asyncio.sleep(answer.pause)
        await response.write(piece)
    if answer.ending == "cut" and request.transport is not None:
        request.transport.close()
    return response


def _reset(request: web.Request) -> None:
    transport = request.transport
    if transport is None:
        return
    # Without lingering, closing sends a reset instead of an orderly end.
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
