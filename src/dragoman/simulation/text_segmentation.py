"""Text segmentation and search: by words, or by characters in scripts without spaces."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

from dragoman.core.language.phrasebook import Phrasebook

MAX_CACHED = 10_000
"""Phrases whose expressions are kept."""

HANGING = r"\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
"""Combining marks and vowels, for character sets in regular expressions.

They attach to the letter before them.
"""

_WORD = re.compile(r"\S+")
_HANGING = re.compile(f"[{HANGING}]")
_LATIN = r"\u0021-\u024f"
_LATIN_OR_ONE = re.compile(rf"[{_LATIN}]+|[^\s{_LATIN}][{HANGING}]*")
"""Pattern of Latin words with numbers and marks, or of one other character.

Latin words are matched in any text. The other character includes the marks that attach to it.
"""
_SCRIPTS_MEET = re.compile(
    r"(?<=[0-9A-Za-z])(?=[^\x00-\u024f])|(?<=[^\x00-\u024f])(?=[0-9A-Za-z#+])"
)
_SAID_APART = re.compile(r"(?<!\w)[0-9A-Za-z](?:,? [0-9A-Za-z](?!\w)){2,}")
_ID = re.compile(r"(?<![\w.@+-])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]+(?![\w.@+-])")
_SLACK = 1
"""Largest difference in length between a received id and the planned one, in signs."""


def whole_phrase_pattern(
    phrase: str, phrases: Phrasebook, endings: tuple[str, ...] = ()
) -> re.Pattern[str]:
    """Return a pattern of a phrase as whole words; without spaces, as any part of a text.

    Args:
        phrase: The phrase; letter case does not matter.
        phrases: Phrasebook; it states whether words have spaces between them.
        endings: Endings that the phrase may have.
    """
    return _whole(phrase, endings, spaced=phrases.writing.spaced)


@functools.lru_cache(maxsize=MAX_CACHED)
def _whole(phrase: str, endings: tuple[str, ...], *, spaced: bool) -> re.Pattern[str]:
    phrase = phrase.strip()
    ending = f"(?:{'|'.join(map(re.escape, endings))})?" if endings else ""
    if spaced:
        return re.compile(rf"(?<!\w){re.escape(phrase)}{ending}(?!\w)", re.IGNORECASE)
    parts = r"\s*".join(map(re.escape, phrase.split()))
    before = "(?<![0-9A-Za-z])" if _is_latin(phrase[:1]) else ""
    after = "(?![0-9A-Za-z])" if _is_latin(phrase[-1:]) else ""
    return re.compile(f"{before}{parts}{ending}{after}", re.IGNORECASE)


def candidate_spans(text: str, value: str, marks: str, phrases: Phrasebook) -> list[str]:
    """Return the parts of a text that are as long as a value.

    Args:
        text: The text.
        value: The value; the parts have as many words, or as many signs in scripts without spaces.
        marks: Signs that are stripped from words.
        phrases: Phrasebook; it states whether words have spaces between them.
    """
    if phrases.writing.spaced:
        marks += phrases.writing.further_marks
        words = [match.group().strip(marks) for match in _WORD.finditer(text)]
        size = len(value.split())
        return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
    signs = list(_signs(text, f"{marks}{phrases.writing.further_marks}"))
    size = sum(1 for _ in _signs(value, ""))
    return [
        text[signs[at][0] : signs[at + size - 1][1]] for at in range(len(signs) - size + 1) if size
    ]


def join_split_value(text: str, value: str, phrases: Phrasebook) -> list[str]:
    """Return joined words of a text, of about the length of a value that has digits.

    Ids arrive in pieces if they are said sign by sign. The result is empty if the language's ids
    are always received as one word, or if the value has no digits.
    """
    if phrases.writing.rejoined or not any(map(str.isdigit, value)):
        return []
    is_spaced = phrases.writing.spaced
    words = text.split() if is_spaced else [text[start:end] for start, end in _signs(text, "")]
    heard = list(filter(None, map(letters_and_digits, words)))
    size = len(letters_and_digits(value))
    return [
        joined
        for start in range(len(heard))
        for joined in _growing(heard[start : start + size + _SLACK], size + _SLACK)
        if len(joined) >= size - _SLACK
    ]


def join_spelled_ids(text: str, phrases: Phrasebook) -> str:
    """Return a text with joined ids, in capitals.

    Nothing changes if the language's ids are always received as one word.
    """
    if phrases.writing.rejoined:
        return text
    together = _SAID_APART.sub(lambda match: re.sub("[ ,]", "", match.group()), text)
    return _ID.sub(lambda match: match.group().upper(), together)


def letters_and_digits(value: str) -> str:
    """Return the letters and digits of a value in lower case; only these can be recognized."""
    return "".join(sign for sign in value.casefold() if sign.isalnum() or _hangs_on(sign))


def remove_spaces(value: str) -> str:
    """Return a value without spaces, whatever its case."""
    return "".join(value.casefold().split())


def sort_longest_first(words: Iterable[str]) -> list[str]:
    """Return words by falling length, and those of one length in one order in every process."""
    return sorted(words, key=lambda word: (-len(word), word))


def grapheme_clusters(text: str) -> list[str]:
    """Return the signs of a text, each with the marks that hang on it."""
    found: list[str] = []
    for sign in text:
        if found and _hangs_on(sign):
            found[-1] += sign
        else:
            found.append(sign)
    return found


def separate_latin_words(text: str, phrases: Phrasebook) -> str:
    """Return a text with spaces around its Latin words and numbers where it writes none."""
    if phrases.writing.spaced:
        return text
    return _SCRIPTS_MEET.sub(" ", text)


def _signs(text: str, marks: str) -> Iterator[tuple[int, int]]:
    """Yield where the signs of a text are; Latin words and numbers are one sign each."""
    for match in _LATIN_OR_ONE.finditer(text):
        bare_start = match.end() - len(match.group().lstrip(marks))
        bare_end = match.start() + len(match.group().rstrip(marks))
        if bare_start < bare_end:
            yield bare_start, bare_end


def _growing(words: Sequence[str], most: int) -> Iterator[str]:
    joined = ""
    for word in words:
        joined += word
        if len(joined) > most:
            return
        yield joined


def _hangs_on(sign: str) -> bool:
    return _HANGING.match(sign) is not None


def _is_latin(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()
