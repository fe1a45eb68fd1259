"""Inverse text normalizer: turns a transcript into text as people type it.

Each span of a transcript is judged by its own evidence. A span that is already normalized (with
figures, or spelled in capitals) stays, or is joined if that changes none of its letters and digits.
A span of plain words is normalized to figures; a value that the recognizer itself wrote can still
be found afterwards. In a transcript that has only plain words, words that sound like letters are
also read, and neighbours may be joined: `forty five sixty` is 4560, whether one number was meant or
two.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from dragoman.conditions.voice.inverse_text_normalization.compound_tokens import compound_at
from dragoman.conditions.voice.inverse_text_normalization.numbers import (
    MAX_CHARACTERS,
    Heard,
    Reader,
    Reading,
    amount_at,
    date_at,
    heard_words,
    number_at,
    text_at,
    time_at,
)
from dragoman.conditions.voice.inverse_text_normalization.spelling import (
    AGAIN,
    PREFIXES,
    SPELLS,
    keyworded_at,
    repeated_id_at,
    spelled_run_at,
)
from dragoman.conditions.voice.verbalization.english_words import (
    english_words,
    heard_nato_words,
    nato_words,
    ordinal,
    sign_words,
    units,
)
from dragoman.core.replies import UNRECORDED_NORMALIZER
from dragoman.core.texts.entities import MONTHS
from dragoman.core.value_matching.folding import primary_language
from dragoman.core.value_matching.value_reader import read

READERS: tuple[Reader, ...] = (
    compound_at,
    time_at,
    amount_at,
    date_at,
    keyworded_at,
    repeated_id_at,
    spelled_run_at,
    number_at,
)
"""In this order: an address may begin with what also reads as an id, a date with a number."""


def written_form(heard: str, language: str = "en") -> str:
    """Return recognized words with their values normalized.

    Text in languages other than English is unchanged.
    """
    is_english = language.replace("_", "-").split("-")[0].casefold() == "en"
    if not is_english or len(heard) > MAX_CHARACTERS:
        return heard
    words = heard_words(heard)
    parts, end = [], 0
    for at, reading in find_readings(words):
        parts += [heard[end : words[at].start], reading.text]
        end = words[reading.end - 1].end
    return "".join((*parts, heard[end:]))


def find_readings(
    words: Heard, readers: Sequence[Reader] = READERS
) -> Iterator[tuple[int, Reading]]:
    """Yield the values in recognized words, each with the place of its first word."""
    at = 0
    while at < len(words):
        reading = _first_reading(words, at, readers)
        if reading is None:
            at += 1
        else:
            yield at, reading
            at = reading.end


def _first_reading(words: Heard, at: int, readers: Sequence[Reader]) -> Reading | None:
    for reader in readers:
        reading = reader(words, at)
        if reading is not None:
            return reading
    return None


NORMALIZER = "dragoman-itn-2"
"""The rules of `normalized_transcript`; changed rules have another name."""

EARLIER_NORMALIZER = UNRECORDED_NORMALIZER
"""The rules before: words and figures alike were read as plain words (`written_form`)."""

_PLAIN = re.compile(r"(?:[^\W\d_]|['\u2019\s])*")
_SPELLED = re.compile(r"[A-Za-z0-9](?:[ -][A-Za-z0-9]){3,}")
_DIGIT = re.compile(r"\d")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s)\W*$")


def normalized_transcript(transcript: str, language: str, normalizer: str = NORMALIZER) -> str:
    """Return a transcript with its values written as people type them.

    Args:
        transcript: The transcript of a recognizer.
        language: Its tag; transcripts in other languages than English stay as they are.
        normalizer: The rules.
    """
    if normalizer == EARLIER_NORMALIZER:
        return written_form(transcript, language)
    if primary_language(language) != "en" or len(transcript) > MAX_CHARACTERS:
        return transcript
    is_plain = _is_plain(transcript)
    if is_plain:
        transcript = _ARTICLE.sub(r"\1one \2", transcript)
    words = heard_words(transcript)
    readers = _readers(words)
    edges = frozenset() if is_plain else _edges(transcript)
    parts: list[str] = []
    at = end = 0
    while at < len(words):
        if is_plain:
            reading = _label(words, at) or _reading(words, at, readers)
        else:
            reading = _safe_reading(transcript, words, at, (readers, edges))
        if reading is None:
            at += 1
            continue
        parts += [transcript[end : words[at].start], reading.text]
        end = words[reading.end - 1].end
        at = reading.end
    return "".join((*parts, transcript[end:]))


def _readers(words: Heard) -> Sequence[Reader]:
    """Return the readers of `written_form` that may read anything of these words.

    Addresses need a sign between their parts, letters named by words need `in` twice, and an id
    that is said twice needs `again`.
    """
    texts = [word.text for word in words]
    known = set(texts)
    is_named = sum(text in _IN for text in texts) > 1 or not known.isdisjoint({*SPELLS, "name"})
    left_out = {
        *(() if is_named else (keyworded_at,)),
        *(() if AGAIN in known else (repeated_id_at,)),
        *((compound_at,) if known.isdisjoint(_joining_words()) else ()),
    }
    return tuple(reader for reader in READERS if reader not in left_out)


_IN = frozenset({"in", "an", "and"})
"""Misrecognitions of `in` in `B as in boy`."""

_ANYWHERE = frozenset({compound_at, keyworded_at})
"""Readers whose text may begin with any word."""


def _reading(words: Heard, at: int, readers: Sequence[Reader]) -> Reading | None:
    is_start = _may_start(words[at].text)
    for reader in readers:
        if is_start or reader in _ANYWHERE:
            reading = reader(words, at)
            if reading is not None:
                return reading
    return None


def _may_start(word: str) -> bool:
    """Return whether a number, amount, date, time or spelled sign may begin with a word."""
    return len(word) == 1 or word[0].isdecimal() or word in _first_words()


@cache
def _joining_words() -> frozenset[str]:
    """Return the words of signs between the parts of an address, a file name or an id."""
    names = {name: sign for sign, name in sign_words().items()} | english_words().heard_signs
    return frozenset(name for name, sign in names.items() if sign in {".", "_", "-"})


@cache
def _first_words() -> frozenset[str]:
    table = english_words()
    days = (ordinal(day) for day in range(1, 32))
    months = (name for month in MONTHS for name in (month, month[:3]))
    phrases = (
        *(*units(), *table.tens, *days, *table.heard_ordinals, *months, *PREFIXES),
        *(*nato_words().values(), *heard_nato_words(), *table.heard_letters, *table.homophones),
        *("double", "triple"),
    )
    return frozenset(phrase.split()[0].casefold() for phrase in phrases)


def _label(words: Heard, at: int) -> Reading | None:
    """Read the letters `i d`, which announce an id and do not belong to it."""
    is_label = text_at(words, at) == "i" and text_at(words, at + 1) == "d"
    return Reading("ID", at + 2, "acronym") if is_label and text_at(words, at + 2) else None


def _is_plain(transcript: str) -> bool:
    """Return whether a transcript has words only.

    It then has no figures, signs, or capitals other than `I` and the first letter.
    """
    rest = transcript.replace(" I ", " i ").replace(" I'", " i'")
    return _PLAIN.fullmatch(rest) is not None and rest[1:] == rest[1:].casefold()


_ARTICLE = re.compile(r"(?<!half )(\b)an? (hundred|thousand|million|billion)\b")


def _edges(transcript: str) -> frozenset[int]:
    """Return where values and words begin and end: no value is written from within another."""
    readout = read(transcript, "en")
    ends = (place for item in readout.items for place in (readout.start(item), readout.stop(item)))
    return frozenset(ends)


def _safe_reading(
    transcript: str, words: Heard, at: int, having: tuple[Sequence[Reader], frozenset[int]]
) -> Reading | None:
    """Return the value that begins at a word, if writing it changes nothing that is said."""
    readers, edges = having
    start = words[at].start
    if start not in edges:
        return None
    is_start = _may_start(words[at].text)
    for reader in readers:
        reading = reader(words, at) if is_start or reader in _ANYWHERE else None
        if reading is not None and words[reading.end - 1].end in edges:
            span = transcript[start : words[reading.end - 1].end]
            if span != reading.text and _is_safe(transcript[:start], span, reading):
                return reading
    return None


def _is_safe(before: str, span: str, reading: Reading) -> bool:
    if _DIGIT.search(span):
        has_letter = any(map(str.isalpha, span))
        is_spelled = _SPELLED.fullmatch(span) is not None and reading.kind in {"code", "spelling"}
        return is_spelled and has_letter and _units(span) == _units(reading.text)
    is_named = reading.kind in {"number", "amount", "date"} and span[:1].isupper()
    if is_named and not _SENTENCE_START.search(before):
        return False  # the words of a name: `One Hundred Years of Solitude`
    if "," in span and reading.kind == "number":
        return False
    return _units(span) == _units(reading.text)


def _units(text: str) -> str:
    """Return the joined canonical units of a text: the same for every notation of values."""
    return "".join(atom for item in read(text, "en").items for atom in item.atoms)
