"""Streams in the forms of servers add up to the calls and words that the model meant."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.replies import TextReply, ToolCallReply
from dragoman.models.chat.completions import DecodedReply, decode_reply
from dragoman.models.chat.streaming import assemble_completion, first_text_offset, is_stream
from dragoman.models.http.transport import MalformedResponse

A, B = '{"id": "KV155"}', '{"id": "PT331"}'
ABSENT = object()


def chunk(delta: object, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode()


def piece(
    index: object = ABSENT,
    call_id: object = ABSENT,
    name: object = ABSENT,
    arguments: object = ABSENT,
) -> bytes:
    """Return a chunk with a piece of a call."""
    given = {"name": name, "arguments": arguments}
    function = {key: value for key, value in given.items() if value is not ABSENT}
    outer = {"index": index, "id": call_id}
    fields = {key: value for key, value in outer.items() if value is not ABSENT}
    return chunk({"tool_calls": [{**fields, "type": "function", "function": function}]})


def read(*parts: bytes, end: bytes = b"data: [DONE]\n\n") -> DecodedReply:
    return decode_reply(assemble_completion(b"".join((*parts, chunk({}, "stop"), end))), "m")


def calls_of(*parts: bytes) -> list[tuple[str, dict[str, object]]]:
    reply = read(*parts).reply
    assert isinstance(reply, ToolCallReply)
    assert not any(call.malformed for call in reply.calls)
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    return [(call.name, call.arguments) for call in reply.calls]


ONE = [("track", {"id": "KV155"})]
TWO = [*ONE, ("track", {"id": "PT331"})]


@pytest.mark.parametrize(
    "parts",
    [
        (piece(0, "a", "track", A), piece(1, "b", "track", B)),
        (
            piece(0, "a", "track", ""),
            piece(1, "b", "track", ""),
            piece(0, arguments=A),
            piece(1, arguments=B),
        ),
        (piece(0, "a", "track", A), piece(0, "b", "track", B)),
        (piece(0, None, "track", A), piece(0, None, "track", B)),
        (piece(0, "", "track", A), piece(0, "", "track", B)),
        (piece(None, "a", "track", A), piece(None, "b", "track", B)),
        (
            piece(call_id="a", name="track", arguments=A),
            piece(call_id="b", name="track", arguments=B),
        ),
        (piece(name="track", arguments=A), piece(name="track", arguments=B)),
        (
            piece(0, "a", "track", ""),
            piece(0, "b", "track", ""),
            piece(0, "a", arguments=A),
            piece(0, "b", arguments=B),
        ),
        (
            piece(0, "a", "track", A[:8]),
            piece(0, "null", arguments=A[8:]),
            piece(1, "b", "track", B[:8]),
            piece(1, "null", arguments=B[8:]),
        ),
        (
            piece(0, "a", "track", A[:8]),
            piece(0, arguments=A[8:]),
            piece(0, "b", "track", B[:8]),
            piece(0, arguments=B[8:]),
        ),
        (
            piece(call_id="a", name="track", arguments=A[:8]),
            piece(arguments=A[8:]),
            piece(call_id="b", name="track", arguments=B),
        ),
    ],
)
def test_two_calls_are_two_however_they_are_numbered(parts: tuple[bytes, ...]) -> None:
    assert calls_of(*parts) == TWO


@pytest.mark.parametrize(
    "parts",
    [
        (piece(0, "a", "track", A[:8]), piece(0, "a", "track", A[8:])),
        (piece(0, "a", "track", ""), piece(0, "b", "", A[:8]), piece(0, "c", "", A[8:])),
        (piece(0, "a", "track", A[:8]), piece(0, "b", "track", A[8:])),
        (piece(0, "a", "tr", ""), piece(0, name="ack", arguments=A)),
        (piece(0, "a", "tr", ""), piece(0, name="track", arguments=A)),
        (piece(0, "a", None, ""), piece(0, name="track", arguments=A)),
        (piece(0, "a", "track", {"id": "KV155"}),),
        (piece(0, "a", "track", None), piece(0, arguments=A)),
        (piece(0, "a", "track", "{}"), piece(0, arguments=A[:8]), piece(0, arguments=A[8:])),
        (piece(0, "a", "track", A[:8]), piece(0, arguments=A[8:]), piece(0, "a", "track", A)),
        (piece(0, "a", "track", A), piece(0, arguments=A)),
        (piece(1, "a", "track", A),),
        (
            chunk({"tool_calls": [{"index": 0, "id": "a", "function": None}]}),
            piece(0, name="track", arguments=A),
        ),
        (
            chunk({"function_call": {"name": "track", "arguments": A[:8]}}),
            chunk({"function_call": {"arguments": A[8:]}}),
        ),
        (
            chunk(
                {
                    "tool_calls": {
                        "index": 0,
                        "id": "a",
                        "function": {"name": "track", "arguments": A},
                    }
                }
            ),
        ),
    ],
)
def test_one_call_is_one_however_it_comes_in_pieces(parts: tuple[bytes, ...]) -> None:
    assert calls_of(*parts) == ONE


@pytest.mark.parametrize(
    "body",
    [
        chunk({"content": "Hello there."}) + chunk(None, "stop"),
        chunk({"content": "Hello "}) + b"data: \n\n" + chunk({"content": "there."}, "stop"),
        chunk({"content": "Hello "})
        + b"event: ping\ndata: {}\n\n"
        + chunk({"content": "there."}, "stop"),
        b": PROCESSING\n\n" + chunk({"content": "Hello there."}, "stop"),
        chunk({"content": "Hello there."}, "stop") + b'data: {"choices": null, "usage": {}}\n\n',
        chunk({"content": "Hello there."}, "stop") + b'data: {"usage": {"prompt_tokens": 5}}\n\n',
        chunk({"content": "Hello "})[:-1]
        + chunk({"content": "there."}, "stop")[:-1]
        + b"data: [DONE]\n",
        (chunk({"content": "Hello there."}) + chunk({}, "stop")).replace(b"\n", b"\r\n"),
        b'data: {"choices": [{"message": {"content": "Hello there."}, "finish_reason": "stop"}]}\n\n',
        b'data: {"choices": [{"text": "Hello there.", "finish_reason": "stop"}]}\n\n',
        chunk({"content": ["Hello ", {"type": "text", "text": "there."}]}, "stop"),
        chunk({"refusal": "Hello there."}, "stop"),
        chunk({"content": "<think>Who"}) + chunk({"content": "?</think>Hello there."}, "stop"),
        chunk({"reasoning": {"text": "hm"}}) + chunk({"content": "Hello there."}, "stop"),
        chunk({"content": "Hello there.", "tool_calls": [], "function_call": None}, "stop"),
    ],
)
def test_words_are_words_in_any_stream(body: bytes) -> None:
    reply = decode_reply(assemble_completion(body), "m").reply
    assert isinstance(reply, TextReply)
    assert reply.text == "Hello there."


def test_a_character_that_was_cut_in_two_is_whole_again() -> None:
    halves = (
        rb'data: {"choices":[{"delta":{"content":"Hi \ud83d"}}]}',
        rb'data: {"choices":[{"delta":{"content":"\ude00!"}}]}',
    )
    reply = read(*(half + b"\n\n" for half in halves)).reply
    assert isinstance(reply, TextReply)
    assert reply.text == "Hi \U0001f600!"


def test_what_a_provider_wants_back_is_kept_of_a_stream() -> None:
    details = [
        {"type": "reasoning.text", "index": 0, "text": "Where "},
        {"type": "reasoning.text", "index": 0, "text": "is it?", "signature": "S"},
    ]
    body = assemble_completion(
        b"".join(
            (
                *(chunk({"reasoning_details": [detail]}) for detail in details),
                chunk(
                    {
                        "tool_calls": [
                            {
                                "index": 0,
                                "id": "a",
                                "extra_content": {"google": {"thought_signature": "T"}},
                                "function": {"name": "track", "arguments": A},
                            }
                        ]
                    }
                ),
                chunk({}, "tool_calls"),
            )
        )
    )
    message = json.loads(body)["choices"][0]["message"]
    assert message["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "Where is it?", "signature": "S"}
    ]
    assert message["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "T"}}


def test_the_first_words_come_after_reasoning_between_the_words() -> None:
    reasoning = chunk({"content": "<think>Who is"}) + chunk({"content": " it?</think>\n\n"})
    words = chunk({"content": "Hello"})
    assert (
        first_text_offset(reasoning + words + chunk({"content": " there."}))
        == len(reasoning + words) - 1
    )
    assert first_text_offset(reasoning) is None


@given(st.lists(st.integers(1, 6), max_size=8), st.booleans(), st.booleans())
def test_arguments_in_any_pieces_are_the_arguments(
    sizes: list[int], has_id: bool, has_name: bool
) -> None:
    rest = '{"id": "KV155", "also": {"a": [1, 2]}}'
    parts = [piece(0, "a", "track", rest[:3])]
    rest = rest[3:]
    for size in [*sizes, len(rest)]:
        if rest[:size]:
            more = ("a" if has_id else ABSENT, "track" if has_name else ABSENT)
            parts.append(piece(0, *more, rest[:size]))
        rest = rest[size:]
    assert calls_of(*parts) == [("track", {"id": "KV155", "also": {"a": [1, 2]}})]


def event(value: object) -> bytes:
    return b"data: %b\n\n" % json.dumps(value).encode()


def of_choice(index: int, delta: object, finish: str | None = None) -> bytes:
    return event({"choices": [{"index": index, "delta": delta, "finish_reason": finish}]})


@pytest.mark.parametrize(
    "parts",
    [
        (
            piece("0", "a", "track", ""),
            piece("1", "b", "track", ""),
            piece("0", arguments=A),
            piece("1", arguments=B),
        ),
        (
            piece(0.0, "a", "track", ""),
            piece(1.0, "b", "track", ""),
            piece(0.0, arguments=A),
            piece(1.0, arguments=B),
        ),
        (
            chunk(
                {
                    "tool_calls": [
                        {"id": "a", "function": {"name": "track", "arguments": ""}},
                        {"id": "b", "function": {"name": "track", "arguments": ""}},
                    ]
                }
            ),
            chunk(
                {
                    "tool_calls": [{"function": {"arguments": A}}, {"function": {"arguments": B}}],
                }
            ),
        ),
        (piece(0, "a", "track", A), piece(1, "a", "track", B)),
        (piece(0, "a", "track", A), piece(0, "b", "track", ""), piece(1, arguments=B)),
    ],
)
def test_calls_are_told_apart_by_what_their_server_has(parts: tuple[bytes, ...]) -> None:
    assert calls_of(*parts) == TWO


@pytest.mark.parametrize(
    "parts",
    [
        (piece(0, "a", "track", A[:3]), piece(0, "a", "track", A[:9]), piece(0, "a", "track", A)),
        (chunk({"tool_calls": [{"id": "a", "function": {"name": "track", "parameters": A}}]}),),
        (
            chunk({"content": "I look."}),
            event(
                {
                    "choices": [
                        {
                            "delta": {},
                            "message": {
                                "content": "I look.",
                                "tool_calls": [{"function": {"name": "track", "arguments": A}}],
                            },
                        }
                    ]
                }
            ),
        ),
        (
            of_choice(0, {"content": "I look."}, "stop"),
            of_choice(1, {"tool_calls": [{"function": {"name": "track", "arguments": A}}]}),
        ),
    ],
)
def test_a_call_is_neither_lost_nor_doubled(parts: tuple[bytes, ...]) -> None:
    assert calls_of(*parts) == ONE


HELLO = chunk({"content": "Hello there."})


@pytest.mark.parametrize(
    "body",
    [
        HELLO + event({"choices": [{"message": {"content": "Hello there."}}]}) + chunk({}, "stop"),
        HELLO + event({"choices": [None]}) + chunk({}, "stop"),
        HELLO + event({"error": "", "choices": []}) + chunk({}, "stop"),
        HELLO + event({"error": {}, "choices": []}) + chunk({}, "stop"),
        HELLO + event({"error": False, "choices": []}) + chunk({}, "stop"),
        HELLO + event({"type": "ping"}) + chunk({}, "stop"),
        HELLO + event({"code": 200, "message": "success"}) + chunk({}, "stop"),
        chunk([]) + HELLO + chunk([], "stop"),
        HELLO + chunk({}, "stop") + b'data: "[DONE]"\n\n',
        HELLO + b"data: [done]\n\n",
        b"\n" * 3_000 + HELLO + chunk({}, "stop"),
        b": PROCESSING\n\n" + HELLO.removeprefix(b"data: ") + chunk({}, "stop"),
        of_choice(1, {"content": "Hello there."}, "stop"),
        event({"choices": [{"delta": "Hello there."}]}) + chunk({}, "stop"),
        chunk({"content": "Hello "}, "") + chunk({"content": "there."}, "null") + chunk({}, "stop"),
    ],
)
def test_words_stay_what_they_are_in_odd_streams(body: bytes) -> None:
    assert is_stream(body)
    reply = decode_reply(assemble_completion(body), "m").reply
    assert isinstance(reply, TextReply)
    assert reply.text == "Hello there."


@pytest.mark.parametrize(
    "end",
    [
        chunk({"content": " I"}, ""),
        b'event: error\ndata: {"message": "it died"}\n\ndata: [DONE]\n\n',
        b"event: error\ndata: it died\n\ndata: [DONE]\n\n",
        b'error: {"code": 500, "message": "it died"}\n\ndata: [DONE]\n\n',
        b'{"error": {"message": "it died"}}\n\ndata: [DONE]\n\n',
        event({"object": "error", "message": "it died"}) + b"data: [DONE]\n\n",
        event({"type": "error", "message": "it died"}) + b"data: [DONE]\n\n",
        event({"detail": "it died"}) + b"data: [DONE]\n\n",
        event({"code": 1234, "msg": "it died", "success": False}) + b"data: [DONE]\n\n",
        event([{"error": {"message": "it died"}}]) + b"data: [DONE]\n\n",
        event({"choices": [{"delta": {}, "error": {"message": "it died"}}]}) + chunk({}, "stop"),
    ],
)
def test_a_reply_that_broke_off_is_no_reply(end: bytes) -> None:
    with pytest.raises(MalformedResponse):
        assemble_completion(HELLO + end)


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "reasoning_text"])
def test_reasoning_keeps_the_name_that_its_server_gave_it(field: str) -> None:
    body = chunk({field: "They "}) + chunk({field: "ask."}) + HELLO + chunk({}, "stop")
    message = json.loads(assemble_completion(body))["choices"][0]["message"]
    assert {name: message[name] for name in message if "reasoning" in name} == {field: "They ask."}
