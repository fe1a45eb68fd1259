"""Server that offers an agent function over HTTP.

Start it with `python -m dragoman.testing.agent_server module:attribute`. It prints its address
first and listens on the loopback address only. Web pages must not reach the function: a request has
to be JSON, for a loopback name, and without another origin. An error of the function gives status
500 with one line; an unusable answer is sent as an answer without text or calls.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import cast
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from dragoman.core.agent_replies import parse_agent_reply
from dragoman.core.errors import DataError, DragomanError, ParticipantError, UsageError
from dragoman.core.replies import UnparsedReply
from dragoman.core.texts.characters import escape_controls
from dragoman.models.http_agent import (
    MOST_ANSWER_BYTES,
    decode_request,
    encode_answer,
    offered_tools,
)
from dragoman.registry.participants import import_attribute
from dragoman.simulation.participants.python_function import AgentFunction, FunctionModel
from dragoman.testing.local_server import HOST

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

PATH = "/agent"
JSON = "application/json"
LOOPBACK = frozenset({HOST, "localhost", "::1"})
MOST_REQUEST_BYTES = 32 * 1024 * 1024
MOST_SHOWN = 300
STOPPING_SECONDS = 0.1


@asynccontextmanager
async def serve_agent(name: str, function: AgentFunction, port: int = 0) -> AsyncIterator[str]:
    """Serve a function while the context is open; the context gives its address.

    Args:
        name: The function's name in errors.
        function: Function of `(messages, tools)`; one that is not `async` runs in threads.
        port: Port to listen on; 0 takes a free port.

    Raises:
        UsageError: If the port is taken or invalid.
    """
    agent = FunctionModel(name, function)

    async def answer(request: web.Request) -> web.Response:
        return await _answer(agent, request)

    application = web.Application(
        client_max_size=MOST_REQUEST_BYTES, middlewares=[_refuse_web_pages]
    )
    application.router.add_post(PATH, answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=STOPPING_SECONDS)
    await runner.setup()
    try:
        await _listen(runner, port)
        yield f"http://{HOST}:{runner.addresses[0][1]}{PATH}"
    finally:
        await runner.cleanup()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit status, which is 2 for invalid arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m dragoman.testing.agent_server",
        description="Serves an agent function over HTTP. Prints its address and serves until "
        "interrupted.",
    )
    parser.add_argument("function", metavar="MODULE:ATTRIBUTE", help="the function that answers")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 is any free [0]")
    given = parser.parse_args(arguments)
    try:
        asyncio.run(_serve(given.function, given.port))
    except DragomanError as error:
        _tell(str(error))
        return 2
    return 0


async def _serve(spec: str, port: int) -> None:
    target, _ = import_attribute(spec)
    if not callable(target) or isinstance(target, type):
        raise UsageError(f"{spec}: not a function of (messages, tools)")
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serve_agent(spec, cast("AgentFunction", target), port) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        await stopped.wait()


async def _listen(runner: web.AppRunner, port: int) -> None:
    try:
        await web.TCPSite(runner, HOST, port).start()
    except (OSError, OverflowError) as error:
        reason = os.strerror(error.errno or 0) if isinstance(error, OSError) else "no such port"
        raise UsageError(f"port {port}: {reason}: choose another, or 0") from error


@web.middleware
async def _refuse_web_pages(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that a web page could send from a browser.

    They are recognized by their origin, form or host name.
    """
    if _hostname(f"http://{request.host}") not in LOOPBACK:
        return _failure(403, "asked for by a name that is not of this machine")
    if request.headers.get("Origin", f"http://{request.host}") != f"http://{request.host}":
        return _failure(403, "asked by a web page of another origin")
    if request.content_type != JSON:
        return _failure(415, f"a request is sent as {JSON}")
    return await handler(request)


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


async def _answer(agent: FunctionModel, request: web.Request) -> web.Response:
    try:
        asked = decode_request(await request.read())
    except DataError as error:
        return _failure(400, str(error))
    messages = [dict(message) for message in asked.messages]
    position = len(messages)
    try:
        given = await agent.call(messages, offered_tools(asked))
    except ParticipantError as error:
        return _failure(500, str(error))
    answer = parse_agent_reply(given, position)
    if isinstance(answer.reply, UnparsedReply):
        _tell(f"{agent.name} gave no answer: {answer.reply.error}")
    body = encode_answer(answer)
    if len(body) > MOST_ANSWER_BYTES:
        return _failure(500, f"{agent.name} answered with {len(body):,} bytes")
    return web.Response(body=body, content_type=JSON)


def _failure(status: int, reason: str) -> web.Response:
    body = msgspec.json.encode({"error": _line(reason)})
    return web.Response(status=status, body=body, content_type=JSON)


def _tell(reason: str) -> None:
    sys.stderr.write(f"dragoman.testing.agent_server: {_line(reason)}\n")


def _line(text: str) -> str:
    return escape_controls(" ".join(text.split()))[:MOST_SHOWN]


if __name__ == "__main__":
    sys.exit(main())
