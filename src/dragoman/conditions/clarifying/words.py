"""The English words by which questions about how something is written are read: `words.toml`."""

import re
from functools import cache
from importlib.resources import files

import msgspec

from dragoman.conditions.clarifying.alike import folded
from dragoman.core.keys import content_key


class QuestionWords(msgspec.Struct, frozen=True):
    """The table, ready to be looked into.

    Attributes:
        asks: Fits a sentence that asks to confirm something.
        other: Fits a sentence that asks for something else.
        tags: Fits a question about the sentence before it.
        nouns: What may be asked for.
        links: What stands between a noun and the value that it names.
        plain: What says nothing by itself.
        common: Both of these, folded.
        digest: The table's content key.
    """

    asks: re.Pattern[str]
    other: re.Pattern[str]
    tags: re.Pattern[str]
    nouns: frozenset[str]
    links: frozenset[str]
    plain: frozenset[str]
    common: frozenset[str]
    digest: str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    asks: tuple[str, ...]
    other: tuple[str, ...]
    tags: tuple[str, ...]
    nouns: frozenset[str]
    links: frozenset[str]
    plain: frozenset[str]


@cache
def words() -> QuestionWords:
    """Return the table that ships."""
    content = files(__package__).joinpath("words.toml").read_text("utf-8")
    table = msgspec.toml.decode(content, type=_Table)
    return QuestionWords(
        _any_of(table.asks),
        _any_of(table.other),
        _any_of(table.tags),
        table.nouns,
        table.links,
        table.plain,
        frozenset(map(folded, table.plain | table.links)),
        content_key(content),
    )


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
