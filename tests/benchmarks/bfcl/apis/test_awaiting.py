import asyncio
from collections.abc import Mapping

import pytest

from dragoman.benchmarks.bfcl.apis.environment import (
    AnswerCache,
    AnswerPending,
    AsyncApiEnvironment,
)
from dragoman.benchmarks.bfcl.apis.web_search_api import Hits, Page, Query, WebSearchAPI
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import AsyncEnvironment
from dragoman.core.tools import NO_TOOLS, ToolCall
from dragoman.core.usage import Usage

SEARCHED = Usage("search", "search", input_tokens=0, output_tokens=0)
HIT: Mapping[str, object] = {"title": "Orla", "link": "http://orla.example", "snippet": "88 metres"}
SEARCH = ToolCall("1", "search_engine_query", {"keywords": "orla"})


class Engine:
    """Answers every query alike, and counts them."""

    def __init__(self) -> None:
        self.asked: list[Query] = []

    async def find(self, query: Query) -> tuple[Hits, Usage]:
        await asyncio.sleep(0)
        self.asked.append(query)
        if query.keywords == "broken":
            raise ParticipantError("the search engine does not answer")
        return [HIT], SEARCHED

    async def read(self, url: str) -> tuple[Page, None]:
        return Page(f"<p>{url}</p>"), None


def environment_with(engine: Engine) -> AsyncApiEnvironment:
    hits, pages = AnswerCache(engine.find), AnswerCache(engine.read)
    return AsyncApiEnvironment(
        lambda: {"WebSearchAPI": WebSearchAPI({}, find=hits.of, read=pages.of)},
        NO_TOOLS,
        (hits, pages),
    )


def test_a_call_that_waits_is_made_again_with_the_answer() -> None:
    engine = Engine()
    result = asyncio.run(environment_with(engine).call_waiting(SEARCH))
    assert result.content == str(
        [{"title": "Orla", "href": "http://orla.example", "body": "88 metres"}]
    )
    assert not result.error
    assert engine.asked == [Query("orla", "wt-wt")]


def test_every_call_asks_anew() -> None:
    engine = Engine()
    environment = environment_with(engine)
    for _ in range(2):
        asyncio.run(environment.call_waiting(SEARCH))
    assert len(engine.asked) == 2


def test_what_answers_consumed_is_told_once() -> None:
    environment = environment_with(Engine())
    asyncio.run(environment.call_waiting(SEARCH))
    asyncio.run(
        environment.call_waiting(ToolCall("2", "fetch_url_content", {"url": "http://a.example"}))
    )
    assert environment.take_usage() == (SEARCHED,)
    assert environment.take_usage() == ()


def test_a_call_that_needs_nothing_asks_nothing() -> None:
    engine = Engine()
    result = asyncio.run(
        environment_with(engine).call_waiting(
            ToolCall("1", "fetch_url_content", {"url": "ftp://a"})
        )
    )
    assert result.content == "Error during execution: Invalid URL: ftp://a"
    assert engine.asked == []


def test_what_breaks_outside_is_no_result_of_the_tool() -> None:
    broken = ToolCall("1", "search_engine_query", {"keywords": "broken"})
    with pytest.raises(ParticipantError, match="does not answer"):
        asyncio.run(environment_with(Engine()).call_waiting(broken))


def test_a_call_without_waiting_is_put_off() -> None:
    with pytest.raises(AnswerPending, match="waits for an answer"):
        environment_with(Engine()).call(SEARCH)


def test_such_a_world_says_that_its_calls_wait() -> None:
    assert isinstance(environment_with(Engine()), AsyncEnvironment)
