"""Verbalization of values in a message: numbers, dates, money, ids in words, as edits."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from dragoman.conditions.voice.verbalization.english_words import spoken_number, spoken_year
from dragoman.conditions.voice.verbalization.quantities import SignWording
from dragoman.conditions.voice.verbalization.spelling import DEFAULT_STYLE, capital_words
from dragoman.conditions.voice.verbalization.spoken_form import entity_verbalizers
from dragoman.conditions.voice.verbalization.symbols import sign_wordings
from dragoman.core.texts.entities import FoundEntity, find_entities, sign_names


class TextEdit(NamedTuple):
    """A replacement for a span of a text, and the phenomenon that it represents."""

    start: int
    end: int
    said: str
    phenomenon: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> tuple[str, tuple[str, ...]]:
    """Return the edited text and the phenomena of the edits in their order.

    Of edits that overlap, only the first is applied.
    """
    parts: list[str] = []
    made: list[str] = []
    end = 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        if edit.start < end:
            continue
        parts += [text[end : edit.start], edit.said]
        made.append(edit.phenomenon)
        end = edit.end
    return "".join((*parts, text[end:])), tuple(made)


_SIGNED = re.compile(
    r"(?<![\w/.@\\-])(?:[/~.]{0,2}/)?\.?[A-Za-z0-9]+(?:[-_./:@\\]{1,3}[A-Za-z0-9]+)+/?(?![\w@\\])"
)
_SPLITTING = re.compile(r"[_/\\@]|(?<=[A-Za-z]{2})\.(?=[A-Za-z]{2})")
_POINT_BEFORE = re.compile(r"[0-9]\.")
_POINT_AFTER = re.compile(r"\.[0-9]")
_ESCAPE = re.compile(r"(?<!^[A-Za-z]:)(?<!^[A-Za-z]:\\)\\")
_CODE = re.compile(
    r"\{[^{}\n]{0,400}[:=][^{}\n]{0,400}\}"
    r"|(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\([^()\n]{0,400}\)"
)
_JOINED = re.compile(r"(?P<number>[0-9]{1,4})(?:[a-z]{1,3}|(?:-[a-z]+)+)")


class WholeSpan(NamedTuple):
    """A span of a text, the kind of its value, and its words if it is written with signs."""

    kind: str
    start: int
    end: int
    said: str = ""


def spoken_spans(text: str, kept: Collection[str]) -> tuple[WholeSpan, ...]:
    """Return the values that can be put in words, in order and without overlaps.

    Args:
        text: The text.
        kept: Words with signs inside that are not values.
    """
    paths = [
        WholeSpan("path", match.start(), match.end())
        for match in _SIGNED.finditer(text)
        if _SPLITTING.search(match.group())
        and match.group().casefold() not in kept
        and not _ESCAPE.search(match.group())
    ]
    shown = [_span(found) for found in find_entities(text) if not _is_half(found, text)]
    shown = [span for span in shown if not any(_is_within(span, path) for path in paths)]
    paths = [path for path in paths if not any(_overlap(path, span) for span in shown)]
    words = {WholeSpan("acronym", start, end) for start, end in capital_words(text)}
    code = [WholeSpan("code", *match.span()) for match in _CODE.finditer(text)]
    signs = [_sign_span(each) for each in sign_wordings(text, DEFAULT_STYLE)]
    signs = [span for span in signs if span.kind != "path" or not _meets_any(span, paths)]
    shown = [span for span in (*shown, *paths) if span not in words]
    return tuple(sorted(_choose_disjoint_spans(code, signs, shown), key=lambda span: span.start))


def _choose_disjoint_spans(*ranks: Iterable[WholeSpan]) -> Iterator[WholeSpan]:
    """Yield spans that overlap no span of an earlier rank."""
    chosen: list[WholeSpan] = []
    for rank in ranks:
        chosen += [span for span in rank if not _meets_any(span, chosen)]
    return iter(chosen)


def _sign_span(wording: SignWording) -> WholeSpan:
    return WholeSpan(wording.kind, wording.start, wording.end, wording.said)


def _meets_any(span: WholeSpan, others: Iterable[WholeSpan]) -> bool:
    return any(_overlap(span, other) for other in others)


def places_of(value: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a value in a text as written, in any case and with any spaces."""
    pattern = r"\s+".join(map(re.escape, value.split()))
    around = r"\d" if value.isdecimal() else r"\w"
    if pattern:
        for match in re.finditer(rf"(?<!{around}){pattern}(?!{around})", text, re.IGNORECASE):
            yield match.span()


def _is_half(found: FoundEntity, text: str) -> bool:
    """Return whether a value is one side of a decimal point.

    This occurs if a decimal number is joined to a unit: `0.5A`.
    """
    before, after = text[: found.start][-2:], text[found.end : found.end + 2]
    return bool(_POINT_BEFORE.fullmatch(before) or _POINT_AFTER.fullmatch(after))


def _span(found: FoundEntity) -> WholeSpan:
    """Return the span of a value.

    For a number that is joined to a unit (`20ft`, `7-day`), it is the span of the number.
    """
    joined = _JOINED.fullmatch(found.text) if found.kind == "code" else None
    if joined is None:
        return WholeSpan(found.kind, found.start, found.start + len(found.text.rstrip(",")))
    return WholeSpan("number", found.start, found.start + joined.end("number"))


def _is_within(span: WholeSpan, path: WholeSpan) -> bool:
    """Return whether an entity is a proper part of a path."""
    is_part = path.start <= span.start and span.end <= path.end
    return is_part and (span.start, span.end) != (path.start, path.end)


def _overlap(one: WholeSpan, other: WholeSpan) -> bool:
    return one.start < other.end and other.start < one.end


_PIECES = re.compile(r"[^\W_]+|[^\w\s]|_")
_YEAR = re.compile(r"1[1-9][0-9]{2}|20[0-9]{2}")
_UNIT = re.compile(r"\ ?%|[A-Za-z]+\b")
_SCALED = re.compile(r"\ (?:thousand|million|billion|trillion)\b|[kKmMbB]\b")
_MIXED = re.compile(r"[a-z][^\W_]*[A-Z]|[A-Z]{2,}[^\W_]*[a-z]")


def can_be_worded(text: str, span: WholeSpan) -> bool:
    """Return whether a span can be put into words without loss.

    Neither the case of letters nor the multiplier of an amount may be lost.
    """
    if is_code(text, span):
        return False
    if span.said and span.kind not in {"path", "code"}:
        return True
    if span.kind == "amount":
        return _SCALED.match(text, span.end) is None
    return not _MIXED.search(text[span.start : span.end])


def verbalize_span(text: str, span: WholeSpan) -> TextEdit:
    """Return the edit that puts a value in words."""
    if span.said:
        return TextEdit(span.start, span.end, span.said, f"{span.kind} in words")
    if span.kind == "number":
        return _number(text, span)
    said = _speakers()[span.kind](text[span.start : span.end])
    return TextEdit(span.start, span.end, said, f"{span.kind} in words")


def as_typed(text: str, span: WholeSpan) -> TextEdit:
    """Return the edit that keeps a value as typed, so that it is counted too."""
    return TextEdit(span.start, span.end, text[span.start : span.end], f"{span.kind} as typed")


def is_code(text: str, span: WholeSpan) -> bool:
    """Return whether a span is code, which is not read out: an object or a call."""
    return text[span.end - 1] in "})" and span.kind == "code"


def _number(text: str, span: WholeSpan) -> TextEdit:
    """Return a number in words, with the sign before it and the unit after it."""
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
