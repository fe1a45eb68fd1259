import asyncio
import io
import json
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import pytest

from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
from dragoman.testing.chat_requests import MAX_BODY_BYTES, ChatBody, Checks
from dragoman.testing.fault_injection import (
    AgentFault,
    Cut,
    DuplicateReply,
    EmptyBody,
    Faults,
    Hang,
    HugeBody,
    InvalidArguments,
    MalformedJson,
    RateLimited,
    Redirect,
    Reset,
    ServerError,
    Slow,
    TransportFault,
    WrongContentType,
)
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers, When
from dragoman.testing.server import ModelServer
from dragoman.testing.server_config import Capacity, ServerConfig

Ask = Callable[..., list[Any]]

WORDS = "I have cancelled your order, and the money is on its way back to you."
CALLS = (ScriptedCall("look", {"order_id": "#W0000001"}), ScriptedCall("done", {"x": 1}))
ANSWERS = RuleAnswers(
    [
        Rule(ScriptedReply(None, CALLS), When(contains="look")),
        Rule(ScriptedReply(WORDS)),
    ]
)
SAY = {"model": "m", "messages": [{"role": "user", "content": "Cancel it."}]}
LOOK = {"model": "m", "messages": [{"role": "user", "content": "look"}]}
STREAM = {**SAY, "stream": True}


def numbered(count: int) -> list[dict[str, object]]:
    return [{**SAY, "user": str(index)} for index in range(count)]


def server_with(*faults: TransportFault, most: int = 3, seed: int = 0) -> ModelServer:
    return ModelServer(ANSWERS, ServerConfig(Faults(faults, most_in_a_row=most), seed=seed))


def server_mistaken(fault: AgentFault) -> ModelServer:
    return ModelServer(ANSWERS, ServerConfig(Faults(agent=(fault,))))


def events(body: bytes) -> list[Any]:
    assert body.endswith(b"data: [DONE]\n\n")
    return [json.loads(line[6:]) for line in body.split(b"\n\n")[:-2]]


def test_a_server_that_behaves_answers_by_its_script(ask: Ask) -> None:
    with ModelServer(ANSWERS) as server:
        said, called = ask(server.url, SAY, LOOK)
    assert said.status == 200
    assert said.message == {"role": "assistant", "content": WORDS}
    assert said.json["usage"]["completion_tokens"] == 18
    assert [call["function"]["name"] for call in called.message["tool_calls"]] == ["look", "done"]
    assert len({call["id"] for call in called.message["tool_calls"]}) == 2


def test_routes_are_there_without_their_prefix(ask: Ask) -> None:
    with ModelServer(ANSWERS) as server:
        (received,) = ask(server.url.removesuffix("/v1"), SAY)
    assert received.message["content"] == WORDS


def test_models_are_listed() -> None:
    async def listed() -> object:
        async with (
            ModelServer(ANSWERS, ServerConfig(checks=Checks(models=("m", "n")))) as server,
            aiohttp.ClientSession() as client,
            client.get(f"{server.url}/models") as response,
        ):
            return [model["id"] for model in (await response.json())["data"]]

    assert asyncio.run(listed()) == ["m", "n"]


def test_the_log_is_served() -> None:
    async def logged() -> object:
        async with (
            ModelServer(ANSWERS) as server,
            aiohttp.ClientSession() as client,
        ):
            async with client.post(f"{server.url}/chat/completions", json=SAY) as response:
                assert response.status == 200
            async with client.get(f"{server.url.removesuffix('/v1')}/log") as response:
                return await response.json()

    log: Any = asyncio.run(logged())
    assert (log["started"], log["completed"], log["outcomes"]) == (1, 1, {"ok": 1})
    assert list(log["contents"].values()) == [{"ok": 1}]


def test_a_request_that_no_rule_answers_is_refused_with_the_reason(ask: Ask) -> None:
    with ModelServer(RuleAnswers([])) as server:
        (received,) = ask(server.url, SAY)
        assert server.log.outcomes == {"refused": 1}
    assert received.status == 400
    assert received.error == {
        "message": "none of the script's 0 rules fits this request",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "no_answer",
    }


def test_a_broken_request_is_refused(ask: Ask) -> None:
    with ModelServer(ANSWERS) as server:
        (received,) = ask(server.url, {"model": "m", "messages": []})
    assert (received.status, received.error["message"]) == (400, "messages is empty")


def test_a_body_without_end_is_refused() -> None:
    async def sent() -> tuple[int, Any]:
        async with (
            ModelServer(ANSWERS) as server,
            aiohttp.ClientSession() as client,
            client.post(
                f"{server.url}/chat/completions", data=io.BytesIO(b" " * (MAX_BODY_BYTES + 1))
            ) as response,
        ):
            return response.status, await response.json()

    status, body = asyncio.run(sent())
    assert status == 413
    assert "more than 67108864 bytes" in body["error"]["message"]


def test_a_wrong_key_is_refused(ask: Ask) -> None:
    with ModelServer(ANSWERS, ServerConfig(checks=Checks(api_key="open-sesame"))) as server:
        (without,) = ask(server.url, SAY)
        (wrong,) = ask(server.url, SAY, headers={"Authorization": "Bearer sesame"})
        (right,) = ask(server.url, SAY, headers={"Authorization": "Bearer open-sesame"})
    assert (without.status, wrong.status, right.status) == (401, 401, 200)
    assert wrong.error["code"] == "invalid_api_key"


def test_an_answerer_that_breaks_is_told_apart(ask: Ask) -> None:
    def broken(request: ChatBody) -> CannedReply:
        raise ZeroDivisionError(request.model)

    with ModelServer(broken) as server:
        (received,) = ask(server.url, SAY)
        assert server.log.outcomes == {"broken": 1}
    assert received.status == 500


def test_rate_limits_say_when_to_come_again(ask: Ask) -> None:
    with server_with(RateLimited(1, retry_after=7, with_limits=True)) as server:
        (received,) = ask(server.url, SAY)
    assert (received.status, received.headers["Retry-After"]) == (429, "7")
    assert received.headers["x-ratelimit-remaining-requests"] == "0"
    assert received.error["code"] == "rate_limited"


def test_rate_limits_may_name_a_date(ask: Ask) -> None:
    with server_with(RateLimited(1, retry_after=3600, as_date=True)) as server:
        before = int(time.time())
        (received,) = ask(server.url, SAY)
        after = int(time.time())
    named = parsedate_to_datetime(received.headers["Retry-After"]).timestamp()
    assert before + 3600 <= named <= after + 3600


def test_server_errors_have_the_statuses_asked_for(ask: Ask) -> None:
    with server_with(ServerError(1, (500, 503))) as server:
        received = ask(server.url, *numbered(30))
    assert {answer.status for answer in received} == {500, 503}
    assert {answer.error["type"] for answer in received} == {"server_error"}


def test_a_slow_body_comes_whole_in_pieces(ask: Ask) -> None:
    with server_with(Slow(1, seconds=0.05)) as server:
        said, streamed = ask(server.url, SAY, STREAM)
        assert server.log.outcomes == {"slow": 2}
    assert said.message["content"] == WORDS
    assert events(streamed.body)[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_cut_body_is_announced_whole_and_ends_early(ask: Ask) -> None:
    with server_with(Cut(1)) as server:
        (received,) = ask(server.url, SAY)
    assert (received.status, received.failure) == (200, "ClientPayloadError")
    assert int(received.headers["Content-Length"]) > len(received.body)


def test_a_reset_connection_brings_nothing(ask: Ask) -> None:
    with server_with(Reset(1)) as server:
        (received,) = ask(server.url, SAY)
        assert server.log.outcomes == {"reset": 1}
    assert received.failure in {"ClientOSError", "ServerDisconnectedError"}
    assert received.status == 0


def test_broken_json_comes_with_its_own_length(ask: Ask) -> None:
    with server_with(MalformedJson(1)) as server:
        (received,) = ask(server.url, SAY)
    assert (received.status, received.failure) == (200, "")
    assert received.headers["Content-Type"] == "application/json"
    with pytest.raises(json.JSONDecodeError):
        json.loads(received.body)


def test_html_comes_in_place_of_json(ask: Ask) -> None:
    with server_with(WrongContentType(1)) as server:
        (received,) = ask(server.url, SAY)
    assert (received.status, received.headers["Content-Type"]) == (200, "text/html")
    assert received.body.startswith(b"<!doctype html>")


def test_an_empty_body_is_empty(ask: Ask) -> None:
    with server_with(EmptyBody(1)) as server:
        (received,) = ask(server.url, SAY)
    assert (received.status, received.body, received.failure) == (200, b"", "")


def test_a_redirect_names_an_address_that_is_none(ask: Ask) -> None:
    with server_with(Redirect(1)) as server:
        (received,) = ask(server.url, SAY)
    assert received.status == 302
    assert received.headers["Location"] == "http://no-such-host.invalid/v1"


def test_a_huge_body_is_the_answer_behind_white_space(ask: Ask) -> None:
    with server_with(HugeBody(1, size=100_000)) as server:
        (received,) = ask(server.url, SAY)
    assert received.message["content"] == WORDS
    assert received.body.startswith(b" " * 100_000 + b"{")


def test_refusals_ask_for_a_time_or_for_none(ask: Ask) -> None:
    asked: list[TransportFault] = [
        RateLimited(1, retry_after=None),
        RateLimited(1, retry_after=86_400),
        ServerError(1, statuses=(503,), retry_after=7),
        ServerError(1, statuses=(503,)),
    ]
    found = []
    for fault in asked:
        with server_with(fault) as server:
            (received,) = ask(server.url, SAY)
        found.append((received.status, received.headers.get("Retry-After")))
    assert found == [(429, None), (429, "86400"), (503, "7"), (503, None)]


def test_who_gives_a_hanging_server_up_is_counted(ask: Ask) -> None:
    with server_with(Hang(1, seconds=60)) as server:
        (received,) = ask(server.url, SAY, seconds=0.2)
        wait_until(lambda: server.log.in_flight == 0)
        assert server.log.outcomes == {"abandoned": 1}
        assert (server.log.started, server.log.completed) == (1, 0)
    assert received.failure == "TimeoutError"


def test_a_hanging_server_answers_in_the_end(ask: Ask) -> None:
    with server_with(Hang(1, seconds=0.05)) as server:
        (received,) = ask(server.url, SAY)
        assert server.log.outcomes == {"hang": 1}
    assert received.message["content"] == WORDS


def test_retries_succeed_after_the_most_faults_in_a_row(ask: Ask) -> None:
    with server_with(ServerError(1), most=2) as server:
        statuses = [ask(server.url, SAY)[0].status for _ in range(6)]
        assert list(server.log.contents.values()) == [{"server_error": 4, "ok": 2}]
    assert [status // 100 for status in statuses] == [5, 5, 2, 5, 5, 2]


def test_the_same_seed_breaks_the_same_requests(ask: Ask) -> None:
    def statuses(seed: int) -> list[int]:
        with server_with(ServerError(0.5), seed=seed) as server:
            return [answer.status for answer in ask(server.url, *numbered(40))]

    assert statuses(1) == statuses(1)
    assert statuses(1) != statuses(2)
    assert set(statuses(1)) == {200, 500, 502, 503}


def test_broken_arguments_are_in_a_well_formed_reply(ask: Ask) -> None:
    with server_mistaken(InvalidArguments(1)) as server:
        called, said = ask(server.url, LOOK, SAY)
        assert server.log.outcomes == {"invalid_arguments": 1, "ok": 1}
    for call in called.message["tool_calls"]:
        with pytest.raises(json.JSONDecodeError):
            json.loads(call["function"]["arguments"])
    assert said.message["content"] == WORDS


def test_a_duplicated_call_has_one_id_and_duplicated_words_two_choices(ask: Ask) -> None:
    with server_mistaken(DuplicateReply(1)) as server:
        called, said = ask(server.url, LOOK, SAY)
    calls = called.message["tool_calls"]
    assert len(calls) == 3
    assert calls[1] == calls[2]
    assert [choice["index"] for choice in said.json["choices"]] == [0, 1]
    assert said.json["choices"][0]["message"] == said.json["choices"][1]["message"]


def test_a_stream_comes_as_events(ask: Ask) -> None:
    options = {"include_usage": True}
    with ModelServer(ANSWERS, ServerConfig(checks=Checks(only_streams=True))) as server:
        refused, streamed = ask(server.url, SAY, {**STREAM, "stream_options": options})
    assert (refused.status, refused.error["param"]) == (400, "stream")
    assert streamed.headers["Content-Type"] == "text/event-stream"
    chunks = events(streamed.body)
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == WORDS
    assert chunks[-1]["usage"]["completion_tokens"] == 18


def test_a_cut_stream_ends_in_the_middle(ask: Ask) -> None:
    with server_with(Cut(1)) as server:
        (received,) = ask(server.url, STREAM)
    assert received.failure == "ClientPayloadError"
    assert received.body.startswith(b"data: {")
    assert b"[DONE]" not in received.body


def test_broken_json_in_a_stream_is_in_one_event(ask: Ask) -> None:
    with server_with(MalformedJson(1)) as server:
        (received,) = ask(server.url, STREAM)
    lines = received.body.split(b"\n\n")[:-2]
    assert [is_json(line.removeprefix(b"data: ")) for line in lines].count(False) == 1


def test_a_stream_may_break_off_with_an_error(ask: Ask) -> None:
    with server_with(ServerError(1, in_stream=True)) as server:
        streamed, said = ask(server.url, STREAM, SAY)
    assert (streamed.status, said.status // 100) == (200, 5)
    last = json.loads(streamed.body.split(b"\n\n")[-2].removeprefix(b"data: "))
    assert last["error"]["type"] == "server_error"
    assert b"[DONE]" not in streamed.body


def test_a_stream_may_fall_silent_in_the_middle(ask: Ask) -> None:
    with server_with(Hang(1, seconds=60)) as server:
        (received,) = ask(server.url, STREAM, seconds=0.5)
    assert received.failure == "TimeoutError"
    assert received.body.startswith(b"data: {")
    assert b"[DONE]" not in received.body


def test_a_rate_beyond_the_capacity_is_refused_with_the_facts(ask: Ask) -> None:
    behaviour = ServerConfig(capacity=Capacity(requests_per_second=0.001))
    with ModelServer(ANSWERS, behaviour) as server:
        (first,) = ask(server.url, SAY)
        (second,) = ask(server.url, SAY)
        assert server.log.outcomes == {"ok": 1, "limited": 1}
    assert (first.status, first.headers["x-ratelimit-remaining-requests"]) == (200, "0")
    assert (second.status, second.error["code"]) == (429, "rate_limit_exceeded")
    assert 900 < int(second.headers["Retry-After"]) <= 1000


def test_more_requests_at_a_time_than_the_capacity_are_refused(ask: Ask) -> None:
    capacity = Capacity(most_concurrent=3, latency_seconds=1, jitter_seconds=0.1)
    with ModelServer(ANSWERS, ServerConfig(capacity=capacity)) as server:
        received = ask(server.url, *numbered(10))
        assert server.log.outcomes == {"ok": 3, "limited": 7}
        assert server.log.peak == 4
    assert sorted(answer.status for answer in received) == [200] * 3 + [429] * 7


def is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def wait_until(holds: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(1_000):
        if holds():
            return
        waiting.wait(0.01)
    pytest.fail("it never came")
