import json
from collections.abc import Mapping

import pytest

from dragoman.benchmarks.bfcl.agentic_entries import AgenticEntry, load_agentic
from dragoman.core.errors import DataError

Files = Mapping[str, bytes]

QUESTIONS = "BFCL_v4_memory.json"
CUSTOMER = "memory_prereq_conversation/memory_customer.json"


def entries(files: Files, category: str = "memory_kv") -> dict[str, AgenticEntry]:
    return {entry.task.id: entry for entry in load_agentic(category, files.__getitem__)}


def test_questions_come_first_and_ids_name_the_kind_of_memory(agentic_files: Files) -> None:
    assert list(entries(agentic_files, "memory_rec_sum")) == [
        "memory_rec_sum_0-customer-0",
        "memory_rec_sum_1-customer-1",
        "memory_rec_sum_2-student-0",
        "memory_rec_sum_prereq_0-customer-0",
        "memory_rec_sum_prereq_1-customer-1",
        "memory_rec_sum_prereq_2-student-0",
    ]


def test_a_question_comes_after_the_last_conversation_of_its_scenario(agentic_files: Files) -> None:
    after = {name: entry.task.after for name, entry in entries(agentic_files).items()}
    assert after == {
        "memory_kv_0-customer-0": ("memory_kv_prereq_1-customer-1",),
        "memory_kv_1-customer-1": ("memory_kv_prereq_1-customer-1",),
        "memory_kv_2-student-0": ("memory_kv_prereq_2-student-0",),
        "memory_kv_prereq_0-customer-0": (),
        "memory_kv_prereq_1-customer-1": ("memory_kv_prereq_0-customer-0",),
        "memory_kv_prereq_2-student-0": (),
    }


def test_conversations_that_prepare_are_a_category_of_their_own(agentic_files: Files) -> None:
    found = entries(agentic_files)
    assert {entry.task.suite for entry in found.values() if entry.is_question} == {"bfcl:memory_kv"}
    assert {entry.task.suite for entry in found.values() if not entry.is_question} == {
        "bfcl:memory_kv_prereq"
    }


def test_questions_to_the_web_come_after_nothing(agentic_files: Files) -> None:
    (entry,) = entries(agentic_files, "web_search_no_snippet").values()
    assert (entry.task.id, entry.task.after) == ("web_search_no_snippet_0", ())
    assert entry.accepted == ("88 metres",)


def test_the_plan_answers_with_what_is_accepted(agentic_files: Files) -> None:
    question = entries(agentic_files)["memory_kv_1-customer-1"]
    assert [turn.answer for turn in question.task.turns] == ["$49.99"]


def test_what_happened_before_is_part_of_a_tasks_digest(agentic_files: Files) -> None:
    before = entries(agentic_files)
    changed = agentic_files[CUSTOMER].replace(b"My name is", b"I am called")
    after = entries({**agentic_files, CUSTOMER: changed})
    differing = {
        name for name, entry in before.items() if entry.task.digest != after[name].task.digest
    }
    assert differing == {name for name in before if "customer" in name}


@pytest.mark.parametrize(
    ("file", "change", "why"),
    [
        (QUESTIONS, {"id": "web_search_0"}, "'web_search_0' is not an id of memory"),
        (QUESTIONS, {"id": "memory_1-customer-1"}, "two entries have the same id"),
        (QUESTIONS, {"question": [[]]}, "line 1"),
        (QUESTIONS, {"question": []}, "line 1"),
        (QUESTIONS, {"question": [[{"role": "user", "content": "a"}]] * 2}, "more than one turn"),
        (
            QUESTIONS,
            {"question": [[{"role": "assistant", "content": "a"}]]},
            "somebody else than the user speaks",
        ),
        (QUESTIONS, {"id": "memory_9-customer-0"}, "not those of the questions"),
        (CUSTOMER, {"scenario": "student"}, "of another scenario than customer"),
        (CUSTOMER, {"id": "memory_0-customer-0"}, "is not an id of memory_prereq"),
        ("possible_answer/BFCL_v4_memory.json", {"ground_truth": []}, "line 1"),
        ("possible_answer/BFCL_v4_memory.json", {"ground_truth": [""]}, "line 1"),
    ],
)
def test_data_that_are_not_what_they_must_be_are_refused(
    agentic_files: Files, file: str, change: dict[str, object], why: str
) -> None:
    first, *rest = agentic_files[file].decode().splitlines()
    lines = [json.dumps({**json.loads(first), **change}), *rest]
    with pytest.raises(DataError, match=why) as raised:
        entries({**agentic_files, file: "\n".join(lines).encode()})
    assert "run `dragoman data pull bfcl` again" in str(raised.value) or file == CUSTOMER
