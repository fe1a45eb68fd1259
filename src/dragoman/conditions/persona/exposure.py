"""The layer of exposure: what the agent is told of its user, a card or what was inferred of it."""

import msgspec

from dragoman.conditions.persona.context import (
    LAST_MESSAGES,
    REFRESHED_AFTER,
    context_version,
    question,
    read_context,
    rubric,
    told_context,
    users_messages,
)
from dragoman.core.conditions import EXPOSURE
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.layers import Layer, Talk
from dragoman.core.personas import AboutUser, Persona, UserContext
from dragoman.core.protocols import ChatModel, ChatRequest, Progress
from dragoman.core.speech import Said
from dragoman.core.texts.carried import carried
from dragoman.core.tools import NO_TOOLS, Role
from dragoman.core.usage import Usage

PURPOSE = "user context"
MAX_ANSWER = 4_000
"""Characters of a model's answer that are kept."""


def card_layer(persona: Persona) -> Layer:
    """Return what gives the agent its user's card."""
    told = CardTold(persona)
    record = {"exposure": 1, "persona": persona.name, "told": persona.agent}
    identity = content_key("exposure-1", persona.agent, told.about_user())
    return Layer(EXPOSURE, identity, record, briefing=lambda _: told)


def context_layer(model: ChatModel | None, identity: str) -> Layer:
    """Return what tells the agent what a model infers of its user.

    Args:
        model: Who is asked; None for the agent's own model.
        identity: The content key of what can change its answers; "" for the agent's own.
    """
    version = context_version()

    def opened(talk: Talk) -> InferredUser:
        return InferredUser(talk.model if model is None else model, talk)

    key = content_key("exposure-2", version, LAST_MESSAGES, REFRESHED_AFTER, identity)
    asked = "the agent's own" if model is None else model.name
    record = {"exposure": 2, "rubric": version, "model": asked}
    return Layer(EXPOSURE, key, record, briefing=opened)


class CardTold:
    """A briefing that tells the agent its user's card from the first word on."""

    def __init__(self, persona: Persona) -> None:
        self._text = persona.agent
        self._about: dict[str, object] = {
            "exposure": 1,
            "persona": persona.name,
            **msgspec.structs.asdict(persona.traits),
            "description": persona.agent,
        }

    async def told(self, side: Role, progress: Progress) -> str:  # noqa: ARG002 - the same from the first word to the last
        """Return the card's text for the agent."""
        return self._text if side == "agent" else ""

    def about_user(self) -> AboutUser:
        """Return the card's traits."""
        return self._about

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return nothing: a card is not inferred."""
        return ()

    def take_usage(self) -> tuple[Usage, ...]:
        """Return nothing."""
        return ()


class InferredUser:
    """What a model infers of one conversation's user, and tells the agent until it is asked again."""

    def __init__(self, model: ChatModel | None, talk: Talk) -> None:
        self._model = model
        self._talk = talk
        self._seen = 0
        self._asked = 0
        self._about: dict[str, object] = {}
        self._contexts: list[UserContext] = []
        self._usage: list[Usage] = []

    async def told(self, side: Role, progress: Progress) -> str:
        """Return what the agent is told; a model is asked where enough new was said.

        Raises:
            ParticipantError: Where the model broke.
        """
        if side != "agent" or self._model is None:
            return ""
        messages = users_messages(progress.events)
        if messages - self._seen >= REFRESHED_AFTER:
            self._seen = messages
            await self._infer(self._model, progress)
        return told_context(self._about) if self._about else ""

    def about_user(self) -> AboutUser:
        """Return what was inferred last."""
        return {"exposure": 2, **self._about} if self._about else {}

    def take_contexts(self) -> tuple[UserContext, ...]:
        """Return every answer since this was last asked, with what failed."""
        contexts, self._contexts = tuple(self._contexts), []
        return contexts

    def take_usage(self) -> tuple[Usage, ...]:
        """Return what asking consumed since this was last asked."""
        usage, self._usage = tuple(self._usage), []
        return usage

    async def _infer(self, model: ChatModel, progress: Progress) -> None:
        messages = [
            {"role": "system", "content": rubric()},
            {"role": "user", "content": question(progress.events)},
        ]
        self._asked += 1
        draw = f"{self._talk.draw}-context-{self._asked}"
        request = ChatRequest(messages, NO_TOOLS, 0, self._talk.task.id, draw=draw)
        completion = await model.complete(request, PURPOSE)
        self._usage.append(completion.usage)
        answer = completion.reply.text if isinstance(completion.reply, Said) else ""
        about, failure = _read(answer)
        self._about = about or self._about
        self._contexts.append(
            UserContext(
                len(progress.events), model.name, about, failure, carried(answer[:MAX_ANSWER])
            )
        )


def _read(answer: str) -> tuple[dict[str, object], str]:
    try:
        return read_context(answer), ""
    except DataError as error:
        return {}, carried(str(error))
