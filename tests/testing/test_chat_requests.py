import json
from typing import Any

import pytest

from dragoman.testing.chat_requests import ChatBody, Checks, Refusal, read_request

USER = {"role": "user", "content": "Cancel it."}
CALL = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "found"}


def read(
    *messages: dict[str, Any], checks: Checks | None = None, **parameters: object
) -> ChatBody | Refusal:
    body = {"model": "m", "messages": messages, **parameters}
    return read_request(json.dumps(body).encode(), checks or Checks())


def refusal(*messages: dict[str, Any]) -> str:
    answer = read(*messages)
    assert isinstance(answer, Refusal)
    assert answer.status == 400
    return answer.message


def test_a_history_whose_calls_are_answered_is_accepted() -> None:
    request = read({"role": "system", "content": "Work."}, USER, CALLING, RESULT)
    assert isinstance(request, ChatBody)
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool"]


def test_several_results_may_come_in_any_order() -> None:
    other = {**CALL, "id": "2"}
    both = {**CALLING, "tool_calls": [CALL, other]}
    assert isinstance(read(USER, both, {**RESULT, "tool_call_id": "2"}, RESULT), ChatBody)


def test_calls_that_share_an_id_need_a_result_each() -> None:
    both = {**CALLING, "tool_calls": [CALL, CALL]}
    assert isinstance(read(USER, both, RESULT, RESULT), ChatBody)
    assert refusal(USER, both, RESULT) == "tool calls without a result: 1"


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ((), "messages is empty"),
        ((USER, CALLING), "tool calls without a result: 1"),
        ((USER, CALLING, USER), "tool calls without a result: 1"),
        ((USER, RESULT), "a tool message answers no call of the message before: '1'"),
        ((USER, CALLING, RESULT, RESULT), "a tool message answers no call"),
        ((USER, CALLING, {**RESULT, "tool_call_id": "2"}), "answers no call"),
        ((USER, CALLING, {"role": "tool", "content": "x"}), "answers no call"),
        ((USER, CALLING, {**RESULT, "content": None}), "a tool message needs content"),
        ((USER, CALLING, {**RESULT, "tool_calls": [CALL]}), "a tool message cannot call tools"),
        (({**USER, "tool_calls": [CALL]},), "a user message cannot call tools"),
        (({"role": "user", "content": None},), "this user message needs content"),
        ((USER, {"role": "assistant"}), "this assistant message needs content"),
        ((USER, {**CALLING, "tool_calls": []}), "tool_calls is an empty list"),
        (({"role": "narrator", "content": "x"},), "Invalid enum value 'narrator'"),
        (({"role": "user", "content": 5},), "Expected `str | array | null`, got `int`"),
    ],
)
def test_a_broken_history_is_refused(messages: tuple[dict[str, Any], ...], said: str) -> None:
    assert said in refusal(*messages)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b'{"model": "m"}', b"[" * 100_000, b'{"messages": []}']
)
def test_a_body_that_is_no_request_is_refused(body: bytes) -> None:
    answer = read_request(body, Checks())
    assert isinstance(answer, Refusal)
    assert "the body is not a chat completion request" in answer.message


def test_a_tool_without_a_name_is_refused() -> None:
    answer = read(USER, tools=[{"type": "function", "function": {}}])
    assert isinstance(answer, Refusal)
    assert "missing required field `name`" in answer.message


def test_parameters_that_the_endpoint_does_not_know_are_refused() -> None:
    checks = Checks(refuses=("seed",))
    assert isinstance(read(USER, checks=checks), ChatBody)
    assert read(USER, checks=checks, seed=1) == Refusal(
        "unknown parameter: 'seed'", "seed", "unknown_parameter"
    )


def test_other_models_than_those_served_are_not_found() -> None:
    checks = Checks(models=("n",))
    assert read(USER, checks=checks) == Refusal(
        "no model 'm' here", "model", "model_not_found", 404
    )


def test_an_endpoint_that_only_streams_refuses_the_rest() -> None:
    checks = Checks(only_streams=True)
    answer = read(USER, checks=checks)
    assert isinstance(answer, Refusal)
    assert answer.param == "stream"
    assert isinstance(read(USER, checks=checks, stream=True), ChatBody)


def test_parts_of_text_are_read_as_one_text() -> None:
    parts = [{"type": "text", "text": "Cancel "}, {"type": "text", "text": "it."}]
    request = read({"role": "user", "content": parts})
    assert isinstance(request, ChatBody)
    assert request.messages[0].text == "Cancel it."
