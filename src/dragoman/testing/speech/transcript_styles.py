"""Transcript styles: writes recognized words as transcription services write them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Literal

import msgspec

from dragoman.conditions.voice.inverse_text_normalization.compound_tokens import compound_at
from dragoman.conditions.voice.inverse_text_normalization.normalizer import find_readings
from dragoman.conditions.voice.inverse_text_normalization.numbers import (
    MAX_CHARACTERS,
    Heard,
    Reader,
    Reading,
    amount_at,
    cardinal_at,
    date_at,
    decimals_at,
    heard_words,
    number_at,
    text_at,
    time_at,
)
from dragoman.conditions.voice.inverse_text_normalization.spelling import spelled_run_at
from dragoman.core.texts.entities import MONTHS
from dragoman.testing.speech.requests import Protocol

Formatting = Literal["words", "numerals", "smart"]


class TranscriptStyle(msgspec.Struct, frozen=True):
    """Style of a service's transcripts.

    Attributes:
        formatting: `words` keeps values in words, `numerals` writes numbers in figures, and `smart`
            also formats money, percentages, dates, times, addresses and ids.
        is_punctuated: Whether sentences begin with a capital letter and end with a punctuation
            mark.
        id_separator: Separator between the groups of an id.
    """

    formatting: Formatting = "smart"
    is_punctuated: bool = True
    id_separator: str = ""


class TranscriptPart(msgspec.Struct, frozen=True):
    """A word, or a value in figures."""

    text: str
    is_value: bool = False


def style_of(protocol: Protocol, settings: Mapping[str, object]) -> TranscriptStyle:
    """Return a provider's transcript style under the settings of a request."""
    match protocol:
        case "deepgram":
            return _deepgram_style(settings)
        case "elevenlabs":
            return TranscriptStyle(id_separator="-")
        case "qwen":
            return TranscriptStyle("smart" if _is_on(settings, "enable_itn") else "words")
        case "openai" | "cartesia" | "gemini":
            return TranscriptStyle()


def written_transcript(words: str, style: TranscriptStyle) -> str:
    """Return recognized English words in a service's style; "" for none."""
    if len(words) > MAX_CHARACTERS:
        return words
    parts = list(normalized_parts(words, style))
    return punctuate_parts(parts) if style.is_punctuated else " ".join(part.text for part in parts)


def normalized_parts(words: str, style: TranscriptStyle) -> Iterator[TranscriptPart]:
    """Yield words and, after inverse text normalization, values."""
    heard, end = heard_words(words), 0
    for at, reading in find_readings(heard, _READERS[style.formatting]):
        yield from _plain(words[end : heard[at].start])
        spoken = [word.text for word in heard[at : reading.end]]
        yield TranscriptPart(_format_reading(reading, spoken, style.id_separator), is_value=True)
        end = heard[reading.end - 1].end
    yield from _plain(words[end:])


def punctuate_parts(parts: Sequence[TranscriptPart]) -> str:
    """Return parts as sentences; a new sentence begins if an opening word follows a value."""
    if not parts:
        return ""
    starts = [0]
    for at, (before, part) in enumerate(pairwise(parts), 1):
        if before.is_value and not part.is_value and part.text in _OPENING:
            starts.append(at)
    ends = (*starts[1:], len(parts))
    return " ".join(_sentence(parts[start:end]) for start, end in zip(starts, ends, strict=True))


def percentage_at(words: Heard, at: int) -> Reading | None:
    """Return a percentage: `five point five percent`."""
    whole = cardinal_at(words, at)
    if whole is None:
        return None
    decimals, end = decimals_at(words, whole.end)
    if text_at(words, end) != "percent":
        return None
    return Reading(f"{whole.value}{decimals}%", end + 1, "number")


def digits_at(words: Heard, at: int) -> Reading | None:
    """Return digits that were spoken one by one."""
    run = spelled_run_at(words, at)
    return run if run is not None and run.text.isdecimal() else None


_READERS: Mapping[Formatting, Sequence[Reader]] = {
    "words": (),
    "numerals": (digits_at, number_at),
    "smart": (compound_at, time_at, percentage_at, amount_at, date_at, spelled_run_at, number_at),
}

_OPENING = frozenset({"i", "i'd", "i'll", "i'm", "i've", "it", "it's", "my", "please", "we"})
"""Words that begin a sentence if they follow a value."""

_GREETINGS = frozenset({"hello", "hi", "okay", "so", "well", "yes", "no"})
"""Words that a comma follows at the beginning of a sentence."""

_ASKING = frozenset(
    {
        *("what", "what's", "when", "where", "where's", "which", "who", "why", "how"),
        *("can", "could", "would", "should", "is", "are", "do", "does", "did", "may"),
    }
)
"""Words that begin a question."""

_WEEKDAYS = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)
_SCALES = frozenset({"hundred", "thousand", "million", "billion"})
_MANY_DIGITS = re.compile(r"(?<![.\d])[0-9]{4,}")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ID = re.compile(r"(#?)((?=.*[0-9])[A-Z0-9]+)")
_GROUP = 3


def _deepgram_style(settings: Mapping[str, object]) -> TranscriptStyle:
    """Return Deepgram's style: lower case and words, unless the settings ask for more."""
    is_smart = _is_on(settings, "smart_format")
    numbers: Formatting = "numerals" if _is_on(settings, "numerals") else "words"
    is_punctuated = is_smart or _is_on(settings, "punctuate")
    return TranscriptStyle("smart" if is_smart else numbers, is_punctuated, id_separator=" ")


def _is_on(settings: Mapping[str, object], name: str) -> bool:
    return settings.get(name) in (True, "true")


def _plain(text: str) -> Iterator[TranscriptPart]:
    return map(TranscriptPart, text.split())


def _format_reading(reading: Reading, spoken: Sequence[str], id_separator: str) -> str:
    """Return a value in the form of services."""
    text = reading.text
    match reading.kind:
        case "amount":
            return _with_thousands(text)
        case "number" if not _SCALES.isdisjoint(spoken):
            return _with_thousands(text)
        case "date" if _ISO_DATE.fullmatch(text):
            day = _date_of(text)
            return text if day is None else f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
        case "code":
            return _in_groups(text, id_separator)
        case _:
            return text


def _with_thousands(figures: str) -> str:
    return _MANY_DIGITS.sub(lambda found: f"{int(found[0]):,}", figures)


def _date_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _in_groups(text: str, separator: str) -> str:
    """Return an id with its letters and groups of three digits separated.

    Other texts are unchanged.
    """
    found = _ID.fullmatch(text)
    if found is None:
        return text
    groups = [
        group
        for run in re.findall(r"[A-Z]+|[0-9]+", found[2])
        for group in ([run] if run.isalpha() else _threes(run))
    ]
    return found[1] + separator.join(groups)


def _threes(digits: str) -> list[str]:
    """Return digits in groups of three; a single last one joins the group before it."""
    groups = [digits[at : at + _GROUP] for at in range(0, len(digits), _GROUP)]
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _sentence(parts: Sequence[TranscriptPart]) -> str:
    texts = [part.text if part.is_value else _capitalize_word(part.text) for part in parts]
    is_greeted = len(parts) > 1 and parts[0].text in _GREETINGS
    sign = "?" if parts[is_greeted].text in _ASKING else "."
    if not parts[0].is_value:
        texts[0] = texts[0][:1].upper() + texts[0][1:]
    if is_greeted:
        texts[0] += ","
    return " ".join(texts) + sign


def _capitalize_word(word: str) -> str:
    """Return a word with the capital letter that English requires everywhere."""
    is_capital = word == "i" or word.startswith("i'") or word in _WEEKDAYS
    return word.capitalize() if is_capital else word
