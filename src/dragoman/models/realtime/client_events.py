"""What a client sends in a realtime session, in the form of the protocol's general availability."""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from dragoman.core.tools import ToolCall, Toolset
from dragoman.models.realtime.pcm import RATE_HZ

Item = Mapping[str, object]
"""One item of a conversation: a message, a call or the output of one."""

FORMAT = {"type": "audio/pcm", "rate": RATE_HZ}


class UpdateSession(msgspec.Struct, frozen=True, tag_field="type", tag="session.update"):
    """Sets what is given; what is left out stays."""

    session: Mapping[str, object]


class AppendAudio(msgspec.Struct, frozen=True, tag_field="type", tag="input_audio_buffer.append"):
    """Adds samples, in base64, to what is heard next."""

    audio: str


class CommitAudio(msgspec.Struct, frozen=True, tag_field="type", tag="input_audio_buffer.commit"):
    """Makes the samples added so far a message of the user."""


class CreateItem(msgspec.Struct, frozen=True, tag_field="type", tag="conversation.item.create"):
    """Adds an item to the conversation."""

    item: Item


class TruncateItem(msgspec.Struct, frozen=True, tag_field="type", tag="conversation.item.truncate"):
    """Takes back what nobody heard of a spoken message, from so many milliseconds on."""

    item_id: str
    audio_end_ms: int
    content_index: int = 0


class CreateResponse(msgspec.Struct, frozen=True, tag_field="type", tag="response.create"):
    """Asks for a response."""


class CancelResponse(msgspec.Struct, frozen=True, tag_field="type", tag="response.cancel"):
    """Ends the response that is under way; `event_id` is named where there is none any more."""

    event_id: str


ClientEvent = (
    UpdateSession
    | AppendAudio
    | CommitAudio
    | CreateItem
    | TruncateItem
    | CreateResponse
    | CancelResponse
)


def user_said(text: str) -> Item:
    """Return words that reach the model as text."""
    return _message("user", "input_text", text)


def model_said(text: str) -> Item:
    """Return words of the model from before the session."""
    return _message("assistant", "output_text", text)


def called(call: ToolCall) -> Item:
    """Return a call of the model from before the session."""
    arguments = call.raw or msgspec.json.encode(call.arguments).decode()
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments,
    }


def call_output(call_id: str, output: str) -> Item:
    """Return what a call returned."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


@lru_cache(maxsize=64)
def flat_tools(tools: Toolset) -> msgspec.Raw:
    """Return the tools in the protocol's form, encoded; remembered for toolsets that are shared."""
    return msgspec.Raw(
        msgspec.json.encode(
            [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                }
                for tool in tools
            ]
        )
    )


def _message(role: str, kind: str, text: str) -> Item:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
