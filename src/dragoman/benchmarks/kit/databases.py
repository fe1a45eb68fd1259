"""A domain's database files, and what a task of its own lays over them (tau2-bench: 1.1 and 1.6)."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from dragoman.core.tools import Role

Record = TypeVar("Record")


def decode_database(content: bytes, kind: type[Record]) -> Record:
    """Decode a database that is JSON or TOML: only JSON starts with a brace.

    Raises:
        msgspec.DecodeError: Where it is neither, or not such a database.
    """
    decode = msgspec.json.decode if _is_json(content) else msgspec.toml.decode
    return decode(content, type=kind)


def laid_over(
    databases: Mapping[str, bytes], files: Mapping[Role, str], data: Mapping[Role, Any]
) -> dict[str, bytes]:
    """Return the databases with a task's own data laid over them, side by side.

    Objects are merged key by key, at every depth; whatever else is replaced.
    """
    merged = dict(databases)
    for side, own in data.items():
        original = decode_database(merged[files[side]], dict[str, Any])
        merged[files[side]] = msgspec.json.encode(_merged(original, own))
    return merged


def _merged(base: Any, over: Any) -> Any:  # noqa: ANN401 - whatever a database holds
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {
        **base,
        **{key: _merged(base[key], value) if key in base else value for key, value in over.items()},
    }


def _is_json(content: bytes) -> bool:
    return content.lstrip()[:1] == b"{"
