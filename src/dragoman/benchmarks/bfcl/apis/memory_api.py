"""`MemoryAPI_kv` and `MemoryAPI_rec_sum`: memory as a key-value store, or as one text.

Keys are ranked by how well they answer a query (BM25).
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.core.errors import DataError

_SATURATION, _LENGTH_WEIGHT, _FLOOR = 1.5, 0.75, 1
"""BM25+ with its customary k1, b and delta."""


def ranked_keys(query: str, keys: Sequence[str]) -> list[tuple[float, str]]:
    """Return all keys with their scores, the best first, equals in the order given.

    A key is a document of the words between its underscores. A query word that is in any key raises
    every key's score; it raises the scores of the keys that hold it most.

    Raises:
        ZeroDivisionError: If the keys are missing or have no words.
    """
    documents = [Counter(_words(key)) for key in keys]
    weights = _weights(documents)
    scores = [0.0] * len(keys)
    for word in _words(query):
        for index, weight in enumerate(weights.get(word, ())):
            scores[index] += weight
    return sorted(zip(scores, keys, strict=True), key=lambda ranked: -ranked[0])


def _words(text: str) -> list[str]:
    return text.replace("_", " ").lower().split()


def _weights(documents: Sequence[Counter[str]]) -> dict[str, list[float]]:
    """Return what each word that is anywhere adds to each document's score."""
    mean = sum(document.total() for document in documents) / len(documents)
    held_by = Counter(word for document in documents for word in document)
    lengths = [
        _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * document.total() / mean)
        for document in documents
    ]
    return {
        word: [
            log((len(documents) + 1) / count)
            * (_FLOOR + document[word] * (_SATURATION + 1) / (length + document[word]))
            for document, length in zip(documents, lengths, strict=True)
        ]
        for word, count in held_by.items()
    }


_KEY = re.compile(r"[a-z]+(?:_[a-z0-9]+)*\n?", re.ASCII)
"""A final line break is the reference's oversight."""


class _Kind(msgspec.Struct, frozen=True):
    """The limits and messages of one of the two memories, core or archival."""

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
    """Return the text that shows a model its core memory; it never sees the archival one."""
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


_MOST = 10_000
"""Characters that are taken at once."""

_MOST_REPLACED = 1_000_000
"""Characters that a replacement may leave. The reference sets no bound, so that an empty text
replaced by a long one would grow a memory to a hundred million."""


class TextSnapshot(msgspec.Struct, frozen=True):
    """The memory as it is kept between conversations."""

    memory: str = ""


def read_text_snapshot(snapshot: Mapping[str, Any]) -> TextSnapshot:
    """Return a snapshot as a record; {} is an empty memory.

    Raises:
        DataError: For a snapshot of another form.
    """
    try:
        return msgspec.convert(snapshot, TextSnapshot)
    except msgspec.ValidationError as error:
        raise DataError(f"the snapshot of a text memory is damaged: {error}") from error


def text_memory_text(snapshot: Mapping[str, Any]) -> str:
    """Return the text that shows a model its memory."""
    return read_text_snapshot(snapshot).memory or "There is no content in the memory at this point."


class MemoryAPI_rec_sum:
    """The memory of one environment; `scenario` is a snapshot."""

    __slots__ = ("_memory",)

    def __init__(self, scenario: Mapping[str, Any], _long: LongTexts | None = None) -> None:
        self._memory = read_text_snapshot(scenario).memory

    def state(self) -> dict[str, object]:
        """Return the snapshot."""
        return {"memory": self._memory}

    def memory_append(self, text: object) -> dict[str, object]:
        """Add a text at the end, without a separator."""
        added = str(text)
        if len(self._memory) + len(added) > _MOST:
            return _too_long("appending")
        self._memory += added
        return {"status": "Memory appended."}

    def memory_update(self, text: object) -> dict[str, object]:
        """Replace the whole memory."""
        new = str(text)
        if len(new) > _MOST:
            return _too_long("updating")
        self._memory = new
        return {"status": "Memory updated."}

    def memory_replace(self, old_text: object, new_text: object) -> dict[str, object]:
        """Replace a text wherever it stands; only the new text's own length is bounded by rule."""
        old, new = str(old_text), str(new_text)
        if old not in self._memory:
            return {"error": f"Text '{old}' not found in memory."}
        if len(new) > _MOST:
            return _too_long("replacing")
        growth = self._memory.count(old) * (len(new) - len(old))
        if len(self._memory) + growth > _MOST_REPLACED:
            return {"error": f"The memory would have more than {_MOST_REPLACED} characters."}
        self._memory = self._memory.replace(old, new)
        return {"status": "Memory updated."}

    def memory_clear(self) -> dict[str, object]:
        """Drop the whole memory."""
        self._memory = ""
        return {"status": "Short term memory cleared."}

    def memory_retrieve(self) -> dict[str, object]:
        """Return the whole memory."""
        if not self._memory:
            return {"error": "Memory is empty."}
        return {"memory_content": self._memory}


def _too_long(change: str) -> dict[str, object]:
    return {
        "error": f"Entry will be too long after {change}. "
        f"Please shorten the entry to less than {_MOST} characters."
    }
