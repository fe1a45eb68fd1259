"""Memory as one text: the MemoryAPI_rec_sum of the memory entries.

A snapshot is what `state` returns: `{"memory": text}`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.long_texts import LongTexts
from dragoman.core.errors import DataError

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
    """Return the text by which a model is shown its memory."""
    return read_text_snapshot(snapshot).memory or "There is no content in the memory at this point."


class MemoryAPI_rec_sum:
    """The memory of one world; `scenario` is a snapshot."""

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
