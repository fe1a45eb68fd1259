"""When two texts are the same to a lookup: letters, not how they were typed."""

import unicodedata

_MARKS = frozenset(map(chr, (*range(0x300, 0x370), *range(0x653, 0x656))))
"""Combining marks of Latin letters, and hamza and madda above Arabic ones; others carry meaning."""

_LETTERS = str.maketrans({"\u0131": "i", "đ": "d", "ł": "l", "ø": "o", "ى": "ي", "ـ": None})
"""The dotless i, strokes, alif maqsura and the line that stretches Arabic words."""


def folded(text: str) -> str:
    """Return a text without case, width, accents, hamza and doubled spaces.

    Thai, Devanagari, kana and hangul keep their marks, which make other words there.
    """
    compatible = unicodedata.normalize("NFKC", text).casefold()
    apart = unicodedata.normalize("NFD", compatible)
    bare = "".join(letter for letter in apart if letter not in _MARKS)
    return " ".join(unicodedata.normalize("NFC", bare).translate(_LETTERS).split())
