"""Who makes something of the user: a model that is asked, or rules."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from dragoman.conditions.persona.by_rules import read_by_rules, rules_version
from dragoman.conditions.persona.context import question, read_context, rubric
from dragoman.core.episodes import Event
from dragoman.core.errors import DataError
from dragoman.core.protocols import ChatModel, ChatRequest
from dragoman.core.speech import Said
from dragoman.core.texts.carried import carried
from dragoman.core.tools import NO_TOOLS
from dragoman.core.usage import Usage

PURPOSE = "user context"
MAX_ANSWER = 4_000
"""Characters of a model's answer that are kept."""


class ContextReading(msgspec.Struct, frozen=True):
    """What was made of the user, or why nothing could be; what is empty is not there."""

    about: dict[str, object]
    failure: str = ""
    answer: str = ""
    usage: Usage | None = None


class ContextReader(Protocol):
    """Makes something of the user of one conversation."""

    @property
    def name(self) -> str:
        """Who that is."""
        ...

    async def read(self, events: Sequence[Event]) -> ContextReading:
        """Return what the conversation so far shows of the user.

        Raises:
            ParticipantError: Where what is asked broke.
        """
        ...


class ModelReader:
    """A model that is asked by the rubric.

    Args:
        model: Which.
        task: The task's id.
        draw: The same in every attempt at one draw of the cell.
    """

    def __init__(self, model: ChatModel, task: str, draw: str) -> None:
        self._model = model
        self._task = task
        self._draw = draw
        self._asked = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def read(self, events: Sequence[Event]) -> ContextReading:
        """Ask the model.

        Raises:
            ParticipantError: Where it broke.
        """
        messages = [
            {"role": "system", "content": rubric()},
            {"role": "user", "content": question(events)},
        ]
        self._asked += 1
        draw = f"{self._draw}-context-{self._asked}"
        request = ChatRequest(messages, NO_TOOLS, 0, self._task, draw=draw)
        completion = await self._model.complete(request, PURPOSE)
        answer = completion.reply.text if isinstance(completion.reply, Said) else ""
        about, failure = _read(answer)
        return ContextReading(about, failure, carried(answer[:MAX_ANSWER]), completion.usage)


class RulesReader:
    """Rules over the words of a user who speaks these languages, its own first."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._languages = languages

    @property
    def name(self) -> str:
        """The rules with the hash of their signs."""
        return rules_version()

    async def read(self, events: Sequence[Event]) -> ContextReading:
        """Look for the signs."""
        return ContextReading(read_by_rules(events, self._languages))


def _read(answer: str) -> tuple[dict[str, object], str]:
    try:
        return read_context(answer), ""
    except DataError as error:
        return {}, carried(str(error))
