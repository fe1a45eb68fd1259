"""What a set holds, counted by category: values, how they are found again, what was spoken and heard."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from dragoman.core.usage import Usage, total_usage
from dragoman.curation.speech.audio.counting import (
    CountingRules,
    SpeechCounts,
    SpokenLine,
    speech_counts,
)
from dragoman.curation.speech.set_lines import SetLine


class CategoryCounts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The counts of one category.

    Attributes:
        messages: Its messages.
        grades: Messages by how far they were rewritten.
        values: Values that messages state.
        found: Values by how they are found again in what is said.
        lost: Values that are not found again.
        case_unheard: Values of which it is not said which letters are capitals.
        unstated: Values of expected calls that no message of their turn states.
        phenomena: How often each phenomenon stands in what was rewritten by rules.
        topics: Topics of whitelists.
        speech: How it was spoken and heard; None in a set of texts.
    """

    messages: int
    grades: dict[str, int]
    values: int
    found: dict[str, int]
    lost: int
    case_unheard: int
    unstated: int
    phenomena: dict[str, int]
    topics: int
    speech: SpeechCounts | None = None


class Card(msgspec.Struct, frozen=True):
    """What a set holds.

    Attributes:
        made: What made it.
        digest: The SHA-256 of its texts.
        categories: Counts by category.
        reasons: Why messages were not rewritten as boldly as they could have been, by task and place.
        usage: What models and services consumed.
        recorded: The content key of everything that is played; "" in a set of texts.
        sounds: How many different sounds there are.
        seconds: How long these last together.
    """

    made: dict[str, object]
    digest: str
    categories: dict[str, CategoryCounts]
    reasons: dict[str, tuple[str, ...]]
    usage: tuple[Usage, ...]
    recorded: str = ""
    sounds: int = 0
    seconds: float = 0.0


def card_of(made: dict[str, object], digest: str, lines: Sequence[SetLine]) -> Card:
    """Return the card of a set of texts."""
    categories = {
        name: _counts([line for line in lines if line.spoken.message.suite == name])
        for name in _categories(lines)
    }
    reasons = {line.spoken.message.address: line.spoken.reasons for line in lines}
    used = (usage for line in lines for usage in (*line.spoken.usage, *line.usage))
    return Card(
        made,
        digest,
        categories,
        {address: why for address, why in reasons.items() if why},
        tuple(total_usage(used)),
    )


def with_speech(
    card: Card, lines: Sequence[SpokenLine], recorded: str, rules: CountingRules
) -> Card:
    """Return a card with what was spoken and heard.

    Args:
        card: Of the set's texts.
        lines: All messages.
        recorded: The content key of everything recorded.
        rules: By which it is counted.
    """
    categories = {
        name: msgspec.structs.replace(
            counts,
            speech=speech_counts(
                [line for line in lines if line.text.spoken.message.suite == name], rules
            ),
        )
        for name, counts in card.categories.items()
    }
    sounds = {
        line.speech.audio.sha256: line.speech.audio.seconds for line in lines if line.speech.audio
    }
    used = [usage for line in lines for usage in line.speech.usage]
    used += [usage for line in lines for each in line.heard.values() for usage in each.usage]
    return msgspec.structs.replace(
        card,
        categories=categories,
        usage=tuple(total_usage((*card.usage, *used))),
        recorded=recorded,
        sounds=len(sounds),
        seconds=round(sum(sounds.values()), 3),
    )


def _categories(lines: Sequence[SetLine]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.spoken.message.suite for line in lines))


def _counts(lines: Sequence[SetLine]) -> CategoryCounts:
    spoken = [line.spoken for line in lines]
    proofs = [each for one in spoken for each in one.proof]
    return CategoryCounts(
        messages=len(lines),
        grades=_counted(one.grade for one in spoken),
        values=len(proofs),
        found=_counted(each.how for each in proofs if each.how is not None),
        lost=sum(each.how is None for each in proofs),
        case_unheard=sum(each.is_case_unheard for each in proofs),
        unstated=sum(one.message.unstated for one in spoken),
        phenomena=_counted(name for one in spoken for name in Counter(one.phenomena).elements()),
        topics=sum(len(line.whitelist.allowed) for line in lines),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
