"""`MemoryAPI_vector`: memory as texts found by embedding similarity (needs numpy)."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongTexts
from dragoman.core.errors import DataError, ParticipantError

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Returns one vector per text, all of one length. It raises ParticipantError where it cannot."""

_Vector = NDArray[np.float32]


class VectorStore(msgspec.Struct, frozen=True):
    """One memory as it is kept between conversations: texts by number, and the next number."""

    next_id: int = 0
    store: dict[int, str] = {}


class VectorSnapshot(msgspec.Struct, frozen=True):
    """Both memories as they are kept between conversations."""

    core_memory: VectorStore = msgspec.field(default_factory=VectorStore)
    archival_memory: VectorStore = msgspec.field(default_factory=VectorStore)


def read_vector_snapshot(snapshot: Mapping[str, Any]) -> VectorSnapshot:
    """Return a snapshot as a record of its own; {} is an empty memory.

    Raises:
        DataError: For a snapshot of another form.
    """
    try:
        return msgspec.convert(snapshot, VectorSnapshot, str_keys=True)
    except msgspec.ValidationError as error:
        raise DataError(f"the snapshot of a vector memory is damaged: {error}") from error


def vector_memory_text(snapshot: Mapping[str, Any]) -> str:
    """Return the text by which a model is shown its memory; it never sees the archival one."""
    return json.dumps(read_vector_snapshot(snapshot).core_memory.store, indent=4)


class _Vectors:
    """One of the two memories; a number that was removed is not given again until a clear."""

    __slots__ = ("_embed", "_length", "_made", "_most", "_next", "texts")

    def __init__(self, kept: VectorStore, most: int, length: int, embed: Embed) -> None:
        self.texts = kept.store
        self._next = kept.next_id
        self._most = most
        self._length = length
        self._embed = embed
        self._made: dict[int, _Vector] = {}

    def snapshot(self) -> dict[str, object]:
        return {
            "next_id": self._next,
            "store": {str(number): text for number, text in self.texts.items()},
        }

    def add(self, text: str) -> dict[str, object]:
        if self._is_too_long(text):
            return self._too_long()
        if len(self.texts) >= self._most:
            return {"error": f"Memory size exceeds maximum size of {self._most} entries."}
        number = self._next
        self.texts[number] = text
        self._next += 1
        return {"id": number}

    def remove(self, vec_id: int) -> dict[str, object]:
        if vec_id not in self.texts:
            return {"error": f"ID {vec_id} not present in store."}
        del self.texts[vec_id]
        self._made.pop(vec_id, None)
        return {"status": f"ID {vec_id} removed from store."}

    def update(self, vec_id: int, new_text: str) -> dict[str, object]:
        if vec_id not in self.texts:
            return {"error": f"ID {vec_id} not present in store."}
        if self._is_too_long(new_text):
            return self._too_long()
        self.texts[vec_id] = new_text
        self._made.pop(vec_id, None)
        return {"status": f"ID {vec_id} updated."}

    def clear(self) -> dict[str, object]:
        self.texts.clear()
        self._made.clear()
        self._next = 0
        return {"status": "Memory cleared."}

    def retrieve(self, query: str, top_k: int) -> dict[str, object]:
        _require_text(query)
        if not self.texts:
            return {"result": []}
        if top_k < 1:
            raise ApiRefusal("top_k must be 1 or more")
        sought = self._vectors(query)
        scores = {number: float(self._made[number] @ sought) for number in self.texts}
        best = sorted(scores, key=lambda number: -scores[number])[:top_k]
        return {
            "result": [
                {"id": number, "similarity_score": scores[number], "text": self.texts[number]}
                for number in best
            ]
        }

    def retrieve_all(self) -> dict[str, object]:
        return {"result": [{"id": number, "text": text} for number, text in self.texts.items()]}

    def _vectors(self, query: str) -> _Vector:
        """Return a query's vector, after those of new texts were made with it in one request."""
        missing = [number for number in self.texts if number not in self._made]
        vectors = _unit_vectors(self._embed, [*(self.texts[n] for n in missing), query])
        self._made.update(zip(missing, vectors, strict=False))
        return vectors[-1]

    def _is_too_long(self, text: str) -> bool:
        _require_text(text)
        return len(text) > self._length

    def _too_long(self) -> dict[str, object]:
        return {"error": f"Entry length exceeds maximum length of {self._length} characters."}


class MemoryAPI_vector:
    """A core and an archival memory of one world; `scenario` is a snapshot.

    `embed` makes the vectors by whose cosine texts are found.
    """

    __slots__ = ("_archival", "_core")

    def __init__(
        self, scenario: Mapping[str, Any], _long: LongTexts | None = None, *, embed: Embed
    ) -> None:
        snapshot = read_vector_snapshot(scenario)
        self._core = _Vectors(snapshot.core_memory, 7, 300, embed)
        self._archival = _Vectors(snapshot.archival_memory, 50, 2000, embed)

    def state(self) -> dict[str, object]:
        """Return the snapshot."""
        return {
            "core_memory": self._core.snapshot(),
            "archival_memory": self._archival.snapshot(),
        }

    def core_memory_add(self, text: str) -> dict[str, object]:
        """Keep a text in the core memory."""
        return self._core.add(text)

    def core_memory_remove(self, vec_id: int) -> dict[str, object]:
        """Drop a text of the core memory."""
        return self._core.remove(vec_id)

    def core_memory_update(self, vec_id: int, new_text: str) -> dict[str, object]:
        """Replace a text of the core memory."""
        return self._core.update(vec_id, new_text)

    def core_memory_clear(self) -> dict[str, object]:
        """Drop the whole core memory."""
        return self._core.clear()

    def core_memory_retrieve(self, query: str, top_k: int = 5) -> dict[str, object]:
        """Return the texts of the core memory nearest in meaning to a query."""
        return self._core.retrieve(query, top_k)

    def core_memory_retrieve_all(self) -> dict[str, object]:
        """Return the whole core memory."""
        return self._core.retrieve_all()

    def archival_memory_add(self, text: str) -> dict[str, object]:
        """Keep a text in the archival memory."""
        return self._archival.add(text)

    def archival_memory_remove(self, vec_id: int) -> dict[str, object]:
        """Drop a text of the archival memory."""
        return self._archival.remove(vec_id)

    def archival_memory_update(self, vec_id: int, new_text: str) -> dict[str, object]:
        """Replace a text of the archival memory."""
        return self._archival.update(vec_id, new_text)

    def archival_memory_clear(self) -> dict[str, object]:
        """Drop the whole archival memory."""
        return self._archival.clear()

    def archival_memory_retrieve(self, query: str, top_k: int = 5) -> dict[str, object]:
        """Return the texts of the archival memory nearest in meaning to a query."""
        return self._archival.retrieve(query, top_k)

    def archival_memory_retrieve_all(self) -> dict[str, object]:
        """Return the whole archival memory."""
        return self._archival.retrieve_all()


def _require_text(value: object) -> None:
    if not isinstance(value, str):
        raise ApiRefusal(f"a text is needed, not {type(value).__name__!r}")


def _unit_vectors(embed: Embed, texts: Sequence[str]) -> list[_Vector]:
    """Return vectors of length 1, or raise ParticipantError if the answer holds none."""
    answer = embed(texts)
    try:
        vectors = np.asarray(answer, dtype=np.float32)
    except (ValueError, TypeError, OverflowError) as error:
        raise ParticipantError(f"the embeddings are not a list of vectors: {error}") from error
    if vectors.shape[:-1] != (len(texts),) or not np.isfinite(vectors).all():
        raise ParticipantError(
            f"the embeddings have shape {vectors.shape} for {len(texts)} texts, or are not finite"
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not lengths.all():
        raise ParticipantError("an embedding has no direction: all its numbers are 0")
    return list(vectors / lengths)
