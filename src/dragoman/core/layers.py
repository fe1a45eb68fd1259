"""Layers: what one part of a condition changes in a conversation.

A layer implements the axes of a condition that are its own. It is built once per condition and
shared by its conversations; the state of one conversation lies in the objects that it opens for it.
Layers compose in one order, and none knows another.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from dragoman.core.audio import AudioStore
from dragoman.core.episodes import Episode
from dragoman.core.language.localized_values import LocalizedValues
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.lazy_names import old_names
from dragoman.core.personas import UserBehavior, UserContext, UserProfile
from dragoman.core.protocols import (
    Channel,
    ChatModel,
    ConversationProgress,
    Participant,
    SessionReply,
    Suite,
    ToolView,
    TurnProtocol,
)
from dragoman.core.renamed_members import RenamedFields
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, Toolset
from dragoman.core.usage import Usage


class ConversationContext(msgspec.Struct, frozen=True):
    """What tells one conversation from others.

    Attributes:
        task: Its task, as participants see it.
        key: The same for all that are to be given the same audio: task, trial and the run's seed,
            but neither agent nor recognizer.
        draw: The same in every attempt at one draw of the cell, and in no other.
        agent: Who plays the agent.
        sounds: Where audio is kept.
        model: The chat model that the agent is; None where it is none, or none that is known.
    """

    task: Task
    key: str
    draw: str
    agent: Participant
    sounds: AudioStore
    model: ChatModel | None = None


class InstructionSource(Protocol):
    """Further instructions for a session in one conversation, in addition to its policy.

    They may change between replies.
    """

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:
        """Return what a side is told before its next reply; "" for nothing.

        Raises:
            ParticipantError: Where what is asked for it broke.
        """
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what finding that out consumed since this was last asked."""
        ...


class Layer(RenamedFields, frozen=True):
    """One part of a condition made real; None leaves a surface as it is.

    Attributes:
        name: The layer's name, that of its axes' layer.
        identity: The content key of everything in it that can change a result.
        record: What a run keeps of it, for people.
        task: Returns a task as this side of the world tells it: to judges and participants.
        plan: Returns a task's reference plan as participants see it, beyond `task`.
        wording: Returns how what a conversation is judged by is written.
        phrases: What participants that need no model say and understand.
        user_behavior: How a user that needs no model plays its part.
        policy: Returns the text that the agent must follow.
        instruction_source: Opens what sessions of one conversation are told.
        view: Returns how a side sees tools, around how layers before see them.
        channel: Opens the channel of the words that a side says; they go through those of layers
            before first.
        turn_protocol: Wraps who speaks when.
        is_timed: Whether somebody speaks, so that how long the agent's replies took is kept.
        may_ask: Whether the agent's questions about how something is written may be answered within
            a turn.
        after: Returns a finished conversation with what goes with it.
        of_task: Returns the layer of one task, where its surfaces differ from task to task; name,
            identity and record stay those of the layer itself.
    """

    name: str
    identity: str
    record: Mapping[str, object] = {}
    task: Callable[[Task], Task] | None = None
    plan: Callable[[Task], Task] | None = None
    wording: Callable[[Task, LocalizedValues], LocalizedValues] | None = None
    phrases: Phrasebook | None = None
    user_behavior: UserBehavior | None = None
    policy: Callable[[str], str] | None = None
    instruction_source: Callable[[ConversationContext], InstructionSource] | None = None
    view: Callable[[Role, ToolView], ToolView] | None = None
    channel: Callable[[ConversationContext, Role], Channel | None] | None = None
    turn_protocol: Callable[[TurnProtocol], TurnProtocol] | None = None
    is_timed: bool = False
    may_ask: bool = False
    after: Callable[[ConversationContext, Episode], Episode] | None = None
    of_task: "Callable[[Task], Layer] | None" = None


MakeLayer = Callable[[str, Suite], Layer]
"""A function that makes a layer for one value of an axis for a suite.

It raises UsageError for an unknown value.
"""


@runtime_checkable
class RetriesReplies(Protocol):
    """What a session has besides, where it can be asked once more."""

    async def reply_again(self, tools: Toolset) -> SessionReply:
        """Return another reply to what was heard, as if the last one had not been given."""
        ...


@runtime_checkable
class AcceptsInstructionUpdates(Protocol):
    """What a session has besides, where it heeds what it is told in mid-conversation."""

    def update_instructions(self, instructions: str) -> None:
        """Take what is told from the next reply on, in place of what was told before."""
        ...


@runtime_checkable
class ProvidesUserProfile(Protocol):
    """What a briefing has besides, where it tells agents who their user is."""

    def user_profile(self) -> UserProfile:
        """Return, as data, what the agent is told of its user now; empty for nothing."""
        ...

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return what was inferred since this was last asked, with what failed."""
        ...


@runtime_checkable
class AcceptsUserProfile(Protocol):
    """What a session has besides, where it heeds who its user is as data."""

    def set_user_profile(self, user: UserProfile) -> None:
        """Take what is known of the user from the next reply on."""
        ...


class StaticInstructions:
    """A briefing that never changes and costs nothing."""

    def __init__(self, texts: Mapping[Role, str]) -> None:
        self._texts = texts

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:  # noqa: ARG002
        """Return the side's text."""
        return self._texts.get(side, "")

    def take_usage(self) -> tuple[Usage, ...]:
        """Return nothing."""
        return ()


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
