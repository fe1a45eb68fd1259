"""Is an agent's reply fit to be spoken? Rules for acronyms, numbers, sentences, marks and language.

Each rule gives one finding: met, not met with the first breach, or undecided with a reason.
"""

import re
from collections.abc import Callable

from dragoman.core.scores import Evidence
from dragoman.scoring.languages import foreign, is_enough, primary
from dragoman.scoring.speech_accuracy import UNSPACED, earlier_normalized

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
        reply: What the agent says.
        language: The tag of the language that the user speaks.
        known: Words in small letters that belong to no language, as names of people and goods.
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
    count = len(earlier_normalized(longest).split())
    if count <= MAX_SENTENCE_WORDS:
        return Evidence(subject, True)
    return Evidence(subject, False, f"{count} words: {longest.strip()[:_MAX_SHOWN]}")


def _language(subject: str, said: str, language: str, known: frozenset[str]) -> Evidence:
    tag = primary(language)
    if tag is None:
        return Evidence(subject, None, f"nothing is known of {language}")
    if not is_enough(said):
        return Evidence(subject, None, "too short to tell its language")
    why = foreign(said, tag, known)
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
