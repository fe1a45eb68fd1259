"""Inverse text normalization: from what a recognizer wrote to the form in which people type it.

Evidence is looked at span by span. A span that is written already (with figures, or spelled in capitals)
stays, or is drawn together where that changes none of its letters and digits. A span of plain words is
written as figures; in a transcript of plain words alone, words that only sound like letters are read
too. So a value that the recognizer wrote can be found afterwards as it could before.
"""

import re

from dragoman.conditions.voice.written.form import READERS, written_form
from dragoman.conditions.voice.written.words import MAX_CHARACTERS, Heard, Reading, heard_words
from dragoman.core.speech import UNRECORDED_NORMALIZER
from dragoman.core.values.folding import primary_language
from dragoman.core.values.reading import read

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
        transcript: What a recognizer wrote.
        language: Its tag; transcripts in other languages than English stay as they are.
        normalizer: The rules.
    """
    if normalizer == EARLIER_NORMALIZER:
        return written_form(transcript, language)
    if primary_language(language) != "en" or len(transcript) > MAX_CHARACTERS:
        return transcript
    if _is_plain(transcript):
        return written_form(_ARTICLE.sub(r"\1one \2", transcript), language)
    words = heard_words(transcript)
    edges = _edges(transcript)
    parts: list[str] = []
    at = end = 0
    while at < len(words):
        reading = _safe_reading(transcript, words, at, edges)
        if reading is None:
            at += 1
            continue
        parts += [transcript[end : words[at].start], reading.text]
        end = words[reading.end - 1].end
        at = reading.end
    return "".join((*parts, transcript[end:]))


def _is_plain(transcript: str) -> bool:
    """Whether a transcript has words alone: no figure, no sign, no capital but `I` and its first letter."""
    rest = transcript.replace(" I ", " i ").replace(" I'", " i'")
    return _PLAIN.fullmatch(rest) is not None and rest[1:] == rest[1:].casefold()


_ARTICLE = re.compile(r"(?<!half )(\b)an? (hundred|thousand|million|billion)\b")


def _edges(transcript: str) -> frozenset[int]:
    """Return where values and words begin and end: no value is written from within another."""
    readout = read(transcript, "en")
    ends = (place for item in readout.items for place in (readout.start(item), readout.stop(item)))
    return frozenset(ends)


def _safe_reading(transcript: str, words: Heard, at: int, edges: frozenset[int]) -> Reading | None:
    """Return the value that begins at a word, if writing it changes nothing that is said."""
    if words[at].start not in edges:
        return None
    for reader in READERS:
        reading = reader(words, at)
        if reading is not None and words[reading.end - 1].end in edges:
            span = transcript[words[at].start : words[reading.end - 1].end]
            if span != reading.text and _is_safe(transcript[: words[at].start], span, reading):
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
    """Return the canonical units of a text, joined: the same for all its written forms."""
    return "".join(atom for item in read(text, "en").items for atom in item.atoms)
