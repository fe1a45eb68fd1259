"""A conversation as the messages of an Inspect log.

The agent is the assistant; every text is what its reader got. Inspect's users call no tools: their
calls are messages of the user, and what they were answered are tool messages that say so.
"""

import msgspec
from msgspec import UNSET

from dragoman.core.episodes import Episode, Event, Message
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, Utterance
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.store.audio_files import audio_path

Json = dict[str, object]

AUDIO_ALONE = "(audio)"
"""The text of a message that reached its listener as audio alone."""


def messages_of(episode: Episode, key: str, model: str) -> list[Json]:
    """Return a conversation's messages; each says in its metadata at which event it stands.

    Args:
        episode: The conversation.
        key: Names it in its run.
        model: The agent's name.
    """
    return [
        {"id": f"{key}-{place}", **message, "metadata": {"event": place, **told}}
        for place, event in enumerate(episode.events)
        for message, told in [_message(event, model)]
    ]


def _message(event: Event, model: str) -> tuple[Json, Json]:
    """Return an event as a message, and what is told of it beside."""
    if isinstance(event, ToolResult):
        return _result(event)
    content, calls, told = _reply(event)
    called = [_call(call) for call in calls]
    if event.by == "agent":
        message: Json = {"role": "assistant", "content": content, "model": model}
        if called:
            message["tool_calls"] = called
        return {**message, "source": "generate"}, told
    if called:
        written = [f"{call.name} {msgspec.json.encode(call.arguments).decode()}" for call in calls]
        content = "\n".join([content, *written] if content else written)
        told["tool_calls"] = called
    return {"role": "user", "content": content}, told


def _reply(move: Message) -> tuple[str, tuple[ToolCall, ...], Json]:
    """Return a move's text, calls and what else is to be told of it."""
    told: Json = {"scripted": True} if move.scripted else {}
    match move.reply:
        case TextReply(utterance=utterance):
            return _received(utterance), (), {**told, **_spoken(utterance)}
        case ToolCallReply(calls=calls, text=text):
            return text or "", calls, told
        case UnparsedReply(raw=raw, error=error):
            return raw, (), {**told, "problem": error}


def _received(utterance: Utterance) -> str:
    received = utterance.received
    return AUDIO_ALONE if received is None else received


def _spoken(utterance: Utterance) -> Json:
    """Return what was meant, spoken and heard, where that is not one; and the audio's file in the run."""
    if utterance.spoken is UNSET and utterance.heard is UNSET:
        return {}
    return {
        "intended": utterance.intended,
        **({} if utterance.spoken is UNSET else {"spoken": utterance.spoken}),
        **({} if utterance.heard is UNSET else {"heard": utterance.heard}),
        **({} if utterance.audio is None else {"audio": audio_path(utterance.audio.sha256)}),
    }


def _call(call: ToolCall) -> Json:
    arguments: Json = dict(call.arguments)
    if call.positionals:
        arguments["*"] = list(call.positionals)
    made: Json = {"id": call.id, "function": call.name, "arguments": arguments, "type": "function"}
    return {**made, "parse_error": call.malformed} if call.malformed else made


def _result(result: ToolResult) -> tuple[Json, Json]:
    content = result.content if result.shown is None else result.shown
    told: Json = {"by": result.by}
    if result.shown is not None:
        told["canonical"] = result.content
    if result.executed is not None:
        told["executed"] = result.executed
    if result.changes:
        told["changes"] = msgspec.to_builtins(result.changes)
    message: Json = {
        "role": "tool",
        "content": content,
        "tool_call_id": result.call_id,
        "function": result.name,
    }
    if result.error:
        message["error"] = {"type": "unknown", "message": content}
    return message, told
