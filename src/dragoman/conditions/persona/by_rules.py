"""What rules make of the user so far, where no model is asked: the rubric's fields from signs in words.

A message is *definite* where it has a digit in it, for what customers must say exactly are numbers,
ids, dates and codes. A score is what share of ten the messages are that speak for it, and what nothing
in the words speaks of is not known. Nothing but the words that reached the agent is looked at.
"""

import re
from collections.abc import Sequence

import msgspec

from dragoman.conditions.persona.context import (
    UNKNOWN,
    KnownMessage,
    last_messages,
)
from dragoman.core.episodes import Event
from dragoman.core.keys import content_key
from dragoman.core.texts.user_signs import KINDS, finders, signs_version, word_count

RULES = "rules"
VERSION = "1"
BEST = 10
WORDS_PER_POINT = 3
"""Words of a mean message for each point of verbosity."""

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+")
_QUOTED = 60

_TOLD = {
    "hedges": "answers vaguely",
    "corrects": "puts right what it said",
    "asks_back": "asks what is meant",
    "lost": "does not know how or where",
    "frustrated": "is frustrated",
    "hurried": "is in a hurry",
    "hesitates": "hesitates",
    "repeats": "says things again",
    "mixes": "mixes in another language",
}


class SignedMessage(msgspec.Struct, frozen=True):
    """One message of the user: its words, and by kind of sign those that show it."""

    text: str
    signs: dict[str, str]

    @property
    def is_definite(self) -> bool:
        """Whether it tells something exactly."""
        return _DIGIT.search(self.text) is not None

    def has(self, *kinds: str) -> bool:
        """Whether it has a sign of one of the kinds."""
        return any(kind in self.signs for kind in kinds)


def rules_version() -> str:
    """Return the rules' name with the hash of their signs."""
    return f"{RULES}-{VERSION}@{content_key(signs_version())[:8]}"


def read_by_rules(events: Sequence[Event], languages: Sequence[str]) -> dict[str, object]:
    """Return what the last messages show of the user, in the rubric's fields and further traits.

    Args:
        events: The conversation so far.
        languages: The codes of those the user speaks, its own first; all have signs.
    """
    said = [_signed(each, languages) for each in last_messages(events) if each.side == "user"]
    trouble = ("hedges", "corrects")
    return {
        "inferred_by": RULES,
        "age": _age(said),
        "gender": _gender(said),
        "articulation_skill": _skill(said, trouble),
        "language_understanding_skill": _skill(said, ("asks_back",)),
        "technical_skill": _technical_skill(said),
        "frustration_level": _shown(said, "frustrated"),
        "persona": _persona(said),
        "reasoning": _reasoning(said),
        "verbosity": _verbosity(said, languages[0]),
        "hurry": _shown(said, "hurried"),
        "hesitation": _shown(said, "hesitates"),
        "repetition": _shown(said, "repeats"),
        "code_switching": _shown(said, "mixes"),
    }


def _signed(message: KnownMessage, languages: Sequence[str]) -> SignedMessage:
    """Return a message with its signs; another language mixed in shows beside the user's own alone."""
    signs: dict[str, str] = {}
    for language in languages:
        for kind, finder in finders(language).items():
            is_own = kind != "mixes" or language == languages[0]
            found = finder.search(message.text) if is_own and kind not in signs else None
            if found:
                signs[kind] = found.group().strip()
    return SignedMessage(message.text, signs)


def _skill(said: Sequence[SignedMessage], trouble: Sequence[str]) -> object:
    """Return the share of definite messages without trouble among these and those with trouble."""
    bad = sum(each.has(*trouble) for each in said)
    good = sum(each.is_definite and not each.has(*trouble) for each in said)
    return _share(good, good + bad)


def _technical_skill(said: Sequence[SignedMessage]) -> object:
    """Return the share of what it managed to do among that and what it did not know how to do."""
    lost = sum(each.has("lost") for each in said)
    managed = sum(each.has("managed") and not each.has("lost") for each in said)
    return _share(managed, managed + lost)


def _shown(said: Sequence[SignedMessage], kind: str) -> object:
    """Return the share of messages that show it; unknown where none does."""
    showing = sum(each.has(kind) for each in said)
    return _share(showing, len(said)) if showing else UNKNOWN


def _share(part: int, whole: int) -> object:
    return round(BEST * part / whole) if whole else UNKNOWN


def _verbosity(said: Sequence[SignedMessage], language: str) -> object:
    if not said:
        return UNKNOWN
    mean = sum(word_count(each.text, language) for each in said) / len(said)
    return min(BEST, round(mean / WORDS_PER_POINT))


def _age(said: Sequence[SignedMessage]) -> object:
    stated = next((each.signs["age"] for each in reversed(said) if each.has("age")), "")
    number = _NUMBER.search(stated)
    return int(number.group()) if number else UNKNOWN


def _gender(said: Sequence[SignedMessage]) -> str:
    stated = {kind for each in said for kind in ("woman", "man") if each.has(kind)}
    return stated.pop() if len(stated) == 1 else UNKNOWN


def _persona(said: Sequence[SignedMessage]) -> str:
    shown = [told for kind, told in _TOLD.items() if any(each.has(kind) for each in said)]
    return f"The customer {', '.join(shown)}." if shown else UNKNOWN


def _reasoning(said: Sequence[SignedMessage]) -> str:
    """Return how many messages have each sign, with the last words that showed it."""
    found = []
    for kind in KINDS:
        showing = [each.signs[kind] for each in said if each.has(kind)]
        if showing:
            found.append(f"{len(showing)} {kind} ({showing[-1][:_QUOTED]})")
    definite = sum(each.is_definite for each in said)
    counted = "; ".join((f"{definite} definite", *found))
    return f"By rules, of the last {len(said)} messages of the customer: {counted}."
