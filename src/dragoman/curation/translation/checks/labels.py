"""Checks of the labels of a value set together: each stands for one value."""

from collections.abc import Iterable, Iterator

from dragoman.conditions.language.value_maps import fold
from dragoman.curation.translation.checks.anomalies import Anomaly, anomaly
from dragoman.curation.translation.segments import Segment

Labelled = tuple[Segment, str]
"""A segment of a value's label, and its translation."""


def colliding_labels(labels: Iterable[Labelled]) -> Iterator[Anomaly]:
    """Find labels that are read like another label or value of their value set.

    Args:
        labels: Labels of any value sets; those of one file and one context belong together.
    """
    sets: dict[tuple[str, str], list[Labelled]] = {}
    for segment, target in labels:
        file = segment.address.partition("::")[0]
        sets.setdefault((file, segment.context), []).append((segment, target))
    for members in sets.values():
        yield from _collisions(members)


def _collisions(members: list[Labelled]) -> Iterator[Anomaly]:
    owners: dict[str, set[str]] = {}
    for segment, target in members:
        owners.setdefault(fold(target), set()).add(segment.source)
        owners.setdefault(fold(segment.source), set()).add(segment.source)
    for segment, target in members:
        others = owners[fold(target)] - {segment.source}
        if others:
            what = f"{target!r} would mean {segment.source!r} and {', '.join(map(repr, sorted(others)))}"
            yield anomaly("label-collision", segment.address, what)
