import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.bfcl.agentic_suite import AgenticSuite, connect_services
from dragoman.benchmarks.bfcl.apis.web_search_api import Hits, Query
from dragoman.composition.setup import (
    external_services,
    named_external_services,
    require_external_services,
)
from dragoman.config.run_config import RunConfig
from dragoman.core.capabilities import ExternalServices
from dragoman.core.errors import ParticipantError, UsageError
from dragoman.core.protocols import AsyncEnvironment
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.models.chat.scripted import ScriptedReply
from dragoman.registry.model_clients import ModelClients
from dragoman.testing.local_web import SearchFaults, WebPage, serve_search
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

LoadSuite = Callable[..., AgenticSuite]

EMBEDDINGS = "compatible/small?base_url=http://127.0.0.1:9/v1"
SEARCH = "http://127.0.0.1:9/search"


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer(RuleAnswers([Rule(ScriptedReply("unused"))])) as server:
        yield server


def config(**fields: Any) -> RunConfig:  # noqa: ANN401 - fields of the configuration
    agents = fields.pop("agents", ("mine",))
    return msgspec.structs.replace(RunConfig("bfcl:x", agents), **fields)


def named(**fields: Any) -> ExternalServices:  # noqa: ANN401 - fields of the configuration
    outside = named_external_services(config(**fields))
    assert outside is not None
    return outside


def test_who_names_nothing_has_nothing() -> None:
    assert named_external_services(config()) is None
    assert external_services(config(), ModelClients()) is None


def test_what_is_named_is_part_of_what_a_run_is() -> None:
    one = named(embeddings=EMBEDDINGS)
    assert one.embed is None
    assert one.identity == named(embeddings=EMBEDDINGS).identity
    assert (
        one.identity != named(embeddings="compatible/large?base_url=http://127.0.0.1:9/v1").identity
    )
    assert one.identity != named(search=SEARCH).identity
    ready = external_services(config(embeddings=EMBEDDINGS), ModelClients())
    assert ready is not None
    assert ready.embed is not None
    assert ready.identity == one.identity


def test_what_is_named_changes_the_cells_of_a_suite(load_agentic_suite: LoadSuite) -> None:
    digests = {
        load_agentic_suite("memory_vector", outside).provenance.digest
        for outside in (None, named(embeddings=EMBEDDINGS), named(embeddings="openai/x"))
    }
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("category", "fields", "line"),
    [
        ("memory_vector", {}, "bfcl:memory_vector needs a model for embeddings: name one with"),
        ("web_search_base", {}, "bfcl:web_search_base needs a search engine: name its address"),
        ("memory_kv", {"embeddings": "openai/x"}, "bfcl:memory_kv has no use for --embeddings"),
        ("memory_vector", {"search": SEARCH}, "bfcl:memory_vector has no use for --search"),
    ],
)
def test_what_is_missing_or_of_no_use_is_said(
    load_agentic_suite: LoadSuite, category: str, fields: dict[str, str], line: str
) -> None:
    with pytest.raises(UsageError, match=line):
        require_external_services(load_agentic_suite(category), config(**fields))


def test_agents_that_call_nothing_need_nothing(load_agentic_suite: LoadSuite) -> None:
    suite = load_agentic_suite("memory_vector")
    require_external_services(suite, config(agents=("gold", "silent")))
    with pytest.raises(UsageError, match="needs a model"):
        require_external_services(suite, config(agents=("gold", "mine")))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="search is an address"):
        external_services(config(search="duckduckgo"), ModelClients())
    with pytest.raises(UsageError, match="litellm"):
        external_services(config(embeddings="litellm/openai/x"), ModelClients())


def call(
    suite: AgenticSuite, *calls: ToolCall, connections: ModelClients | None = None
) -> list[ToolResult]:
    environment = suite.factory(DEFAULT_RULES)(suite.tasks[0])
    assert isinstance(environment, AsyncEnvironment)

    async def go() -> list[ToolResult]:
        try:
            return [await environment.call_waiting(each) for each in calls]
        finally:
            await (connections or ModelClients()).close()

    return asyncio.run(go())


def test_a_memory_is_searched_by_the_model_that_is_named(
    load_agentic_suite: LoadSuite, model_server: ModelServer
) -> None:
    spec, connections = f"compatible/small?base_url={model_server.url}", ModelClients()
    suite = load_agentic_suite(
        "memory_vector", external_services(config(embeddings=spec), connections)
    )
    *_, found = call(
        suite,
        ToolCall("1", "archival_memory_add", {"text": "My name is Michael."}),
        ToolCall("2", "archival_memory_add", {"text": "The lamp cost 50."}),
        ToolCall("3", "archival_memory_retrieve", {"query": "what did the lamp cost", "top_k": 1}),
        connections=connections,
    )
    assert '"text": "The lamp cost 50."' in found.content
    assert "Michael" not in found.content


def test_a_world_without_what_it_needs_breaks_as_infrastructure(
    load_agentic_suite: LoadSuite,
) -> None:
    searches = (
        ToolCall("1", "search_engine_query", {"keywords": "orla"}),
        ToolCall("1", "fetch_url_content", {"url": "http://orla.example"}),
    )
    for search in searches:
        with pytest.raises(ParticipantError, match="needs a search engine"):
            call(load_agentic_suite("web_search_base"), search)
    kept = ToolCall("1", "archival_memory_add", {"text": "Ann"})
    sought = ToolCall("2", "archival_memory_retrieve", {"query": "name"})
    with pytest.raises(ParticipantError, match="needs a model for embeddings"):
        call(load_agentic_suite("memory_vector"), kept, sought)


def test_the_key_of_the_search_comes_from_the_environment(
    load_agentic_suite: LoadSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERPAPI_API_KEY", "k-27182")

    async def go() -> Hits:
        pages = {"tower": WebPage("Orla", "tower of orla")}
        async with serve_search(pages, SearchFaults(key="k-27182")) as url:
            outside = external_services(config(search=url), ModelClients())
            assert outside is not None
            find = connect_services(outside).find
            assert find is not None
            hits, _ = await find(Query("orla", "wt-wt"))
            return hits

    hits = asyncio.run(go())
    assert hits is not None
    assert [hit["title"] for hit in hits] == ["Orla"]
    assert load_agentic_suite("web_search_base", ExternalServices()).missing
