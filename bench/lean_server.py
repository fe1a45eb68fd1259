"""A model server that needs almost no CPU: `python -m bench.lean_server`.

Our own measurements use it. It replays one side of a run as `dragoman.testing.server` does, without
faults, limits or a log, and encodes the reply to a history once.
"""

import argparse
import asyncio
import hashlib
import sys
from pathlib import Path
from typing import cast

import uvloop
from httptools import HttpRequestParser

from dragoman.core.tools import Role
from dragoman.testing.chat_requests import Checks, Refusal, read_request
from dragoman.testing.openai_api import with_ids
from dragoman.testing.recorded_runs import answers_from_run
from dragoman.testing.responses import Envelope, count_tokens, encode_completion
from dragoman.testing.scripted_answers import Answerer, Unanswered

HISTORY = b'"messages":'
"""Start of the history in a request; the fields before it do not change the reply.

These fields are the model, the tools and the seed.
"""


class Replies:
    """Encoded answers by history."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer
        self._known: dict[bytes, bytes] = {}

    def reply(self, body: bytes) -> bytes:
        history = body[body.index(HISTORY) :]
        known = self._known.get(history)
        if known is None:
            known = self._known[history] = self._encoded(body)
        return known

    def _encoded(self, body: bytes) -> bytes:
        content = hashlib.sha256(body).hexdigest()
        asked = read_request(body, Checks(), content)
        if isinstance(asked, Refusal):
            return _answer(b"400 Bad Request", asked.message.encode())
        reply = self._answerer(asked)
        if isinstance(reply, Unanswered):
            return _answer(b"400 Bad Request", reply.reason.encode())
        envelope = Envelope(f"chatcmpl-{content}", 0, asked.model, "lean", count_tokens(len(body)))
        return _answer(b"200 OK", encode_completion(with_ids(reply, content), envelope))


def _answer(status: bytes, body: bytes) -> bytes:
    head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (status, len(body)) + body


class Conversation(asyncio.Protocol):
    """One connection; each request is answered after the configured latency."""

    def __init__(self, replies: Replies, latency: float) -> None:
        self._replies = replies
        self._latency = latency
        self._parser = HttpRequestParser(self)
        self._body = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, content: bytes) -> None:
        self._body += content

    def on_message_complete(self) -> None:
        answer = self._replies.reply(bytes(self._body))
        self._body.clear()
        if self._latency:
            asyncio.get_running_loop().call_later(self._latency, self._transport.write, answer)
        else:
            self._transport.write(answer)


async def _serve(folder: Path, side: Role, latency: float) -> None:
    replies = Replies(await answers_from_run(folder, side))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Conversation(replies, latency), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    """Serve until terminated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replay", type=Path, required=True)
    parser.add_argument("--side", choices=("agent", "user"), required=True)
    parser.add_argument("--latency", type=float, default=0.0)
    given = parser.parse_args()
    uvloop.run(_serve(given.replay, given.side, given.latency))


if __name__ == "__main__":
    main()
