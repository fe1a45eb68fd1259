"""Values spelled aloud, and spelled values read back: "Holt" as "H-o-l-t" or "Hotel-oscar-lima-tango".

One sign is one part, hyphens stand between parts. Signs that are no letter or digit are named
(`dash`, `at`); a letter's case is kept, in the NATO alphabet as that of its word's first letter.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from dragoman.core.texts.sign_names import sign_names
from dragoman.simulation.hearing import most_alike

MAX_WORDS = 30
"""Words behind `spelled` that are looked at."""

_ANNOUNCED = re.compile(r"\b(?:spell(?:ed|ing|s)?|spelt)\b", re.IGNORECASE)
_SPELLED = re.compile(r"(?<![\w-])[^\W_]+(?:-[^\W_]+)+(?![\w-])")


def spelled(value: str) -> str:
    """Return a value sign by sign, for example `H-o-l-t` or `hash-S-1`."""
    return "-".join(sign_names().signs.get(sign, sign) for sign in value)


def spelled_in_words(value: str) -> str:
    """Return a value in the words of the NATO alphabet, for example `Hotel-oscar-lima-tango`."""
    return "-".join(_word(sign) for sign in value)


def read_spelling(text: str) -> str | None:
    """Return the last value that a text spells, or None where it spells none.

    Whoever spells says the value first, and that may look like one spelled (`B-7`).
    """
    for match in reversed(list(_SPELLED.finditer(text))):
        signs = [_sign(part) for part in match.group().split("-")]
        if all(signs):
            return "".join(signs)
    return None


def read_spelled(text: str, value: str) -> str | None:
    """Return what a text spells and is most like a value, or None where it spells nothing.

    What stands behind `spelled` counts alone, if the word is there. Recognizers write letters as
    words and names of signs as they are said (`Ruth dot ABERNETHY`): these are drawn together. Case
    and spaces cannot be heard.
    """
    behind = _ANNOUNCED.split(text)[-1]
    is_announced = len(behind) < len(text)
    found = [read_spelling(behind), *(_drawn_together(behind) if is_announced else ())]
    heard = most_alike(value, filter(None, found))
    return value if _bare(heard) == _bare(value) else heard or None


def _drawn_together(behind: str) -> Iterator[str]:
    heard = _heard()
    words = [word.strip(".,;:!?\"'()") for word in behind.split()[:MAX_WORDS]]
    signs = [heard.get(word.casefold(), word) for word in words]
    for start in range(len(signs)):
        for end in range(start + 1, len(signs) + 1):
            yield "".join(signs[start:end]).strip()


def _bare(value: str) -> str:
    return "".join(value.casefold().split())


def _word(sign: str) -> str:
    names = sign_names()
    word = names.nato.get(sign.casefold(), names.signs.get(sign, sign))
    return word.capitalize() if sign.isupper() else word


def _sign(part: str) -> str:
    """Return the sign that one spoken part stands for; "" where it stands for none."""
    if len(part) == 1:
        return part
    sign = _signs_by_name().get(part.casefold(), "")
    return sign.upper() if part[0].isupper() else sign


@cache
def _signs_by_name() -> Mapping[str, str]:
    """Return signs and letters by their names."""
    names = sign_names()
    return {name: sign for sign, name in (names.signs | names.nato).items()}


@cache
def _heard() -> Mapping[str, str]:
    """Return signs, letters and digits by what recognizers write for them."""
    digits = {word: str(digit) for digit, word in enumerate(sign_names().digits)}
    return {**_signs_by_name(), **digits}
