"""The three kinds of memory: which interface keeps it, and how a model is shown what is in it."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.agentic.texts import Layout
from dragoman.benchmarks.bfcl.apis.memory.keys import key_memory_text
from dragoman.benchmarks.bfcl.apis.memory.text import text_memory_text


class Memory(msgspec.Struct, frozen=True):
    """One kind of memory.

    Attributes:
        of_class: Its interface.
        layout: The instruction that goes with it.
        shown: Returns the text for a snapshot.
    """

    of_class: str
    layout: Layout
    shown: Callable[[Mapping[str, Any]], str]


def _shown_vectors(snapshot: Mapping[str, Any]) -> str:
    from dragoman.benchmarks.bfcl.apis.memory.vectors import vector_memory_text

    return vector_memory_text(snapshot)


VECTOR = "memory_vector"
"""The memory that is searched by meaning."""

MEMORIES: Mapping[str, Memory] = {
    "memory_kv": Memory("MemoryAPI_kv", "core_archival", key_memory_text),
    "memory_rec_sum": Memory("MemoryAPI_rec_sum", "unified", text_memory_text),
    VECTOR: Memory("MemoryAPI_vector", "core_archival", _shown_vectors),
}
"""By category, in the order of the leaderboard."""
