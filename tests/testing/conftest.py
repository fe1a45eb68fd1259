"""A real client for the model server."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import aiohttp
import msgspec
import pytest

Body = Mapping[str, object]


class Received(msgspec.Struct):
    """One answer as a client sees it; `failure` names the error instead."""

    status: int = 0
    headers: dict[str, str] = {}
    body: bytes = b""
    failure: str = ""

    @property
    def json(self) -> dict[str, Any]:
        return msgspec.json.decode(self.body, type=dict[str, Any])

    @property
    def error(self) -> dict[str, Any]:
        return dict(self.json["error"])

    @property
    def message(self) -> dict[str, Any]:
        return dict(self.json["choices"][0]["message"])


Ask = Callable[..., list[Received]]


async def post(
    client: aiohttp.ClientSession, url: str, body: Body, headers: Mapping[str, str]
) -> Received:
    received = Received()
    try:
        async with client.post(
            f"{url}/chat/completions", json=body, headers=headers, allow_redirects=False
        ) as response:
            received.status = response.status
            received.headers = dict(response.headers)
            async for piece in response.content.iter_any():
                received.body += piece
    except (aiohttp.ClientError, TimeoutError) as error:
        received.failure = type(error).__name__
    return received


async def post_all(
    url: str, bodies: Sequence[Body], headers: Mapping[str, str], seconds: float
) -> list[Received]:
    timeout = aiohttp.ClientTimeout(total=seconds)
    async with aiohttp.ClientSession(timeout=timeout) as client:
        return await asyncio.gather(*(post(client, url, body, headers) for body in bodies))


@pytest.fixture
def ask() -> Ask:
    """Send requests concurrently and return the answers in the order of the requests."""

    def sending(
        url: str, *bodies: Body, headers: Mapping[str, str] | None = None, seconds: float = 30
    ) -> list[Received]:
        return asyncio.run(post_all(url, bodies, headers or {}, seconds))

    return sending
