import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.apis.memory_api import MemoryAPI_rec_sum, text_memory_text
from dragoman.core.errors import DataError


def test_texts_are_joined_without_a_separator_and_whatever_they_are() -> None:
    memory = MemoryAPI_rec_sum({"memory": "one"})
    assert memory.memory_append(None) == {"status": "Memory appended."}
    assert memory.memory_retrieve() == {"memory_content": "oneNone"}
    assert memory.memory_update([1, "a"]) == {"status": "Memory updated."}
    assert memory.memory_retrieve() == {"memory_content": "[1, 'a']"}


def test_ten_thousand_characters_may_be_kept() -> None:
    memory = MemoryAPI_rec_sum({})
    assert memory.memory_append("é" * 10_000) == {"status": "Memory appended."}
    assert memory.memory_append("x") == {
        "error": "Entry will be too long after appending. "
        "Please shorten the entry to less than 10000 characters."
    }
    assert memory.memory_update("x" * 10_001) == {
        "error": "Entry will be too long after updating. "
        "Please shorten the entry to less than 10000 characters."
    }


def test_every_occurrence_is_replaced() -> None:
    memory = MemoryAPI_rec_sum({"memory": "a b a"})
    assert memory.memory_replace("a", "cc") == {"status": "Memory updated."}
    assert memory.state() == {"memory": "cc b cc"}
    assert memory.memory_replace("a", "x" * 10_001) == {"error": "Text 'a' not found in memory."}
    assert memory.memory_replace("b", "x" * 10_001) == {
        "error": "Entry will be too long after replacing. "
        "Please shorten the entry to less than 10000 characters."
    }


def test_a_replacement_may_pass_the_limit_and_then_nothing_can_be_added() -> None:
    memory = MemoryAPI_rec_sum({"memory": "ab"})
    memory.memory_replace("", "x" * 5000)
    assert memory.state() == {"memory": "x" * 5000 + "a" + "x" * 5000 + "b" + "x" * 5000}
    assert "error" in memory.memory_append("")


def test_a_replacement_does_not_grow_without_end() -> None:
    memory = MemoryAPI_rec_sum({"memory": "a" * 10_000})
    assert memory.memory_replace("", "x" * 10_000) == {
        "error": "The memory would have more than 1000000 characters."
    }
    assert memory.state() == {"memory": "a" * 10_000}


def test_an_empty_memory_says_so() -> None:
    memory = MemoryAPI_rec_sum({"memory": "x"})
    assert memory.memory_clear() == {"status": "Short term memory cleared."}
    assert memory.memory_retrieve() == {"error": "Memory is empty."}
    assert text_memory_text(memory.state()) == "There is no content in the memory at this point."
    assert text_memory_text({"memory": "x"}) == "x"


def test_a_snapshot_of_another_form_is_refused() -> None:
    with pytest.raises(DataError, match="snapshot of a text memory is damaged"):
        MemoryAPI_rec_sum({"memory": ["x"]})


@pytest.mark.slow
@given(st.text(max_size=20), st.text(max_size=3), st.text(max_size=5))
def test_a_memory_goes_on_from_its_snapshot(kept: str, old: str, new: str) -> None:
    memory = MemoryAPI_rec_sum({})
    memory.memory_append(kept)
    memory.memory_replace(old, new)
    assert MemoryAPI_rec_sum(memory.state()).state() == memory.state()
    if old in kept:
        assert memory.state() == {"memory": kept.replace(old, new)}
