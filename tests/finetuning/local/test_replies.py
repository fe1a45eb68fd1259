"""Text of a model becomes words, thoughts and calls; unreadable text is its mistake."""

import msgspec
import pytest

from dragoman.core.protocols import Completion
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply
from dragoman.finetuning.local_models.replies import DecodedText, completion_body, knows_calls
from dragoman.models.chat.completions import decode_completion


def read(text: str, *, with_calls: bool = True, is_cut: bool = False) -> Completion:
    body = completion_body(DecodedText(text, 7, 3, is_cut), with_calls=with_calls)
    return decode_completion(body, "local/base", "agent")


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>', "f", {"a": 1}),
        ('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', "f", {}),
        ('<tool_call>{"name": "f"}', "f", {}),
        ('<tool_call>{"name": "f", "arguments": "{\\"a\\": [2]}"}</tool_call>', "f", {"a": [2]}),
    ],
)
def test_a_call_is_read_natively(text: str, name: str, arguments: dict[str, object]) -> None:
    reply = read(text).reply

    assert isinstance(reply, ToolCallReply)
    assert [(call.name, call.arguments, call.malformed) for call in reply.calls] == [
        (name, arguments, "")
    ]


def test_words_stand_beside_calls_and_each_call_has_an_id() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'

    reply = read(f"I look.\n{call}\n{call}").reply

    assert isinstance(reply, ToolCallReply)
    assert reply.text == "I look."
    assert [call.id for call in reply.calls] == ["call_0", "call_1"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<tool_call>{"name": "f", "arguments": {"a": </tool_call>', "f"),
        ('<tool_call>{"name": "f", "arguments": [1]}</tool_call>', "f"),
        ("<tool_call>f(1)</tool_call>", ""),
        ("<tool_call></tool_call>", ""),
    ],
)
def test_a_call_that_cannot_be_read_is_the_agents_mistake(text: str, name: str) -> None:
    reply = read(text).reply

    assert isinstance(reply, ToolCallReply)
    (call,) = reply.calls
    assert call.name == name
    assert call.malformed
    assert call.arguments == {}


def test_a_call_without_a_name_calls_nothing_that_there_is() -> None:
    reply = read('<tool_call>{"function": "f"}</tool_call>').reply

    assert isinstance(reply, ToolCallReply)
    assert [call.name for call in reply.calls] == [""]


def test_thoughts_are_not_said() -> None:
    completion = read("<think>\nIt rains?\n</think>\n\nIt rains.")

    assert isinstance(completion.reply, TextReply)
    assert completion.reply.text == "It rains."
    body = msgspec.json.decode(completion.raw)
    assert body["choices"][0]["message"]["reasoning_content"] == "It rains?"


def test_where_no_function_is_offered_a_call_is_words() -> None:
    reply = read('<tool_call>{"name": "f"}</tool_call>', with_calls=False).reply

    assert isinstance(reply, TextReply)
    assert reply.text == '<tool_call>{"name": "f"}</tool_call>'


def test_an_answer_of_nothing_is_unusable_and_says_why_it_ended() -> None:
    reply = read(" ", is_cut=True).reply

    assert isinstance(reply, UnparsedReply)
    assert "length" in reply.error


def test_tokens_are_counted() -> None:
    usage = read("Yes.").usage

    assert (usage.input_tokens, usage.output_tokens) == (7, 3)


def test_templates_of_another_form_of_calls_are_told() -> None:
    assert knows_calls('... <tool_call>\\n{"name": ...}\\n</tool_call>')
    assert not knows_calls("<tool_call>\\n<function=name>\\n<parameter=a>")
    assert not knows_calls("<|python_tag|>")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<think>I need it.</think>\nWhat is your number?",
            {"content": "<think>I need it.</think>\nWhat is your number?"},
        ),
        ("so it is</think>It is there.", {"content": "so it is</think>It is there."}),
        ("Thank you. ### STOP###", {"content": "Thank you. ### STOP###"}),
        ("It is there.<|im_end|>", {"content": "It is there.<|im_end|>"}),
        (
            '<think>I look.</think><tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>',
            {
                "content": "<think>I look.</think>",
                "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}],
            },
        ),
        (
            '<tool_call>{"name": "f", "arguments": [1]}</tool_call>',
            {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": "[1]"}}]},
        ),
    ],
)
def test_a_folder_gives_the_reply_that_the_same_words_are_over_the_wire(
    text: str, message: dict[str, object]
) -> None:
    body = msgspec.json.encode({"choices": [{"message": message}]})
    wire = decode_completion(body, "compatible/base", "agent")

    own = read(text)

    assert (own.reply, own.reasoning) == (wire.reply, wire.reasoning)
