"""Memory as texts by key: the MemoryAPI_kv of the memory entries.

A snapshot is what `state` returns: `{"core_memory": {key: text}, "archival_memory": {key: text}}`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.benchmarks.bfcl.apis.memory.key_search import ranked_keys
from dragoman.core.errors import DataError

_KEY = re.compile(r"[a-z]+(?:_[a-z0-9]+)*\n?", re.ASCII)
"""A final line break is the reference's oversight."""


class _Kind(msgspec.Struct, frozen=True):
    """What tells core from archival memory: how much it holds, and what it says."""

    entries: int
    length: int
    full: str
    added: str
    cleared: str


_CORE = _Kind(
    entries=7,
    length=300,
    full="Core memory is full. Please clear some entries.",
    added="Key-value pair added.",
    cleared="Short term memory cleared.",
)
_ARCHIVAL = _Kind(
    entries=50,
    length=2000,
    full="Long term memory is full. Please clear some entries.",
    added="Key added.",
    cleared="Long term memory cleared.",
)


class KeySnapshot(msgspec.Struct, frozen=True):
    """Both memories as they are kept between conversations."""

    core_memory: dict[str, str] = {}
    archival_memory: dict[str, str] = {}


def read_key_snapshot(snapshot: Mapping[str, Any]) -> KeySnapshot:
    """Return a snapshot as a record of its own; {} is an empty memory.

    Raises:
        DataError: For a snapshot of another form.
    """
    try:
        return msgspec.convert(snapshot, KeySnapshot)
    except msgspec.ValidationError as error:
        raise DataError(f"the snapshot of a key-value memory is damaged: {error}") from error


def key_memory_text(snapshot: Mapping[str, Any]) -> str:
    """Return the text by which a model is shown its memory; it never sees the archival one."""
    core = read_key_snapshot(snapshot).core_memory
    return (
        json.dumps(core, indent=4)
        if core
        else "There is no content in the core memory at this point."
    )


class _Keys:
    """One of the two memories."""

    __slots__ = ("_kind", "texts")

    def __init__(self, texts: dict[str, str], kind: _Kind) -> None:
        self.texts = texts
        self._kind = kind

    def add(self, key: object, value: object) -> dict[str, object]:
        key, value = str(key), str(value)
        if len(self.texts) >= self._kind.entries:
            return {"error": self._kind.full}
        if len(value) > self._kind.length:
            return self._too_long()
        if not _KEY.fullmatch(key):
            return {"error": "Key must be in snake_case format and cannot contain spaces."}
        if key in self.texts:
            return {"error": "Key name must be unique."}
        self.texts[key] = value
        return {"status": self._kind.added}

    def remove(self, key: str) -> dict[str, object]:
        if key not in self.texts:
            return {"error": "Key not found."}
        del self.texts[key]
        return {"status": "Key removed."}

    def replace(self, key: object, value: object) -> dict[str, object]:
        key, value = str(key), str(value)
        if key not in self.texts:
            return {"error": "Key not found."}
        if len(value) > self._kind.length:
            return self._too_long()
        self.texts[key] = value
        return {"status": "Key replaced."}

    def clear(self) -> dict[str, object]:
        self.texts.clear()
        return {"status": self._kind.cleared}

    def retrieve(self, key: str) -> dict[str, object]:
        if key not in self.texts:
            return {"error": "Key not found."}
        return {"value": self.texts[key]}

    def list_keys(self) -> dict[str, object]:
        return {"keys": list(self.texts)}

    def search(self, query: str, most: int | None) -> dict[str, object]:
        return {"ranked_results": ranked_keys(query, list(self.texts))[:most]}

    def _too_long(self) -> dict[str, object]:
        return {
            "error": "Entry is too long. "
            f"Please shorten the entry to less than {self._kind.length} characters."
        }


class MemoryAPI_kv:
    """A core and an archival memory of one world; `scenario` is a snapshot."""

    __slots__ = ("_archival", "_core")

    def __init__(self, scenario: Mapping[str, Any], _long: LongTexts | None = None) -> None:
        snapshot = read_key_snapshot(scenario)
        self._core = _Keys(snapshot.core_memory, _CORE)
        self._archival = _Keys(snapshot.archival_memory, _ARCHIVAL)

    def state(self) -> dict[str, object]:
        """Return the snapshot."""
        return {
            "core_memory": dict(self._core.texts),
            "archival_memory": dict(self._archival.texts),
        }

    def core_memory_add(self, key: object, value: object) -> dict[str, object]:
        """Keep a text in the core memory."""
        return self._core.add(key, value)

    def core_memory_remove(self, key: str) -> dict[str, object]:
        """Drop a text of the core memory."""
        return self._core.remove(key)

    def core_memory_replace(self, key: object, value: object) -> dict[str, object]:
        """Replace a text of the core memory."""
        return self._core.replace(key, value)

    def core_memory_clear(self) -> dict[str, object]:
        """Drop the whole core memory."""
        return self._core.clear()

    def core_memory_retrieve(self, key: str) -> dict[str, object]:
        """Return a text of the core memory."""
        return self._core.retrieve(key)

    def core_memory_list_keys(self) -> dict[str, object]:
        """Return the keys of the core memory."""
        return self._core.list_keys()

    def core_memory_key_search(self, query: str, k: int | None = 5) -> dict[str, object]:
        """Return the keys of the core memory that answer a query best."""
        return self._core.search(query, k)

    def core_memory_retrieve_all(self) -> dict[str, str]:
        """Return the whole core memory."""
        return self._core.texts

    def archival_memory_add(self, key: object, value: object) -> dict[str, object]:
        """Keep a text in the archival memory."""
        return self._archival.add(key, value)

    def archival_memory_remove(self, key: str) -> dict[str, object]:
        """Drop a text of the archival memory."""
        return self._archival.remove(key)

    def archival_memory_replace(self, key: object, value: object) -> dict[str, object]:
        """Replace a text of the archival memory."""
        return self._archival.replace(key, value)

    def archival_memory_clear(self) -> dict[str, object]:
        """Drop the whole archival memory."""
        return self._archival.clear()

    def archival_memory_retrieve(self, key: str) -> dict[str, object]:
        """Return a text of the archival memory."""
        return self._archival.retrieve(key)

    def archival_memory_list_keys(self) -> dict[str, object]:
        """Return the keys of the archival memory."""
        return self._archival.list_keys()

    def archival_memory_key_search(self, query: str, k: int | None = 5) -> dict[str, object]:
        """Return the keys of the archival memory that answer a query best."""
        return self._archival.search(query, k)
