"""In which language something was said, as far as letters and English function words tell."""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from dragoman.scoring.phrases import APOSTROPHE

# Opaque to languages: addresses, ids and numbers. What stands together is looked at once, as a whole.
_OPAQUE = re.compile(r"(?<![!-~])[!-~]*[0-9@_][!-~]*")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

MIN_WORDS = 12
"""How many words a message must have before function words are counted."""

MIN_LETTERS = 20
"""How many letters must be there before their script is looked at."""

_MOSTLY = 0.5
_HARDLY = 0.1
_ENGLISH = 0.3


class LanguageFacts(msgspec.Struct, frozen=True):
    """What is known of languages: function words of English, and scripts by language tag."""

    english: frozenset[str]
    scripts: dict[str, frozenset[str]]


@cache
def language_facts() -> LanguageFacts:
    """Return the table beside this module."""
    text = (files("dragoman.scoring") / "languages.toml").read_text("utf-8")
    table = tomllib.loads(text)
    scripts = {language: frozenset(names) for language, names in table["scripts"].items()}
    return LanguageFacts(frozenset(table["english"].split()), scripts)


@lru_cache(maxsize=1_024)
def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters, without ids, addresses and numbers.

    Remembered, since several checks look at the words of one conversation.
    """
    unified = unicodedata.normalize("NFKC", text).replace(APOSTROPHE, "'").casefold()
    return tuple(_WORD.findall(_OPAQUE.sub(" ", unified)))


def is_enough(text: str) -> bool:
    """Whether a text is long enough to tell anything of its language."""
    return sum(map(len, words(text))) >= MIN_LETTERS


def foreign(text: str, language: str, known: Collection[str]) -> str:
    """Return why a text is not in a language; "" where nothing shows it.

    Three things show it, each in a text of some length: letters hardly any of which belong to the
    language's script; in an English text, hardly any English function word; in another, as many
    as English has. Words that the speaker took from what it was told (`known`) do not count in the
    first two, since names and goods are often left as they are.
    """
    facts = language_facts()
    spoken = words(text)
    share = _share(spoken, facts.english)
    if language != "en" and len(spoken) >= MIN_WORDS and share >= _ENGLISH:
        return "reads as English"
    own = [word for word in spoken if word not in known]
    letters = "".join(own)
    scripts = facts.scripts[language]
    if len(letters) >= MIN_LETTERS:
        fitting = sum(_script(letter) in scripts for letter in letters if letter.isalpha())
        if fitting < _HARDLY * sum(map(str.isalpha, letters)):
            return "is in another script"
    is_long = len(spoken) >= MIN_WORDS and len(own) >= _MOSTLY * len(spoken)
    if language == "en" and is_long and share < _HARDLY:
        return "has hardly any English function word"
    return ""


def uses_latin(language: str) -> bool:
    """Whether a language is written in Latin letters, as many others are."""
    return "LATIN" in language_facts().scripts[language]


def primary(tag: str) -> str | None:
    """Return the language of a tag (`pt` of `pt-BR`), or None where its script is not known."""
    language = tag.replace("_", "-").split("-")[0].casefold()
    return language if language in language_facts().scripts else None


def _share(spoken: Sequence[str], wanted: frozenset[str]) -> float:
    return sum(map(wanted.__contains__, spoken)) / len(spoken) if spoken else 0.0


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]
