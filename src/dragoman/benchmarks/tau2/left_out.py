"""Simulations of a result file that cannot be read: a run keeps them, and an export writes them again."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

LEFT_OUT = "dragoman:left_out"
"""The field of a run's copy of a file's head that holds them; no file has it."""


class LeftOut(msgspec.Struct, frozen=True):
    """One simulation with its place among all of its file, counted from 0."""

    at: int
    record: msgspec.Raw


class _Named(msgspec.Struct):
    id: str = ""


def encode_left_out(left_out: Iterable[LeftOut]) -> msgspec.Raw:
    """Return simulations as a field of a head."""
    return msgspec.Raw(msgspec.json.encode(list(left_out)))


def with_left_out(
    head: Mapping[str, msgspec.Raw], records: Iterable[tuple[str, msgspec.Raw]]
) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield records with those that were left out in their places, each with its id."""
    if LEFT_OUT not in head:
        yield from records
        return
    left = {
        each.at: each.record for each in msgspec.json.decode(head[LEFT_OUT], type=list[LeftOut])
    }
    at = 0
    for each in records:
        while at in left:
            yield _named(left.pop(at))
            at += 1
        yield each
        at += 1
    for _, record in sorted(left.items()):
        yield _named(record)


def _named(record: msgspec.Raw) -> tuple[str, msgspec.Raw]:
    return msgspec.json.decode(record, type=_Named).id, record
