"""An agent with speech recognition, for demonstrations and tests.

It combines a recognizer and the agent `literal`. `python -m dragoman.testing.speech.hearing_agent
SUITE` serves it. It is not a model: it knows the suite's reference plans, finds the task by the
offered tools and the recognized words, and fills in the recognized values. It loses whatever its
recognizer loses.
"""

import argparse
import asyncio
import base64
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from dragoman.conditions.voice.inverse_text_normalization.normalizer import written_form
from dragoman.core.audio import Audio, read_wav
from dragoman.core.errors import DragomanError, UsageError
from dragoman.core.protocols import Recognizer, SessionInput, SessionStart, Suite
from dragoman.core.replies import Reply, TextReply, ToolCallReply, text_reply
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tasks import Task
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.speech_engines import GENERIC, SpeechEngines
from dragoman.registry.suites import load_suite
from dragoman.simulation.participants.oracle import LiteralAgent
from dragoman.simulation.prompts import task_script
from dragoman.testing.agent_server import serve_agent
from dragoman.testing.chat_requests import INPUT_AUDIO

Message = Mapping[str, Any]
Tool = Mapping[str, Any]
LANGUAGE = "en"


class AudioLiteralAgent:
    """The agent `literal` with its own recognizer, as a function of messages and tools.

    Args:
        suite: The suite whose plans it knows.
        recognizer: The recognizer.
    """

    hears_audio = True

    def __init__(self, suite: Suite, recognizer: Recognizer) -> None:
        self._tasks = Tasks(suite)
        self._recognizer = recognizer
        self._heard: dict[str, Awaitable[str]] = {}

    async def __call__(self, messages: Sequence[Message], tools: Sequence[Tool]) -> object:
        """Return the next reply; all earlier replies are played again first."""
        texts = [await self._text(message) for message in messages]
        said = [
            text for message, text in zip(messages, texts, strict=True) if message["role"] == "user"
        ]
        task = self._tasks.like(_names(tools), " ".join(said[:1]))
        session = await LiteralAgent().open(SessionStart(task, "agent", seed=0))
        heard: list[SessionInput] = []
        for message, text in zip(messages, texts, strict=True):
            match message["role"]:
                case "user":
                    heard.append(text_reply(text))
                case "tool":
                    heard.append(ToolResult(str(message["tool_call_id"]), "", text, "agent"))
                case "assistant" if heard:
                    await session.reply(heard, NO_TOOLS)
                    heard = []
        return _answer((await session.reply(heard, NO_TOOLS)).reply, tools)

    async def _text(self, message: Message) -> str:
        """Return the words of a message, with the transcript of its audio."""
        content = message.get("content") or ""
        if isinstance(content, str):
            return content
        return " ".join([await self._part(part) for part in content])

    async def _part(self, part: Mapping[str, Any]) -> str:
        if part.get("type") != INPUT_AUDIO:
            return str(part.get("text", ""))
        sound = read_wav(base64.b64decode(part[INPUT_AUDIO]["data"]), INPUT_AUDIO)
        key = sound.reference().sha256
        if key not in self._heard:
            # Every request holds all earlier messages: the audio of each is recognized once.
            self._heard[key] = asyncio.ensure_future(self._listened(sound))
        return await self._heard[key]

    async def _listened(self, sound: Audio) -> str:
        words = (await self._recognizer.transcribe(sound, LANGUAGE)).text
        return written_form(words, LANGUAGE)


class Tasks:
    """The tasks of a suite, found by an agent's view."""

    def __init__(self, suite: Suite) -> None:
        factory = suite.factory(DEFAULT_RULES)
        self._reported = {
            task.id: Counter(task_script(task).casefold().split()) for task in suite.tasks
        }
        self._tools = {
            task.id: frozenset(factory(task).tools("agent").by_name) for task in suite.tasks
        }
        self._tasks = {task.id: task for task in suite.tasks}

    def like(self, tools: frozenset[str], heard: str) -> Task:
        """Return the task with these tools whose words match the transcript best.

        Raises:
            UsageError: If no task has such tools.
        """
        heard_words = Counter(heard.casefold().split())
        fitting = [name for name, own in self._tools.items() if tools <= own] or [
            name for name, own in self._tools.items() if tools & own
        ]
        if not fitting:
            raise UsageError(f"no task has tools such as {', '.join(sorted(tools)[:3])}")
        return self._tasks[max(fitting, key=lambda name: self._similarity(name, heard_words))]

    def _similarity(self, name: str, heard: Counter[str]) -> float:
        reported = self._reported[name]
        both = (reported & heard).total()
        return 2 * both / max(reported.total() + heard.total(), 1)


def _names(tools: Sequence[Tool]) -> frozenset[str]:
    return frozenset(str(tool["function"]["name"]) for tool in tools)


def _answer(reply: Reply, tools: Sequence[Tool]) -> object:
    if isinstance(reply, TextReply):
        return reply.text
    if not isinstance(reply, ToolCallReply):
        return {"content": None}
    return {"tool_calls": [_encode_sent_call(call, tools) for call in reply.calls]}


def _encode_sent_call(call: ToolCall, tools: Sequence[Tool]) -> dict[str, object]:
    """Return a call in the form of agents: positional values get the names of their parameters."""
    own = [tool["function"] for tool in tools if tool["function"]["name"] == call.name]
    parameters = own[0].get("parameters", {}).get("properties", {}) if own else {}
    named = dict(zip(parameters, call.positionals, strict=False))
    return {"id": call.id, "name": call.name, "arguments": {**named, **call.arguments}}


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; return the exit status, which is 2 for invalid arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m dragoman.testing.speech.hearing_agent",
        description="Serves the agent `literal` with an ear of its own. Prints its address and "
        "serves until interrupted. It knows the plans of the suite: no model, a demonstration.",
    )
    parser.add_argument("suite", metavar="SUITE", help="suite whose plans it knows")
    parser.add_argument(
        "--ear",
        dest="recognizer",
        default=GENERIC,
        metavar="ASR",
        help="a recognizer of `--asr` [generic]",
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 is any free [0]")
    given = parser.parse_args(arguments)
    try:
        asyncio.run(_serve(given.suite, given.recognizer, given.port))
    except DragomanError as error:
        sys.stderr.write(f"dragoman.testing.speech.hearing_agent: {error}\n")
        return 2
    return 0


async def _serve(name: str, recognizer: str, port: int) -> None:
    suite, connections = load_suite(name), ModelClients()
    engines = SpeechEngines([suite], connections)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    try:
        listener = engines.listener(recognizer, LANGUAGE)
        if listener is None or isinstance(listener, str):
            raise UsageError(
                f"--ear {recognizer} hears nothing: choose mixed, generic or PROVIDER/MODEL"
            )
        async with serve_agent("hearing literal", AudioLiteralAgent(suite, listener), port) as url:
            sys.stdout.write(f"{url}?hears=on\n")
            sys.stdout.flush()
            await stopped.wait()
    finally:
        await engines.close()
        await connections.close()


if __name__ == "__main__":
    sys.exit(main())
