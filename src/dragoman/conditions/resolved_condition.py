"""Composition of the layers of one condition into channels, tool views and instructions.

Layers apply in their order. Without layers everything is plain text: the identity channel and the
identity view pass on words and tools unchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode
from dragoman.core.language.localized_values import ENGLISH_VALUES, LocalizedValues
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.layers import ConversationContext, InstructionSource, Layer, ProvidesUserProfile
from dragoman.core.personas import PLAIN_BEHAVIOR, UserBehavior, UserContext, UserProfile
from dragoman.core.protocols import Channel, ConversationProgress, ToolView, TurnProtocol
from dragoman.core.replies import Utterance
from dragoman.core.tasks import Task
from dragoman.core.tools import Role, ToolCall, ToolResult, Toolset
from dragoman.core.usage import Usage


class IdentityChannel:
    """Words arrive as they were meant."""

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance as it is."""
        return utterance

    def take_usage(self) -> tuple[Usage, ...]:
        """Return nothing: plain text costs nothing to carry."""
        return ()


class IdentityView:
    """Tools are shown, called and answered in the world's own values."""

    def show(self, tools: Toolset) -> Toolset:
        """Return the tools as they are."""
        return tools

    def canonical(self, call: ToolCall) -> ToolCall:
        """Return the call as it is."""
        return call

    def present(self, result: ToolResult, call: ToolCall) -> ToolResult:  # noqa: ARG002
        """Return the result as it is."""
        return result


SIDES: tuple[Role, ...] = ("agent", "user")
_IDENTITY_VIEWS: Mapping[Role, ToolView] = dict.fromkeys(SIDES, IdentityView())


class ResolvedCondition(NamedTuple):
    """The composed layers of one condition; without layers, everything is plain text.

    Attributes:
        condition: The condition.
        layers: Its layers, in the order in which they compose.
        views: View of the tools for each side, through all layers.
    """

    condition: Condition = PLAIN
    layers: tuple[Layer, ...] = ()
    views: Mapping[Role, ToolView] = _IDENTITY_VIEWS

    @property
    def identities(self) -> tuple[str, ...]:
        """Content keys of everything that can change a result, except the condition itself."""
        return tuple(layer.identity for layer in self.layers)

    @property
    def records(self) -> dict[str, Mapping[str, object]]:
        """Records that a run keeps, by layer."""
        return {layer.name: layer.record for layer in self.layers}

    @property
    def phrases(self) -> Phrasebook | None:
        """Phrases that participants without a model say and understand; None for English."""
        found = [layer.phrases for layer in self.layers if layer.phrases is not None]
        return found[-1] if found else None

    @property
    def user_behavior(self) -> UserBehavior:
        """Behavior of users without a model."""
        found = [layer.user_behavior for layer in self.layers if layer.user_behavior is not None]
        return found[-1] if found else PLAIN_BEHAVIOR

    @property
    def may_ask(self) -> bool:
        """Whether the agent's questions about spelling may be answered within a turn."""
        return any(layer.may_ask for layer in self.layers)

    def of(self, task: Task) -> "ResolvedCondition":
        """Return the resolved condition of a conversation on a task.

        It is the object itself if all tasks have the same condition.
        """
        if all(layer.of_task is None for layer in self.layers):
            return self
        own = (layer if layer.of_task is None else layer.of_task(task) for layer in self.layers)
        return resolve_condition(self.condition, own)

    def judged(self, task: Task) -> Task:
        """Return a task as scoring sees it: told by the layers, planned in the world's values."""
        for layer in self.layers:
            task = task if layer.task is None else layer.task(task)
        return task

    def shown(self, task: Task) -> Task:
        """Return a task as participants see it."""
        task = self.judged(task)
        for layer in self.layers:
            task = task if layer.plan is None else layer.plan(task)
        return task

    @property
    def is_timed(self) -> bool:
        """Whether how long the agent's replies took is kept."""
        return any(layer.is_timed for layer in self.layers)

    def wording(self, task: Task) -> LocalizedValues:
        """Return how what a conversation on a task is judged by is written."""
        wording = ENGLISH_VALUES
        for layer in self.layers:
            wording = wording if layer.wording is None else layer.wording(task, wording)
        return wording

    def policy(self, policy: str) -> str:
        """Return the text that the agent must follow, given the benchmark's own."""
        for layer in self.layers:
            policy = policy if layer.policy is None else layer.policy(policy)
        return policy

    def turn_protocol(self, turn_protocol: TurnProtocol) -> TurnProtocol:
        """Return who speaks when, given the benchmark's own protocol."""
        for layer in self.layers:
            turn_protocol = (
                turn_protocol if layer.turn_protocol is None else layer.turn_protocol(turn_protocol)
            )
        return turn_protocol

    def channels(self, context: ConversationContext) -> Mapping[Role, Channel]:
        """Return the channels of one conversation."""
        return {side: self._channel(context, side) for side in SIDES}

    def instruction_source(self, context: ConversationContext) -> InstructionSource | None:
        """Return the instructions for sessions of one conversation; None if no layer has any."""
        opened = [
            layer.instruction_source(context)
            for layer in self.layers
            if layer.instruction_source is not None
        ]
        return CombinedInstructions(opened) if opened else None

    def after(self, context: ConversationContext, episode: Episode) -> Episode:
        """Return a finished conversation with what goes with it."""
        for layer in self.layers:
            episode = episode if layer.after is None else layer.after(context, episode)
        return episode

    def _channel(self, context: ConversationContext, side: Role) -> Channel:
        opened = [
            layer.channel(context, side) for layer in self.layers if layer.channel is not None
        ]
        channel: Channel = IDENTITY_CHANNEL
        for each in opened:
            if each is not None:
                channel = each if channel is IDENTITY_CHANNEL else ChainedChannel(channel, each)
        return channel


IDENTITY_CHANNEL = IdentityChannel()
IDENTITY_CHANNELS: Mapping[Role, Channel] = dict.fromkeys(SIDES, IDENTITY_CHANNEL)


class ChainedChannel:
    """Two channels in sequence.

    The second channel carries the output of the first.
    """

    def __init__(self, first: Channel, second: Channel) -> None:
        self._first = first
        self._second = second

    async def carry(self, utterance: Utterance) -> Utterance:
        """Return the utterance as it was meant, with what both made of it."""
        halfway = await self._first.carry(utterance)
        if halfway.received is None:
            # An agent that receives the audio itself receives no transcript.
            return halfway
        arrived = await self._second.carry(Utterance(halfway.received))
        return msgspec.structs.replace(
            arrived,
            intended=utterance.intended,
            spoken=halfway.spoken if arrived.spoken is UNSET else arrived.spoken,
            stages=(*halfway.stages, *arrived.stages),
        )

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what both consumed since this was last asked."""
        return (*self._first.take_usage(), *self._second.take_usage())


def resolve_condition(condition: Condition, layers: Iterable[Layer]) -> ResolvedCondition:
    """Return a condition made real by its layers, in their order."""
    composed = tuple(layers)
    return ResolvedCondition(condition, composed, {side: _view(composed, side) for side in SIDES})


def _view(layers: Sequence[Layer], side: Role) -> ToolView:
    view: ToolView = IdentityView()
    for layer in layers:
        view = view if layer.view is None else layer.view(side, view)
    return view


class CombinedInstructions:
    """Instructions of several layers, one paragraph each."""

    def __init__(self, parts: Sequence[InstructionSource]) -> None:
        self._parts = parts

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:
        """Return the instructions for a side before its next reply."""
        texts = [await part.instructions(side, progress) for part in self._parts]
        return "\n\n".join(filter(None, texts))

    def user_profile(self) -> UserProfile:
        """Return the facts that the agent is told about its user now."""
        known = (
            part.user_profile() for part in self._parts if isinstance(part, ProvidesUserProfile)
        )
        return next(filter(None, known), {})

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return what was inferred of the user since this was last asked."""
        parts = (part for part in self._parts if isinstance(part, ProvidesUserProfile))
        return tuple(entry for part in parts for entry in part.take_contexts())

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what finding that out consumed since this was last asked."""
        return tuple(entry for part in self._parts for entry in part.take_usage())
