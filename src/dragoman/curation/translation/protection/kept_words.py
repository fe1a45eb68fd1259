"""Words that stay in one text to the letter: a call must have them, or a function is named so."""

import re
from collections.abc import Iterable, Iterator

_CODE = re.compile(r"\w*(?:[a-z][A-Z]|[_.]|\d)")
_FEWEST = 2
"""A single letter is an article as often as a value."""


def kept_words(text: str, words: Iterable[str]) -> Iterator[str]:
    """Yield those words that stand in a text, in whatever case, as they are written there."""
    folded = text.casefold()
    for word in words:
        inner = word.strip()
        if len(inner) >= _FEWEST and inner.casefold() in folded and any(map(str.isalnum, inner)):
            for found in re.finditer(_whole(inner), text, re.IGNORECASE):
                yield found.group()


def with_parts(text: str) -> tuple[str, ...]:
    """Return a text, and the names that it joins by commas: `San Francisco` of `San Francisco, CA`."""
    parts = (part.strip() for part in text.split(","))
    return (text, *(part for part in parts if part[:1].isupper()))


def word_places(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Yield where a word stands in a text, as it is; letters of other scripts may touch it."""
    if word in text:
        yield from (found.span() for found in re.finditer(_whole(word), text))


def looks_like_code(name: str) -> bool:
    """Whether a name cannot be read as a word: `user_id`, `math.sqrt`, `getName`."""
    return _CODE.match(name) is not None


def _whole(word: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])"
