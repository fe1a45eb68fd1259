"""Measure `persona_kept`: agreement of a simulated user's behavior with its persona.

Each habit has chances and a share of them that the profile states; *stated* is that share, *shown*
the messages that show it. A user that is a model gets the profile in words and has no habits of its
own, so its behavior is compared with the same shares.
"""

from collections.abc import Iterator

import msgspec

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.measures import CountedItem, Rate, ScoringContext, Total
from dragoman.core.personas import Habits
from dragoman.core.scores import Unscored
from dragoman.core.tasks import KnownFact
from dragoman.core.texts.entities import contains_entity
from dragoman.core.texts.user_cues import cue_finders
from dragoman.scoring.measures.count_measure import CountMeasure
from dragoman.scoring.speech_accuracy import separate_latin_words
from dragoman.scoring.user_turns import UserTurn, is_simulated, user_turns

WORDS_BESIDE = 3
"""Largest number of words in addition to the values in an answer of bare values."""

_PUT_OFF = ("hedges", "asks_back", "lost")


class AnsweredTurn(msgspec.Struct, frozen=True):
    """One message of the user.

    Attributes:
        turn: It.
        asks: Whether the agent's last words want something else than a yes or a spelling.
        fresh: The facts that it is the first to tell.
        signs: The kinds of signs in it.
    """

    turn: UserTurn
    asks: bool
    fresh: tuple[KnownFact, ...]
    signs: frozenset[str]


def count_adherence(case: ScoringContext) -> Iterator[CountedItem] | Unscored:
    """Yield an entry for each habit that the card states.

    It has the chances, and the stated and shown frequency of the habit.
    """
    if case.fault:
        return Unscored(case.fault)
    if case.task.turns or not is_simulated(case.task, case.episode):
        return Unscored("no user was played: its words are the benchmark's")
    if case.habits is None or not _stated_habits(case.habits):
        return Unscored("no card that states a habit which words show")
    if case.phrases is None or not cue_finders(_language(case.phrases)):
        return Unscored("the signs of the user's language are not known")
    return _count_habits(case, case.habits, case.phrases)


def _count_habits(
    case: ScoringContext, habits: Habits, phrases: Phrasebook
) -> Iterator[CountedItem]:
    turns = tuple(_iterate_answered_turns(case, phrases))
    facts = case.task.scenario.facts
    for habit, share in _stated_habits(habits).items():
        found = tuple(_chances(habit, habits, turns, facts))
        shown = sum(found)
        if found:
            counts = {"chances": len(found), "stated": share * len(found), "shown": int(shown)}
            why = f"{habit}: shown {int(shown)} times of {len(found)}, stated {share:g}"
            yield CountedItem(
                {**counts, f"{habit} chances": len(found), f"{habit} shown": shown}, why=why
            )


def _stated_habits(habits: Habits) -> dict[str, float]:
    """Return the habits that a card states and words show, with the share of chances stated."""
    stated = {
        "volunteers": float(habits.volunteers),
        "terse": float(habits.terse),
        "few at once": float(habits.at_once > 0),
        "puts off": habits.vague + (1 - habits.vague) * habits.asks_back,
        "slips": habits.slips,
        "repeats": habits.repeats,
    }
    return {habit: share for habit, share in stated.items() if share}


def _iterate_answered_turns(case: ScoringContext, phrases: Phrasebook) -> Iterator[AnsweredTurn]:
    language = _language(phrases)
    stated: set[str] = set()
    for turn in user_turns(case.task, case.episode):
        if not turn.text:
            continue
        words = separate_latin_words(turn.text, language)
        named = [fact for fact in case.task.scenario.facts if contains_entity(fact.value, words)]
        fresh = tuple(fact for fact in named if fact.name not in stated)
        stated.update(fact.name for fact in fresh)
        signs = frozenset(
            kind for kind, finder in cue_finders(language).items() if finder.search(turn.text)
        )
        yield AnsweredTurn(turn, _wants_facts(turn.asked, phrases), fresh, signs)


def _wants_facts(asked: str, phrases: Phrasebook) -> bool:
    hears = phrases.hears
    is_other = any(
        kind.search(asked) for kind in (hears.read_back, hears.consent, hears.spell, hears.closing)
    )
    return bool(hears.request.search(asked)) and not is_other


def _chances(
    habit: str, habits: Habits, turns: tuple[AnsweredTurn, ...], facts: tuple[KnownFact, ...]
) -> Iterator[bool]:
    """Yield for each chance of a habit whether it was shown."""
    answers = [each for each in turns[1:] if each.asks]
    telling = [each for each in answers if each.fresh and "corrects" not in each.signs]
    match habit:
        case "volunteers":
            yield from (len(each.fresh) == len(facts) for each in turns[:1] if facts)
        case "terse":
            yield from map(_is_terse, telling)
        case "few at once":
            most = habits.at_once
            yield from (
                len(each.fresh) <= most
                for each in telling
                if max(_asked_for(each, facts), len(each.fresh)) > most
            )
        case "puts off":
            yield from (not each.signs.isdisjoint(_PUT_OFF) for each in answers)
        case "slips":
            yield from _slips(turns)
        case _:
            yield from ("repeats" in each.signs for each in answers)


def _asked_for(answer: AnsweredTurn, facts: tuple[KnownFact, ...]) -> int:
    """Return how many facts the agent's words ask for; all where they name none."""
    asked = answer.turn.asked
    named = sum(any(contains_entity(word, asked) for word in fact.keywords) for fact in facts)
    return named or len(facts)


def _slips(turns: tuple[AnsweredTurn, ...]) -> Iterator[bool]:
    """Yield for each disclosed fact with a digit whether it was part of a correction."""
    for each in turns:
        for fact in each.fresh:
            if any(map(str.isdigit, fact.value)):
                yield "corrects" in each.signs


def _is_terse(each: AnsweredTurn) -> bool:
    values = sum(len(fact.value.split()) for fact in each.fresh)
    return len(each.turn.text.split()) <= values + WORDS_BESIDE


def _language(phrases: Phrasebook) -> str:
    return phrases.name.partition("@")[0]


_HABITS = ("volunteers", "terse", "few at once", "puts off", "slips", "repeats")

PERSONA_ADHERENCE = CountMeasure(
    "persona_kept",
    "2",
    count_adherence,
    (
        Rate("persona shown of stated", ("shown",), ("stated",), reads="number"),
        Total("chances to show it", ("chances",)),
        *(Rate(f"{habit} shown", (f"{habit} shown",), (f"{habit} chances",)) for habit in _HABITS),
    ),
)
