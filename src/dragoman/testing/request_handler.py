"""The request handler of every local server: counts, admits, injects faults, delivers."""

import asyncio
import hashlib
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from aiohttp import web
from msgspec.structs import replace

from dragoman.testing.chat_requests import MAX_BODY_BYTES, Refusal
from dragoman.testing.fault_injection import FaultDraws, Moment, chance, inject_fault, kind_of
from dragoman.testing.request_log import ABANDONED, BROKEN, RequestLog
from dragoman.testing.responses import HttpAnswer, error_answer
from dragoman.testing.server_config import Admission, CapacityGate, OutageKind, ServerConfig

_OUTAGE = Refusal("the server is out of service", status=503, type="server_error")
_LIMITED = Refusal("too many requests", None, "rate_limit_exceeded", 429, "requests")
_WRONG_KEY = Refusal("wrong or no API key", None, "invalid_api_key", 401)
_TOO_LARGE = Refusal(f"the body has more than {MAX_BODY_BYTES} bytes", status=413)


class ReceivedRequest(NamedTuple):
    """A request's body, and the hash by which faults are drawn and requests are counted."""

    body: bytes
    content: str


Made = tuple[str, HttpAnswer]
"""Outcome of a request, as in logs, and the answer before faults."""

Make = Callable[[ReceivedRequest], Made | Awaitable[Made]]
"""Function that returns the outcome of a request, directly or as an awaitable."""


def has_bearer(request: web.Request, key: str) -> bool:
    """Return whether a request carries a key as a bearer token."""
    return request.headers.get("Authorization") == f"Bearer {key}"


class Exchange:
    """Admits requests according to a configuration, counts them in a log, and injects faults.

    Args:
        behaviour: Faults and requirements.
        log: Log that counts requests.
        draws: Source of the faults.
        has_key: Function that tells whether a request carries the required key.
    """

    def __init__(
        self,
        behaviour: ServerConfig,
        log: RequestLog,
        draws: FaultDraws,
        has_key: Callable[[web.Request, str], bool] = has_bearer,
    ) -> None:
        self.outage: OutageKind | None = None
        self.log = log
        self._behaviour = behaviour
        self._gate = CapacityGate(behaviour.capacity)
        self._draws = draws
        self._has_key = has_key

    async def serve(self, request: web.Request, make: Make) -> web.StreamResponse:
        """Count a request, and answer it with the result of `make`."""
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return await deliver(request, error_answer(_TOO_LARGE))
        content = hashlib.sha256(body).hexdigest()[:32]
        in_flight = self.log.start(content)
        outcome = BROKEN
        try:
            asked = ReceivedRequest(body, content)
            decided, answer = await self._decide(request, asked, in_flight, make)
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

    async def _decide(
        self, request: web.Request, asked: ReceivedRequest, in_flight: int, make: Make
    ) -> Made:
        """Return the outcome of a request, as in logs, and the answer."""
        if self.outage is not None:
            answer = error_answer(_OUTAGE)
            return "outage", replace(answer, ending="reset") if self.outage == "refused" else answer
        admission = self._gate.admit(time.monotonic(), in_flight)
        if not admission.is_admitted:
            return "limited", error_answer(_LIMITED, admission.headers)
        key = self._behaviour.checks.api_key
        if key and not self._has_key(request, key):
            return "refused", error_answer(_WRONG_KEY)
        made = make(asked)
        outcome, answer = await made if isinstance(made, Awaitable) else made
        if outcome == "refused":
            return outcome, answer
        return self._spoilt(asked.content, outcome, answer, admission)

    def _spoilt(self, content: str, outcome: str, answer: HttpAnswer, admission: Admission) -> Made:
        """Return the answer with the latency of the capacity, and with a fault if one is due."""
        capacity, seed = self._behaviour.capacity, self._behaviour.seed
        jitter = capacity.jitter_seconds and chance(seed, content, "latency")
        wait = capacity.latency_seconds + jitter * capacity.jitter_seconds
        headers = {**answer.headers, **admission.headers}
        answer = replace(answer, wait=answer.wait + wait, headers=headers)
        fault = self._draws.transport(content)
        if fault is None:
            return outcome, answer
        moment = Moment(time.time(), chance(seed, content, "details"))
        return kind_of(fault), inject_fault(fault, answer, moment)


async def deliver(request: web.Request, answer: HttpAnswer) -> web.StreamResponse:
    """Send an answer.

    Raises:
        ConnectionError: If the client has gone.
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
    if not answer.is_stream and answer.ending != "endless":
        response.content_length = len(body) + answer.missing
    await response.prepare(request)
    while answer.ending == "endless":
        await response.write(body)
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
    # Without lingering, the close sends a reset instead of an orderly end.
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
