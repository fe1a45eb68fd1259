"""Cues in a user's words that it is unclear, lost, frustrated or in a hurry, by language."""

import importlib.resources
import re
from collections.abc import Iterable
from functools import cache

import msgspec

from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors

FILE = "user_signs.toml"


class UserCues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's regular expressions by kind of cue; the file describes each kind."""

    letters_per_word: float
    hedges: tuple[str, ...]
    corrects: tuple[str, ...]
    asks_back: tuple[str, ...]
    lost: tuple[str, ...]
    managed: tuple[str, ...]
    frustrated: tuple[str, ...]
    hurried: tuple[str, ...]
    hesitates: tuple[str, ...]
    repeats: tuple[str, ...]
    mixes: tuple[str, ...]
    age: tuple[str, ...]
    woman: tuple[str, ...]
    man: tuple[str, ...]


KINDS = UserCues.__struct_fields__[1:]


@cache
def cues_of(language: str) -> UserCues | None:
    """Return a language's cues; None for a language without bundled cues."""
    return _load_bundled_cues().get(language)


def cue_languages() -> tuple[str, ...]:
    """Return the languages that have cues."""
    return tuple(_load_bundled_cues())


def cues_version() -> str:
    """Return the content key of all languages' cues."""
    return content_key(_load_bundled_cues())


@cache
def cue_finders(language: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of a language's cues by kind."""
    signs = cues_of(language)
    return {} if signs is None else {kind: _finder(getattr(signs, kind)) for kind in KINDS}


def word_count(text: str, language: str) -> float:
    """Return the approximate number of words in a text."""
    signs = cues_of(language)
    if signs is None or not signs.letters_per_word:
        return len(text.split())
    return len("".join(text.split())) / signs.letters_per_word


def _finder(expressions: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in expressions), re.IGNORECASE)


@cache
def _load_bundled_cues() -> dict[str, UserCues]:
    content = importlib.resources.files(__package__).joinpath(FILE).read_bytes()
    with TranslatedErrors(DataError, FILE):
        return msgspec.toml.decode(content, type=dict[str, UserCues])
