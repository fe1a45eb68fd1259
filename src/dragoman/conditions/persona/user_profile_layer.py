"""Layer that gives the agent a profile of its user: stated from the start, or inferred."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.conditions.persona.profile_inference import (
    LAST_MESSAGES,
    REFRESHED_AFTER,
    ModelProfileInference,
    ProfileInference,
    RuleProfileInference,
    count_user_messages,
    profile_instructions,
    rubric_version,
    rules_version,
)
from dragoman.core.conditions import EXPOSURE
from dragoman.core.content_keys import content_key
from dragoman.core.layers import ConversationContext, InstructionSource, Layer
from dragoman.core.personas import BY_TASK, Persona, UserContext, UserProfile, stated_persona
from dragoman.core.protocols import ChatModel, ConversationProgress
from dragoman.core.tools import Role
from dragoman.core.usage import Usage


def profile_layer(persona: Persona) -> Layer:
    """Return what gives the agent its user's card."""
    profile = _profile_text(persona)
    record = {"exposure": 1, "persona": persona.name, "told": persona.agent}
    identity = content_key("exposure-1", persona.agent, profile.user_profile())
    return Layer(EXPOSURE, identity, record, instruction_source=lambda _: profile)


def stated_profile_layer(nobody: Persona, heading: str, stated: Mapping[str, str]) -> Layer:
    """Return the layer that tells the agent the persona that its task states of the user.

    Args:
        nobody: The neutral persona, for tasks that state none.
        heading: Heading before a stated persona, whose text addresses the user.
        stated: The personas by task; for any other task, the persona of its scenario is used.
    """
    card = _profile_text(nobody)

    def opened(context: ConversationContext) -> InstructionSource:
        persona = stated.get(context.task.id) or context.task.scenario.persona
        name = stated_persona(context.task.id) or BY_TASK
        return _stated_text(name, f"{heading}\n{persona.strip()}") if persona else card

    record = {"exposure": 1, "persona": BY_TASK, "told": heading}
    # The persona that each task states is in the task's own digest.
    identity = content_key(
        "exposure-1-task", heading, nobody.agent, card.user_profile(), bool(stated)
    )
    return Layer(EXPOSURE, identity, record, instruction_source=opened)


def inferred_profile_layer(model: ChatModel | None, identity: str) -> Layer:
    """Return the layer that tells the agent the profile of its user that a model infers.

    Args:
        model: The model that infers the profile; None for the agent's own model.
        identity: Content key of everything that can change the model's answers; "" for the agent's
            own model.
    """
    version = rubric_version()

    def opened(context: ConversationContext) -> InferredUserProfile:
        asked = context.model if model is None else model
        return InferredUserProfile(
            None if asked is None else ModelProfileInference(asked, context.task.id, context.draw)
        )

    key = content_key("exposure-2", version, LAST_MESSAGES, REFRESHED_AFTER, identity)
    asked = "the agent's own" if model is None else model.name
    record = {"exposure": 2, "rubric": version, "model": asked}
    return Layer(EXPOSURE, key, record, instruction_source=opened)


def rule_inferred_profile_layer(languages: Sequence[str]) -> Layer:
    """Return what tells the agent what rules infer of its user.

    Args:
        languages: Codes of the languages that the user speaks, its own first; all have signs.
    """
    version = rules_version()

    def opened(_: ConversationContext) -> InferredUserProfile:
        return InferredUserProfile(RuleProfileInference(languages))

    key = content_key("exposure-2-rules", version, LAST_MESSAGES, REFRESHED_AFTER, languages)
    record = {"exposure": 2, "rules": version, "languages": list(languages)}
    return Layer(EXPOSURE, key, record, instruction_source=opened)


class StaticUserProfile:
    """Instructions that tell the agent one text about its user, from the first turn on.

    Args:
        text: Text that the agent is told.
        about: Known facts about the user, for participants that take them in fields.
    """

    def __init__(self, text: str, about: UserProfile) -> None:
        self._text = text
        self._about = about

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:  # noqa: ARG002
        """Return the text for the agent."""
        return self._text if side == "agent" else ""

    def user_profile(self) -> UserProfile:
        """Return the known facts about the user."""
        return self._about

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return nothing: nothing is inferred."""
        return ()

    def take_usage(self) -> tuple[Usage, ...]:
        """Return nothing."""
        return ()


def _profile_text(persona: Persona) -> StaticUserProfile:
    """Return what tells a card."""
    about = {
        "exposure": 1,
        "persona": persona.name,
        **msgspec.structs.asdict(persona.traits),
        "description": persona.agent,
    }
    return StaticUserProfile(persona.agent, about)


def _stated_text(name: str, text: str) -> StaticUserProfile:
    """Return what tells the persona that a task states; a task states no traits."""
    return StaticUserProfile(text, {"exposure": 1, "persona": name, "description": text})


class InferredUserProfile:
    """Inferred profile of one conversation's user.

    The agent is told it until it is inferred again.

    Args:
        reader: The inference method; None for no inference, so that the agent is told nothing.
    """

    def __init__(self, reader: ProfileInference | None) -> None:
        self._reader = reader
        self._seen = 0
        self._about: dict[str, object] = {}
        self._contexts: list[UserContext] = []
        self._usage: list[Usage] = []

    async def instructions(self, side: Role, progress: ConversationProgress) -> str:
        """Return the profile for the agent; it is inferred again after enough new messages.

        Raises:
            ParticipantError: If the model that is asked fails.
        """
        if side != "agent" or self._reader is None:
            return ""
        messages = count_user_messages(progress.events)
        if messages - self._seen >= REFRESHED_AFTER:
            self._seen = messages
            await self._infer(self._reader, progress)
        return profile_instructions(self._about) if self._about else ""

    def user_profile(self) -> UserProfile:
        """Return what was inferred last."""
        return {"exposure": 2, **self._about} if self._about else {}

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return everything that was inferred since this was last asked, with what failed."""
        contexts, self._contexts = tuple(self._contexts), []
        return contexts

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what asking consumed since this was last asked."""
        usage, self._usage = tuple(self._usage), []
        return usage

    async def _infer(self, reader: ProfileInference, progress: ConversationProgress) -> None:
        read = await reader.read(progress.events)
        if read.usage is not None:
            self._usage.append(read.usage)
        self._about = read.about or self._about
        self._contexts.append(
            UserContext(len(progress.events), reader.name, read.about, read.failure, read.answer)
        )
