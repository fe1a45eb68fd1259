"""Clarification questions: requests, verdicts and records.

An agent that works from a transcript may ask how a name is spelled before it acts. A judge decides
whether the simulated user answers; each decision is stored with its conversation.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Literal, Protocol, get_args

import msgspec

from dragoman.core.usage import Usage

DECISIONS = "clarifications-2"
"""The version of every decision in `docs/clarifications.md`: another one makes other cells."""

Whitelist = Mapping[str, str]
"""What may be confirmed of one message: topics and their values as they are really written."""

Reason = Literal[
    "allowed",
    "spent",
    "nothing to clarify",
    "no question",
    "no topic",
    "ambiguous",
    "outside",
    "unproven",
    "judge",
    "unreadable",
    "leak",
    "reply outside",
]
"""Why a message was answered or not: `spent` past the cap, `nothing to clarify` with an empty
whitelist, `no question` where nothing is asked to be confirmed, `no topic` and `ambiguous` where it
is not clear what, `outside` what the whitelist has, `unproven` where rules cannot tell, `judge`
where a model says no; the last three are rejected whatever the model said."""

REJECTIONS: tuple[str, ...] = tuple(reason for reason in get_args(Reason) if reason != "allowed")
"""The reasons of decisions against an answer."""

MAX_VALUE = 100
"""Characters of a value that can be confirmed: longer ones are messages of their own."""


class ClarificationRequest(msgspec.Struct, frozen=True):
    """What a judge is given.

    Attributes:
        intended: What the user said, as it was meant.
        heard: The same as it reached the agent.
        message: The agent's words.
        allowed: What may be confirmed.
        label: The task's id.
        draw: What keeps answers apart from those on other trials.
    """

    intended: str
    heard: str
    message: str
    allowed: Whitelist
    label: str = ""
    draw: str = ""


class ClarificationVerdict(msgspec.Struct, frozen=True):
    """A judge's decision: the user's `reply` where the reason is `allowed`.

    `answer` is what a model wrote, as far as it is kept.
    """

    reason: Reason
    reply: str = ""
    judge: str = ""
    answer: str = ""
    usage: Usage | None = None

    @property
    def is_allowed(self) -> bool:
        """Whether the user answers."""
        return self.reason == "allowed"


class Clarification(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision about the agent's words at one place of a conversation.

    Attributes:
        at: The place of the agent's words among the events; an allowed one's reply stands behind
            it.
        reason: Why it was answered or not.
        judge: Who decided, with a version.
        reply: What the user answered.
        answer: What a model wrote as the judge, as far as it is kept.
        version: Of the decisions that it was taken by.
    """

    at: int
    reason: Reason
    judge: str
    reply: str = ""
    answer: str = ""
    version: str = DECISIONS

    @property
    def is_allowed(self) -> bool:
        """Whether the user answered."""
        return self.reason == "allowed"


class ClarificationJudge(Protocol):
    """Decides whether an agent's words are a question that the simulated user may answer."""

    @property
    def name(self) -> str:
        """The judge's name and version."""
        ...

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        """Return the decision; an unusable answer of a model is a rejection.

        Raises:
            ParticipantError: Where the model could not be asked.
        """
        ...


Decide = Callable[[str], Awaitable[ClarificationVerdict]]
"""A function that asks a judge about the last statement.

Its argument keeps the answers apart from those on other trials.
"""


def whitelist(arguments: Iterable[Mapping[str, object]], said: str) -> dict[str, str]:
    """Return what a message states of the arguments of planned calls, by the parameter's name.

    Args:
        arguments: Of the calls that the message leads to.
        said: The message as it was meant.
    """
    # Every command that reads a conversation loads this module; few of them need the entities.
    from dragoman.core.texts.entities import stated_arguments

    return by_topic(
        (found.argument, found.value)
        for each in arguments
        for found in stated_arguments(each, said)
    )


def by_topic(stated: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return values by the parameters that they are for, each with a name of its own.

    A second value of one parameter is `NAME_2`, and so on; a value is listed once per parameter,
    and one that is too long to be confirmed is left out.
    """
    topics: dict[str, str] = {}
    for parameter, value in dict.fromkeys(stated):
        if len(value) <= MAX_VALUE:
            topics[_unique(parameter, topics)] = value
    return topics


def _unique(parameter: str, taken: Mapping[str, str]) -> str:
    name, number = parameter, 1
    while name in taken:
        number += 1
        name = f"{parameter}_{number}"
    return name
