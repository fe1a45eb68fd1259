"""Copy-on-write database tables of frozen records, and the differences between two states.

Three shapes exist: tables keyed by id, lists of records, and single objects.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import astuple

from dragoman.core.tools import Change

Record = TypeVar("Record", bound=msgspec.Struct)

_quoted = json.JSONEncoder().encode
_render_sorted = json.JSONEncoder(sort_keys=True).encode
_canonical = msgspec.json.Encoder(order="sorted").encode
_pack = msgspec.msgpack.Encoder().encode
_MAX_CACHED = 4_096


class Rendering:
    """Rendering of records as text: JSON with ", " and ": ", fields in order.

    A write is rendered when it happens and again by every replay: texts are remembered by content.
    """

    def __init__(self, *, is_ascii: bool) -> None:
        """Prepare a rendering; `is_ascii` escapes what is not ASCII, as the reference does."""
        self._encode = json.JSONEncoder(ensure_ascii=is_ascii).encode
        self._cached: dict[bytes, str] = {}

    def __call__(self, value: object) -> str:
        """Return the JSON text of a record as a tool shows it."""
        try:
            key = _pack(value)
        except OverflowError:  # a number of more than 64 bits
            return self._encode(msgspec.to_builtins(value))
        text = self._cached.get(key)
        if text is None:
            if len(self._cached) >= _MAX_CACHED:
                self._cached.clear()
            text = self._cached[key] = self._encode(msgspec.to_builtins(value))
        return text


render = Rendering(is_ascii=True)
readable = Rendering(is_ascii=False)


def render_sorted(value: object) -> str:
    """Return the JSON text of a record by which the reference hashes states."""
    return _render_sorted(msgspec.to_builtins(value))


class SharedTable(Generic[Record]):
    """Records as loaded, with their texts rendered at most once per process."""

    __slots__ = ("_canonical", "_hashed", "_rendered", "records", "render")

    def __init__(self, records: Mapping[str, Record], render: Rendering = render) -> None:
        self.records = records
        self.render = render
        self._rendered: dict[str, str] = {}
        self._canonical: dict[str, bytes] = {}
        self._hashed: dict[str, str] = {}

    def text(self, key: str) -> str:
        """Return the rendered text of a record."""
        text = self._rendered.get(key)
        if text is None:
            text = self._rendered[key] = self.render(self.records[key])
        return text

    def canonical(self, key: str) -> bytes:
        """Return the bytes by which a record is compared, b"" where there is none."""
        text = self._canonical.get(key)
        if text is None:
            text = _canonical(self.records[key]) if key in self.records else b""
            self._canonical[key] = text
        return text

    def hashed(self, key: str) -> str:
        """Return the text of a record that enters the reference's hash."""
        text = self._hashed.get(key)
        if text is None:
            text = self._hashed[key] = render_sorted(self.records[key])
        return text


class Table(Generic[Record]):
    """One world's view of a shared table: its own records over the shared ones."""

    __slots__ = ("_before", "own", "shared")

    def __init__(self, shared: SharedTable[Record]) -> None:
        self.shared = shared
        self.own: dict[str, Record] = {}
        self._before: dict[str, Record | None] = {}

    def get(self, key: str) -> Record | None:
        """Return the record of that key, or None."""
        return self.own.get(key) or self.shared.records.get(key)

    def put(self, key: str, record: Record) -> None:
        """Replace or add a record in this world only."""
        self._before.setdefault(key, self.get(key))
        self.own[key] = record

    def text(self, key: str) -> str:
        """Return the rendered text of a record that exists."""
        own = self.own.get(key)
        return self.shared.text(key) if own is None else self.shared.render(own)

    def take_changes(self, name: str) -> Iterator[Change]:
        """Yield what `put` changed since the last call, then forget it."""
        if self._before:
            before, self._before = self._before, {}
            for key, old in before.items():
                yield from record_changes(old, self.own[key], (name, key))

    def delta(self) -> Iterator[tuple[str, bytes]]:
        """Yield key and canonical bytes of every record that differs from the shared one."""
        for key, record in self.own.items():
            text = _canonical(record)
            if text != self.shared.canonical(key):
                yield key, text

    def changes(self, name: str) -> Iterator[Change]:
        """Yield all differences from the shared table."""
        for key, record in self.own.items():
            yield from record_changes(self.shared.records.get(key), record, (name, key))

    def full_text(self) -> str:
        """Return the canonical text of the whole table (slow; for the reference's hash)."""
        keys = sorted({*self.shared.records, *self.own})
        parts = (f"{_quoted(key)}: {self._hashed(key)}" for key in keys)
        return "{" + ", ".join(parts) + "}"

    def _hashed(self, key: str) -> str:
        own = self.own.get(key)
        return self.shared.hashed(key) if own is None else render_sorted(own)


_ABSENT = object()


def record_changes(old: Record | None, new: Record, path: tuple[str | int, ...]) -> list[Change]:
    """Return the differences between a record and the one it replaced, if there was one."""
    if old is None:
        return [Change(path, "add", msgspec.to_builtins(new))]
    return differences(old, new, path)


def differences(old: object, new: object, path: tuple[str | int, ...]) -> list[Change]:
    """Return the differences between two values of a database, names in sorted order.

    Records, objects and arrays that did not shrink are compared member by member; what a replaced
    record still shares with the old one is skipped unseen. Any other difference, also in type (1
    and 1.0), is set as a whole.
    """
    found: list[Change] = []
    _compare(old, new, path, found)
    return found


def _compare(old: object, new: object, path: tuple[str | int, ...], found: list[Change]) -> None:
    if isinstance(old, msgspec.Struct) and type(old) is type(new):
        for name in _changed_fields(old, new):
            _compare(getattr(old, name), getattr(new, name), (*path, name), found)
    elif isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}):
            was, now = old.get(name, _ABSENT), new.get(name, _ABSENT)
            if was is not now:
                _compare_members(was, now, (*path, name), found)
    elif isinstance(old, list) and isinstance(new, list) and len(old) <= len(new):
        for index, (was, now) in enumerate(zip_longest(old, new, fillvalue=_ABSENT)):
            if was is not now:
                _compare_members(was, now, (*path, index), found)
    elif old != new or type(old) is not type(new):
        found.append(Change(path, "set", msgspec.to_builtins(new)))


def _changed_fields(old: Any, new: Any) -> list[str]:  # noqa: ANN401 - two records of one type
    fields = zip(old.__struct_fields__, astuple(old), astuple(new), strict=True)
    return sorted(name for name, was, now in fields if was is not now)


def _compare_members(
    was: object, now: object, path: tuple[str | int, ...], found: list[Change]
) -> None:
    if now is _ABSENT:
        found.append(Change(path, "del"))
    elif was is _ABSENT:
        found.append(Change(path, "add", msgspec.to_builtins(now)))
    else:
        _compare(was, now, path, found)


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
