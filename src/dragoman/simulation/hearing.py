"""Finds in what was heard the values that the user had to say."""

import difflib
import re

_WORD = re.compile(r"\S+")


def heard_arguments(arguments: dict[str, object], script: str, heard: str) -> dict[str, object]:
    """Replace every string that stands in the user's script by what was heard in its place.

    Values that the user never says (ids looked up by a tool) stay as planned.
    """
    return {name: _heard(value, script.casefold(), heard) for name, value in arguments.items()}


def _heard(value: object, script: str, heard: str) -> object:
    if isinstance(value, str) and value.strip() and value.casefold() in script:
        return heard_value(value, heard)
    if isinstance(value, list):
        return [_heard(entry, script, heard) for entry in value]
    if isinstance(value, dict):
        return {name: _heard(entry, script, heard) for name, entry in value.items()}
    return value


def heard_value(value: str, heard: str) -> str:
    """Return the stretch of `heard` that is most like a value, or "" where nothing was heard.

    A value that was heard as it is stays as it is; otherwise the stretch of as many words with the
    highest similarity is taken, without the punctuation around it.
    """
    if value.casefold() in heard.casefold():
        return value
    words = [match.group().strip(".,;:!?\"'()") for match in _WORD.finditer(heard)]
    size = len(value.split())
    stretches = [" ".join(words[at : at + size]) for at in range(max(len(words) - size + 1, 0))]
    return max(stretches, key=lambda stretch: _similarity(value, stretch), default="")


def _similarity(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio()
