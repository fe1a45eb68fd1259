"""What a translator is asked once: a text in a context, however many segments have it."""

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.curation.translation.segments import Segment
from dragoman.store.translation_memory import SourceText


class Unit(msgspec.Struct, frozen=True):
    """A text in a context, with the segments that have it."""

    source: SourceText
    segments: tuple[Segment, ...]

    @property
    def segment(self) -> Segment:
        """The first of them."""
        return self.segments[0]


class BatchLimits(msgspec.Struct, frozen=True):
    """How much is asked for at once: so many texts, and so many characters of them.

    A text that is longer than that is asked for alone.
    """

    texts: int = 24
    characters: int = 12_000


def units_of(segments: Iterable[Segment], source: str, target: str) -> tuple[Unit, ...]:
    """Return the distinct texts of segments, in the order of their first places.

    Args:
        segments: The segments.
        source: The code of their language.
        target: The code of the language that they are to be in.
    """
    found: dict[SourceText, list[Segment]] = {}
    for segment in segments:
        key = SourceText(source, target, segment.context, segment.source)
        found.setdefault(key, []).append(segment)
    return tuple(Unit(key, tuple(places)) for key, places in found.items())


def batches_of(units: Sequence[Unit], limits: BatchLimits) -> list[tuple[Unit, ...]]:
    """Return units in batches; labels and prose are never asked for together."""
    batches: list[list[Unit]] = []
    characters = 0
    for unit in sorted(units, key=lambda each: each.segment.mode != "label"):
        characters += len(unit.source.text)
        if (
            not batches
            or batches[-1][0].segment.mode != unit.segment.mode
            or len(batches[-1]) >= limits.texts
            or characters > limits.characters
        ):
            batches.append([])
            characters = len(unit.source.text)
        batches[-1].append(unit)
    return [tuple(batch) for batch in batches]
