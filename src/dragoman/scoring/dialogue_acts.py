"""Dialogue act detection by phrases: requests for information, requests for a yes, yes and no.

The phrasebook of the user's language decides, together with the phrases of `asking_phrases.toml`;
`user_phrases.toml` has the English phrases of users and agents.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.core.language.phrasebook import Phrasebook

APOSTROPHE = "\u2019"
"""The typographic apostrophe, which texts may have instead of the ASCII apostrophe."""

_GAP = "\0"
_ESCAPED = re.compile(r"\\.|\[[^\]]*\]")
_BRACKETS = re.compile(r"\([^()]*\)")
_HOW_OFTEN = re.compile(r".[?*{]|[.^$+]")
_PLAIN = re.compile(r"[a-z' <>/:-]+")


def match_phrase(kind: str, text: str) -> str:
    """Return what a kind of phrase matches in a text; "" if it matches nothing."""
    straight = text.replace(APOSTROPHE, "'")
    phrases = _phrases()[kind]
    # Hardly any text holds one, and in small ASCII letters that is soon told.
    if straight.isascii():
        small = straight.lower()
        for word, search in phrases.one_by_one:
            if word in small and search(small):
                break
        else:
            return ""
    match = phrases.in_any_case.search(straight)
    return match.group() if match else ""


class _Phrases(msgspec.Struct, frozen=True):
    """Phrases of one kind.

    `in_any_case` matches all of them at once. `one_by_one` has the required text of each phrase
    and a function that finds candidates.
    """

    in_any_case: re.Pattern[str]
    one_by_one: tuple[tuple[str, Callable[[str], object]], ...]


@cache
def _phrases() -> dict[str, _Phrases]:
    text = (files("dragoman.scoring") / "user_phrases.toml").read_text("utf-8")
    return {
        kind: _Phrases(
            re.compile("|".join(patterns), re.IGNORECASE),
            # Without the boundary of a word, the engine skips everything that a phrase cannot begin
            # with.
            tuple(
                (required_literal(each), re.compile(each.removeprefix(r"\b")).search)
                for each in patterns
            ),
        )
        for kind, patterns in tomllib.loads(text).items()
    }


def required_literal(pattern: str) -> str:
    """Return the longest literal in every match of a pattern; "" if it is not clear.

    Text in brackets, or before a quantifier, may be missing from a match.
    """
    left, outside = "", _ESCAPED.sub(_GAP, pattern)
    while left != outside:
        left, outside = outside, _BRACKETS.sub(_GAP, outside)
    return max(_PLAIN.findall(_HOW_OFTEN.sub(_GAP, outside)), key=len, default="")


_OPENING_WORDS, _OPENING_SIGNS = 1, 8
"""Largest numbers of words and signs before a no at the beginning of an answer.

Examples are "Oh no" and "Sorry, no".
"""


def requests_information(text: str, phrases: Phrasebook) -> bool:
    """Return whether words ask for information or for a spelling.

    A mere yes and further wishes do not count.
    """
    return any(_requests_information(each, phrases) for each in _sentences(text, phrases))


def requests_confirmation(text: str, phrases: Phrasebook) -> bool:
    """Return whether words want a yes before something is done."""
    return _consent(text, phrases) is not None


def is_agreement(text: str, phrases: Phrasebook) -> bool:
    """Return whether words say yes, and neither no nor something else than was asked."""
    if (
        phrases.hears.agreed.search(text) is None
        and _search_phrase("agreed", text, phrases) is None
    ):
        return False
    return not is_refusal(text, phrases) and _search_phrase("changed", text, phrases) is None


def is_refusal(text: str, phrases: Phrasebook) -> bool:
    """Return whether words say no to something."""
    return _refusal(text, phrases) is not None


def is_counter_question(text: str, phrases: Phrasebook) -> bool:
    """Return whether words ask something and neither agree nor refuse."""
    is_decided = is_agreement(text, phrases) or is_refusal(text, phrases)
    return phrases.hears.question.search(text) is not None and not is_decided


def is_closing_question(text: str, phrases: Phrasebook) -> bool:
    """Return whether all that words want is to know of further wishes."""
    wanting = [each for each in _sentences(text, phrases) if phrases.hears.request.search(each)]
    return bool(wanting) and all(_asks_wishes(each, phrases) for each in wanting)


def begins_with_no(text: str, phrases: Phrasebook) -> bool:
    """Return whether a text says no before it says anything else."""
    refused = _refusal(text, phrases)
    if refused is None:
        return False
    before = text[: refused.start()]
    return len(before.split()) <= _OPENING_WORDS and len(before) <= _OPENING_SIGNS


def is_insistence(text: str, phrases: Phrasebook) -> bool:
    """Return whether words say what was said or meant before."""
    return _search_phrase("insists", text, phrases) is not None


def insisted_value(text: str, phrases: Phrasebook) -> str:
    """Return what words say behind "I meant" or the like, to the end of the sentence."""
    found = _search_phrase("insists", text, phrases)
    return "" if found is None else re.split(r"[.!?;\n]", text[found.end() :])[0]


def _sentences(text: str, phrases: Phrasebook) -> Iterator[str]:
    return (each for each in phrases.writing.sentence_break.split(text) if each and each.strip())


def _requests_information(sentence: str, phrases: Phrasebook) -> bool:
    hears = phrases.hears
    if hears.spell.search(sentence) or _search_phrase("told", sentence, phrases):
        return True
    if not hears.request.search(sentence) or _asks_wishes(sentence, phrases):
        return False
    if _search_phrase("waits", sentence, phrases) and not hears.question.search(sentence):
        return False
    leave = _consent(sentence, phrases)
    if leave is None:
        return True
    # "Which one would you like?" asks for information, "Shall I say what it costs?" for a yes.
    asked = hears.open_question.search(sentence)
    return asked is not None and asked.start() < leave.start()


def _asks_wishes(sentence: str, phrases: Phrasebook) -> bool:
    is_closing = phrases.hears.closing.search(sentence) is not None
    return is_closing or _search_phrase("wishes", sentence, phrases) is not None


def _consent(text: str, phrases: Phrasebook) -> re.Match[str] | None:
    return phrases.hears.consent.search(text) or _search_phrase("consent", text, phrases)


def _refusal(text: str, phrases: Phrasebook) -> re.Match[str] | None:
    harmless = _pattern("harmless", phrases)
    if harmless is not None:
        text = harmless.sub(_blank, text)
    return phrases.hears.refused.search(text) or _search_phrase("refused", text, phrases)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _search_phrase(kind: str, text: str, phrases: Phrasebook) -> re.Match[str] | None:
    pattern = _pattern(kind, phrases)
    return None if pattern is None else pattern.search(text.replace(APOSTROPHE, "'"))


def _pattern(kind: str, phrases: Phrasebook) -> re.Pattern[str] | None:
    return _patterns().get(phrases.name.partition("@")[0], {}).get(kind)


@cache
def _patterns() -> dict[str, dict[str, re.Pattern[str]]]:
    content = (files("dragoman.scoring") / "asking_phrases.toml").read_text("utf-8")
    return {
        language: {
            kind: re.compile("|".join(patterns), re.IGNORECASE) for kind, patterns in kinds.items()
        }
        for language, kinds in tomllib.loads(content).items()
    }
