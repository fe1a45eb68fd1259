"""Clarification questions: requests, verdicts and records.

An agent that works from a transcript may ask how a name is spelled before it acts. A judge decides
whether the simulated user answers; each decision is stored with its conversation.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Literal, Protocol, get_args

import msgspec

from dragoman.core.usage import Usage

DECISIONS = "clarifications-2"
"""The version of every decision in `docs/reference/personas.md`: another one makes other cells."""

Whitelist = Mapping[str, str]
"""The values that may be confirmed of one message: topics with their exact values."""

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
"""Reason why a message was answered or not.

`spent`: past the cap. `nothing to clarify`: the whitelist is empty. `no question`: nothing is asked
to be confirmed. `no topic` and `ambiguous`: the subject of the question is unclear. `outside`: the
whitelist does not have it. `unproven`: rules cannot decide. `judge`: a model says no. `unreadable`,
`leak` and `reply outside`: rejections whatever the model said.
"""

REJECTIONS: tuple[str, ...] = tuple(reason for reason in get_args(Reason) if reason != "allowed")
"""The reasons of decisions against an answer."""

MAX_VALUE = 100
"""Longest value that can be confirmed, in characters; longer ones are whole messages."""


class ClarificationRequest(msgspec.Struct, frozen=True):
    """A request to a judge of clarifications.

    Attributes:
        intended: The user's last words, as intended.
        heard: The same words as they reached the agent.
        message: The agent's words.
        allowed: The values that may be confirmed.
        label: The task's id.
        draw: The draw of the trial; it keeps cached answers apart from those of other trials.
    """

    intended: str
    heard: str
    message: str
    allowed: Whitelist
    label: str = ""
    draw: str = ""


class ClarificationVerdict(msgspec.Struct, frozen=True):
    """A judge's decision: the user's `reply` if the reason is `allowed`.

    `answer` is the text of a judging model, as far as it is kept.
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
        at: The position of the agent's words among the events; the reply to an allowed question
            follows it.
        reason: The reason why the question was answered or not.
        judge: The judge, with a version.
        reply: The user's answer.
        answer: The text of a judging model, as far as it is kept.
        version: The version of the rules for decisions.
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
    """Judge that decides whether the simulated user may answer an agent's question."""

    @property
    def name(self) -> str:
        """The judge's name and version."""
        ...

    async def decide(self, request: ClarificationRequest) -> ClarificationVerdict:
        """Return the decision; a model's unusable answer is a rejection.

        Raises:
            ParticipantError: If the model could not be asked.
        """
        ...


Decide = Callable[[str], Awaitable[ClarificationVerdict]]
"""A function that asks a judge about the last statement.

Its argument keeps cached answers apart from those of other trials.
"""


def whitelist(arguments: Iterable[Mapping[str, object]], said: str) -> dict[str, str]:
    """Return the arguments of planned calls that a message states, by parameter name.

    Args:
        arguments: The arguments of the calls that the message leads to.
        said: The message as intended.
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

    A second value of one parameter is `NAME_2`, and so on. A value is listed once per parameter. A
    value that is too long to be confirmed is omitted.
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
