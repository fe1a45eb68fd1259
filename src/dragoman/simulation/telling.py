"""How a user that needs no model tells its facts: at once and as they are, or as its persona does.

Everything that is drawn follows from the opening's key and the fact or reply alone: whoever asks meets
the same user. Nothing is lost for good. A fact that was put off is told when it is asked for again, and
a value that was told wrongly is put right unasked in the next message.
"""

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.core.keys import derive_seed
from dragoman.core.personas import Manner
from dragoman.core.tasks import Fact

_RANGE = 2**31


class FactsAnswered(msgspec.Struct, frozen=True):
    """What comes of a question for facts: those that are told, and what is said in place of others."""

    facts: tuple[Fact, ...]
    instead: str


class Telling:
    """What one conversation's user has told, and how it tells the rest.

    Args:
        manner: How it plays its part.
        key: The same for all conversations with this user.
    """

    def __init__(self, manner: Manner, key: str) -> None:
        self._habits = manner.habits
        self._sayings = manner.sayings
        self._key = key
        self._put_off: set[str] = set()
        self._told: dict[str, Fact] = {}
        self._slipped: dict[str, Fact] = {}
        self._replies = 0

    @property
    def slip(self) -> str:
        """What is said before a fact that was told wrongly is put right, with the slot `facts`."""
        return self._sayings.slip

    @property
    def repeat(self) -> str:
        """What is said where a fact is told once more, with the slot `facts`."""
        return self._sayings.repeat

    @property
    def is_terse(self) -> bool:
        """Whether values are told without what they are."""
        return self._habits.terse

    def opening(self) -> str:
        """Return what is said before the first words; "" for nothing."""
        return self._chosen(self._sayings.openings, "opening")

    def volunteered(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        """Return the facts that are told before anybody asks."""
        return facts if self._habits.volunteers else ()

    def answer(self, asked: Sequence[Fact]) -> FactsAnswered:
        """Return what comes of a question for facts."""
        facts, instead = [], ""
        for fact in asked:
            said = self._put_off_with(fact)
            if said:
                instead = instead or said
            else:
                facts.append(fact)
        return FactsAnswered(tuple(facts[: self._habits.at_once or None]), instead)

    def first_value(self, fact: Fact, others: Iterable[Fact]) -> str:
        """Return the value that is told: another one the first time, where the user misreads it."""
        is_first = fact.name not in self._told
        self._told[fact.name] = fact
        if is_first and self._draws(self._habits.slips, "slip", fact.name):
            wrong = misread(fact.value)
            if wrong not in {fact.value, *(other.value for other in others)}:
                self._slipped[fact.name] = fact
                return wrong
        return fact.value

    def put_right(self, facts: Iterable[Fact]) -> None:
        """Note that these facts are told as they are."""
        for fact in facts:
            self._told[fact.name] = fact
            self._slipped.pop(fact.name, None)

    def to_put_right(self) -> tuple[Fact, ...]:
        """Return the facts that were told wrongly and are not put right yet."""
        return tuple(self._slipped.values())

    def to_repeat(self) -> tuple[Fact, ...]:
        """Return what is told once more with this reply."""
        told = [fact for fact in self._told.values() if fact.name not in self._slipped]
        is_due = told and self._draws(self._habits.repeats, "repeat", str(self._replies))
        return (told[-1],) if is_due else ()

    def aside(self) -> str:
        """Return what is said beside the matter with this reply; "" for nothing."""
        self._replies += 1
        number = str(self._replies)
        if not self._draws(self._habits.asides, "aside", number):
            return ""
        return self._chosen(self._sayings.asides, f"aside-{number}")

    def _put_off_with(self, fact: Fact) -> str:
        """Return what is said in the place of a fact that is first asked for; "" where it is told."""
        if fact.name in self._put_off or fact.name in self._told:
            return ""
        self._put_off.add(fact.name)
        if self._draws(self._habits.vague, "vague", fact.name):
            return self._chosen(self._sayings.vague, f"vague-{fact.name}")
        if self._draws(self._habits.asks_back, "asks back", fact.name):
            return self._chosen(self._sayings.asks_back, f"asks-back-{fact.name}")
        return ""

    def _draws(self, share: float, what: str, which: str) -> bool:
        return share > 0 and derive_seed(self._key, f"{what} {which}") / _RANGE < share

    def _chosen(self, sayings: Sequence[str], purpose: str) -> str:
        return sayings[derive_seed(self._key, purpose) % len(sayings)] if sayings else ""


def misread(value: str) -> str:
    """Return a value with two digits that stand side by side exchanged, or its last digit another one.

    A value without digits stays as it is: names are not misread.
    """
    for at in range(len(value) - 1, 0, -1):
        one, other = value[at - 1], value[at]
        if one.isdigit() and other.isdigit() and one != other:
            return f"{value[: at - 1]}{other}{one}{value[at + 1 :]}"
    for at in range(len(value) - 1, -1, -1):
        if value[at].isdecimal():
            return f"{value[:at]}{(int(value[at]) + 1) % 10}{value[at + 1 :]}"
    return value
