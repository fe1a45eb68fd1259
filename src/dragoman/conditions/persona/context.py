"""What a model makes of the user so far: how it is asked, and how strictly its answer is read."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

import msgspec

from dragoman.core.episodes import Event, Move
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.speech import Said
from dragoman.core.texts.decoding import OutsideErrors, unfenced
from dragoman.core.tools import Role

PROMPT = "context-1.md"
LAST_MESSAGES = 16
"""Messages of both sides that a model is given."""
REFRESHED_AFTER = 3
"""New messages of the user after which it is asked again."""
MOST_TRAITS = 10
"""Fields beside those of the rubric."""
MAX_CHARS = 4_000
"""Characters of one message that a model is given."""

UNKNOWN = "N/A"

Score = Annotated[int, msgspec.Meta(ge=0, le=10)] | Literal["N/A"]
Words = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]

_MARK, _UNMARKED = re.compile(r"<(/?conversation)>", re.IGNORECASE), r"(\1)"
_TRAIT = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SIDES = {"user": "USER", "agent": "ASSISTANT"}


class KnownMessage(msgspec.Struct, frozen=True):
    """What one side said, as far as it is looked at."""

    side: Role
    text: str


class InferredContext(msgspec.Struct, frozen=True):
    """The fields of the rubric."""

    age: Annotated[int, msgspec.Meta(ge=0, le=120)] | Literal["N/A"]
    gender: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    articulation_skill: Score
    language_understanding_skill: Score
    technical_skill: Score
    frustration_level: Score
    persona: Words
    reasoning: Words


def context_version() -> str:
    """Return the rubric's name with the hash of its text."""
    return f"context-1@{content_key(rubric())[:8]}"


@cache
def rubric() -> str:
    """Return what a model is told."""
    return files(__package__).joinpath(PROMPT).read_text("utf-8").strip()


def users_messages(events: Sequence[Event]) -> int:
    """Return how many messages of the user there are."""
    return sum(
        isinstance(event, Move) and event.by == "user" and isinstance(event.reply, Said)
        for event in events
    )


def last_messages(events: Sequence[Event]) -> list[KnownMessage]:
    """Return the last messages of both sides as the agent knows them."""
    said = [
        KnownMessage(event.by, _as_known(event))
        for event in events
        if isinstance(event, Move) and isinstance(event.reply, Said)
    ]
    return said[-LAST_MESSAGES:]


def question(events: Sequence[Event]) -> str:
    """Return the last messages of a conversation between marks, with no mark in them."""
    said = (
        f"{_SIDES[each.side]}: {_MARK.sub(_UNMARKED, each.text)}" for each in last_messages(events)
    )
    return "\n".join(("<conversation>", *said, "</conversation>"))


def read_context(answer: str) -> dict[str, object]:
    """Return what an answer says of the user, every field of the rubric and further traits.

    Raises:
        DataError: Where it is no such object: what is wrong with it.
    """
    with OutsideErrors(DataError, "no context"):
        fields = msgspec.json.decode(unfenced(answer), type=dict[str, object])
        known = msgspec.convert(fields, InferredContext)
        own = set(fields).difference(InferredContext.__struct_fields__)
        traits = msgspec.convert({name: fields[name] for name in fields if name in own}, _TRAITS)
    if len(traits) > MOST_TRAITS:
        raise DataError(f"no context ({len(traits)} traits of its own, at most {MOST_TRAITS})")
    unnamed = next((name for name in traits if not _TRAIT.fullmatch(name)), None)
    if unnamed is not None:
        raise DataError(f"no context ({unnamed[:40]!r} names no trait)")
    return {**msgspec.structs.asdict(known), **traits}


def told_context(about: Mapping[str, object]) -> str:
    """Return what an agent is told of what was inferred."""
    grounded = {name: value for name, value in about.items() if value != UNKNOWN}
    return (
        "What the conversation so far lets us suppose about the customer (scores from 0 to 10):\n"
        f"{msgspec.json.format(msgspec.json.encode(grounded)).decode()}"
    )


_TRAITS = dict[str, Score]


def _as_known(event: Move) -> str:
    """Return a message as the agent knows it: the user's as it was heard."""
    if not isinstance(event.reply, Said):
        return ""
    utterance = event.reply.utterance
    text = utterance.intended if event.by == "agent" else utterance.received or ""
    return text[:MAX_CHARS]
