"""Heard words as text: what was spelled or said in words is written as people type it.

The inverse of the spoken form. What was already written as typed, and what is no value, stays.
"""

from collections.abc import Iterator, Sequence

from dragoman.conditions.voice.written.dates import date_at, time_at
from dragoman.conditions.voice.written.joined import joined_at
from dragoman.conditions.voice.written.keywords import keyworded_at
from dragoman.conditions.voice.written.money import amount_at
from dragoman.conditions.voice.written.numbers import number_at
from dragoman.conditions.voice.written.signs import run_at
from dragoman.conditions.voice.written.twice import twice_at
from dragoman.conditions.voice.written.words import (
    MAX_CHARACTERS,
    Heard,
    Reader,
    Reading,
    heard_words,
)

READERS: tuple[Reader, ...] = (
    joined_at,
    time_at,
    amount_at,
    date_at,
    keyworded_at,
    twice_at,
    run_at,
    number_at,
)
"""In this order: an address may begin with what also reads as an id, a date with a number."""


def written_form(heard: str, language: str = "en") -> str:
    """Return heard words with their values written; other languages than English are left as heard."""
    is_english = language.replace("_", "-").split("-")[0].casefold() == "en"
    if not is_english or len(heard) > MAX_CHARACTERS:
        return heard
    words = heard_words(heard)
    parts, end = [], 0
    for at, reading in readings(words):
        parts += [heard[end : words[at].start], reading.text]
        end = words[reading.end - 1].end
    return "".join((*parts, heard[end:]))


def readings(words: Heard, readers: Sequence[Reader] = READERS) -> Iterator[tuple[int, Reading]]:
    """Yield the values in heard words, each with the place of its first word."""
    at = 0
    while at < len(words):
        reading = _first_reading(words, at, readers)
        if reading is None:
            at += 1
        else:
            yield at, reading
            at = reading.end


def _first_reading(words: Heard, at: int, readers: Sequence[Reader]) -> Reading | None:
    for read in readers:
        reading = read(words, at)
        if reading is not None:
            return reading
    return None
