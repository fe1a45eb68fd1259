"""Whether a reply says nothing at all, although it may hold characters."""

import unicodedata

from dragoman.core.stop_tokens import MARKER, has_stop

_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffc\ufffd")
"""Letters and symbols that show nothing, or stand for what was lost."""


def is_silent(words: str) -> bool:
    """Whether words have neither a letter nor a digit nor a pictograph.

    Silent are: spaces, punctuation, markup, what cannot be seen, and marks for the harness that no
    conductor knows (`###END###`). A stop token says something: that the conversation is over.
    """
    if has_stop(words):
        return False
    return not any(map(_is_heard, MARKER.sub("", words)))


def _is_heard(character: str) -> bool:
    if character.isalnum():
        return character not in _FILLERS
    return unicodedata.category(character) == "So" and character not in _FILLERS
