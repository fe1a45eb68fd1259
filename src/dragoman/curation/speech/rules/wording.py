"""Values in words: numbers, dates, times, money, ids, and what has signs inside."""

import re
from collections.abc import Callable, Mapping
from functools import cache

from dragoman.conditions.voice.verbalization.english_words import spoken_number, spoken_year
from dragoman.conditions.voice.verbalization.spelling import DEFAULT_STYLE
from dragoman.conditions.voice.verbalization.spoken_form import entity_verbalizers
from dragoman.core.texts.entities import sign_names
from dragoman.curation.speech.rules.edits import TextEdit
from dragoman.curation.speech.rules.spans import WholeSpan

_PIECES = re.compile(r"[^\W_]+|[^\w\s]|_")
_YEAR = re.compile(r"1[1-9][0-9]{2}|20[0-9]{2}")
_UNIT = re.compile(r"\ ?%|[A-Za-z]+\b")
_SCALED = re.compile(r"\ (?:thousand|million|billion|trillion)\b|[kKmMbB]\b")
_MIXED = re.compile(r"[a-z][^\W_]*[A-Z]|[A-Z]{2,}[^\W_]*[a-z]")


def can_be_worded(text: str, span: WholeSpan) -> bool:
    """Whether nothing would be lost: not the case of letters, nor what an amount is multiplied by."""
    if is_code(text, span):
        return False
    if span.said and span.kind not in {"path", "code"}:
        return True
    if span.kind == "amount":
        return _SCALED.match(text, span.end) is None
    return not _MIXED.search(text[span.start : span.end])


def worded(text: str, span: WholeSpan) -> TextEdit:
    """Return a value in words, in the place of its writing."""
    if span.said:
        return TextEdit(span.start, span.end, span.said, f"{span.kind} in words")
    if span.kind == "number":
        return _number(text, span)
    said = _speakers()[span.kind](text[span.start : span.end])
    return TextEdit(span.start, span.end, said, f"{span.kind} in words")


def as_typed(text: str, span: WholeSpan) -> TextEdit:
    """Return a value as it is typed: what is not put in words is counted too."""
    return TextEdit(span.start, span.end, text[span.start : span.end], f"{span.kind} as typed")


def is_code(text: str, span: WholeSpan) -> bool:
    """Whether a stretch is code, which nobody reads out: an object or a call."""
    return text[span.end - 1] in "})" and span.kind == "code"


def _number(text: str, span: WholeSpan) -> TextEdit:
    """Return a number in words, with the sign before it and the unit behind."""
    start, end = span.start, span.end
    written = text[start:end]
    said = spoken_year(int(written)) if _YEAR.fullmatch(written) else spoken_number(written)
    if text[:start].endswith(("-", "\u2212")) and not text[: start - 1][-1:].isalnum():
        start, said = start - 1, f"minus {said}"
    unit = _UNIT.match(text, end)
    if unit is not None:
        end = unit.end()
        name = unit.group().strip()
        said = f"{said} {'percent' if name == '%' else name}"
    return TextEdit(start, end, said, "number in words")


@cache
def _speakers() -> Mapping[str, Callable[[str], str]]:
    return dict(entity_verbalizers(DEFAULT_STYLE)) | {"path": _path}


def _path(written: str) -> str:
    names = sign_names().signs
    return " ".join(names.get(piece, piece) for piece in _PIECES.findall(written))
