"""Writes TOML in the layout of the released databases.

Tables keep the order of their keys: plain values first, then lists of tables, then tables.
"""

import datetime as dt
import json
from collections.abc import Iterator, Mapping

from dragoman.core.errors import DataError

Table = Mapping[str, object]

_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def encode_toml(database: Table) -> bytes:
    """Encode a database as released TOML files are laid out.

    Raises:
        DataError: For a value that TOML has no form for.
    """
    return "".join(_body(database, "")).encode("utf-8")


def _body(table: Table, prefix: str) -> Iterator[str]:
    """Yield the content of a table: its values, then its subtables under their full names."""
    for key, value in table.items():
        if not isinstance(value, Mapping) and _entries(value) is None:
            yield f"{_key(key)} = {_value(value)}\n"
    for key, value in table.items():
        for entry in _entries(value) or ():
            name = f"{prefix}{_key(key)}"
            yield f"[[{name}]]\n"
            yield from _body(
                {k: v for k, v in entry.items() if not isinstance(v, Mapping)}, f"{name}."
            )
            yield "\n"
            yield from _below(entry, f"{name}.")
    yield from _below(table, prefix)


def _below(table: Table, prefix: str) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            name = f"{prefix}{_key(key)}"
            yield f"[{name}]\n"
            yield from _body(value, f"{name}.")


def _entries(value: object) -> list[Table] | None:
    """Return the entries of a list of tables; None for any other value."""
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        return value
    return None


def _key(key: str) -> str:
    return key if key and _BARE.issuperset(key) else _text(key)


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case list():
            return f"[{''.join(f' {_value(each)},' for each in value)}]"
        case _:
            raise DataError(f"TOML has no form for {type(value).__name__}: {value!r}")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
