"""What the tools of a suite reach outside through what a run names; and the worlds that reach it."""

from collections.abc import Awaitable, Callable

import msgspec

from dragoman.benchmarks.bfcl.agentic.entries import SEARCHES, AgenticEntry
from dragoman.benchmarks.bfcl.agentic.memories import MEMORIES, VECTOR
from dragoman.benchmarks.bfcl.agentic.suite import AgentSetting, MakeWorld
from dragoman.benchmarks.bfcl.apis.awaiting import Awaited, AwaitingWorld
from dragoman.benchmarks.bfcl.apis.web.web_search import Hits, Page, Query, WebSearchAPI
from dragoman.benchmarks.bfcl.apis.world import ApiWorld
from dragoman.benchmarks.bfcl.turns.running import entry_world
from dragoman.core.errors import ParticipantError
from dragoman.core.facets import EmbedTexts, Outside, Texts, Vectors
from dragoman.core.tools import Toolset
from dragoman.core.usage import Usage

FindHits = Callable[[Query], Awaitable[tuple[Hits, Usage]]]
"""Returns what a search engine finds, and what that consumed."""


FetchPage = Callable[[str], Awaitable[Page]]
"""Returns the page at an address, or why there is none."""


class Reach(msgspec.Struct, frozen=True):
    """What tools reach: a model for embeddings, or a search engine and what reads pages; else None."""

    embed: EmbedTexts | None = None
    find: FindHits | None = None
    fetch: FetchPage | None = None


def reach_of(outside: Outside) -> Reach:
    """Return what the tools of agents reach through what a run names."""
    search = outside.search
    if search is None:
        return Reach(outside.embed)
    from dragoman.benchmarks.bfcl.apis.web.page_reader import PageReader
    from dragoman.benchmarks.bfcl.apis.web.search_engine import SearchEngine

    engine = SearchEngine(search.address, search.key, search.patience)
    return Reach(outside.embed, engine.find, PageReader().read)


def setting_of(category: str, reach: Reach) -> AgentSetting:
    """Return what the agents of a category work with."""
    if category in SEARCHES:
        worlds = _search_worlds(reach, with_snippets=SEARCHES[category])
        return AgentSetting(worlds, needs="search", missing="" if reach.find else _NO_SEARCH)
    memory = MEMORIES[category]
    if category == VECTOR:
        missing = "" if reach.embed else _NO_EMBEDDINGS
        return AgentSetting(_vector_worlds(reach), memory, "embeddings", missing)
    return AgentSetting(lambda entry, tools: entry_world(entry.conversation, None, tools), memory)


_NO_EMBEDDINGS = "needs a model for embeddings: name one with --embeddings PROVIDER/MODEL"
_NO_SEARCH = "needs a search engine: name its address with --search http://HOST:PORT/PATH"


def _vector_worlds(reach: Reach) -> MakeWorld:
    from dragoman.benchmarks.bfcl.apis.memory.vectors import MemoryAPI_vector

    async def embed(texts: Texts) -> tuple[Vectors, Usage]:
        if reach.embed is None:
            raise ParticipantError(_NO_EMBEDDINGS)
        return await reach.embed(texts)

    def make(entry: AgenticEntry, tools: Toolset) -> ApiWorld:
        vectors = Awaited(embed)
        return AwaitingWorld(
            lambda: {
                name: MemoryAPI_vector(snapshot, embed=lambda texts: vectors.of(tuple(texts)))
                for name, snapshot in entry.conversation.config.items()
            },
            tools,
            (vectors,),
        )

    return make


def _search_worlds(reach: Reach, *, with_snippets: bool) -> MakeWorld:
    scenario = {"show_snippet": with_snippets}

    async def find(query: Query) -> tuple[Hits, Usage]:
        if reach.find is None:
            raise ParticipantError(_NO_SEARCH)
        return await reach.find(query)

    async def read(url: str) -> tuple[Page, None]:
        if reach.fetch is None:
            raise ParticipantError(_NO_SEARCH)
        return await reach.fetch(url), None

    def make(entry: AgenticEntry, tools: Toolset) -> ApiWorld:
        hits, pages = Awaited(find), Awaited(read)
        return AwaitingWorld(
            lambda: {
                name: WebSearchAPI(scenario, find=hits.of, read=pages.of)
                for name in entry.conversation.config
            },
            tools,
            (hits, pages),
        )

    return make
