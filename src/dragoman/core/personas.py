"""Personas of simulated users: traits, habits, speech and phrases."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

Level = Literal["low", "medium", "high"]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A part of all occasions."""


BY_TASK = "task"
"""The value of `--persona` that leaves users to their tasks: what a run without the option has."""

OF_TASK = f"{BY_TASK}:"
"""The prefix of the name of a persona that a task states.

It prevents confusion with a card of that name.
"""

_STATED = re.compile(r"\[PERSONA:([A-Za-z0-9][A-Za-z0-9_-]{0,39})\]\s*\Z")


class Traits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a persona is like, in four words.

    Attributes:
        expertise: How well it knows the domain.
        ambiguity: How unclear what it says is.
        verbosity: How much it says at a time.
        tolerance: How patiently it takes questions.
    """

    expertise: Literal["novice", "some", "expert"]
    ambiguity: Level
    verbosity: Literal["short", "medium", "long"]
    tolerance: Level


class Habits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a user without a model does; the defaults are those of nobody in particular.

    Attributes:
        volunteers: It tells all its facts in its first message.
        terse: It tells values without saying what they are.
        at_once: Facts that it tells in one answer; 0 for all that are asked for.
        vague: Of how many facts it says nothing definite when they are first asked for.
        asks_back: Of how many facts it first asks what is meant.
        slips: Of how many facts with digits it tells another value first, which it puts right in
            its next message, or when it is read back.
        repeats: In how many answers it repeats what it told before.
        asides: In how many messages it says something beside the matter.
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
    """How a persona speaks where its words are spoken by an embedded voice.

    Attributes:
        rate: Times the words per minute of the voice.
        pauses: After how many words it pauses.
        fillers: Before how many sentences it says a filler.
        accent: An accent of embedded voices; of languages without such a voice all voices speak.
    """

    rate: Annotated[float, msgspec.Meta(ge=0.5, le=2)] = 1.0
    pauses: Share = 0.0
    fillers: Share = 0.0
    accent: str = ""


class PersonaPhrases(msgspec.Struct, frozen=True):
    """What a user without a model says beside its facts, in one language."""

    vague: tuple[str, ...] = ()
    asks_back: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    slip: str = "{facts}"
    repeat: str = "{facts}"


class UserBehavior(msgspec.Struct, frozen=True):
    """How a user without a model plays its part: what it does, and the words for it."""

    habits: Habits = Habits()
    persona_phrases: PersonaPhrases = msgspec.field(default=PersonaPhrases(), name="sayings")


PLAIN_BEHAVIOR = UserBehavior()
"""That of nobody in particular."""


class Persona(msgspec.Struct, frozen=True):
    """One card in one language.

    Attributes:
        name: Its name on the axis.
        traits: What it is like.
        user: What a user that is a model is told.
        agent: What an agent is told where the card is exposed.
        user_behavior: How a user without a model follows it.
        speech: How it speaks.
        fillers: What it says before it goes on.
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

    The ids of tau2-bench's telecom end in this way, and the user's instructions already hold
    the persona's text.
    """
    found = _STATED.search(task)
    return f"{OF_TASK}{found[1].lower()}" if found else ""


class UserContext(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was inferred of a user in mid-conversation, or why nothing could be.

    Attributes:
        at: After how many events.
        model: Who was asked.
        about: What was inferred; empty where the answer cannot be used.
        failure: Why it cannot; what was inferred before holds on.
        answer: The model's answer, as far as it is kept.
    """

    at: int
    model: str
    about: dict[str, object] = {}
    failure: str = ""
    answer: str = ""


UserProfile = Mapping[str, object]
"""What an agent is told of its user, as data: the traits of a card, or what was inferred."""
