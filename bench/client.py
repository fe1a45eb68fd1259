"""Cost of carrying a call: our HTTP client and aiohttp's, to one server.

The two clients alternate, on the event loop that runs use.
"""

import asyncio
import statistics
import tempfile
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import aiohttp
from bench.measuring import measured
from bench.wire import served

from dragoman.config.event_loop import run_event_loop
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import Timeouts

CALLS, AT_A_TIME, TURNS = 4_000, 200, 5
BODY = b'{"model":"any","messages":[{"role":"user","content":"' + b"x" * 12_000 + b' %d"}]}'
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer key"}

Post = Callable[[], Awaitable[object]]


def print_client() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "script.json"
        script.write_text('{"rules": [{"reply": {"content": "Hello."}}]}')
        with served(folder, {}, "--script", str(script)) as server:
            url = f"{server.url}/chat/completions"
            pairs = [
                (run_event_loop(_ours(url)), run_event_loop(_theirs(url))) for _ in range(TURNS)
            ]
    ours, theirs = (statistics.median(each) for each in zip(*pairs, strict=True))
    print(
        f"carrying a call of 12 kB, {AT_A_TIME} at a time, median of {TURNS} turns: {ours:.3f} ms "
        f"CPU, aiohttp's client {theirs:.3f} ms: {theirs / ours:.1f} times"
    )


async def _ours(url: str) -> float:
    http, numbers = HttpClient(Timeouts()), count()

    async def post() -> None:
        answer = await http.post(url, HEADERS, BODY % next(numbers))
        assert answer.status == 200, answer.body

    spent = await _milliseconds(post)
    await http.close()
    return spent


async def _theirs(url: str) -> float:
    connector, numbers = aiohttp.TCPConnector(limit=0), count()
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:

        async def post() -> bytes:
            body = BODY % next(numbers)
            async with session.post(url, data=body, headers=HEADERS) as answer:
                assert answer.status == 200, await answer.read()
                return await answer.read()

        return await _milliseconds(post)


async def _milliseconds(post: Post) -> float:
    """Return the CPU milliseconds of a call over connections that are already open."""
    left = iter(range(CALLS))

    async def work() -> None:
        for _ in left:
            await post()

    await asyncio.gather(*(post() for _ in range(AT_A_TIME)))
    with measured() as spent:
        await asyncio.gather(*(work() for _ in range(AT_A_TIME)))
        _, cpu = spent()
    return cpu / CALLS * 1e3


if __name__ == "__main__":
    print_client()
