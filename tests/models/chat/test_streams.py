"""Streams of chunks add up to their completion, however they are cut."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tools import ToolCall
from dragoman.models.chat.completions import decode_completion
from dragoman.models.chat.streaming import assemble_completion, first_text_offset, is_stream
from dragoman.models.http.transport import MalformedResponse


def event(data: object) -> bytes:
    return b"data: %b\n\n" % json.dumps(data).encode()


def chunk(delta: object, finish: str | None = None) -> bytes:
    return event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


DONE = b"data: [DONE]\n\n"
STOP = chunk({}, "stop")


def whole(*events: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    return msgspec.json.decode(assemble_completion(b"".join(events)))


def message(*events: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    return whole(*events)["choices"][0]["message"]


def called(*deltas: dict[str, object]) -> list[tuple[str, str, str]]:
    events = [chunk({"tool_calls": [delta]}) for delta in deltas]
    return [
        (call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in message(*events, STOP, DONE)["tool_calls"]
    ]


Word = st.text(st.characters(codec="utf-8"), max_size=12)
Call = st.tuples(Word.filter(bool), Word.filter(bool), Word)


def pieces(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def split(draw: st.DrawFn) -> tuple[dict[str, object], bytes]:
    """A reply, and one of the streams that represent it."""
    words, thoughts = draw(Word), draw(Word)
    calls = draw(st.lists(Call, max_size=3, unique_by=lambda call: call[0]))
    deltas: list[dict[str, object]] = [{"content": piece} for piece in pieces(draw, words)]
    deltas += [{"reasoning_content": piece} for piece in pieces(draw, thoughts)]
    growing: list[list[dict[str, object]]] = []
    for index, (call_id, name, arguments) in enumerate(calls):
        begun = {"index": index, "id": call_id, "function": {"name": name, "arguments": ""}}
        more = [{"index": index, "function": {"arguments": p}} for p in pieces(draw, arguments)]
        growing.append([begun, *more])
    deltas += [{"tool_calls": [one]} for each in growing for one in each]
    newline = draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    head = draw(st.sampled_from([b"", b": waiting\n\n", b"event: message\n", b"id: 1\n"]))
    stream = head + b"".join(map(chunk, deltas)) + chunk({}, "stop") + DONE
    expected: dict[str, object] = {"role": "assistant", "content": words or None}
    if thoughts:
        expected["reasoning_content"] = thoughts
    if calls:
        expected["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
            for call_id, name, text in calls
        ]
    return expected, stream.replace(b"\n", newline)


@given(split())
def test_any_split_adds_up_to_the_whole(given_split: tuple[dict[str, object], bytes]) -> None:
    expected, stream = given_split
    assert is_stream(stream)
    assert msgspec.json.decode(assemble_completion(stream))["choices"] == [
        {"index": 0, "message": expected, "finish_reason": "stop"}
    ]


STREAM = (
    chunk({"role": "assistant", "content": ""})
    + chunk({"content": "Grüße, "})
    + chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]})
    + chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"x": 1}'}}]})
    + chunk({}, "tool_calls")
    + event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})
    + DONE
)


def test_a_stream_reads_like_the_completion() -> None:
    completion = decode_completion(assemble_completion(STREAM), "m", "agent")
    assert completion.reply == ToolCallReply((ToolCall("a", "f", {"x": 1}),), "Grüße, ")
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (5, 2)


@given(st.integers(0, len(STREAM) - 1))
def test_a_stream_that_is_cut_is_never_a_shorter_reply(at: int) -> None:
    try:
        completion = assemble_completion(STREAM[:at])
    except MalformedResponse:
        return
    assert decode_completion(completion, "m", "agent").reply == ToolCallReply(
        (ToolCall("a", "f", {"x": 1}),), "Grüße, "
    )


@given(
    st.binary(max_size=60).map(lambda more: b"data: " + more)
    | st.tuples(st.integers(0, len(STREAM)), st.binary(max_size=9)).map(
        lambda put: STREAM[: put[0]] + put[1] + STREAM[put[0] :]
    )
)
def test_any_bytes_are_a_completion_or_unreadable(body: bytes) -> None:
    try:
        completion = assemble_completion(body)
    except MalformedResponse:
        return
    assert "choices" in msgspec.json.decode(completion)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "the stream stopped before its end"),
        (chunk({"content": "hel"}), "the stream stopped before its end"),
        (DONE, "the stream holds no reply"),
        (event({"choices": []}) + DONE, "the stream holds no reply"),
        (event({"error": {"message": "boom"}}) + DONE, "the stream broke off: boom"),
        (b"data: {\n\n" + DONE, "an event of the stream is damaged"),
        (b"data: []\n\n" + DONE, "an event of the stream is damaged"),
        (
            b'data: {"choices": [{"delta": 5}]}\n\n',
            "an event of the stream is damaged",
        ),
        (b"data: " + b"[" * 99_999 + b"\n\n", "an event of the stream is damaged"),
        (b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n', "is damaged"),
    ],
)
def test_what_is_no_whole_stream_says_why(body: bytes, why: str) -> None:
    with pytest.raises(MalformedResponse) as caught:
        assemble_completion(body)
    assert why in str(caught.value)


@pytest.mark.parametrize("line", [b"data:\n", b": still here\n", b"data:\r\n", b"\r"])
def test_a_stream_of_more_lines_than_any_reply_is_refused_before_they_are_split(
    line: bytes,
) -> None:
    with pytest.raises(MalformedResponse, match="more than 400,000 lines"):
        assemble_completion(b"data: {}\n\n" + line * 400_001)


def test_a_later_choice_is_another_reply() -> None:
    other = event({"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "stop"}]})
    assert message(chunk({"content": "yes"}), other, STOP, DONE)["content"] == "yes"


def test_calls_without_an_index_are_told_apart() -> None:
    assert called(
        {"id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "b", "function": {"name": "f", "arguments": '{"x": 2}'}},
    ) == [("a", "f", '{"x": 1}'), ("b", "f", '{"x": 2}')]


def test_an_id_that_is_repeated_is_the_same_call() -> None:
    assert called(
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}},
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": ": 1}"}},
        {"index": 0, "id": None, "function": None},
    ) == [("a", "f", '{"x": 1}')]


def test_parallel_calls_may_grow_in_turn() -> None:
    assert called(
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "1"}},
        {"index": 1, "id": "b", "function": {"name": "g", "arguments": "2"}},
        {"index": 0, "function": {"arguments": "3"}},
        {"index": 1, "function": {"arguments": "4"}},
    ) == [("a", "f", "13"), ("b", "g", "24")]


def test_words_in_parts_are_words_and_thoughts_are_not() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "hi"}]
    completion = decode_completion(
        assemble_completion(chunk({"content": parts}) + STOP + DONE), "m", "agent"
    )
    assert completion.reply == text_reply("hi")


@pytest.mark.parametrize("body", [b'{"choices": []}', b"", b"<html>", b"[]", b"database"])
def test_a_plain_body_is_no_stream(body: bytes) -> None:
    assert not is_stream(body)


def test_the_first_words_of_a_stream_come_after_thoughts_and_blanks() -> None:
    before = [
        b": keep-alive\n\n",
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "They want a table."}),
        chunk({"content": " \n"}),
    ]
    body = b"".join([*before, chunk({"content": "Yes"}), chunk({"content": ", sir."}), STOP, DONE])
    # The event's text and the end of its line: the blank line behind it need not have come.
    assert first_text_offset(body) == len(b"".join([*before, chunk({"content": "Yes"})])) - 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        DONE + chunk({"content": "too late"}),
        chunk({"tool_calls": [{"id": "1", "function": {"name": "look"}}]}) + STOP + DONE,
        b"data: {broken\n\n" + chunk({"content": "Yes"}),
    ],
)
def test_a_stream_without_words_has_no_first_ones(body: bytes) -> None:
    assert first_text_offset(body) is None
