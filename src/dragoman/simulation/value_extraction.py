"""Value extraction from received text: the values of a script, and spelled values.

A value is spelled as "H-o-l-t" or in the NATO alphabet as "Hotel-oscar-lima-tango": one character
is one part, hyphens stand between parts. Punctuation is named (`dash`, `at`); the case of a letter
is kept, in the NATO alphabet as the case of the word's first letter. A character outside that
alphabet is kept as it is: `王-小-明`.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.texts.entities import number_text, sign_names
from dragoman.core.value_matching.matcher import states, typed_values
from dragoman.simulation.text_segmentation import (
    HANGING,
    candidate_spans,
    grapheme_clusters,
    join_split_value,
    letters_and_digits,
    remove_spaces,
)

Arguments = dict[str, object]


def extract_arguments(
    arguments: Arguments, script: str, heard: str, phrases: Phrasebook
) -> Arguments:
    """Replace every text and number that the user's script states by the received value.

    Values that the user never says (ids looked up by a tool) stay as planned. A received text in
    the place of a number stays as it is if it is not a number.
    """
    return replace_arguments(
        arguments, script, lambda value: extract_value(value, heard, phrases), phrases
    )


def replace_arguments(
    arguments: Arguments, script: str, replace: Callable[[str], str], phrases: Phrasebook
) -> Arguments:
    """Replace every text and number that the user's script states, in any notation."""
    language = language_tag(phrases)
    return {
        name: _replace_value(value, script, replace, language) for name, value in arguments.items()
    }


def scripted_texts(arguments: Arguments, script: str, phrases: Phrasebook) -> list[tuple[str, str]]:
    """Return the strings that the user's script states, each with the argument it is in."""
    language = language_tag(phrases)
    return [
        (name, text)
        for name, value in arguments.items()
        for text in _strings(value)
        if states(text, script, language)
    ]


def language_tag(phrases: Phrasebook) -> str:
    """Return the tag of the language that phrases are of."""
    return phrases.name.partition("@")[0]


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for entry in value:
                yield from _strings(entry)
        case dict():
            for entry in value.values():
                yield from _strings(entry)
        case _:
            return


def _replace_value(
    value: object, script: str, replace: Callable[[str], str], language: str
) -> object:
    match value:
        case bool():
            return value
        case str() if states(value, script, language):
            return replace(value)
        case int() | float() if states(number_text(value), script, language):
            planned = number_text(value)
            heard = replace(planned)
            return value if heard == planned else _number(heard, value)
        case list():
            return [_replace_value(entry, script, replace, language) for entry in value]
        case dict():
            return {
                name: _replace_value(entry, script, replace, language)
                for name, entry in value.items()
            }
        case _:
            return value


def _number(heard: str, planned: float) -> object:
    """Return a received number in the planned type if possible.

    The words are returned if they are not a number.
    """
    try:
        number = Decimal(heard.replace(",", ""))
    except InvalidOperation:
        return heard
    if not number.is_finite():
        return heard
    if isinstance(planned, int) and number == number.to_integral_value():
        return int(number)
    return float(number)


def extract_value(value: str, heard: str, phrases: Phrasebook) -> str:
    """Return a value if received text states it, otherwise the received value in its place.

    The value matcher decides whether the text states it. If it does not, the planned value is never
    returned. A number, an amount, a date or a time is replaced by the most similar received one;
    any other value by the most similar span with the same number of words, without the punctuation
    around it, or by the joined signs of an id. "" means that nothing was received.
    """
    language = language_tag(phrases)
    if states(value, heard, language):
        return value
    typed = [text for text in typed_values(value, heard, language) if text != value]
    if typed:
        return closest_match(value, typed)
    parts = candidate_spans(heard, value, _AROUND, phrases)
    return closest_match(
        value,
        (part for part in (*parts, *join_split_value(heard, value, phrases)) if part != value),
    )


def closest_match(value: str, stretches: Iterable[str]) -> str:
    """Return the first of the spans that are most like a value, or "" without spans."""
    return max(stretches, key=lambda stretch: _similarity(value, stretch), default="")


def _similarity(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()


MAX_WORDS = 30
"""Number of words after `spelled` that are read."""
MAX_SIGNS = 60
"""Number of signs that are read if each of them is a word."""

_PART = rf"[^\W_](?:[^\W_]|[{HANGING}])*"
_SPELLED = re.compile(rf"(?<![\w-]){_PART}(?:-{_PART})+(?![\w-])")
_BETWEEN = re.compile(r"[\s-]+")
_AROUND = ".,;:!?\"'()"


def spell_value(value: str, phrases: Phrasebook) -> str:
    """Return a value sign by sign, for example `H-o-l-t` or `hash-S-1`."""
    return "-".join(phrases.signs.get(sign, sign) for sign in grapheme_clusters(value))


def spell_nato(value: str, phrases: Phrasebook) -> str:
    """Return a value in the words of the NATO alphabet, for example `Hotel-oscar-lima-tango`."""
    return "-".join(_word(sign, phrases) for sign in grapheme_clusters(value))


def read_spelling(text: str, phrases: Phrasebook) -> str | None:
    """Return the last value that a text spells, or None if it spells none.

    A speaker says a value before spelling it, and the value may look like a spelled one (`B-7`).
    """
    known = _signs_by_name(phrases)
    for match in reversed(list(_SPELLED.finditer(text))):
        signs = [_sign(part, known) for part in match.group().split("-")]
        if all(signs):
            return "".join(signs)
    return None


def read_closest_spelling(text: str, value: str, phrases: Phrasebook) -> str | None:
    """Return the spelling in a text that is most like a value, or None without a spelling.

    Only the text after a phrase of `hears.spelled` counts, if the text has one. Recognizers write
    letters as words and names of signs as they are said (`Ruth dot ABERNETHY`): these are joined.
    Case and spaces cannot be recognized. If the phrasebook does not join ids, single letters are
    recognized no better than words, and the value that was said before them is also a candidate.
    """
    *_, end = (0, *(match.end() for match in phrases.hears.spelled.finditer(text)))
    behind = text[end:]
    together = _drawn_together(behind, value, phrases) if end else ()
    found = [read_spelling(behind, phrases), *together]
    if any(found) and not phrases.writing.rejoined:
        found.append(extract_value(value, text, phrases))
    heard = closest_match(value, filter(None, found))
    alike = remove_spaces if phrases.writing.rejoined else letters_and_digits
    return value if alike(heard) == alike(value) else heard or None


def _drawn_together(behind: str, value: str, phrases: Phrasebook) -> Iterator[str]:
    if not phrases.writing.spaced:
        together = _BETWEEN.sub("", behind)
        for sign, name in phrases.signs.items():
            together = together.replace(name, sign)
        yield from candidate_spans(together, value, _AROUND, phrases)
        return
    heard = _signs_by_transcript(phrases)
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
    """Return the sign that one spoken part stands for; "" if it stands for none."""
    if len(grapheme_clusters(part)) == 1:
        return part
    sign = known.get(part.casefold(), "")
    return sign.upper() if part[0].isupper() else sign


def _signs_by_name(phrases: Phrasebook) -> Mapping[str, str]:
    """Return signs and letters by their names."""
    named = {**phrases.signs, **sign_names().nato}
    return {name.casefold(): sign for sign, name in named.items()}


def _signs_by_transcript(phrases: Phrasebook) -> Mapping[str, str]:
    """Return signs, letters and digits by the text that recognizers write for them."""
    digits = {word: str(digit) for digit, word in enumerate(sign_names().digits)}
    return {**_signs_by_name(phrases), **digits}
