import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.models.chat.completions import decode_completion
from dragoman.testing.chat_requests import Call, Function
from dragoman.testing.responses import (
    CannedReply,
    Envelope,
    count_tokens,
    encode_chunks,
    encode_completion,
)

ENVELOPE = Envelope("chatcmpl-1", 1_700_000_000, "m", "fp_1", prompt_tokens=7)
CALLS = (
    Call("a", Function("look", '{"order_id": "#W0000001"}')),
    Call("b", Function("done", "{}")),
)

texts = st.text(st.characters(codec="utf-8"), max_size=80)
calls = st.builds(Call, texts, st.builds(Function, texts, texts))
replies = st.builds(
    CannedReply,
    st.none() | texts,
    st.lists(calls, max_size=3).map(tuple),
    st.integers(1, 2),
)


def test_a_completion_is_read_by_the_packages_own_decoder() -> None:
    said = decode_completion(encode_completion(CannedReply("Hi."), ENVELOPE), "m", "agent")
    assert said.reply == text_reply("Hi.")
    called = decode_completion(encode_completion(CannedReply(None, CALLS), ENVELOPE), "m", "agent")
    assert isinstance(called.reply, ToolCallReply)
    assert [call.id for call in called.reply.calls] == ["a", "b"]
    assert called.reply.calls[0].arguments == {"order_id": "#W0000001"}


def test_a_completion_says_what_surrounds_it() -> None:
    body = msgspec.json.decode(encode_completion(CannedReply("Hi, there."), ENVELOPE))
    assert {name: body[name] for name in ("id", "object", "created", "model")} == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "m",
    }
    assert body["system_fingerprint"] == "fp_1"
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def test_four_bytes_are_a_token() -> None:
    assert [count_tokens(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_a_streams_usage_comes_last_and_only_if_asked_for() -> None:
    plain = encode_chunks(CannedReply("Hi."), ENVELOPE, with_usage=False)
    assert not any(b"usage" in chunk for chunk in plain)
    asked = encode_chunks(CannedReply("Hi."), ENVELOPE, with_usage=True)
    last = msgspec.json.decode(asked[-2].removeprefix(b"data: "))
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8}
    assert asked[-1] == plain[-1] == b"data: [DONE]\n\n"


@given(replies)
def test_the_chunks_of_a_stream_add_up_to_the_completion(reply: CannedReply) -> None:
    whole = msgspec.json.decode(encode_completion(reply, ENVELOPE))
    choices = [choice["message"] for choice in whole["choices"]]
    assert assembled(encode_chunks(reply, ENVELOPE, with_usage=True)) == [
        (message["content"] or "", message.get("tool_calls", [])) for message in choices
    ]


def assembled(events: tuple[bytes, ...]) -> list[tuple[str, list[object]]]:
    words: dict[int, str] = {}
    called: dict[int, list[dict[str, dict[str, str]]]] = {}
    for chunk in events[:-1]:
        for choice in msgspec.json.decode(chunk.removeprefix(b"data: "))["choices"]:
            at, delta = choice["index"], choice["delta"]
            words[at] = words.get(at, "") + (delta.get("content") or "")
            for part in delta.get("tool_calls", []):
                own = called.setdefault(at, [])
                if part["index"] == len(own):
                    own.append({name: part[name] for name in ("id", "function", "type")})
                else:
                    own[part["index"]]["function"]["arguments"] += part["function"]["arguments"]
    return [(text, list(called.get(at, []))) for at, text in sorted(words.items())]
