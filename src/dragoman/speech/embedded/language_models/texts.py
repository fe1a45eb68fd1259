"""Sentences for a language model from what a suite is made of: policies, tool schemas and databases."""

import re
from collections.abc import Iterator

from dragoman.conditions.voice.verbalization.spoken_form import verbalize
from dragoman.speech.embedded.language_models.models import SuiteText

MAX_VALUES = 60_000
"""More texts of one database are not read: their words come again and again."""

_MAX_DEPTH = 32
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n+")
_WORD_BREAK = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_MARKUP = re.compile(r"[*`|<>\[\]{}()\"]+|^#+")


def text_sentences(source: str, text: str) -> SuiteText:
    """Return the sentences of a text in markdown, as they are said."""
    parts = (
        " ".join(_MARKUP.sub(" ", part).split()).lstrip("- ") for part in _SENTENCE_END.split(text)
    )
    return SuiteText(source, tuple(dict.fromkeys(verbalize(part) for part in parts if part)))


def record_sentences(source: str, value: object) -> SuiteText:
    """Return the texts in decoded JSON, each as a sentence: values as they are said, names as words.

    What lies deeper than 32 levels is left out, and so is what comes after `MAX_VALUES` texts.
    """
    found: dict[str, None] = {}
    for text in _texts(value, 0):
        if len(found) >= MAX_VALUES:
            break
        found[text] = None
    sentences = (text_sentences(source, text).sentences for text in found)
    return SuiteText(source, tuple(dict.fromkeys(said for row in sentences for said in row)))


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        yield value
        if "_" in value:
            yield _WORD_BREAK.sub(" ", value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield _WORD_BREAK.sub(" ", str(name))
            yield from _texts(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, depth + 1)
