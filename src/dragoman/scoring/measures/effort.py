"""Measure `effort`: user turns, repetitions and corrections.

A message *repeats* if it says a value again that an earlier message said, in answer to words of the
agent that ask for information without naming the value, or that ask to spell it. It *corrects* if
it says no to the agent and says a value that those words lack, which was said before or read back
wrongly, or if it says a value that was said wrongly before (another sign or two, and no result has
it). A message counts once. A question for further wishes, or for a yes, does not ask for a value. A
user who says "I meant" about a thing that nobody had named yet names it for the first time, and
corrects nothing; version 2 counted it as a correction.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dragoman.core.episodes import Event
from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import CountedItem, Rate, ScoringContext, Total
from dragoman.core.scores import Unscored
from dragoman.core.texts.entities import contains_entity
from dragoman.core.tools import ToolResult
from dragoman.scoring.dialogue_acts import (
    begins_with_no,
    insisted_value,
    is_closing_question,
    is_insistence,
    is_refusal,
    requests_information,
)
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.scoring.stated_values import (
    alphanumeric,
    alphanumeric_values,
    is_misread,
    known_values,
    stated_identifiers,
    stated_values,
    value_key,
)
from dragoman.scoring.user_turns import UserTurn, is_simulated, user_turns

_WORD = re.compile(r"[^\W_]{4,40}")


class _Message(NamedTuple):
    """A message of the user with the values that it states and those that it repeats.

    `before` holds all earlier words.
    """

    turn: UserTurn
    stated: Sequence[str]
    again: Sequence[str]
    before: str


_Contradicts = Callable[[_Message, Phrasebook], bool]


def count_effort(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for the conversation and one for each message that repeats or corrects."""
    return _count(case, _contradicts)


def count_earlier_effort(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield the entries of version 2, which counts insistence as a correction."""
    return _count(case, _earlier_contradicts)


def _count(case: ScoringContext, contradicts: _Contradicts) -> Iterator[CountedItem] | Unscored:
    if case.fault:
        return Unscored(case.fault)
    if case.task.turns or not is_simulated(case.task, case.episode):
        return Unscored("no user was played: its words are the benchmark's")
    if case.phrases is None:
        return Unscored("the phrases of the user's language are not known")
    return _count_effort(case, case.phrases, contradicts)


def _count_effort(
    case: ScoringContext, phrases: Phrasebook, contradicts: _Contradicts
) -> Iterator[CountedItem]:
    turns = [turn for turn in user_turns(case.task, case.episode) if turn.text]
    known = known_values(case.task)
    language = phrases.name.partition("@")[0]
    yield CountedItem({"conversations": 1, "user turns": len(turns)})
    before = ""
    said: set[str] = set()
    misread: set[str] = set()
    for turn in turns:
        stated = stated_values(known, turn.text, language)
        again = [value for value in stated if value_key(value) in said]
        right = _put_right(stated, misread)
        if right and (real := _real(case.episode.events, misread)):
            misread -= real
            right = _put_right(stated, misread)
        if right or contradicts(_Message(turn, stated, again, before), phrases):
            yield _entry("corrections", turn, right or stated)
        elif repeated := _asked_again(turn, again, phrases):
            yield _entry("repetitions", turn, repeated)
        said |= set(map(value_key, stated))
        before = f"{before}\n{turn.text.casefold()}"
        misread -= {wrong for wrong in misread if _put_right(stated, {wrong})}
        misread |= _unknown(turn.text, known, language)


def _entry(name: str, turn: UserTurn, values: Sequence[str]) -> CountedItem:
    return CountedItem({name: 1}, turn.position, why=turn.describe(name, "; ".join(values)))


def _unknown(text: str, known: tuple[str, ...], language: str) -> set[str]:
    """Return the identifiers in a text that differ from all known values."""
    return set(map(alphanumeric, stated_identifiers(text, language))) - alphanumeric_values(known)


def _real(events: Sequence[Event], misread: set[str]) -> set[str]:
    """Return what a tool knows: a value of its own, however near it is to another."""
    results = [
        alphanumeric(each.content)
        for each in events
        if isinstance(each, ToolResult) and not each.error
    ]
    return {value for value in misread if any(value in result for result in results)}


def _put_right(stated: Sequence[str], misread: set[str]) -> list[str]:
    """Return the values that were said wrongly before."""
    return [
        value
        for value in stated
        if any(is_misread(wrong, alphanumeric(value)) for wrong in misread)
    ]


def _contradicts(message: _Message, phrases: Phrasebook) -> bool:
    """Return whether a message says no to the agent, and what the agent should have and has not."""
    does_insist = is_insistence(message.turn.text, phrases)
    if not _may_contradict(message.turn, phrases, does_insist=does_insist):
        return False
    if does_insist:
        # "Not the tea, I meant the strings", of what nobody had named, names it for the first time.
        named = set(_WORD.findall(insisted_value(message.turn.text, phrases).casefold()))
        return bool(message.again) or not named or any(word in message.before for word in named)
    return _lacks(message, phrases)


def _earlier_contradicts(message: _Message, phrases: Phrasebook) -> bool:
    does_insist = is_insistence(message.turn.text, phrases)
    if not _may_contradict(message.turn, phrases, does_insist=does_insist):
        return False
    return does_insist or _lacks(message, phrases)


def _may_contradict(turn: UserTurn, phrases: Phrasebook, *, does_insist: bool) -> bool:
    is_no = is_refusal(turn.text, phrases)
    if not turn.asked or not (does_insist or is_no) or is_closing_question(turn.asked, phrases):
        return False
    # "I do not know that" answers a question; what begins with a no contradicts it.
    return begins_with_no(turn.text, phrases) or not requests_information(turn.asked, phrases)


def _lacks(message: _Message, phrases: Phrasebook) -> bool:
    """Return whether the agent's words lack a value that was repeated or corrected.

    A value is corrected when the agent reads it back.
    """
    is_read_back = phrases.hears.read_back.search(message.turn.asked) is not None
    return any(
        not contains_entity(value, message.turn.asked)
        for value in (message.stated if is_read_back else message.again)
    )


def _asked_again(turn: UserTurn, again: Sequence[str], phrases: Phrasebook) -> list[str]:
    """Return the values that are repeated because the agent asks for a value that it lacks."""
    if not again:
        return []
    if phrases.hears.spell.search(turn.asked):
        return list(again)
    if not requests_information(turn.asked, phrases):
        return []
    return [value for value in again if not contains_entity(value, turn.asked)]


_FIGURES = (
    Total("user turns", ("user turns",)),
    Rate("user turns per task", ("user turns",), ("conversations",), reads="number"),
    Total("repetitions", ("repetitions",)),
    Total("corrections", ("corrections",)),
    Rate(
        "user effort score",
        ("repetitions", "corrections"),
        ("conversations",),
        reads="number",
    ),
)

EFFORT = CountMeasure("effort", "3", count_effort, _FIGURES)
EARLIER_EFFORT = CountMeasure("effort", "2", count_earlier_effort, _FIGURES)
"""Version 2, which counts "I meant" as a correction."""
