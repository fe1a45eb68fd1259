"""What was inferred of users in mid-conversation, as the report and a terminal show it."""

from collections.abc import Iterator, Mapping

import msgspec

from dragoman.conditions.persona.profile_inference import PURPOSE
from dragoman.core.episodes import Episode, Event, Move
from dragoman.core.personas import UserContext
from dragoman.core.speech import Said
from dragoman.core.usage import Usage, total_usage
from dragoman.report import wording


class Inferred(msgspec.Struct, frozen=True):
    """One answer about a user.

    Attributes:
        at: Before which event it was given.
        after: After which message of the user, in words.
        model: Who was asked.
        fields: What was inferred, by name; `N/A` where the conversation shows nothing.
        failure: Why the answer cannot be used; empty where it can.
        answer: The answer, as far as it is kept.
    """

    at: int
    after: str
    model: str
    fields: tuple[tuple[str, str], ...]
    failure: str
    answer: str


def inferred(episode: Episode) -> tuple[Inferred, ...]:
    """Return every answer about the user of a conversation, in their order."""
    return tuple(_inferred(entry, episode.events) for entry in episode.contexts)


def cost_of_inferring(episode: Episode) -> str:
    """Return what asking about the user took, by model; empty where nobody was asked."""
    asked = total_usage(usage for usage in episode.usage if usage.purpose == PURPOSE)
    return "; ".join(map(_taken, asked))


def _inferred(entry: UserContext, events: tuple[Event, ...]) -> Inferred:
    said = sum(
        isinstance(event, Move) and event.by == "user" and isinstance(event.reply, Said)
        for event in events[: entry.at]
    )
    after = f"after {wording.counted(said, 'message')} of the user"
    fields = tuple(_fields(entry.about))
    return Inferred(entry.at, after, entry.model, fields, entry.failure, entry.answer)


def _fields(about: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in about.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        yield name.replace("_", " "), text


def _taken(usage: Usage) -> str:
    tokens = f"{wording.tokens(usage.input_tokens)} in, {wording.tokens(usage.output_tokens)} out"
    calls = f"{wording.calls(usage)} {'call' if usage.calls == 1 else 'calls'}"
    return f"{usage.model}, {calls}, tokens {tokens}"
