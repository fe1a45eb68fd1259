"""Names for arguments that were given by position: messages of a chat carry arguments by name only."""

from collections.abc import Mapping

import msgspec

from dragoman.core.episodes import Episode, Message
from dragoman.core.replies import Reply, ToolCallReply
from dragoman.core.tools import ToolCall, Toolset


def has_unnamed(episode: Episode) -> bool:
    """Whether any call of a conversation has arguments without a name."""
    return any(
        call.positionals
        for event in episode.events
        if isinstance(event, Message) and isinstance(event.reply, ToolCallReply)
        for call in event.reply.calls
    )


def with_names(reply: Reply, tools: Toolset) -> Reply:
    """Return a reply whose calls have a name for every argument: those of the tool, in its order.

    A call of a tool that is not there, or with more arguments than it has, stays as it is.
    """
    if not isinstance(reply, ToolCallReply) or not any(call.positionals for call in reply.calls):
        return reply
    names = {tool.name: _names(tool.parameters) for tool in tools}
    calls = tuple(_named(call, names.get(call.name, ())) for call in reply.calls)
    return msgspec.structs.replace(reply, calls=calls)


def _names(parameters: Mapping[str, object]) -> tuple[str, ...]:
    properties = parameters.get("properties")
    return tuple(properties) if isinstance(properties, Mapping) else ()


def _named(call: ToolCall, names: tuple[str, ...]) -> ToolCall:
    if len(call.positionals) > len(names):
        return call
    given = dict(zip(names, call.positionals, strict=False))
    return msgspec.structs.replace(call, arguments=given | call.arguments, positionals=())
