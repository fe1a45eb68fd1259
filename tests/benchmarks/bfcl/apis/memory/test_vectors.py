import copy
from collections.abc import Sequence
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.environment import ApiEnvironment
from dragoman.benchmarks.bfcl.apis.results import ApiRefusal
from dragoman.benchmarks.bfcl.apis.vector_memory_api import MemoryAPI_vector, vector_memory_text
from dragoman.core.errors import DataError, ParticipantError
from dragoman.core.tools import ToolCall

DIRECTIONS = {"north": [0.0, 2.0], "east": [3.0, 0.0], "north-east": [1.0, 1.0], "home": [0.0, 1.0]}


class Compass:
    """An embedder that knows a few texts and records its requests."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        return [DIRECTIONS[text] for text in texts]


@pytest.fixture
def compass() -> Compass:
    return Compass()


@pytest.fixture
def memory(compass: Compass) -> MemoryAPI_vector:
    return MemoryAPI_vector({}, embed=compass)


def test_texts_are_found_by_the_cosine_to_the_query(memory: MemoryAPI_vector) -> None:
    for text in ("east", "north", "north-east"):
        memory.core_memory_add(text)
    assert memory.core_memory_retrieve("home", top_k=2) == {
        "result": [
            {"id": 1, "similarity_score": 1.0, "text": "north"},
            {"id": 2, "similarity_score": pytest.approx(0.5**0.5), "text": "north-east"},
        ]
    }


def test_vectors_are_made_once_and_only_for_a_search(
    memory: MemoryAPI_vector, compass: Compass
) -> None:
    memory.core_memory_add("east")
    memory.core_memory_add("north")
    assert compass.asked == []
    memory.core_memory_retrieve("home")
    memory.core_memory_update(0, "north-east")
    memory.core_memory_retrieve("home")
    assert compass.asked == [["east", "north", "home"], ["north-east", "home"]]


def test_an_empty_memory_finds_nothing_and_asks_nobody(
    memory: MemoryAPI_vector, compass: Compass
) -> None:
    assert memory.archival_memory_retrieve("home") == {"result": []}
    assert compass.asked == []


def test_a_number_is_given_again_only_after_a_clear(memory: MemoryAPI_vector) -> None:
    assert memory.core_memory_add("east") == {"id": 0}
    assert memory.core_memory_remove(0) == {"status": "ID 0 removed from store."}
    assert memory.core_memory_remove(0) == {"error": "ID 0 not present in store."}
    assert memory.core_memory_add("north") == {"id": 1}
    assert memory.core_memory_clear() == {"status": "Memory cleared."}
    assert memory.core_memory_add("home") == {"id": 0}
    assert memory.core_memory_retrieve_all() == {"result": [{"id": 0, "text": "home"}]}


def test_length_is_looked_at_before_size_and_presence_before_length(
    memory: MemoryAPI_vector,
) -> None:
    too_long = {"error": "Entry length exceeds maximum length of 300 characters."}
    for _ in range(7):
        memory.core_memory_add("east")
    assert memory.core_memory_add("x" * 301) == too_long
    assert memory.core_memory_add("x") == {
        "error": "Memory size exceeds maximum size of 7 entries."
    }
    assert memory.core_memory_update(9, "x" * 301) == {"error": "ID 9 not present in store."}
    assert memory.core_memory_update(0, "x" * 301) == too_long
    assert memory.archival_memory_add("x" * 2001) == {
        "error": "Entry length exceeds maximum length of 2000 characters."
    }


def test_a_snapshot_carries_texts_and_numbers_over(
    memory: MemoryAPI_vector, compass: Compass
) -> None:
    memory.core_memory_add("east")
    memory.core_memory_add("north")
    memory.core_memory_remove(0)
    snapshot: dict[str, Any] = memory.state()
    assert snapshot == {
        "core_memory": {"next_id": 2, "store": {"1": "north"}},
        "archival_memory": {"next_id": 0, "store": {}},
    }
    kept = copy.deepcopy(snapshot)
    resumed = MemoryAPI_vector(snapshot, embed=compass)
    assert resumed.core_memory_add("home") == {"id": 2}
    assert resumed.state() != kept
    assert snapshot == kept
    assert vector_memory_text(snapshot) == '{\n    "1": "north"\n}'
    assert vector_memory_text({}) == "{}"


def test_two_memories_without_a_snapshot_share_nothing(compass: Compass) -> None:
    MemoryAPI_vector({}, embed=compass).archival_memory_add("east")
    assert MemoryAPI_vector({}, embed=compass).archival_memory_retrieve_all() == {"result": []}


def test_what_is_no_text_is_refused(memory: MemoryAPI_vector) -> None:
    environment = ApiEnvironment(lambda: {"MemoryAPI_vector": memory})
    result = environment.call(ToolCall("1", "core_memory_add", {"text": 5}))
    assert (result.content, result.error) == (
        "Error during execution: a text is needed, not 'int'",
        True,
    )


def test_less_than_one_result_cannot_be_asked_for(memory: MemoryAPI_vector) -> None:
    memory.core_memory_add("east")
    with pytest.raises(ApiRefusal, match="top_k must be 1 or more"):
        memory.core_memory_retrieve("home", top_k=0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([[1.0, 0.0]], r"shape \(1, 2\) for 2 texts"),
        ([1.0, 0.0], r"shape \(2,\) for 2 texts"),
        ([[1.0, 0.0], [1.0]], "not a list of vectors"),
        ([[1.0, 0.0], [float("nan"), 0.0]], "not finite"),
        ([[1.0, 0.0], [0.0, 0.0]], "has no direction"),
    ],
)
def test_embeddings_that_are_no_vectors_are_the_embedder_s_fault(
    answer: list[list[float]], message: str
) -> None:
    memory = MemoryAPI_vector({}, embed=lambda _: answer)
    memory.core_memory_add("east")
    environment = ApiEnvironment(lambda: {"MemoryAPI_vector": memory})
    with pytest.raises(ParticipantError, match=message):
        environment.call(ToolCall("1", "core_memory_retrieve", {"query": "home"}))


def test_a_snapshot_of_another_form_is_refused(compass: Compass) -> None:
    with pytest.raises(DataError, match="snapshot of a vector memory is damaged"):
        MemoryAPI_vector({"core_memory": {"store": {"x": "text"}}}, embed=compass)
