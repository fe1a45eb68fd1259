"""A world whose calls wait holds up its own conversation and no other."""

import asyncio
from collections.abc import Mapping

from dragoman.benchmarks.bfcl.apis.environment import AnswerCache, AsyncApiEnvironment
from dragoman.benchmarks.bfcl.apis.web_search_api import Hits, Page, Query, WebSearchAPI
from dragoman.benchmarks.bfcl.multi_turn_suite import FixedTurns
from dragoman.benchmarks.bfcl.rules import DEFAULT_RULES
from dragoman.conditions.resolved_condition import IdentityChannel, IdentityView
from dragoman.core.episodes import Episode
from dragoman.core.errors import ParticipantError
from dragoman.core.protocols import SessionInput, SessionReply
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.tasks import FixedTurn
from dragoman.core.tools import NO_TOOLS, ToolCall, ToolResult, Toolset
from dragoman.core.usage import Usage
from dragoman.simulation.orchestrator import Conversation, ConversationIO

HIT: Mapping[str, object] = {"title": "Orla", "link": "http://orla.example", "snippet": "88"}
USED = Usage("search", "search", input_tokens=0, output_tokens=0)
SURFACES = ConversationIO(
    {"agent": IdentityChannel(), "user": IdentityChannel()},
    {"agent": IdentityView(), "user": IdentityView()},
)


class Searching:
    """A participant that searches once and reports the result."""

    async def reply(self, heard: list[SessionInput], tools: Toolset) -> SessionReply:  # noqa: ARG002 - a session's signature
        found = [part.content for part in heard if isinstance(part, ToolResult)]
        if found:
            return SessionReply(text_reply(found[0]))
        call = ToolCall("1", "search_engine_query", {"keywords": "orla"})
        return SessionReply(ToolCallReply((call,)))

    async def close(self) -> None:
        return


class Meeting:
    """A search engine that answers when two ask at the same time, and never before."""

    def __init__(self) -> None:
        self.barrier = asyncio.Barrier(2)

    async def find(self, query: Query) -> tuple[Hits, Usage]:  # noqa: ARG002 - whatever is asked
        await self.barrier.wait()
        return [HIT], USED


async def broken(query: Query) -> tuple[Hits, Usage]:  # noqa: ARG001 - whatever is asked
    error = ParticipantError("the search engine does not answer")
    error.usage = Usage("search", "search", 0, faults={"search": 3})
    raise error


async def no_page(url: str) -> tuple[Page, None]:
    return Page(error=url), None


def conversation(hits: AnswerCache[Query, Hits], seconds: float | None = None) -> Conversation:
    pages = AnswerCache(no_page)
    environment = AsyncApiEnvironment(
        lambda: {"WebSearchAPI": WebSearchAPI({}, find=hits.of, read=pages.of)},
        NO_TOOLS,
        (hits, pages),
    )
    return Conversation(environment, {"agent": Searching()}, SURFACES, lambda: 0.0, seconds)  # type: ignore[dict-item]  # reads lists


def turns() -> FixedTurns:
    return FixedTurns([FixedTurn(("How high?",))], [NO_TOOLS], DEFAULT_RULES)


def test_two_conversations_wait_at_the_same_time() -> None:
    async def both() -> list[Episode]:
        engine = Meeting()
        talks = [conversation(AnswerCache(engine.find)) for _ in range(2)]
        return list(await asyncio.gather(*(talk.run(turns()) for talk in talks)))

    for episode in asyncio.run(both()):
        assert episode.ending.reason == "turns_done"
        assert episode.usage == (USED,)


def test_what_breaks_outside_ends_the_conversation_as_a_fault() -> None:
    episode = asyncio.run(conversation(AnswerCache(broken)).run(turns()))
    assert episode.ending.reason == "infrastructure_error"
    assert episode.ending.detail == "the search engine does not answer"
    assert [usage.faults for usage in episode.usage] == [{"search": 3}]


def test_a_world_that_breaks_while_it_waits_is_a_fault_and_no_crash() -> None:
    async def failing(query: Query) -> tuple[Hits, Usage]:
        raise OSError(f"no room for {query.keywords}")

    episode = asyncio.run(conversation(AnswerCache(failing)).run(turns()))
    assert episode.ending.reason == "code_error"
    assert "calling search_engine_query raised OSError: no room for orla" in episode.ending.detail


def test_a_time_limit_holds_while_a_call_waits() -> None:
    async def alone() -> Episode:
        return await conversation(AnswerCache(Meeting().find), seconds=0.05).run(turns())

    ending = asyncio.run(alone()).ending
    assert (ending.reason, "time" in ending.detail) == ("infrastructure_error", True)
