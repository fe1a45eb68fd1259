"""Agents and users as objects: a participant opens a session for each conversation.

A function or a server needs none of this.
"""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.core.layers import (
        AcceptsInstructionUpdates,
        AcceptsUserProfile,
        RetriesReplies,
    )
    from dragoman.core.personas import UserProfile
    from dragoman.core.protocols import (
        Participant,
        Session,
        SessionInput,
        SessionReply,
        SessionStart,
    )
    from dragoman.registry.participants import ResolvedParticipant, resolve_agent

__all__ = [
    "AcceptsInstructionUpdates",
    "AcceptsUserProfile",
    "Participant",
    "ResolvedParticipant",
    "RetriesReplies",
    "Session",
    "SessionInput",
    "SessionReply",
    "SessionStart",
    "UserProfile",
    "resolve_agent",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.core.layers": (
                "AcceptsInstructionUpdates",
                "AcceptsUserProfile",
                "RetriesReplies",
            ),
            "dragoman.core.personas": ("UserProfile",),
            "dragoman.core.protocols": (
                "Participant",
                "Session",
                "SessionInput",
                "SessionReply",
                "SessionStart",
            ),
            "dragoman.registry.participants": ("ResolvedParticipant", "resolve_agent"),
        },
    )
