"""Values spelled aloud, and spelled values read back: "Holt" as "H-o-l-t" or "Hotel-oscar-lima-tango".

One sign is one part, hyphens stand between parts. Signs that are no letter or digit are named
(`dash`, `at`); a letter's case is kept, in the NATO alphabet as that of its word's first letter. What
is not in that alphabet is said as it is: `王-小-明`.
"""

import re
from collections.abc import Iterator, Mapping

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.texts.sign_names import sign_names
from dragoman.simulation.hearing import heard_value, most_alike
from dragoman.simulation.texts import HANGING, bare, clusters, stretches, unspaced

MAX_WORDS = 30
"""Words behind `spelled` that are looked at."""
MAX_SIGNS = 60
"""Signs that are looked at where each of them is a word."""

_PART = rf"[^\W_](?:[^\W_]|[{HANGING}])*"
_SPELLED = re.compile(rf"(?<![\w-]){_PART}(?:-{_PART})+(?![\w-])")
_BETWEEN = re.compile(r"[\s-]+")
_AROUND = ".,;:!?\"'()"


def spelled(value: str, phrases: Phrasebook) -> str:
    """Return a value sign by sign, for example `H-o-l-t` or `hash-S-1`."""
    return "-".join(phrases.signs.get(sign, sign) for sign in clusters(value))


def spelled_in_words(value: str, phrases: Phrasebook) -> str:
    """Return a value in the words of the NATO alphabet, for example `Hotel-oscar-lima-tango`."""
    return "-".join(_word(sign, phrases) for sign in clusters(value))


def read_spelling(text: str, phrases: Phrasebook) -> str | None:
    """Return the last value that a text spells, or None where it spells none.

    Whoever spells says the value first, and that may look like one spelled (`B-7`).
    """
    known = _signs_by_name(phrases)
    for match in reversed(list(_SPELLED.finditer(text))):
        signs = [_sign(part, known) for part in match.group().split("-")]
        if all(signs):
            return "".join(signs)
    return None


def read_spelled(text: str, value: str, phrases: Phrasebook) -> str | None:
    """Return what a text spells and is most like a value, or None where it spells nothing.

    What stands behind `spelled` counts alone, if the word is there. Recognizers write letters as
    words and names of signs as they are said (`Ruth dot ABERNETHY`): these are drawn together. Case
    and spaces cannot be heard. Where ids are not written together again single letters are heard no
    better than words, and the value that was said before they were is looked at as well.
    """
    *_, end = (0, *(match.end() for match in phrases.hears.spelled.finditer(text)))
    behind = text[end:]
    together = _drawn_together(behind, value, phrases) if end else ()
    found = [read_spelling(behind, phrases), *together]
    if any(found) and not phrases.writing.rejoined:
        found.append(heard_value(value, text, phrases))
    heard = most_alike(value, filter(None, found))
    alike = unspaced if phrases.writing.rejoined else bare
    return value if alike(heard) == alike(value) else heard or None


def _drawn_together(behind: str, value: str, phrases: Phrasebook) -> Iterator[str]:
    if not phrases.writing.spaced:
        together = _BETWEEN.sub("", behind)
        for sign, name in phrases.signs.items():
            together = together.replace(name, sign)
        yield from stretches(together, value, _AROUND, phrases)
        return
    heard = _heard(phrases)
    is_whole = phrases.writing.rejoined
    said = behind.split()[:MAX_WORDS] if is_whole else _BETWEEN.split(behind)[:MAX_SIGNS]
    words = [word.strip(_AROUND) for word in said]
    signs = [heard.get(word.casefold(), word) for word in words]
    for start in range(len(signs)):
        for end in range(start + 1, len(signs) + 1):
            yield "".join(signs[start:end]).strip()


def _word(sign: str, phrases: Phrasebook) -> str:
    word = sign_names().nato.get(sign.casefold(), phrases.signs.get(sign, sign))
    return word.capitalize() if sign.isupper() else word


def _sign(part: str, known: Mapping[str, str]) -> str:
    """Return the sign that one spoken part stands for; "" where it stands for none."""
    if len(clusters(part)) == 1:
        return part
    sign = known.get(part.casefold(), "")
    return sign.upper() if part[0].isupper() else sign


def _signs_by_name(phrases: Phrasebook) -> Mapping[str, str]:
    """Return signs and letters by their names."""
    named = {**phrases.signs, **sign_names().nato}
    return {name.casefold(): sign for sign, name in named.items()}


def _heard(phrases: Phrasebook) -> Mapping[str, str]:
    """Return signs, letters and digits by what recognizers write for them."""
    digits = {word: str(digit) for digit, word in enumerate(sign_names().digits)}
    return {**_signs_by_name(phrases), **digits}
