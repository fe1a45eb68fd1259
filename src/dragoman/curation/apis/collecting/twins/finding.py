"""Which documents are twins: first exactly, then nearly, by rules that are told in the reason.

Documents are taken by rank, so that the order in which they were found changes nothing. Each is
compared with what is kept so far and not with what was merged, so that no chain of small differences
joins two that are not alike. Candidates share an operation, a page, or a name and a site.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from dragoman.curation.apis.collecting.twins.fingerprints import Fingerprint, likeness

SHARED = 0.8
"""The part of the operations that near twins share, of the two documents together."""

SHARED_OF_FEWER = 0.8
"""The part of the smaller document's operations, where names are alike too."""

ALIKE = 0.6
"""How alike names are (`fingerprints.likeness`)."""

_MOST_CANDIDATES = 64
_Kept = dict[Hashable, list[Fingerprint]]


class FoundTwin(NamedTuple):
    """A document that is merged: into which, and why."""

    found: str
    kept: str
    reason: str


def find_twins(fingerprints: Iterable[Fingerprint]) -> list[FoundTwin]:
    """Return what is merged, and into what."""
    kept: _Kept = defaultdict(list)
    twins: list[FoundTwin] = []
    for one in sorted(fingerprints, key=lambda each: each.rank):
        for other, reason in _reasons(one, kept):
            twins.append(FoundTwin(one.found, other.found, f"{reason} {other.found}"))
            break
        else:
            for key in _keys(one):
                kept[key].append(one)
    return twins


def _keys(one: Fingerprint) -> Iterator[Hashable]:
    """Yield what candidates share with a document."""
    if one.operations:
        yield ("all", one.operations)
    yield from (("some", each) for each in one.loose)
    if one.link:
        yield ("link", one.link)
    if one.name and one.site:
        yield ("name", one.name, one.site)


def _reasons(one: Fingerprint, kept: _Kept) -> Iterator[tuple[Fingerprint, str]]:
    """Yield the documents that one is a twin of, with the reason, the surest first."""
    for other in _candidates(kept, ("all", one.operations) if one.operations else None):
        yield other, "exact: the same operations as"
    yield from _with_shared_operations(one, kept)
    same_page = [
        other
        for other in _candidates(kept, ("link", one.link) if one.link else None)
        if not (one.operations and other.operations)
    ]
    for other in same_page:
        if other.name == one.name:
            yield other, "exact: the name and the page of"
    for other in same_page:
        if likeness(one.name, other.name) >= ALIKE:
            yield other, "near: the page of, and a name like that of,"
    for other in _candidates(kept, ("name", one.name, one.site)):
        if not (one.operations and other.operations):
            yield other, "near: the name and the site of"


def _with_shared_operations(one: Fingerprint, kept: _Kept) -> Iterator[tuple[Fingerprint, str]]:
    """Yield the documents that share operations, whatever their versions, with the reason."""
    shared: dict[str, int] = defaultdict(int)
    others: dict[str, Fingerprint] = {}
    for each in one.loose:
        for other in _candidates(kept, ("some", each)):
            shared[other.found] += 1
            others[other.found] = other
    for found, other in sorted(others.items(), key=lambda pair: (-shared[pair[0]], pair[1].rank)):
        count = shared[found]
        fewer = min(len(one.loose), len(other.loose))
        together = len(one.loose) + len(other.loose) - count
        if count >= SHARED * together:
            yield other, f"near: {count} of {together} operations shared with"
        elif count >= SHARED_OF_FEWER * fewer and likeness(one.name, other.name) >= ALIKE:
            yield other, f"near: a name like that, and {count} of {fewer} operations, of"


def _candidates(kept: _Kept, key: Hashable | None) -> list[Fingerprint]:
    return [] if key is None else kept.get(key, [])[:_MOST_CANDIDATES]
