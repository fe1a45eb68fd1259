r"""Names as parts of ids: the letters and digits of any script, with the marks that belong to them.

Python's `\w` takes no combining mark, so that a vowel of Hindi or Thai would part its word in two.
"""

import unicodedata

_JOINERS = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}")
_MARKS = frozenset({"Mn", "Mc"})
_VARIATIONS = range(0xFE00, 0xFE10)
"""Signs that only choose between pictures of the one before."""


def slug_of(name: str) -> str:
    """Return a name in small letters and digits of any script, joined by hyphens.

    It is the same for one name in any of Unicode's forms.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "-".join(words_of(folded.replace("_", " ")))


def words_of(text: str) -> list[str]:
    """Return the runs of letters, digits and `_` in a text, each letter with its marks."""
    found: list[str] = []
    word = ""
    for sign in text:
        if sign.isalnum() or sign == "_" or (word and is_mark(sign)):
            word += sign
        elif sign in _JOINERS:
            continue
        elif word:
            found.append(word)
            word = ""
    return [*found, word] if word else found


def shortened(slug: str, most: int) -> str:
    """Return the beginning of a slug, no letter cut from its marks."""
    end = min(most, len(slug))
    while 0 < end < len(slug) and is_mark(slug[end]):
        end -= 1
    return slug[:end].strip("-")


def is_mark(sign: str) -> bool:
    """Whether a sign belongs to the letter before it: vowels and tones of many scripts do."""
    return unicodedata.category(sign) in _MARKS and ord(sign) not in _VARIATIONS
