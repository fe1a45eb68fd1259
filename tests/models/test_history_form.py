"""Histories go out in a form that strict servers accept."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.chat_messages import ChatHistory
from dragoman.models.catalog import load_provider_catalog
from dragoman.models.history_format import (
    HistoryFormat,
    ensure_json_object,
    legal_function_name,
    nine_character_id,
)

SAFE = HistoryFormat()
NINE = re.compile(r"[A-Za-z0-9]{9}")


def calling(*calls: tuple[str, str, str], **more: object) -> dict[str, Any]:
    """Return an assistant's message with calls of (id, name, arguments)."""
    written = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": written, **more}


def result(call_id: str, content: str = "{}") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def sent(form: HistoryFormat, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = json.loads(ChatHistory(messages).written(form) or b"")
    return written


def test_a_plain_history_goes_out_as_it_is() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": "In Kloster."},
    ]
    assert sent(SAFE, *messages) == messages


def test_ids_that_repeat_in_every_turn_become_unique_and_their_results_follow() -> None:
    turn = (calling(("call_0", "look", "{}")), result("call_0"))
    written = sent(SAFE, *turn, *turn)
    ids = [message["tool_calls"][0]["id"] for message in written[::2]]
    assert len(set(ids)) == 2
    assert all(NINE.fullmatch(call_id) for call_id in ids)
    assert [message["tool_call_id"] for message in written[1::2]] == ids


@pytest.mark.parametrize(
    ("form", "given", "kept"),
    [
        (SAFE, "Ab3dEf6h9", True),
        (SAFE, "call_1", False),
        (SAFE, "functions.look:0", True),
        (HistoryFormat(keeps_tied_ids=False), "functions.look:0", False),
        (HistoryFormat(keeps_ids=True), "call_1", True),
        (HistoryFormat(keeps_ids=True), "", False),
        (HistoryFormat(keeps_ids=True), "a b", False),
        (HistoryFormat(keeps_ids=True), "x" * 200, False),
    ],
)
def test_an_id_stays_where_the_provider_takes_it(
    form: HistoryFormat, given: str, *, kept: bool
) -> None:
    ((message),) = sent(form, calling((given, "look", "{}")))
    assert (message["tool_calls"][0]["id"] == given) is kept


def test_an_id_stays_beside_a_signature_that_may_name_it() -> None:
    (message,) = sent(
        SAFE, calling(("tool_0_look", "look", "{}"), reasoning_details=[{"id": "tool_0_look"}])
    )
    assert message["tool_calls"][0]["id"] == "tool_0_look"


@pytest.mark.parametrize(
    "arguments", ["{", "", "null", "[1]", '"x"', '{"a": NaN}', '{"a": 1}}', r'{"a": "\ud83d"}']
)
def test_arguments_that_are_no_object_become_an_object_that_holds_them(arguments: str) -> None:
    (message,) = sent(SAFE, calling(("a", "look", arguments)))
    (call,) = message["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"invalid_arguments": arguments}


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("look", "look"),
        ("functions.look", "functions_look"),
        ("look<|channel|>commentary", "look_channel_commentary"),
        ("", "unnamed_function"),
        ("查找", "unnamed_function"),
        ("x" * 100, "x" * 64),
    ],
)
def test_a_name_is_written_in_signs_that_every_provider_takes(name: str, legal: str) -> None:
    assert legal_function_name(name) == legal


def test_reasoning_goes_back_as_the_form_says() -> None:
    words = {"role": "assistant", "content": "Hi.", "reasoning_content": "They greet."}
    called = calling(("a", "look", "{}"), reasoning_content="I look.")
    expected = {"never": [False, False], "with_calls": [False, True], "always": [True, True]}
    for returned, is_sent in expected.items():
        written = sent(HistoryFormat(reasoning=returned), words, called)  # type: ignore[arg-type]
        assert ["reasoning_content" in message for message in written] == is_sent


def test_a_signature_goes_back_with_its_call() -> None:
    message = calling(("a", "look", "{}"))
    message["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "S"}}
    (written,) = sent(SAFE, message)
    assert written["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "S"}}
    (without,) = sent(HistoryFormat(keeps_extras=False), message)
    assert "extra_content" not in without["tool_calls"][0]


def test_content_as_it_came_leaves_only_where_it_is_wanted() -> None:
    given = [{"type": "thinking", "thinking": "They greet."}, {"type": "text", "text": "Hi."}]
    message = {"role": "assistant", "content": "Hi.", "whole_content": given}
    assert sent(SAFE, message) == [{"role": "assistant", "content": "Hi."}]
    assert sent(HistoryFormat(keeps_content=True), message) == [
        {"role": "assistant", "content": given}
    ]


def test_what_is_empty_is_said_to_be_empty() -> None:
    messages = [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": ""},
        result("a", ""),
    ]
    assert [message["content"] for message in sent(SAFE, *messages)] == ["(empty)"] * 3
    assert sent(HistoryFormat(takes_empty=True), *messages) == messages


def test_roles_alternate_where_they_must() -> None:
    form = HistoryFormat(takes_any_order=False)
    written = sent(
        form,
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "How can I help?"},
        {"role": "user", "content": "Hello."},
        {"role": "user", "content": "Where is it?"},
        calling(("a", "look", "{}")),
        result("a"),
        {"role": "assistant", "content": "In Kloster."},
    )
    assert [message["role"] for message in written] == [
        *("system", "user", "assistant", "user", "assistant", "tool", "assistant")
    ]
    assert written[3]["content"] == "Hello.\n\nWhere is it?"


def test_a_system_message_becomes_the_users_where_there_is_none() -> None:
    form = HistoryFormat(takes_system=False, takes_any_order=False)
    (message,) = sent(
        form, {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}
    )
    assert message == {"role": "user", "content": "Be brief.\n\nHi."}


def test_a_history_is_written_once_in_each_form() -> None:
    history = ChatHistory([calling(("call_0", "look", "{}")), result("call_0")])
    plain, safe = history.written(), history.written(SAFE)
    history += [calling(("call_0", "look", "{}")), result("call_0")]
    assert (history.written() or b"").startswith((plain or b"")[:-1])
    assert (history.written(SAFE) or b"").startswith((safe or b"")[:-1])
    assert history.written(SAFE) == ChatHistory(history).written(SAFE)


_CALLS = st.tuples(
    st.text(max_size=12), st.text(max_size=70), st.text(max_size=20) | st.just('{"a": 1}')
)


@given(
    st.lists(st.lists(_CALLS, min_size=1, max_size=3, unique_by=lambda call: call[0]), max_size=5),
    st.booleans(),
)
def test_any_history_has_unique_ids_legal_names_and_arguments_that_are_objects(
    turns: list[list[tuple[str, str, str]]], keeps_ids: bool
) -> None:
    messages = [
        message
        for calls in turns
        for message in (calling(*calls), *(result(call_id) for call_id, _, _ in calls))
    ]
    written = sent(HistoryFormat(keeps_ids=keeps_ids), *messages)
    calls = [call for message in written for call in message.get("tool_calls", ())]
    ids = [call["id"] for call in calls]
    assert len(set(ids)) == len(ids)
    assert [message["tool_call_id"] for message in written if message["role"] == "tool"] == ids
    for call in calls:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])
        assert isinstance(json.loads(call["function"]["arguments"]), dict)


@given(st.text())
def test_any_text_has_nine_signs_and_valid_arguments(text: str) -> None:
    assert NINE.fullmatch(nine_character_id(text))
    assert isinstance(json.loads(ensure_json_object(text)), dict)


def test_the_table_of_providers_says_who_wants_what() -> None:
    providers = load_provider_catalog().providers
    assert providers["compatible"].history == SAFE
    assert providers["vllm"].history == SAFE
    assert providers["openrouter"].history.reasoning == "always"
    assert providers["mistral"].history.reasoning == "never"
    assert providers["mistral"].history.keeps_content
    assert not providers["mistral"].history.keeps_ids
    assert providers["openai"].history.keeps_ids
    minimax = load_provider_catalog().family("compatible/MiniMax-M2").history
    assert minimax is not None
    assert minimax.keeps_content


def test_a_result_goes_out_with_its_functions_name_where_that_is_wanted() -> None:
    turn = (calling(("a", "look", "{}"), ("b", "the list", "{}")), result("b"), result("a"))
    written = sent(HistoryFormat(names_results=True), *turn)
    assert [message["name"] for message in written[1:]] == ["the_list", "look"]


@pytest.mark.parametrize(
    ("wordless", "content"), [("null", None), ("empty", ""), ("filled", "(empty)")]
)
def test_calls_without_words_have_the_content_that_is_taken(
    wordless: Any,  # noqa: ANN401 - one of the literals
    content: str | None,
) -> None:
    (message,) = sent(HistoryFormat(wordless_calls=wordless), calling(("a", "look", "{}")))
    assert message["content"] == content


def test_every_reply_has_reasoning_where_it_is_wanted_of_all() -> None:
    form = HistoryFormat(reasoning="filled")
    said = {"role": "assistant", "content": "Hello."}
    thought = {**said, "reasoning": "I greet."}
    written = sent(form, said, thought, {**said, "reasoning_content": "I look."})
    assert [message["reasoning_content"] for message in written] == [
        "(none)",
        "I greet.",
        "I look.",
    ]
