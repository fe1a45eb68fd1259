"""What of a text must be said whole: values of calls, and all whose form shows that it is one."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from dragoman.conditions.voice.verbalization.quantities import SignWording
from dragoman.conditions.voice.verbalization.spelling import DEFAULT_STYLE, capital_words
from dragoman.conditions.voice.verbalization.symbols import sign_wordings
from dragoman.core.texts.entities import FoundEntity, find_entities

_SIGNED = re.compile(
    r"(?<![\w/.@\\-])(?:[/~.]{0,2}/)?\.?[A-Za-z0-9]+(?:[-_./:@\\]{1,3}[A-Za-z0-9]+)+/?(?![\w@\\])"
)
_SPLITTING = re.compile(r"[_/\\@]|(?<=[A-Za-z]{2})\.(?=[A-Za-z]{2})")
_POINT_BEFORE = re.compile(r"[0-9]\.")
_POINT_AFTER = re.compile(r"\.[0-9]")
_ESCAPE = re.compile(r"(?<!^[A-Za-z]:)(?<!^[A-Za-z]:\\)\\")
_CODE = re.compile(
    r"\{[^{}\n]{0,400}[:=][^{}\n]{0,400}\}|(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\([^()\n]{0,400}\)"
)
_JOINED = re.compile(r"(?P<number>[0-9]{1,4})(?:[a-z]{1,3}|(?:-[a-z]+)+)")


class WholeSpan(NamedTuple):
    """A stretch of a text, the kind of value that it is, and what is said where signs write it."""

    kind: str
    start: int
    end: int
    said: str = ""


def spoken_spans(text: str, kept: Collection[str]) -> tuple[WholeSpan, ...]:
    """Return the values that can be put in words, in their order and apart from each other.

    Args:
        text: The text.
        kept: Words with signs inside that are no values.
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
    return tuple(sorted(_chosen(code, signs, shown), key=lambda span: span.start))


def _chosen(*ranks: Iterable[WholeSpan]) -> Iterator[WholeSpan]:
    """Yield spans that overlap none of a rank before."""
    chosen: list[WholeSpan] = []
    for rank in ranks:
        chosen += [span for span in rank if not _meets_any(span, chosen)]
    return iter(chosen)


def _sign_span(wording: SignWording) -> WholeSpan:
    return WholeSpan(wording.kind, wording.start, wording.end, wording.said)


def _meets_any(span: WholeSpan, others: Iterable[WholeSpan]) -> bool:
    return any(_overlap(span, other) for other in others)


def places_of(value: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a value stands in a text as it is written, whatever its case and spaces."""
    pattern = r"\s+".join(map(re.escape, value.split()))
    around = r"\d" if value.isdecimal() else r"\w"
    if pattern:
        for match in re.finditer(rf"(?<!{around}){pattern}(?!{around})", text, re.IGNORECASE):
            yield match.span()


def _is_half(found: FoundEntity, text: str) -> bool:
    """Whether a value is one side of a decimal point whose number is joined to a unit: `0.5A`."""
    before, after = text[: found.start][-2:], text[found.end : found.end + 2]
    return bool(_POINT_BEFORE.fullmatch(before) or _POINT_AFTER.fullmatch(after))


def _span(found: FoundEntity) -> WholeSpan:
    """Return the span of a value; of a number that is joined to a unit (`20ft`, `7-day`) the number's."""
    joined = _JOINED.fullmatch(found.text) if found.kind == "code" else None
    if joined is None:
        return WholeSpan(found.kind, found.start, found.start + len(found.text.rstrip(",")))
    return WholeSpan("number", found.start, found.start + joined.end("number"))


def _is_within(span: WholeSpan, path: WholeSpan) -> bool:
    """Whether an entity is a part of a path, and not all of it."""
    is_part = path.start <= span.start and span.end <= path.end
    return is_part and (span.start, span.end) != (path.start, path.end)


def _overlap(one: WholeSpan, other: WholeSpan) -> bool:
    return one.start < other.end and other.start < one.end
