from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.bfcl.multi_turn_entries import (
    LONG_CONTEXT,
    MULTI_TURN,
    MultiTurnEntry,
    load_long_texts,
    load_multi_turn,
)
from dragoman.benchmarks.bfcl.prompts import PromptTexts, read_prompt_texts
from dragoman.benchmarks.bfcl.upstream_data import PROMPTS
from dragoman.core.errors import DataError
from dragoman.core.tasks import Action, FixedTurn, Task
from dragoman.core.tools import ToolCall

MakeFiles = Callable[..., dict[str, bytes]]
MakeEntry = Callable[..., MultiTurnEntry]

TURNS = ("Add.", "Again.")
GOLD = (("add(a=1, b=2)", "mean([1, 2.5])"), ())


def test_an_entry_keeps_its_turns_and_the_expected_calls_of_each(make_entry: MakeEntry) -> None:
    entry = make_entry(TURNS, GOLD)
    assert entry.task.suite == "bfcl:multi_turn_base"
    assert entry.task.turns == (FixedTurn(("Add.",)), FixedTurn(("Again.",)))
    assert entry.gold == (
        (
            ToolCall("0.0", "add", {"a": 1, "b": 2}),
            ToolCall("0.1", "mean", {}, "agent", ([1, 2.5],)),
        ),
        (),
    )
    assert entry.task.criteria is not None
    assert entry.task.criteria.actions == (
        Action("0.0", "add", {"a": 1, "b": 2}),
        Action("0.1", "mean", {}, positionals=([1, 2.5],)),
    )


def test_classes_start_from_their_configuration_in_the_order_of_the_entry(
    make_entry: MakeEntry,
) -> None:
    config = {"TwitterAPI": {"username": "ann"}, "MathAPI": {}, "TicketAPI": {"not": "involved"}}
    involved = ["TwitterAPI", "GorillaFileSystem"]
    entry = make_entry(TURNS, GOLD, initial_config=config, involved_classes=involved)
    assert list(entry.config.items()) == [
        ("TwitterAPI", {"username": "ann"}),
        ("GorillaFileSystem", {}),
    ]
    assert [document.name for document in entry.documents[:3]] == ["post_tweet", "mention", "ls"]


def test_withheld_functions_appear_in_a_turn_with_a_message_of_its_own(
    make_entry: MakeEntry,
) -> None:
    turns = ("Average.", None, "Add.")
    entry = make_entry(turns, ((), ("mean([1])",), ()), missed_function={"1": ["mean"]})
    assert entry.task.turns[1] == FixedTurn(("More tools. Now?",), ("mean",))
    assert entry.task.withheld_tools == ("mean",)


def test_a_turn_without_words_in_which_nothing_appears_is_kept(make_entry: MakeEntry) -> None:
    assert make_entry((None,), ((),)).task.turns == (FixedTurn(()),)


def test_only_the_long_context_category_is_long(make_entry: MakeEntry) -> None:
    assert [make_entry(("Go.",), ((),), category).is_long for category in MULTI_TURN] == [
        category == LONG_CONTEXT for category in MULTI_TURN
    ]


def test_the_digest_is_of_question_answer_and_documents(make_entry: MakeEntry) -> None:
    entries = (
        make_entry(TURNS, GOLD),
        make_entry(("Add.", "Once more."), GOLD),
        make_entry(TURNS, ((), ())),
        make_entry(TURNS, GOLD, involved_classes=["MathAPI", "TwitterAPI"]),
        make_entry(TURNS, GOLD, initial_config={"MathAPI": {"a": 1}}),
    )
    assert len({entry.task.digest for entry in entries}) == len(entries)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"id": "multiple_0"}, "'multiple_0' is not an id of multi_turn_base"),
        ({"question": []}, "length >= 1"),
        ({"question": [[{"role": "assistant", "content": "Hi."}]]}, "somebody else than the user"),
        ({"missed_function": {"0": ["add"]}}, "functions appear in turn 0"),
        ({"missed_function": {"1": ["add"]}}, "functions appear in turn 1"),
        ({"missed_function": {"7": ["add"]}}, "functions appear in turn 7"),
        ({"missed_function": {"soon": ["add"]}}, "matching regex"),
        ({"involved_classes": []}, "length >= 1"),
        ({"surprise": 1}, "unknown field"),
    ],
)
def test_an_entry_of_another_form_is_refused_with_its_line(
    make_entry: MakeEntry, changes: dict[str, Any], what: str
) -> None:
    with pytest.raises(
        DataError, match=rf"BFCL_v4_multi_turn_base\.json, line 1: .*{what}.*data pull"
    ):
        make_entry(TURNS, GOLD, **changes)


@pytest.mark.parametrize(
    ("gold", "what"),
    [
        ((("add(a=1)",),), "not one list of calls for each turn"),
        ((("add(a=",), ()), "'add\\(a=' is not a call"),
        ((("[add(a=1), add(a=2)]",), ()), "is not a call"),
        ((("__import__('os').remove('x')",), ()), "is not a call"),
    ],
)
def test_expected_calls_of_another_form_are_refused_with_their_line(
    make_entry: MakeEntry, gold: tuple[tuple[str, ...], ...], what: str
) -> None:
    with pytest.raises(DataError, match=rf"possible_answer/.*, line 1: .*{what}"):
        make_entry(TURNS, gold)


def test_a_class_or_a_withheld_function_that_is_unknown_is_refused(make_entry: MakeEntry) -> None:
    with pytest.raises(DataError, match="class 'Shell' of BFCL is unknown"):
        make_entry(TURNS, GOLD, involved_classes=["Shell"])
    with pytest.raises(DataError, match="'remove' is withheld and no function"):
        make_entry(("Add.", None), GOLD, missed_function={"1": ["remove"]})


def test_answers_of_other_entries_are_refused(make_files: MakeFiles, texts: PromptTexts) -> None:
    files = make_files(TURNS, GOLD)
    name = "possible_answer/BFCL_v4_multi_turn_base.json"
    files[name] = files[name].replace(b"base_0", b"base_1")
    with pytest.raises(DataError, match="its ids are not those of the questions in order"):
        load_multi_turn("multi_turn_base", files.__getitem__, texts)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"{"])
def test_long_texts_of_another_form_are_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="data pull bfcl"):
        load_long_texts(lambda _: content)


def test_the_real_entries_are_read_whole(read_bfcl: Callable[[str], bytes]) -> None:
    texts = read_prompt_texts(read_bfcl(PROMPTS))
    loaded = {name: load_multi_turn(name, read_bfcl, texts) for name in MULTI_TURN}
    assert [len(entries) for entries in loaded.values()] == [200] * 4
    turns = {name: sum(len(e.task.turns) for e in entries) for name, entries in loaded.items()}
    assert list(turns.values()) == [734, 934, 934, 734]
    calls = [sum(map(len, e.gold)) for entries in loaded.values() for e in entries]
    assert [sum(calls[start : start + 200]) for start in range(0, 800, 200)] == [
        1142,
        1140,
        1140,
        1203,
    ]
    withheld = [entry.task for entry in loaded["multi_turn_miss_func"]]
    assert all(task.withheld_tools for task in withheld)
    assert withheld[3].turns[1] == FixedTurn((texts.wording.more_tools,), ("find", "ls"))
    assert msgspec.json.decode(msgspec.json.encode(withheld[3]), type=Task) == withheld[3]
    assert load_long_texts(read_bfcl).watch_list_extension[-1] is ...
