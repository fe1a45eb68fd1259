"""Two shapes of databases beside `Table`: lists of records, and single objects.

Both are copy-on-write over shared data, as `Table` is. In a list a record's path is its position;
records that a world adds follow the shared ones.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Generic

import msgspec

from dragoman.benchmarks.kit.tables import (
    Record,
    SharedTable,
    Table,
    differences,
    record_changes,
    render_sorted,
)
from dragoman.core.tools import Change

_canonical = msgspec.json.Encoder(order="sorted").encode


class SharedList(SharedTable[Record]):
    """A list of records as loaded, by their ids."""

    __slots__ = ("positions",)

    def __init__(self, records: Mapping[str, Record]) -> None:
        super().__init__(records)
        self.positions = {key: position for position, key in enumerate(records)}


class ListTable(Table[Record]):
    """One world's view of a shared list."""

    __slots__ = ("positions",)

    def __init__(self, shared: SharedList[Record]) -> None:
        super().__init__(shared)
        self.positions: Mapping[str, int] = shared.positions

    def put(self, key: str, record: Record) -> None:
        """Replace a record, or add one at the end, in this world only."""
        if key not in self.positions:
            self.positions = {**self.positions, key: len(self.positions)}
        super().put(key, record)

    def take_changes(self, name: str) -> Iterator[Change]:
        """Yield what `put` changed since the last call, then forget it."""
        before, self._before = self._before, {}
        for key, old in before.items():
            yield from self._differences(name, key, old)

    def changes(self, name: str) -> Iterator[Change]:
        """Yield all differences from the shared list."""
        for key in self.own:
            yield from self._differences(name, key, self.shared.records.get(key))

    def full_text(self) -> str:
        """Return the canonical text of the whole list (slow; for the reference's hash)."""
        return f"[{', '.join(map(self._hashed, self.positions))}]"

    def _differences(self, name: str, key: str, old: Record | None) -> list[Change]:
        return record_changes(old, self.own[key], (name, self.positions[key]))


class SingleObject(Generic[Record]):
    """One world's version of an object that its database holds once.

    Its delta names the fields that differ, so that evidence says more than "the phone differs".
    """

    __slots__ = ("_before", "_shared", "record")

    def __init__(self, shared: Record) -> None:
        self._shared = shared
        self._before = shared
        self.record = shared

    def set(self, **fields: object) -> None:
        """Replace fields in this world only."""
        self.record = msgspec.structs.replace(self.record, **fields)

    def take_changes(self, name: str) -> Iterator[Change]:
        """Yield what `set` changed since the last call, then forget it."""
        before, self._before = self._before, self.record
        yield from differences(before, self.record, (name,))

    def changes(self, name: str) -> Iterator[Change]:
        """Yield all differences from the shared object."""
        yield from differences(self._shared, self.record, (name,))

    def delta(self) -> Iterator[tuple[str, bytes]]:
        """Yield name and canonical bytes of every field that differs from the shared object."""
        for name in self.record.__struct_fields__:
            own: Any = getattr(self.record, name)
            shared: Any = getattr(self._shared, name)
            if own is not shared and (text := _canonical(own)) != _canonical(shared):
                yield name, text

    def full_text(self) -> str:
        """Return the canonical text of the object (slow; for the reference's hash)."""
        return render_sorted(self.record)
