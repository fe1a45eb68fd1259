"""Stored conversations: messages, replies, and how a conversation ended."""

from dragoman.core.episodes import (
    Episode,
    Event,
    Message,
    Termination,
    TerminationReason,
    executed_calls,
)
from dragoman.core.replies import (
    Reply,
    TextReply,
    ToolCallReply,
    UnparsedReply,
    Utterance,
    text_reply,
)

__all__ = [
    "Episode",
    "Event",
    "Message",
    "Reply",
    "Termination",
    "TerminationReason",
    "TextReply",
    "ToolCallReply",
    "UnparsedReply",
    "Utterance",
    "executed_calls",
    "text_reply",
]
