"""BFCL's agents that remember or search, as the command line tells of them."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.local_server import ServingThread
from dragoman.testing.local_web import SearchFaults, WebPage, serve_search
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Refused = Callable[..., str]
RunJson = Callable[..., Any]

KEY = "k-3141592653"

AGENTS = '''
def remembering(messages, tools):
    """Keeps every long sentence that it is told, and answers with all it remembers."""
    names = {tool["function"]["name"] for tool in tools}
    last = messages[-1]
    if last["role"] == "tool":
        return "Noted." if "result" not in last["content"] else last["content"]
    words, told = last["content"], messages[0]["content"]
    if "answer" in told and "respond in this format" in told:
        if "archival_memory_retrieve_all" not in names:
            return told.split("respond in this format")[0]
        query = {"query": words, "top_k": 50}
        return {"tool_calls": [{"name": "archival_memory_retrieve", "arguments": query}]}
    if "archival_memory_retrieve_all" in names:
        call = {"name": "archival_memory_add", "arguments": {"text": words[:2000]}}
    elif "memory_append" in names:
        call = {"name": "memory_append", "arguments": {"text": words[:800] + " "}}
    else:
        key = "said_" + str(sum(map(ord, words)))
        call = {"name": "core_memory_add", "arguments": {"key": key, "value": words[:300]}}
    return {"tool_calls": [call]}


def searching(messages, tools):
    """Searches once and answers with what it found."""
    last = messages[-1]
    if last["role"] == "tool":
        return last["content"]
    return {"tool_calls": [{"name": "search_engine_query", "arguments": {"keywords": "tea"}}]}
'''


@pytest.fixture(autouse=True)
def agents(folder: Path) -> None:
    (folder / "own.py").write_text(AGENTS, "utf-8")


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer(RuleAnswers([Rule(ScriptedReply("unused"))])) as server:
        yield server


@pytest.mark.parametrize(
    ("suite", "tasks"),
    [("memory_kv", 155), ("memory_vector", 155), ("web_search_no_snippet", 100)],
)
def test_gold_passes_everything_and_silence_nothing(
    run_json: RunJson, pulled_bfcl: Path, suite: str, tasks: int
) -> None:
    checked = run_json("check", f"bfcl:{suite}", cache=pulled_bfcl)

    assert (checked["tasks"], checked["gold_passed"], checked["floor"]) == (tasks, tasks, [0, 0])
    assert checked["gold_undecided"] == checked["nothing_to_judge"] == []


@pytest.mark.parametrize("kind", ["memory_kv", "memory_rec_sum"])
def test_an_agent_answers_from_what_it_was_told_in_earlier_conversations(
    run_json: RunJson, pulled_bfcl: Path, kind: str
) -> None:
    options = ("--agent", "own:remembering", "--agent", "silent", "--limit", 3)

    cells = run_json("run", f"bfcl:{kind}", *options, cache=pulled_bfcl)["cells"]

    found = {(cell["agent"], cell["suite"]): (cell["tasks"], cell["pass_hat"]) for cell in cells}
    assert found == {
        ("own:remembering", f"bfcl:{kind}"): (3, {"1": 1}),
        ("own:remembering", f"bfcl:{kind}_prereq"): (0, {"1": None}),
        ("silent", f"bfcl:{kind}"): (3, {"1": 0}),
        ("silent", f"bfcl:{kind}_prereq"): (0, {"1": None}),
    }


def test_a_memory_is_searched_by_an_embedding_model(
    run_json: RunJson, pulled_bfcl: Path, model_server: ModelServer
) -> None:
    spec = f"compatible/small?base_url={model_server.url}"
    options = ("--agent", "own:remembering", "--embeddings", spec, "--limit", 3)

    cells = run_json("run", "bfcl:memory_vector", *options, cache=pulled_bfcl)["cells"]

    passed = {cell["suite"]: cell["pass_hat"] for cell in cells}
    assert passed["bfcl:memory_vector"] == {"1": 1}
    assert model_server.log.outcomes == {"ok": 3}


@asynccontextmanager
async def noted(opened: AbstractAsyncContextManager[str], urls: list[str]) -> AsyncIterator[None]:
    """Hold a server open and note its address."""
    async with opened as url:
        urls.append(url)
        yield


@pytest.mark.slow
def test_a_question_is_put_to_the_search_engine_that_is_named(
    run_json: RunJson, pulled_bfcl: Path
) -> None:
    pages = {"tea": WebPage("Da Hong Pao", "tea of Zhang Yiming")}
    urls: list[str] = []
    thread = ServingThread(noted(serve_search(pages, SearchFaults((429,), KEY)), urls))
    thread.enter()
    try:
        options = ("--agent", "own:searching", "--tasks", "web_search_base_0", "--search", *urls)
        more = {"cache": pulled_bfcl, "SERPAPI_API_KEY": KEY}
        (cell,) = run_json("run", "bfcl:web_search_base", *options, **more)["cells"]
    finally:
        thread.leave()
    assert cell["pass_hat"] == {"1": 1}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("bfcl:memory_vector",), "name one with --embeddings PROVIDER/MODEL"),
        (("bfcl:web_search_base",), "name its address with --search http://HOST:PORT/PATH"),
        (("bfcl:memory_kv", "--search", "http://here"), "has no use for --search: leave it out"),
        (("bfcl:web_search_base", "--search", "here"), "search is an address"),
        (("bfcl:memory_vector", "--embeddings", "small"), "unknown model provider 'small'"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    refused: Refused, pulled_bfcl: Path, arguments: tuple[str, ...], line: str
) -> None:
    options = ("--agent", "own:remembering")
    assert line in refused("run", *arguments, *options, status=2, cache=pulled_bfcl)
