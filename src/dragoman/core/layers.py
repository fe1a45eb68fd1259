"""Layers: what one part of a condition changes in a conversation.

A layer implements its own axes of a condition. It is built once per condition and shared by its
conversations; the state of one conversation lies in the objects that the layer opens for it. Layers
compose in one order, and none knows another.
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
    """Identity and resources of one conversation.

    Attributes:
        task: Its task, as participants see it.
        key: A key that is equal for all conversations with the same audio: it covers the task, the
            trial and the run's seed, but neither agent nor recognizer.
        draw: A key that is the same in every attempt at one draw of the cell, and in no other.
        agent: The participant that plays the agent.
        sounds: The audio store.
        model: The agent's chat model; None if it has none, or the model is unknown.
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
        """Return a side's instructions before its next reply; "" for none.

        Raises:
            ParticipantError: If a model that is asked for them broke.
        """
        ...

    def take_usage(self) -> tuple[Usage, ...]:
        """Return the usage of making instructions since the last call of this method."""
        ...


class Layer(RenamedFields, frozen=True):
    """The implementation of one part of a condition; None leaves a surface unchanged.

    Attributes:
        name: The layer's name, that of its axes' layer.
        identity: The content key of everything in it that can change a result.
        record: The stored description of the layer, for people.
        task: A function that returns a task in this layer's surface, for judges and participants.
        plan: A function that returns a task's reference plan as participants see it, beyond `task`.
        wording: A function that returns the wording of the values by which a conversation is
            judged.
        phrases: The phrases of participants without a model.
        user_behavior: The behavior of a user without a model.
        policy: A function that returns the text that the agent must follow.
        instruction_source: A function that opens the instruction source of one conversation.
        view: A function that returns a side's tool view, around the view of the layers before.
        channel: A function that opens the channel for a side's words; they go through the channels
            of the layers before it first.
        turn_protocol: A function that wraps the turn protocol.
        is_timed: Whether somebody speaks, so that the latency of the agent's replies is kept.
        may_ask: Whether the agent's questions about spelling may be answered within a turn.
        after: A function that adds this layer's data to a finished conversation.
        of_task: A function that returns the layer of one task, if its surfaces differ from task to
            task; name, identity and record stay those of the layer itself.
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
    """Optional interface of a session that can be asked once more."""

    async def reply_again(self, tools: Toolset) -> SessionReply:
        """Return another reply to the last input, as if the last one had not been given."""
        ...


@runtime_checkable
class AcceptsInstructionUpdates(Protocol):
    """Optional interface of a session that follows new instructions in mid-conversation."""

    def update_instructions(self, instructions: str) -> None:
        """Replace the instructions, from the next reply on."""
        ...


@runtime_checkable
class ProvidesUserProfile(Protocol):
    """Optional interface of an instruction source that gives agents a user profile."""

    def user_profile(self) -> UserProfile:
        """Return the user profile that the agent gets now, as data; empty for none."""
        ...

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return the inferences since the last call of this method, including failed ones."""
        ...


@runtime_checkable
class AcceptsUserProfile(Protocol):
    """Optional interface of a session that takes a user profile as data."""

    def set_user_profile(self, user: UserProfile) -> None:
        """Set the user profile, from the next reply on."""
        ...


class StaticInstructions:
    """Instruction source that never changes and costs nothing."""

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
