"""Good answers under server faults, against a client that knows the server's limit.

Usage: `python -m bench.goodput`. Every kind of server is started twice, in separate processes: for
our rate limiter, and for a client that was told the limit and keeps to it. All of them run
concurrently for four minutes, at a few calls per second with answers that take seconds, so that
waiting, and not the speed of this machine, decides the result.
"""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import msgspec
from bench.wire import Server, served

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatRequest
from dragoman.core.tools import NO_TOOLS
from dragoman.models.endpoints.rate_limit import retry_after
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import Timeouts, TransportError
from dragoman.models.model_spec import parse_model_spec
from dragoman.registry.model_clients import ModelClients

SECONDS = 240.0
WARM = 60.0
DEATH = (90.0, 150.0)
NOTICED = 10.0
"""Seconds after which the death of an endpoint must have been noticed."""

CALLERS = 120
TIMEOUTS = Timeouts(read=120)

HALF_REFUSED = [
    {"kind": "rate_limited", "rate": 0.15, "retry_after": 0},
    {"kind": "rate_limited", "rate": 0.05, "retry_after": 1, "as_date": True},
    {"kind": "rate_limited", "rate": 0.099, "retry_after": None},
    {"kind": "rate_limited", "rate": 0.001, "retry_after": 31_536_000},
    {"kind": "server_error", "rate": 0.15, "statuses": [503]},
    {"kind": "server_error", "rate": 0.05, "statuses": [503], "retry_after": 1},
]
BROKEN = [
    {"kind": "server_error", "rate": 0.02, "statuses": [500, 502, 504]},
    {"kind": "slow", "rate": 0.02, "seconds": 3.0},
    {"kind": "cut", "rate": 0.01},
    {"kind": "reset", "rate": 0.01},
    {"kind": "malformed_json", "rate": 0.01},
    {"kind": "wrong_content_type", "rate": 0.01},
    {"kind": "empty_body", "rate": 0.01},
    {"kind": "redirect", "rate": 0.01},
    {"kind": "huge_body", "rate": 0.005},
    {"kind": "hang", "rate": 0.005, "seconds": 60.0},
]
FAULTS = {"transport": [*HALF_REFUSED, *BROKEN], "most_in_a_row": 100, "first": 20}
REFUSALS = {"transport": HALF_REFUSED, "most_in_a_row": 100, "first": 20}
LATENCY = {"latency_seconds": 2.0, "jitter_seconds": 2.0}
MEAN_SECONDS = 3.0


class Shape(NamedTuple):
    """A kind of server, and the limit that the informed client keeps to.

    The limit is a number of concurrent calls, or of calls per second. `allowed` is the number of
    answers per second that arithmetic gives, for servers whose hangs do not blur it.
    """

    name: str
    behaviour: dict[str, object]
    at_a_time: int
    a_second: float | None = None
    allowed: float | None = None


SHAPES = (
    Shape(
        "20 at a time, no faults",
        {"capacity": {**LATENCY, "most_concurrent": 20}},
        20,
        allowed=20 / MEAN_SECONDS,
    ),
    Shape(
        "20 at a time, half refused",
        {"faults": REFUSALS, "capacity": {**LATENCY, "most_concurrent": 20}},
        20,
        allowed=20 / MEAN_SECONDS,
    ),
    Shape(
        "20 at a time, every fault",
        {"faults": FAULTS, "capacity": {**LATENCY, "most_concurrent": 20}},
        20,
    ),
    Shape(
        "12 a second, every fault",
        {"faults": FAULTS, "capacity": {**LATENCY, "requests_per_second": 12}},
        CALLERS,
        12.0,
    ),
    Shape("no limit, every fault", {"faults": FAULTS, "capacity": LATENCY}, CALLERS),
)
EACH = {"faults": FAULTS, "capacity": {**LATENCY, "most_concurrent": 15}}

Answers = list[float]
"""Times of the good answers, in seconds since the start."""


def main() -> None:
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        script = folder / "script.json"
        script.write_text('{"rules": [{"reply": {"content": "Hello."}}]}')

        def start(behaviour: dict[str, object]) -> Server:
            return stack.enter_context(served(folder, behaviour, "--script", str(script)))

        asyncio.run(_measured(start))


async def _measured(start: Callable[[dict[str, object]], Server]) -> None:
    began, cpu = time.monotonic(), time.process_time()
    pairs = [(start(shape.behaviour), start(shape.behaviour)) for shape in SHAPES]
    others = [(start(EACH), start(EACH)) for _ in DEATHS]
    # An outage is counted from the start of its server, so these are started last.
    dying = [start({**EACH, **DYING.get(name, {})}) for name in DEATHS]
    shapes = [_beside(shape, *pair) for shape, pair in zip(SHAPES, pairs, strict=True)]
    deaths = [
        _one_of_two_dies(name, each, *pair)
        for name, each, pair in zip(DEATHS, dying, others, strict=True)
    ]
    for line in await asyncio.gather(*shapes, *deaths):
        print(line)
    busy = (time.process_time() - cpu) / (time.monotonic() - began)
    print(f"  (both clients: {busy:.2f} of a core; load {os.getloadavg()[0]:.1f})")


async def _beside(shape: Shape, for_us: Server, for_it: Server) -> str:
    ours, its = await asyncio.gather(
        _through_the_client([for_us]), _knowing(for_it, shape.at_a_time, shape.a_second)
    )
    whole, later = _rate(ours, 0, SECONDS), _rate(ours, WARM, SECONDS)
    known, known_later = _rate(its, 0, SECONDS), _rate(its, WARM, SECONDS)
    by_arithmetic = f"; {later / shape.allowed:4.0%} of all it can" if shape.allowed else ""
    return (
        f"  {shape.name:28} {whole:5.2f} answers/s, who knows the limit {known:5.2f}: "
        f"{whole / known:4.0%}; after a minute {later / known_later:4.0%}{by_arithmetic}"
    )


async def _one_of_two_dies(name: str, dying: Server, rest: Server, alone: Server) -> str:
    ours, its, _ = await asyncio.gather(
        _through_the_client([rest, dying]), _knowing(alone, 15, None), DEATHS[name](dying)
    )
    death, back = DEATH
    known = _rate(its, WARM, SECONDS)
    before = _rate(ours, WARM, death) / (2 * known)
    during = _rate(ours, death + NOTICED, back) / known
    after = _rate(ours, back + 30, SECONDS) / (2 * known)
    return f"  one of two {name:17} before {before:4.0%} of both, meanwhile {during:4.0%} of the rest, back {after:4.0%} of both"


async def _nothing(_: Server) -> None:
    """Do nothing: the server itself closes its port or refuses calls."""


async def _stopped(server: Server) -> None:
    await asyncio.sleep(DEATH[0])
    os.kill(server.pid, signal.SIGSTOP)
    await asyncio.sleep(DEATH[1] - DEATH[0])
    os.kill(server.pid, signal.SIGCONT)


DEATHS = {"refuses connections": _nothing, "answers 503": _nothing, "hangs": _stopped}


def _away(kind: str) -> dict[str, object]:
    outage = {"after": DEATH[0], "seconds": DEATH[1] - DEATH[0], "kind": kind}
    return {"capacity": {**LATENCY, "most_concurrent": 15, "outages": [outage]}}


DYING = {"refuses connections": _away("refused"), "answers 503": _away("unavailable")}


def _rate(answers: Answers, begin: float, end: float) -> float:
    return sum(begin <= moment < end for moment in answers) / (end - begin)


async def _for_a_while(work: Callable[[], Awaitable[None]]) -> None:
    callers = [asyncio.ensure_future(work()) for _ in range(CALLERS)]
    await asyncio.sleep(SECONDS)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)


async def _through_the_client(servers: list[Server]) -> Answers:
    connections, answers = ModelClients(TIMEOUTS, cache_enabled=False), Answers()
    addresses = "|".join(server.url for server in servers)
    model = connections.chat_model(parse_model_spec(f"compatible/any?base_url={addresses}"))
    began, count = time.monotonic(), 0

    async def work() -> None:
        nonlocal count
        while True:
            count += 1
            message = {"role": "user", "content": f"Hello {count}."}
            try:
                await model.complete(ChatRequest([message], NO_TOOLS, count, "goodput"), "agent")
            except ParticipantError:
                continue
            answers.append(time.monotonic() - began)

    await _for_a_while(work)
    await connections.close()
    return answers


async def _knowing(server: Server, at_a_time: int, a_second: float | None) -> Answers:
    """Send requests as a client that was told the limit, and never exceed it."""
    http, answers, room = HttpClient(TIMEOUTS), Answers(), asyncio.Semaphore(at_a_time)
    began, count, next_at = time.monotonic(), 0, 0.0

    async def due() -> None:
        nonlocal next_at
        if a_second is not None:
            moment = max(time.monotonic(), next_at)
            next_at = moment + 1 / a_second
            await asyncio.sleep(moment - time.monotonic())

    async def is_answered(body: bytes) -> bool:
        """Send one request; after a refusal, wait as long as it says, up to a second."""
        pause = 0.25
        async with room:
            await due()
            try:
                answer = await http.post(f"{server.url}/chat/completions", {}, body)
                if answer.status == 200 and b"Hello." in answer.body:
                    msgspec.json.decode(answer.body)
                    return True
                pause = min(retry_after(answer) or pause, 1.0)
            except (TransportError, msgspec.DecodeError):
                pass
        await asyncio.sleep(pause)
        return False

    async def work() -> None:
        nonlocal count
        while True:
            count += 1
            message = {"role": "user", "content": f"Hello {count}."}
            body = msgspec.json.encode({"model": "any", "messages": [message]})
            while not await is_answered(body):
                pass
            answers.append(time.monotonic() - began)

    await _for_a_while(work)
    await http.close()
    return answers


if __name__ == "__main__":
    main()
