"""Names as they are compared where accents and letter case do not matter."""

import unicodedata

_WITHOUT_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"}
)
"""Letters that do not decompose into a plain one and an accent, as others type them."""


def unaccented(text: str) -> str:
    """Return a name without accents, letter case and surplus spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(bare.translate(_WITHOUT_STROKES).split())
