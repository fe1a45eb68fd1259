"""Finds in what was heard the values that the user had to say."""

import difflib
from collections.abc import Callable, Iterable, Iterator

from dragoman.core.language.phrasebook import Phrasebook
from dragoman.simulation.texts import bare, rejoined, stretches, unspaced

Arguments = dict[str, object]

_AROUND = ".,;:!?\"'()"


def heard_arguments(
    arguments: Arguments, script: str, heard: str, phrases: Phrasebook
) -> Arguments:
    """Replace every text and number that stands in the user's script by what was heard in its place.

    Values that the user never says (ids looked up by a tool) stay as planned. What was heard in the
    place of a number and is none stays as it was heard.
    """
    return replaced_arguments(arguments, script, lambda value: heard_value(value, heard, phrases))


def replaced_arguments(
    arguments: Arguments, script: str, replace: Callable[[str], str]
) -> Arguments:
    """Replace every text and number that stands in the user's script."""
    return {name: _replaced(value, script.casefold(), replace) for name, value in arguments.items()}


def scripted_texts(arguments: Arguments, script: str) -> list[tuple[str, str]]:
    """Return the strings that stand in the user's script, each with the argument it is in."""
    return [
        (name, text)
        for name, value in arguments.items()
        for text in _strings(value)
        if _is_said(text, script.casefold())
    ]


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


def _is_said(value: str, script: str) -> bool:
    return bool(value.strip()) and value.casefold() in script


def _replaced(value: object, script: str, replace: Callable[[str], str]) -> object:
    match value:
        case str() if _is_said(value, script):
            return replace(value)
        case bool():
            return value
        case int() | float() if _is_said(str(value), script):
            return _number(replace(str(value)), value)
        case list():
            return [_replaced(entry, script, replace) for entry in value]
        case dict():
            return {name: _replaced(entry, script, replace) for name, entry in value.items()}
        case _:
            return value


def _number(heard: str, planned: float) -> object:
    """Return what was heard as a number of the planned kind; the words where they are none."""
    try:
        return type(planned)(heard.replace(",", ""))
    except ValueError:
        return heard


def heard_value(value: str, heard: str, phrases: Phrasebook) -> str:
    """Return the stretch of `heard` that is most like a value, or "" where nothing was heard.

    A value that was heard as it is stays as it is, spaces aside, which are not heard; otherwise the
    stretch of as many words with the highest similarity is taken, without the punctuation around it.
    Where ids are not written together again, their signs are drawn together first.
    """
    if value.casefold() in heard.casefold():
        return value
    parts = stretches(heard, value, _AROUND, phrases)
    words = stretches(heard, "word", _AROUND, phrases) if phrases.writing.spaced else parts
    together = rejoined(heard, value, phrases)
    if unspaced(value) in map(unspaced, words) or bare(value) in together:
        return value
    return most_alike(value, (*parts, *together))


def most_alike(value: str, stretches: Iterable[str]) -> str:
    """Return the first of those that are most like a value, or "" where there are none."""
    return max(stretches, key=lambda stretch: _similarity(value, stretch), default="")


def _similarity(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()
