"""Hiding what must stay, and putting it back: every placeholder exactly as often as it was given."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from dragoman.conditions.language.text_invariants import is_han
from dragoman.curation.translation.glossary import NO_GLOSSARY, Glossary
from dragoman.curation.translation.protection.placeholders import placeholder, placeholders_in
from dragoman.curation.translation.protection.spans import Kind, Span, without
from dragoman.curation.translation.protection.tokens import Protection
from dragoman.curation.translation.segments import Segment

FaultCode = Literal["placeholder-lost", "placeholder-doubled", "placeholder-invented"]


class MaskSlot(msgspec.Struct, frozen=True):
    """What a placeholder stands for.

    Attributes:
        placeholder: The placeholder, `⟦1⟧`.
        source: What stood in the source.
        restored: What is put in its place: the same, or the label of a value.
        kind: What it is.
        count: How often it stands in the source.
    """

    placeholder: str
    source: str
    restored: str
    kind: Kind
    count: int


class Masked(msgspec.Struct, frozen=True):
    """A source with placeholders; texts that differ in ids alone are equal but for their slots."""

    text: str
    slots: tuple[MaskSlot, ...]

    @property
    def has_words(self) -> bool:
        """Whether anything is left to translate beside what stays."""
        found = placeholders_in(self.text)
        spans = tuple(Span(each.start, each.end, "placeholder") for each in found)
        return any(map(str.isalpha, without(self.text, spans)))

    def slot(self, number: int) -> MaskSlot | None:
        """Return what the placeholder with a number stands for; None where none has it."""
        return self.slots[number - 1] if 0 < number <= len(self.slots) else None


class PlaceholderFault(msgspec.Struct, frozen=True):
    """A placeholder that did not come back as often as it was given.

    Attributes:
        code: Whether it is lost, doubled or none that was given.
        placeholder: Which.
        restored: What it stands for; "" for one that was not given.
        expected: How often it was given.
        found: How often it came back.
    """

    code: FaultCode
    placeholder: str
    restored: str
    expected: int
    found: int


class Restored(msgspec.Struct, frozen=True):
    """A translation with everything put back; with faults, it is to be asked for again."""

    text: str
    faults: tuple[PlaceholderFault, ...] = ()


def mask(segment: Segment, protection: Protection, glossary: Glossary = NO_GLOSSARY) -> Masked:
    """Hide what must stay in a segment.

    A value that has a label in the glossary is hidden where it is quoted, in code or written with
    underscores, and comes back as the label. A stand-alone label is translated whole.
    """
    if segment.mode == "label":
        return Masked(segment.source, ())
    parts: list[str] = []
    numbers: dict[tuple[str, str, Kind], int] = {}
    counts: Counter[int] = Counter()
    end = 0
    for span, restored in _replaced(segment, protection, glossary):
        source = segment.source[span.start : span.end]
        number = numbers.setdefault((source, restored, span.kind), len(numbers) + 1)
        counts[number] += 1
        parts += (segment.source[end : span.start], placeholder(number))
        end = span.end
    parts.append(segment.source[end:])
    slots = tuple(
        MaskSlot(placeholder(number), source, restored, kind, counts[number])
        for (source, restored, kind), number in numbers.items()
    )
    return Masked("".join(parts), slots)


def restore(masked: Masked, text: str) -> Restored:
    """Put what was hidden back into a translation, and say which placeholders it has not kept.

    White space around the text is that of the source. A space that a translator left between a
    Chinese label and the Chinese characters beside it is taken out.
    """
    text = _with_space_of(masked.text, text)
    pieces: list[str] = []
    labels: list[int] = []
    counts: Counter[int] = Counter()
    end = 0
    for placed in placeholders_in(text):
        counts[placed.number] += 1
        slot = masked.slot(placed.number)
        if slot is not None and slot.restored != slot.source:
            labels.append(len(pieces) + 1)
        written = text[placed.start : placed.end] if slot is None else slot.restored
        pieces += (text[end : placed.start], written)
        end = placed.end
    pieces.append(text[end:])
    for at in labels:
        _close_up(pieces, at)
    return Restored("".join(pieces), _faults(masked, counts))


def _replaced(
    segment: Segment, protection: Protection, glossary: Glossary
) -> Iterator[tuple[Span, str]]:
    """Yield what is hidden with what comes back for it."""
    text = segment.source
    for span in protection.spans(text, segment.component, segment.kept):
        label = glossary.label_at(text, span.start, span.end) if span.kind == "value" else None
        if label is None:
            yield span, text[span.start : span.end]
        elif not span.is_prose:
            yield span, label


def _with_space_of(source: str, text: str) -> str:
    inner = source.strip()
    if not inner or not text.strip():
        return text
    before, _, after = source.partition(inner)
    return f"{before}{text.strip()}{after}"


def _close_up(pieces: list[str], at: int) -> None:
    """Take out spaces between a label and its neighbours where both are Han."""
    before = pieces[at - 1].rstrip(" ")
    if is_han((before or "".join(pieces[: at - 1]))[-1:]) and is_han(pieces[at][:1]):
        pieces[at - 1] = before
    after = pieces[at + 1].lstrip(" ")
    if is_han((after or "".join(pieces[at + 2 :]))[:1]) and is_han(pieces[at][-1:]):
        pieces[at + 1] = after


def _faults(masked: Masked, counts: Counter[int]) -> tuple[PlaceholderFault, ...]:
    found: list[PlaceholderFault] = []
    for number, slot in enumerate(masked.slots, 1):
        count = counts.pop(number, 0)
        if count != slot.count:
            code: FaultCode = "placeholder-lost" if count < slot.count else "placeholder-doubled"
            found.append(PlaceholderFault(code, slot.placeholder, slot.restored, slot.count, count))
    invented = sorted(counts)
    found += (
        PlaceholderFault("placeholder-invented", placeholder(number), "", 0, counts[number])
        for number in invented
    )
    return tuple(found)
