import json

import msgspec

from dragoman.benchmarks.kit.tables import ListTable, SharedList, SingleObject
from dragoman.core.tools import Change


class Lamp(msgspec.Struct, frozen=True):
    id: str
    on: bool = False
    room: str | None = None


def lamps() -> SharedList[Lamp]:
    return SharedList({"b": Lamp("b"), "a": Lamp("a")})


def test_a_list_is_written_in_its_own_order() -> None:
    table: ListTable[Lamp] = ListTable(lamps())
    table.put("a", Lamp("a", on=True))
    table.put("0", Lamp("0"))
    assert json.loads(table.full_text()) == [
        {"id": "b", "on": False, "room": None},
        {"id": "a", "on": True, "room": None},
        {"id": "0", "on": False, "room": None},
    ]


def test_changes_of_a_list_are_found_by_position() -> None:
    table: ListTable[Lamp] = ListTable(lamps())
    table.put("a", Lamp("a", on=True))
    table.put("0", Lamp("0"))
    expected = [
        Change(("lamps", 1, "on"), "set", True),
        Change(("lamps", 2), "add", {"id": "0", "on": False, "room": None}),
    ]
    assert list(table.take_changes("lamps")) == expected
    assert list(table.take_changes("lamps")) == []
    assert list(table.changes("lamps")) == expected


def test_an_added_record_is_changed_like_any_other() -> None:
    table: ListTable[Lamp] = ListTable(lamps())
    table.put("0", Lamp("0"))
    list(table.take_changes("lamps"))
    table.put("0", Lamp("0", room="hall"))
    assert list(table.take_changes("lamps")) == [Change(("lamps", 2, "room"), "set", "hall")]


def test_tables_over_one_list_do_not_see_each_other() -> None:
    shared = lamps()
    one: ListTable[Lamp] = ListTable(shared)
    one.put("0", Lamp("0", on=True))
    other: ListTable[Lamp] = ListTable(shared)
    assert (list(one.positions), list(other.positions)) == (["b", "a", "0"], ["b", "a"])
    assert dict(one.delta()) == {"0": b'{"id":"0","on":true,"room":null}'}
    assert dict(other.delta()) == {}


def test_an_object_changes_field_by_field() -> None:
    single = SingleObject(Lamp("a"))
    single.set(on=True)
    single.set(room="hall")
    assert list(single.take_changes("lamp")) == [
        Change(("lamp", "on"), "set", True),
        Change(("lamp", "room"), "set", "hall"),
    ]
    single.set(room=None)
    assert list(single.take_changes("lamp")) == [Change(("lamp", "room"), "set", None)]
    assert list(single.changes("lamp")) == [Change(("lamp", "on"), "set", True)]
    assert dict(single.delta()) == {"on": b"true"}


def test_an_object_is_hashed_with_its_names_sorted() -> None:
    text = SingleObject(Lamp("a")).full_text()
    assert text == '{"id": "a", "on": false, "room": null}'
