import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import Latency, UnparsedReply, text_reply
from dragoman.core.tools import NO_TOOLS, Toolset, ToolSpec
from dragoman.core.usage import Usage
from dragoman.models.chat.cached_model import CachedModel
from dragoman.models.chat.completions import decode_completion
from dragoman.store.reply_cache import ReplyCache

ONE_TOOL = Toolset((ToolSpec("find", "finds", {"type": "object", "properties": {}}),))
REQUEST = ChatRequest(
    [{"role": "user", "content": "hello"}], NO_TOOLS, 7, "task", session="s", draw="cell-7"
)


class Counting:
    """Answers with the number of the call, after `latency`; `fails` names the calls that break."""

    name = "counting"

    def __init__(self, fails: tuple[int, ...] = (), latency: Latency | None = None) -> None:
        self.calls = 0
        self._latency = latency
        self._fails = fails

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        await asyncio.sleep(0)
        self.calls += 1
        if self.calls in self._fails:
            raise ParticipantError("cut")
        body = {
            "choices": [{"message": {"content": f"{len(request.messages)}, call {self.calls}"}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        }
        answer = json.dumps(body).encode()
        completion = decode_completion(answer, self.name, purpose, self._latency)
        usage = msgspec.structs.replace(completion.usage, faults={"timeout": 1}, seconds=2.5)
        return msgspec.structs.replace(completion, usage=usage)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path / "replies.sqlite", 1 << 30) as opened:
        yield opened


def asked(model: CachedModel, request: ChatRequest = REQUEST, purpose: str = "agent") -> Completion:
    return asyncio.run(model.complete(request, purpose))


def test_what_was_asked_before_is_answered_without_the_model(cache: ReplyCache) -> None:
    model = Counting()
    first = asked(CachedModel(model, cache, "identity"))
    again = asked(CachedModel(model, cache, "identity"))
    assert model.calls == 1
    assert again.reply == first.reply == text_reply("1, call 1")
    assert bytes(again.raw) == bytes(first.raw)


def test_a_remembered_reply_took_as_long_as_when_it_was_first_given(tmp_path: Path) -> None:
    path, model = tmp_path / "replies.sqlite", Counting(latency=Latency(2.5, 0.75))
    with ReplyCache(path, 1 << 30) as cache:
        first = asked(CachedModel(model, cache, "identity"))
    with ReplyCache(path, 1 << 30) as cache:
        again = asked(CachedModel(model, cache, "identity"))
    assert model.calls == 1
    assert again.latency == first.latency == Latency(2.5, 0.75)
    assert bytes(again.raw) == bytes(first.raw)


def test_how_long_a_reply_took_that_was_remembered_without_it_is_unknown(cache: ReplyCache) -> None:
    model = CachedModel(Counting(), cache, "identity")
    asked(model)
    assert asked(model).latency is None


def test_a_remembered_reply_says_so_and_took_no_time(cache: ReplyCache) -> None:
    model = CachedModel(Counting(), cache, "identity")
    first, again = asked(model).usage, asked(model).usage
    assert (first.replayed, first.faults, first.seconds) == (0, {"timeout": 1}, 2.5)
    assert again == Usage(
        "agent",
        "counting",
        1,
        input_tokens=10,
        output_tokens=2,
        replayed=1,
        replayed_input_tokens=10,
        replayed_output_tokens=2,
        replayed_cached_tokens=None,
    )


@pytest.mark.parametrize(
    "other",
    [
        msgspec.structs.replace(REQUEST, draw="cell-8"),
        msgspec.structs.replace(REQUEST, seed=8),
        msgspec.structs.replace(REQUEST, messages=[*REQUEST.messages, *REQUEST.messages]),
        msgspec.structs.replace(REQUEST, tools=ONE_TOOL),
        msgspec.structs.replace(REQUEST, tools=Toolset((), must_call=True)),
        msgspec.structs.replace(REQUEST, reply_schema={"type": "object"}),
    ],
)
def test_another_question_is_asked_anew(cache: ReplyCache, other: ChatRequest) -> None:
    counting = Counting()
    model = CachedModel(counting, cache, "identity")
    asked(model)
    assert asked(model, other).usage.replayed == 0
    assert counting.calls == 2


def test_another_purpose_or_identity_is_asked_anew(cache: ReplyCache) -> None:
    counting = Counting()
    asked(CachedModel(counting, cache, "identity"))
    asked(CachedModel(counting, cache, "identity"), purpose="user")
    asked(CachedModel(counting, cache, "other"))
    assert counting.calls == 3


def test_a_conversations_name_and_label_do_not_make_another_question(cache: ReplyCache) -> None:
    counting = Counting()
    model = CachedModel(counting, cache, "identity")
    asked(model)
    asked(model, msgspec.structs.replace(REQUEST, session="attempt 2", label="other"))
    assert counting.calls == 1


def test_equal_tools_made_twice_are_the_same_question(cache: ReplyCache) -> None:
    counting = Counting()
    model = CachedModel(counting, cache, "identity")
    for _ in range(2):
        tools = Toolset((ToolSpec("find", "finds", {"type": "object"}),))
        asked(model, msgspec.structs.replace(REQUEST, tools=tools))
    assert counting.calls == 1


def test_a_judges_request_without_a_draw_is_remembered_too(cache: ReplyCache) -> None:
    counting = Counting()
    model = CachedModel(counting, cache, "identity")
    request = ChatRequest([{"role": "user", "content": "Is it met?"}], NO_TOOLS, 0, "task")
    asked(model, request, "judge")
    assert asked(model, request, "judge").usage.replayed == 1


def test_a_fault_is_not_remembered_and_leaves_nothing_in_flight(
    cache: ReplyCache, tmp_path: Path
) -> None:
    model = CachedModel(Counting(fails=(1,)), cache, "identity")
    with pytest.raises(ParticipantError, match="cut"):
        asked(model)
    cache.flush()
    with ReplyCache(tmp_path / "replies.sqlite", 1 << 30) as later:
        assert not later.was_in_flight(model.key(REQUEST, "agent"))
    assert asked(model).reply == text_reply("1, call 2")


def test_a_call_that_is_cut_off_stays_in_flight(cache: ReplyCache, tmp_path: Path) -> None:
    class Silent(Counting):
        async def complete(self, request: ChatRequest, purpose: str) -> Completion:
            await asyncio.Event().wait()
            return await super().complete(request, purpose)

    model = CachedModel(Silent(), cache, "identity")

    async def cut() -> None:
        async with asyncio.timeout(0.01):
            await model.complete(REQUEST, "agent")

    with pytest.raises(TimeoutError):
        asyncio.run(cut())
    cache.flush()
    with ReplyCache(tmp_path / "replies.sqlite", 1 << 30) as later:
        assert later.was_in_flight(model.key(REQUEST, "agent"))


def test_a_reply_that_nobody_gave_is_not_remembered(cache: ReplyCache) -> None:
    class Outgrown(Counting):
        async def complete(self, request: ChatRequest, purpose: str) -> Completion:
            await super().complete(request, purpose)
            usage = Usage(purpose, self.name, 0, faults={"context": 1})
            return Completion(UnparsedReply("", "too long"), msgspec.Raw(b"null"), usage)

    counting = Outgrown()
    model = CachedModel(counting, cache, "identity")
    asked(model)
    asked(model)
    assert counting.calls == 2


def test_a_kept_body_that_is_no_completion_is_asked_anew(cache: ReplyCache) -> None:
    counting = Counting()
    model = CachedModel(counting, cache, "identity")
    cache.put(model.key(REQUEST, "agent"), b'{"not": "a completion"}')
    assert asked(model).usage.replayed == 0
    assert asked(model).usage.replayed == 1
    assert counting.calls == 1
