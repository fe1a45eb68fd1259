"""The labels of value sets: no two values of one set may share one, or there is no way back."""

from collections.abc import Iterable

from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.curation.translation.segments import Segment
from dragoman.store.translation_memory import SourceText

_LABEL = "/label/"


def is_of_value_set(segment: Segment) -> bool:
    """Whether a segment is a value, whose translation is its label."""
    return _LABEL in segment.context


class LabelBook:
    """The spellings that are taken in each value set: the values themselves, then their labels."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self._taken: dict[str, dict[str, str]] = {}
        for segment in segments:
            if is_of_value_set(segment):
                spellings = self._taken.setdefault(segment.context, {})
                spellings[fold_spelling(segment.source)] = segment.source

    def take(self, source: SourceText, label: str) -> str | None:
        """Take a label for a value; return the other value that has it, if one does."""
        spellings = self._taken.get(source.context)
        if spellings is None:
            return None
        holder = spellings.setdefault(fold_spelling(label), source.text)
        return None if holder == source.text else holder

    def others(self, source: SourceText) -> tuple[str, ...]:
        """Return the spellings of a value set that other values have."""
        spellings = self._taken.get(source.context, {})
        return tuple(each for each, holder in spellings.items() if holder != source.text)
