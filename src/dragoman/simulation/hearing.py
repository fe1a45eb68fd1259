"""Value extraction: takes from what was heard the values that the user had to say."""

import difflib
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.core.texts.said_values import number_text
from dragoman.core.values.matching import states, typed_values
from dragoman.simulation.texts import rejoined, stretches

Arguments = dict[str, object]

_AROUND = ".,;:!?\"'()"


def heard_arguments(
    arguments: Arguments, script: str, heard: str, phrases: Phrasebook
) -> Arguments:
    """Replace every text and number that the user's script states by what was heard in its place.

    Values that the user never says (ids looked up by a tool) stay as planned. What was heard in the
    place of a number and is none stays as it was heard.
    """
    return replaced_arguments(
        arguments, script, lambda value: heard_value(value, heard, phrases), phrases
    )


def replaced_arguments(
    arguments: Arguments, script: str, replace: Callable[[str], str], phrases: Phrasebook
) -> Arguments:
    """Replace every text and number that the user's script states, in whichever written form."""
    language = language_of(phrases)
    return {name: _replaced(value, script, replace, language) for name, value in arguments.items()}


def scripted_texts(arguments: Arguments, script: str, phrases: Phrasebook) -> list[tuple[str, str]]:
    """Return the strings that the user's script states, each with the argument it is in."""
    language = language_of(phrases)
    return [
        (name, text)
        for name, value in arguments.items()
        for text in _strings(value)
        if states(text, script, language)
    ]


def language_of(phrases: Phrasebook) -> str:
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


def _replaced(value: object, script: str, replace: Callable[[str], str], language: str) -> object:
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
            return [_replaced(entry, script, replace, language) for entry in value]
        case dict():
            return {
                name: _replaced(entry, script, replace, language) for name, entry in value.items()
            }
        case _:
            return value


def _number(heard: str, planned: float) -> object:
    """Return what was heard as a number; of the planned kind where it can be, the words where it is none."""
    try:
        number = Decimal(heard.replace(",", ""))
    except InvalidOperation:
        return heard
    if not number.is_finite():
        return heard
    if isinstance(planned, int) and number == number.to_integral_value():
        return int(number)
    return float(number)


def heard_value(value: str, heard: str, phrases: Phrasebook) -> str:
    """Return a value where what was heard states it, else what was heard in its place.

    The value matcher decides whether it was heard. If it was not, the planned value is never returned:
    a number, an amount, a date or a time is taken from those that were heard, most alike first;
    anything else from the stretches of as many words, without the punctuation around them, and from
    the signs of ids that were heard apart. "" means that nothing was heard.
    """
    language = language_of(phrases)
    if states(value, heard, language):
        return value
    typed = [text for text in typed_values(value, heard, language) if text != value]
    if typed:
        return most_alike(value, typed)
    parts = stretches(heard, value, _AROUND, phrases)
    return most_alike(
        value,
        (part for part in (*parts, *rejoined(heard, value, phrases)) if part != value),
    )


def most_alike(value: str, stretches: Iterable[str]) -> str:
    """Return the first of those that are most like a value, or "" where there are none."""
    return max(stretches, key=lambda stretch: _similarity(value, stretch), default="")


def _similarity(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()
