"""Chat completions through litellm; a stand-in replaces it if it is not installed."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from types import ModuleType
from typing import Any

import pytest

from dragoman.core.errors import UsageError
from dragoman.models.chat.completions import decode_completion
from dragoman.models.chat.litellm_client import LitellmClient
from dragoman.models.chat.streaming import assemble_completion, is_stream
from dragoman.models.http.http_client import HttpClient
from dragoman.models.http.transport import HttpResponse, Timeouts, TransportError

BODY = b'{"model": "cohere/flash", "messages": [], "seed": 7}'
COMPLETION = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}


class Record:
    def __init__(self, fields: object) -> None:
        self._fields = fields

    def model_dump_json(self) -> str:
        return json.dumps(self._fields)


class Stream(AsyncIterator[Record]):
    """Chunks, and litellm's result of them; an error among the chunks is raised."""

    intermittent_finish_reason = None
    chunks = ()

    def __init__(self, *parts: "Mapping[str, object] | FailedError", finished: str | None) -> None:
        self._parts = iter(parts)
        self.received_finish_reason = finished

    async def __anext__(self) -> Record:
        part = next(self._parts, None)
        if part is None:
            raise StopAsyncIteration
        if isinstance(part, FailedError):
            raise part
        return Record(part)


class FailedError(Exception):
    def __init__(self, status: object, headers: dict[str, str] | None = None) -> None:
        super().__init__("it failed")
        self.status_code = status
        self.response = type("Response", (), {"headers": headers})()


class StandIn(ModuleType):
    """A module with the parts of litellm that are used."""

    suppress_debug_info = False

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__("litellm")
        self._act = act
        self.asked: list[dict[str, Any]] = []
        self.is_closed = False

    async def acompletion(self, **asked: Any) -> object:  # noqa: ANN401 - litellm's signature
        self.asked.append(asked)
        return self._act()

    async def close_litellm_async_clients(self) -> None:
        self.is_closed = True


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], StandIn]:
    def installed(act: Callable[[], object]) -> StandIn:
        module = StandIn(act)
        monkeypatch.setitem(sys.modules, "litellm", module)
        return module

    return installed


Installed = Callable[[Callable[[], object]], StandIn]


def post(url: str = "litellm:cohere", key: str = "") -> HttpResponse:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return asyncio.run(
        LitellmClient(30.0, HttpClient(Timeouts()), lambda _: None).post(url, headers, BODY)
    )


def failing(status: object, headers: dict[str, str] | None = None) -> Callable[[], object]:
    def act() -> object:
        raise FailedError(status, headers)

    return act


def test_a_completion_comes_back_as_a_body(litellm: Installed) -> None:
    module = litellm(lambda: Record(COMPLETION))
    answer = post()
    assert (answer.status, json.loads(answer.body)) == (200, COMPLETION)
    assert module.suppress_debug_info is True


def test_nothing_is_dropped_and_nothing_is_tried_again_behind_our_back(litellm: Installed) -> None:
    module = litellm(lambda: Record(COMPLETION))
    post()
    assert module.asked == [
        {
            "model": "cohere/flash",
            "messages": [],
            "seed": 7,
            "timeout": 30.0,
            "max_retries": 0,
            "drop_params": False,
            "api_base": None,
            "api_key": None,
        }
    ]


def test_an_address_and_a_key_of_ones_own_are_handed_on(litellm: Installed) -> None:
    module = litellm(lambda: Record(COMPLETION))
    post("litellm:http://localhost:9/v1", "abc")
    (asked,) = module.asked
    assert (asked["api_base"], asked["api_key"]) == ("http://localhost:9/v1", "abc")


def test_a_stream_comes_back_as_events(litellm: Installed) -> None:
    last = {"choices": [{"delta": {"content": "i"}, "finish_reason": "stop"}]}
    litellm(lambda: Stream({"choices": [{"delta": {"content": "h"}}]}, last, finished="stop"))
    body = post().body
    assert is_stream(body)
    reply = decode_completion(assemble_completion(body), "m", "agent")
    assert reply == decode_completion(bytes(reply.raw), "m", "agent")
    assert json.loads(bytes(reply.raw))["choices"][0]["message"]["content"] == "hi"


@pytest.mark.parametrize(
    ("status", "expected"), [(400, 400), (429, 429), (503, 503), (None, 500), ("x", 500)]
)
def test_what_it_raises_becomes_the_status_that_it_stands_for(
    litellm: Installed, status: object, expected: int
) -> None:
    litellm(failing(status, {"retry-after": "7"}))
    answer = post()
    assert (answer.status, answer.headers.get("retry-after")) == (expected, "7")
    assert json.loads(answer.body) == {"error": {"message": "FailedError: it failed"}}


def test_a_stream_that_breaks_becomes_the_status_that_it_stands_for(litellm: Installed) -> None:
    litellm(lambda: Stream({"choices": []}, FailedError(503), finished=None))
    assert post().status == 503


def test_a_stream_that_litellm_ended_itself_was_cut(litellm: Installed) -> None:
    made_up = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}
    litellm(lambda: Stream({"choices": [{"delta": {"content": "h"}}]}, made_up, finished=None))
    with pytest.raises(TransportError, match="the stream stopped before its end") as caught:
        post()
    assert caught.value.kind == "cut"


def test_a_time_out_is_one(litellm: Installed) -> None:
    litellm(failing(408))
    with pytest.raises(TransportError, match="no answer in time") as caught:
        post()
    assert (caught.value.kind, caught.value.__context__) == ("timeout", None)


def test_its_connections_are_closed(litellm: Installed) -> None:
    module = litellm(lambda: Record(COMPLETION))
    asyncio.run(LitellmClient(30.0, HttpClient(Timeouts()), lambda _: None).close())
    assert module.is_closed


def test_where_it_is_not_installed_the_line_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(UsageError, match=r"litellm is not installed: pip install 'dragoman\[lite"):
        LitellmClient(30.0, HttpClient(Timeouts()), lambda _: None)
