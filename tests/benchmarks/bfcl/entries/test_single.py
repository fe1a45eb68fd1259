import json
from collections.abc import Callable, Mapping

import pytest

from dragoman.benchmarks.bfcl.entry_files import ExpectedCall
from dragoman.benchmarks.bfcl.prompts import FORMATS, PromptMessage
from dragoman.benchmarks.bfcl.single_turn_entries import (
    SINGLE_TURN,
    Entry,
    load_entries,
    load_format_variations,
)
from dragoman.core.episodes import Message
from dragoman.core.errors import DataError
from dragoman.core.replies import text_reply

QUESTIONS = "BFCL_v4_multiple.json"
ANSWERS = "possible_answer/BFCL_v4_multiple.json"
FUNCTION = {
    "name": "a.b",
    "description": "Does.",
    "parameters": {"type": "dict", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
}


def question(number: int = 0, **changes: object) -> dict[str, object]:
    messages = [[{"role": "user", "content": "Do."}]]
    entry = {"id": f"multiple_{number}", "question": messages, "function": [FUNCTION]}
    return {**entry, **changes}


def answer(number: int = 0, **changes: object) -> dict[str, object]:
    return {"id": f"multiple_{number}", "ground_truth": [{"a.b": {"x": [1, ""]}}], **changes}


def lines(*entries: object) -> bytes:
    return "\n".join(map(json.dumps, entries)).encode()


def loaded(questions: bytes, answers: bytes) -> tuple[Entry, ...]:
    return load_entries("multiple", {QUESTIONS: questions, ANSWERS: answers}.__getitem__)


def said(*messages: tuple[str, str]) -> Entry:
    asked = question(question=[[{"role": role, "content": text} for role, text in messages]])
    (entry,) = loaded(lines(asked), lines(answer()))
    return entry


def test_an_entry_keeps_what_is_asked_offered_and_expected() -> None:
    first, second = loaded(lines(question(), question(1)), lines(answer(), answer(1)) + b"\n")
    assert (first.task.id, second.task.id) == ("multiple_0", "multiple_1")
    assert first.task.suite == "bfcl:multiple"
    assert first.task.turns[0].messages == ("Do.",)
    assert first.question.expected == (ExpectedCall("a.b", {"x": [1, ""]}),)
    assert first.documents[0].parameters == FUNCTION["parameters"]
    assert first.question.functions[0].name == "a.b"


def test_the_digest_is_of_question_and_answer() -> None:
    digests = {
        entry.task.digest
        for entry in (
            *loaded(lines(question()), lines(answer())),
            *loaded(lines(question(function=[])), lines(answer())),
            *loaded(lines(question()), lines(answer(ground_truth=[{"a.b": {"x": [2]}}]))),
        )
    }
    assert len(digests) == 3


def test_what_was_said_before_is_the_history_of_the_task() -> None:
    entry = said(("system", "Be."), ("user", "Hi."), ("assistant", "Yes?"), ("user", "Do."))
    assert entry.task.history == (
        Message("user", text_reply("Hi.")),
        Message("agent", text_reply("Yes?")),
    )
    assert entry.task.turns[0].messages == ("Do.",)
    assert entry.instructions == "Be."
    assert entry.messages[0] == PromptMessage("system", "Be.")


def test_several_messages_of_the_user_are_one_turn() -> None:
    entry = said(("user", "Do."), ("user", "Now."))
    assert entry.task.turns[0].messages == ("Do.", "Now.")
    assert entry.task.history == ()
    assert entry.instructions == ""


BROKEN: Mapping[str, tuple[bytes, bytes, str]] = {
    "no JSON": (b"{", lines(answer()), f"{QUESTIONS}, line 1"),
    "no text": (b"\xff", lines(answer()), f"{QUESTIONS}, line 1"),
    "nested without end": (b"[" * 100_000, lines(answer()), f"{QUESTIONS}, line 1"),
    "nothing": (b"\n", lines(answer()), f"{QUESTIONS} holds no entries"),
    "second line": (lines(question(), 7), lines(answer()), f"{QUESTIONS}, line 2"),
    "surplus key": (lines(question(x=1)), lines(answer()), "unknown field `x`"),
    "other category": (lines(question(id="parallel_0")), lines(answer()), "not an id of multiple"),
    "two turns": (lines(question(question=[[], []])), lines(answer()), "line 1"),
    "nothing said": (lines(question(question=[[]])), lines(answer()), "does not speak last"),
    "the agent speaks last": (
        lines(question(question=[[{"role": "assistant", "content": "Hi."}]])),
        lines(answer()),
        "the user does not speak last",
    ),
    "late instructions": (
        lines(
            question(
                question=[[{"role": role, "content": "x"} for role in ("user", "system", "user")]]
            )
        ),
        lines(answer()),
        "a system message is not the first",
    ),
    "twice": (lines(question(), question()), lines(answer(), answer()), "the same id"),
    "a bad function": (
        lines(question(function=[{**FUNCTION, "parameters": {"properties": 1}}])),
        lines(answer()),
        f"{QUESTIONS}, line 1",
    ),
    "other answers": (lines(question()), lines(answer(1)), f"{ANSWERS}: its ids"),
    "missing answer": (lines(question(), question(1)), lines(answer()), f"{ANSWERS}: its ids"),
    "nothing expected": (lines(question()), lines(answer(ground_truth=[])), f"{ANSWERS}, line 1"),
    "two names": (
        lines(question()),
        lines(answer(ground_truth=[{"a": {}, "b": {}}])),
        "names 2 functions",
    ),
    "no alternatives": (
        lines(question()),
        lines(answer(ground_truth=[{"a": {"x": 1}}])),
        f"{ANSWERS}, line 1",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_damaged_file_is_told_with_its_line_and_what_to_do(case: str) -> None:
    questions, answers, reported = BROKEN[case]
    with pytest.raises(DataError) as caught:
        loaded(questions, answers)
    assert reported in str(caught.value)
    assert str(caught.value).endswith("run `dragoman data pull bfcl` again")


def variations(sample: object) -> tuple[Entry, ...]:
    files = {
        "BFCL_v4_format_sensitivity.json": json.dumps(sample).encode(),
        QUESTIONS: lines(question(), question(1)),
        ANSWERS: lines(answer(), answer(1)),
    }
    return load_format_variations(files.__getitem__)


def test_every_entry_of_the_sample_is_asked_in_every_format() -> None:
    entries = variations({"multiple": ["multiple_1", "multiple_0"]})
    assert [entry.prompt_format for entry in entries] == [*FORMATS, *FORMATS]
    assert entries[0].task.id == f"format_sensitivity_0:{FORMATS[0].name}:multiple_0"
    assert entries[-1].task.id == f"format_sensitivity_51:{FORMATS[-1].name}:multiple_1"
    assert entries[-1].question.id == entries[-1].task.id
    assert entries[-1].question.category == "multiple"
    assert entries[-1].task.suite == "bfcl:format_sensitivity"


@pytest.mark.parametrize(
    ("sample", "reported"),
    [
        ([], "Expected `object`"),
        ({"irrelevance": []}, "'irrelevance' is not a category with expected calls"),
        ({"unheard_of": []}, "'unheard_of' is not a category"),
        ({"multiple": ["multiple_7"]}, "'multiple_7' is not an entry of multiple"),
    ],
)
def test_a_sample_that_names_what_does_not_exist_is_refused(sample: object, reported: str) -> None:
    with pytest.raises(DataError, match=reported):
        variations(sample)


COUNTS = {
    "simple_python": 400,
    "simple_java": 100,
    "simple_javascript": 50,
    "multiple": 200,
    "parallel": 200,
    "parallel_multiple": 200,
    "irrelevance": 240,
    "live_simple": 258,
    "live_multiple": 1053,
    "live_parallel": 16,
    "live_parallel_multiple": 24,
    "live_irrelevance": 884,
    "live_relevance": 16,
}


@pytest.mark.slow
def test_the_real_files_hold_all_entries_in_order(read_bfcl: Callable[[str], bytes]) -> None:
    assert sum(COUNTS.values()) == 3641
    for category in SINGLE_TURN:
        entries = load_entries(category, read_bfcl)
        numbers = [int(e.task.id.removeprefix(f"{category}_").split("-")[0]) for e in entries]
        assert numbers == list(range(COUNTS[category])), category
        assert len({entry.task.digest for entry in entries}) == len(entries)
