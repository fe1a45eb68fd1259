"""Measure `clarity`: suitability of an agent's replies for speech, by rules.

The rules are about acronyms, numbers, sentences, marks and language. Each gives one finding: met,
not met with the first breach, or undecided with a reason.
"""

import re
from collections.abc import Callable, Iterator

from dragoman.core.measures import CountedItem, Rate, ScoringContext
from dragoman.core.scores import Evidence
from dragoman.scoring.language_detection import (
    foreign_reason,
    is_long_enough,
    known_primary_language,
)
from dragoman.scoring.measures.count_measure import CountMeasure, spoken_utterances
from dragoman.scoring.measures.speech_recognition import is_spoken
from dragoman.scoring.speech_accuracy import UNSPACED, earlier_normalize_for_scoring

VERSION = "dragoman-clarity-1"
"""The version of these rules; a changed rule is a new version."""

MAX_SENTENCE_WORDS = 25
"""A longer sentence is hard to follow by ear."""
MAX_CHUNK = 3
"""The most digits in a row that are read as a group; years have one more."""
MAX_CHARACTERS = 20_000
_MAX_SHOWN = 60

_ACRONYM = re.compile(
    r"(?<![\w$])(?!OK\b|AM\b|PM\b)[A-Z]{2,6}(?![\w'])|\b(?=[A-Z0-9]*\d)[A-Z]{1,6}[A-Z0-9]{3,}\b"
)
_DIGITS = re.compile(rf"(?<![\w$€£.,])(?!(?:19|20)\d\d(?!\d))\d{{{MAX_CHUNK + 1},}}(?!\d*[.,]\d)")
_MARKS = re.compile(
    r"\*\*|^\s{0,3}#{1,6}\s|^\s*(?:[-*\u2022]|\d{1,2}[.)])\s|`|https?://|\|.*\||[{}<>]",
    re.MULTILINE,
)
_SENTENCE = re.compile(r"[^.!?\n\u3002\uff01\uff1f]+")


def clarity_findings(
    reply: str, language: str, known: frozenset[str] = frozenset()
) -> tuple[Evidence, ...]:
    """Return one finding for each rule.

    Args:
        reply: The agent's reply.
        language: The tag of the language that the user speaks.
        known: Language-neutral words in small letters, such as names of people and goods.
    """
    said = reply[:MAX_CHARACTERS]
    if not said.strip():
        return tuple(Evidence(subject, None, "nothing was said") for subject in _RULES)
    if len(reply) > MAX_CHARACTERS:
        why = f"longer than {MAX_CHARACTERS} characters"
        return tuple(Evidence(subject, None, why) for subject in _RULES)
    return tuple(rule(subject, said, language, known) for subject, rule in _RULES.items())


Rule = Callable[[str, str, str, frozenset[str]], Evidence]


def _acronyms(subject: str, said: str, _language: str, _known: frozenset[str]) -> Evidence:
    return _absent(subject, said, _ACRONYM)


def _numbers(subject: str, said: str, _language: str, _known: frozenset[str]) -> Evidence:
    return _absent(subject, said, _DIGITS)


def _marks(subject: str, said: str, _language: str, _known: frozenset[str]) -> Evidence:
    return _absent(subject, said, _MARKS)


def _sentences(subject: str, said: str, language: str, _known: frozenset[str]) -> Evidence:
    if language.replace("_", "-").split("-")[0].casefold() in UNSPACED:
        return Evidence(subject, None, f"words are not counted in {language}")
    longest = max(_SENTENCE.findall(said), key=lambda one: len(one.split()), default="")
    count = len(earlier_normalize_for_scoring(longest).split())
    if count <= MAX_SENTENCE_WORDS:
        return Evidence(subject, True)
    return Evidence(subject, False, f"{count} words: {longest.strip()[:_MAX_SHOWN]}")


def _language(subject: str, said: str, language: str, known: frozenset[str]) -> Evidence:
    tag = known_primary_language(language)
    if tag is None:
        return Evidence(subject, None, f"nothing is known of {language}")
    if not is_long_enough(said):
        return Evidence(subject, None, "too short to tell its language")
    why = foreign_reason(said, tag, known)
    return Evidence(subject, not why, why)


def _absent(subject: str, said: str, breach: re.Pattern[str]) -> Evidence:
    match = breach.search(said)
    if match is None:
        return Evidence(subject, True)
    return Evidence(subject, False, match.group().strip()[:_MAX_SHOWN])


_RULES: dict[str, Rule] = {
    "acronyms_spelled": _acronyms,
    "numbers_chunked": _numbers,
    "sentences_short": _sentences,
    "no_marks": _marks,
    "language_mirrored": _language,
}


def count_clarity(case: ScoringContext) -> Iterator[CountedItem]:
    """Yield an entry for each reply of the agent: it is clear where it breaks no rule."""
    for position, utterance in spoken_utterances(case.episode, "agent"):
        findings = clarity_findings(utterance.intended, case.setting.language)
        broken = [finding for finding in findings if finding.met is False]
        yield CountedItem(
            {"replies": 1, "clear": int(not broken), **{f"not {one.subject}": 1 for one in broken}},
            position,
            why="; ".join(f"{one.subject}: {one.why}" for one in broken),
        )


CLARITY = CountMeasure(
    "clarity",
    "1",
    count_clarity,
    (Rate("clear replies", ("clear",), ("replies",)),),
    is_spoken,
)
"""The measure by the rules `dragoman-clarity-1`.

The rules ask for letters and numbers that are set apart, short sentences, no marks, and the user's
language.
"""
