"""What translations into a language are like: how long, which numbers are words, what is repeated."""

import functools
import importlib.resources

import msgspec


class LanguageExpectations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is expected of translations from English into one language; nothing where not known.

    Attributes:
        length: The least and most characters for one of the source; None where not known.
        why_length: Where these come from.
        number_words: The words of 0, 1, 2 and so on, each with all its forms.
        scales: What multiplies the number before it, by word.
        repeated: Words that the language itself repeats.
        own_words: Words of the language that are spelled like English function words.
        overlap: The largest share of a translation's letters that may be words of the source.
    """

    length: tuple[float, float] | None = None
    why_length: str = ""
    number_words: tuple[tuple[str, ...], ...] = ()
    scales: dict[str, int] = {}
    repeated: frozenset[str] = frozenset()
    own_words: frozenset[str] = frozenset()
    overlap: float | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    function_words: frozenset[str]
    wrappers: tuple[str, ...]
    languages: dict[str, LanguageExpectations]


def expectations_of(code: str) -> LanguageExpectations:
    """Return what is expected of a language, or nothing where it is not listed."""
    return _file().languages.get(code, LanguageExpectations())


def function_words() -> frozenset[str]:
    """Return English words that no text needs that is not English."""
    return _file().function_words


def wrappers() -> tuple[str, ...]:
    """Return what answers begin with that hold more than the translation, in small letters."""
    return _file().wrappers


@functools.cache
def _file() -> _File:
    content = importlib.resources.files(__package__).joinpath("expectations.toml").read_bytes()
    return msgspec.toml.decode(content, type=_File)
