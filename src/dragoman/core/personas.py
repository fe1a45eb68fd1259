"""Personas of simulated users: traits, habits, speech and phrases."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

Level = Literal["low", "medium", "high"]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A share of all occasions."""


BY_TASK = "task"
"""The value of `--persona` that leaves users to their tasks, as without the option."""

OF_TASK = f"{BY_TASK}:"
"""The prefix of the name of a persona that a task states.

It prevents confusion with a card of that name.
"""

_STATED = re.compile(r"\[PERSONA:([A-Za-z0-9][A-Za-z0-9_-]{0,39})\]\s*\Z")


class Traits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The traits of a persona, in four words.

    Attributes:
        expertise: Its knowledge of the domain.
        ambiguity: The lack of clarity of its messages.
        verbosity: The length of its messages.
        tolerance: Its patience with questions.
    """

    expertise: Literal["novice", "some", "expert"]
    ambiguity: Level
    verbosity: Literal["short", "medium", "long"]
    tolerance: Level


class Habits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The habits of a user without a model; the defaults are those without a persona.

    Attributes:
        volunteers: Whether it tells all its facts in its first message.
        terse: Whether it tells values without naming them.
        at_once: Number of facts that it tells in one answer; 0 for all requested ones.
        vague: Share of facts about which it says nothing definite when first asked.
        asks_back: Share of facts about which it first asks what is meant.
        slips: Share of facts with digits for which it first tells another value. It corrects the
            value in its next message, or when the value is read back.
        repeats: Share of answers in which it repeats what it told before.
        asides: Share of messages in which it adds something unrelated.
    """

    volunteers: bool = False
    terse: bool = False
    at_once: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    vague: Share = 0.0
    asks_back: Share = 0.0
    slips: Share = 0.0
    repeats: Share = 0.0
    asides: Share = 0.0


class SpeechHabits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The way a persona speaks with an embedded voice.

    Attributes:
        rate: Factor on the words per minute of the voice.
        pauses: Share of words after which it pauses.
        fillers: Share of sentences before which it says a filler.
        accent: An accent of embedded voices; if no voice of a language has it, all its voices
            speak.
    """

    rate: Annotated[float, msgspec.Meta(ge=0.5, le=2)] = 1.0
    pauses: Share = 0.0
    fillers: Share = 0.0
    accent: str = ""


class PersonaPhrases(msgspec.Struct, frozen=True):
    """The phrases of a user without a model, in addition to its facts, in one language."""

    vague: tuple[str, ...] = ()
    asks_back: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    slip: str = "{facts}"
    repeat: str = "{facts}"


class UserBehavior(msgspec.Struct, frozen=True):
    """The behavior of a user without a model: its habits, and the phrases for them."""

    habits: Habits = Habits()
    persona_phrases: PersonaPhrases = msgspec.field(default=PersonaPhrases(), name="sayings")


PLAIN_BEHAVIOR = UserBehavior()
"""The behavior of a user without a persona."""


class Persona(msgspec.Struct, frozen=True):
    """One persona card in one language.

    Attributes:
        name: Its name on the axis.
        traits: Its traits.
        user: The instructions of a user that is a model.
        agent: The text for an agent that gets the card.
        user_behavior: The behavior of a user without a model.
        speech: Its way of speaking.
        fillers: Its filler words.
    """

    name: str
    traits: Traits
    user: str
    agent: str
    user_behavior: UserBehavior = msgspec.field(default=UserBehavior(), name="manner")
    speech: SpeechHabits = SpeechHabits()
    fillers: tuple[str, ...] = ()


def stated_persona(task: str) -> str:
    """Return the persona in a task's id (`...[PERSONA:Hard]`), as `task:hard`, or "".

    The ids of tau2-bench's telecom end in this way, and the user's instructions already hold the
    persona's text.
    """
    found = _STATED.search(task)
    return f"{OF_TASK}{found[1].lower()}" if found else ""


class UserContext(msgspec.Struct, frozen=True, omit_defaults=True):
    """An inference about a user in mid-conversation, or the reason why it failed.

    Attributes:
        at: Number of events before the inference.
        model: The model that was asked.
        about: The inferred profile; empty if the answer is unusable.
        failure: Why the answer is unusable; the earlier profile then remains.
        answer: The model's answer, as far as it is kept.
    """

    at: int
    model: str
    about: dict[str, object] = {}
    failure: str = ""
    answer: str = ""


UserProfile = Mapping[str, object]
"""Facts about its user that an agent gets as data: traits of a card, or inferences."""
