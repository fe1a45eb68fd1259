"""Scripted chat model for tests, demonstrations and benchmarks; it ships with the package.

A script gives each task a list of replies. The number of assistant messages in the request selects
the reply, so the model keeps no state and a resumed run gets the same answers.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import STATED_LATENCY
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.models.chat.completions import decode_completion

ANY_TASK = "*"


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tool call of a scripted reply."""

    name: str
    arguments: dict[str, object] | str


class ScriptedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scripted reply: words, calls, or both."""

    content: str | None = None
    tool_calls: tuple[ScriptedCall, ...] = ()


Script = dict[str, tuple[ScriptedReply, ...]]


class ScriptedModel:
    """Model that answers each request with the task's next scripted reply.

    The replies are real completion bodies.

    Args:
        name: The model's name in tables.
        script: Replies by task id; `*` serves tasks that have none of their own.
        greeted: Number of assistant messages before the first reply in every history (1 for an
            agent that is made to greet, 0 for a user).
    """

    def __init__(
        self, name: str, script: Mapping[str, Sequence[ScriptedReply]], greeted: int
    ) -> None:
        self.name = name
        self._greeted = greeted
        self._bodies = {
            task: [_body(reply, index) for index, reply in enumerate(replies)]
            for task, replies in script.items()
        }

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        """Return the next reply.

        The method yields to the event loop once, as a network call would.
        """
        await asyncio.sleep(0)
        bodies = self._bodies.get(request.label) or self._bodies.get(ANY_TASK)
        if bodies is None:
            raise ParticipantError(
                f"{self.name}: the script has no replies for task {request.label}"
            )
        said = [message["role"] for message in request.messages].count("assistant")
        index = said - self._greeted
        if not 0 <= index < len(bodies):
            raise ParticipantError(f"{self.name}: the script of task {request.label} is used up")
        return decode_completion(bodies[index], self.name, purpose, STATED_LATENCY)


def load_script(path: Path) -> Script:
    """Read a script file: a JSON object from task ids (or `*`) to lists of replies.

    Raises:
        UsageError: If the file cannot be read or is not a script.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Script)
    except OSError as error:
        raise UsageError(f"script {path}: {error.strerror}") from error
    except DECODING_ERRORS as error:
        raise UsageError(f"script {path}: {error}") from error


def _body(reply: ScriptedReply, index: int) -> bytes:
    calls = [
        {
            "id": f"call_{index}_{position}",
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments
                if isinstance(call.arguments, str)
                else msgspec.json.encode(call.arguments).decode(),
            },
        }
        for position, call in enumerate(reply.tool_calls)
    ]
    message = {"role": "assistant", "content": reply.content, "tool_calls": calls or None}
    return msgspec.json.encode({"choices": [{"index": 0, "message": message}]})
