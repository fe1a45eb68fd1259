import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.memory_api import MemoryAPI_kv, key_memory_text
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolCall

Call = tuple[str, tuple[str, ...]]

KEYS = st.sampled_from(["a", "a_1", "user_name", "Bad Key", "b", "c", "d", "e", "f"])
TEXTS = st.sampled_from(["", "x" * 300, "x" * 301, "x" * 2001, "word", "ção"])
CALLS = st.one_of(
    st.tuples(
        st.sampled_from(["core_memory_add", "core_memory_replace", "archival_memory_add"]),
        st.tuples(KEYS, TEXTS),
    ),
    st.tuples(st.sampled_from(["core_memory_remove", "core_memory_retrieve"]), st.tuples(KEYS)),
    st.tuples(st.sampled_from(["core_memory_key_search"]), st.tuples(KEYS)),
)


@pytest.fixture
def memory() -> MemoryAPI_kv:
    return MemoryAPI_kv({"core_memory": {"user_name": "Ana"}})


@pytest.mark.parametrize("key", ["a", "n_1", "n_1a_b2", "trailing\n"])
def test_a_key_is_words_joined_by_underscores(memory: MemoryAPI_kv, key: str) -> None:
    assert memory.core_memory_add(key, "x") == {"status": "Key-value pair added."}
    assert memory.core_memory_list_keys() == {"keys": ["user_name", key]}


@pytest.mark.parametrize(
    "key", ["", "n1", "1a", "_a", "a_", "a__b", "A", "é", "two words", "a\n\n"]
)
def test_other_keys_are_refused(memory: MemoryAPI_kv, key: str) -> None:
    refused = {"error": "Key must be in snake_case format and cannot contain spaces."}
    assert memory.core_memory_add(key, "x") == refused


def test_a_key_is_added_once_and_keeps_its_place_when_replaced(memory: MemoryAPI_kv) -> None:
    memory.core_memory_add("city", "Lisbon")
    assert memory.core_memory_add("user_name", "Bo") == {"error": "Key name must be unique."}
    assert memory.core_memory_replace("user_name", 7) == {"status": "Key replaced."}
    assert memory.core_memory_retrieve_all() == {"user_name": "7", "city": "Lisbon"}
    assert list(memory.core_memory_retrieve_all()) == ["user_name", "city"]
    assert memory.core_memory_replace("none", "x" * 301) == {"error": "Key not found."}


def test_the_core_memory_holds_seven_texts_of_three_hundred_characters() -> None:
    memory = MemoryAPI_kv({})
    too_long = {"error": "Entry is too long. Please shorten the entry to less than 300 characters."}
    assert memory.core_memory_add("a", "é" * 301) == too_long
    for letter in "abcdefg":
        assert memory.core_memory_add(letter, "é" * 300) == {"status": "Key-value pair added."}
    full = {"error": "Core memory is full. Please clear some entries."}
    assert memory.core_memory_add("Bad Key", "x" * 301) == full
    assert memory.core_memory_clear() == {"status": "Short term memory cleared."}
    assert memory.core_memory_retrieve_all() == {}


def test_the_archival_memory_has_its_own_bounds_and_words() -> None:
    memory = MemoryAPI_kv({"archival_memory": {f"a_{number}": "" for number in range(49)}})
    assert memory.archival_memory_add("b", "x" * 2000) == {"status": "Key added."}
    assert memory.archival_memory_add("c", "x") == {
        "error": "Long term memory is full. Please clear some entries."
    }
    assert memory.archival_memory_remove("b") == {"status": "Key removed."}
    assert memory.archival_memory_retrieve("b") == {"error": "Key not found."}
    assert memory.archival_memory_clear() == {"status": "Long term memory cleared."}


def test_a_search_returns_as_many_keys_as_asked_for_by_the_rules_of_slices(
    memory: MemoryAPI_kv,
) -> None:
    memory.core_memory_add("city", "Lisbon")
    assert memory.core_memory_key_search("city", k=0) == {"ranked_results": []}
    for most in (-1, 1):
        found = memory.core_memory_key_search("city", k=most)["ranked_results"]
        assert [key for _, key in found] == ["city"]  # type: ignore[attr-defined]  # pairs
    everything = memory.core_memory_key_search("city", k=None)["ranked_results"]
    assert [key for _, key in everything] == ["city", "user_name"]  # type: ignore[attr-defined]


def test_a_search_in_an_empty_memory_is_an_error_as_in_the_reference() -> None:
    environment = make_environment(["MemoryAPI_kv"], {})
    result = environment.call(ToolCall("1", "archival_memory_key_search", {"query": "a"}))
    assert (result.content, result.error) == ("Error during execution: division by zero", True)


def test_the_model_is_shown_the_core_memory_only() -> None:
    assert key_memory_text({"archival_memory": {"a": "x"}}) == (
        "There is no content in the core memory at this point."
    )
    assert key_memory_text({"core_memory": {"a": "é"}}) == '{\n    "a": "\\u00e9"\n}'


def test_a_snapshot_of_another_form_is_refused() -> None:
    with pytest.raises(DataError, match="snapshot of a key-value memory is damaged"):
        MemoryAPI_kv({"core_memory": {"a": 1}})


@given(st.lists(CALLS, max_size=20), st.lists(CALLS, max_size=20))
def test_a_memory_goes_on_from_its_snapshot_and_leaves_the_snapshot_alone(
    first: list[Call], second: list[Call]
) -> None:
    unbroken = MemoryAPI_kv({})
    play(unbroken, first)
    snapshot: dict[str, Any] = copy.deepcopy(unbroken.state())
    kept = json.dumps(snapshot)
    resumed = MemoryAPI_kv(snapshot)
    assert play(resumed, second) == play(unbroken, second)
    assert json.dumps(resumed.state()) == json.dumps(unbroken.state())
    assert json.dumps(snapshot) == kept


def play(memory: MemoryAPI_kv, calls: list[Call]) -> list[str]:
    results = []
    for name, arguments in calls:
        try:
            results.append(json.dumps(getattr(memory, name)(*arguments)))
        except ZeroDivisionError:
            results.append("empty")
    return results
