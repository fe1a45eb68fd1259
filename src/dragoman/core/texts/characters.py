"""Character utilities: visible control characters, accent removal and slugs.

Control characters steer a terminal, and bidirectional controls can make one text look like another.
Python's regular expressions do not treat a combining mark as a letter, so that a vowel of Hindi or
Thai would split its word in two.
"""

import re
import unicodedata

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    """Return a text with control characters as visible escapes, except line ends and tabs."""
    return _ACTING.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


_WITHOUT_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"}
)
"""Letters that do not decompose into letter and accent, with common replacements."""


def strip_accents(text: str) -> str:
    """Return a name without accents, letter case and surplus spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(bare.translate(_WITHOUT_STROKES).split())


_JOINERS = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}")
_MARKS = frozenset({"Mn", "Mc"})
_VARIATIONS = range(0xFE00, 0xFE10)
"""Variation selectors, which only choose a glyph of the character before."""


def slugify(name: str) -> str:
    """Return a name in small letters and digits of any script, joined by hyphens.

    It is the same for one name in any of Unicode's forms.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "-".join(word_runs(folded.replace("_", " ")))


def word_runs(text: str) -> list[str]:
    """Return the runs of letters, digits and `_` in a text, each letter with its marks."""
    found: list[str] = []
    word = ""
    for sign in text:
        if sign.isalnum() or sign == "_" or (word and is_combining_mark(sign)):
            word += sign
        elif sign in _JOINERS:
            continue
        elif word:
            found.append(word)
            word = ""
    return [*found, word] if word else found


def truncate_slug(slug: str, most: int) -> str:
    """Return the beginning of a slug without separating a letter from its marks."""
    end = min(most, len(slug))
    while 0 < end < len(slug) and is_combining_mark(slug[end]):
        end -= 1
    return slug[:end].strip("-")


def is_combining_mark(sign: str) -> bool:
    """Return whether a character belongs to the letter before it.

    Vowels and tones of many scripts are such characters.
    """
    return unicodedata.category(sign) in _MARKS and ord(sign) not in _VARIATIONS
