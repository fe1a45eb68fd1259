"""What a run names for tools that reach outside: a model for embeddings, a search engine."""

from typing import TYPE_CHECKING

from dragoman.core.errors import UsageError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Suite
from dragoman.models.spec import checked_address, read_spec
from dragoman.wiring.config import RunConfig
from dragoman.wiring.connections import Connections
from dragoman.wiring.environment import variable

if TYPE_CHECKING:
    from dragoman.benchmarks.bfcl.agentic.outside import Outside

SEARCH_KEY = "SERPAPI_API_KEY"

_CALL_NOTHING = frozenset({"gold", "silent"})
"""Agents that play a plan, which has no calls where tools reach outside."""


def outside_of(config: RunConfig, connections: Connections) -> "Outside | None":
    """Return what a run names, ready to be asked; None where it names nothing.

    Raises:
        UsageError: For a model or an address that cannot be reached.
    """
    if not (config.embeddings or config.search):
        return None
    from dragoman.benchmarks.bfcl.agentic.outside import Outside

    named = Outside(identity=_identity(config))
    embed = find = fetch = None
    if config.embeddings:
        embed = connections.embedding_model(read_spec(config.embeddings)).embed
    if config.search:
        from dragoman.benchmarks.bfcl.apis.web.page_reader import PageReader
        from dragoman.benchmarks.bfcl.apis.web.search_engine import SearchEngine

        address = checked_address(config.search, "search")
        find = SearchEngine(address, variable(SEARCH_KEY), config.patience).find
        fetch = PageReader().read
    return Outside(embed, find, fetch, named.identity)


def named_outside(config: RunConfig) -> "Outside | None":
    """Return what tells a run's names from others', without anything that could be asked."""
    if not (config.embeddings or config.search):
        return None
    from dragoman.benchmarks.bfcl.agentic.outside import Outside

    return Outside(identity=_identity(config))


def require_outside(suite: Suite, config: RunConfig) -> None:
    """Raise UsageError where agents would miss what a run does not name, or a name is of no use."""
    from dragoman.benchmarks.bfcl.agentic.suite import AgenticSuite

    needed, missing = (suite.needs, suite.missing) if isinstance(suite, AgenticSuite) else ("", "")
    for option, given in (("embeddings", config.embeddings), ("search", config.search)):
        if given and option != needed:
            raise UsageError(f"{suite.name} has no use for --{option}: leave it out")
    if missing and not _CALL_NOTHING.issuperset(config.agents):
        raise UsageError(f"{suite.name} {missing}")


def _identity(config: RunConfig) -> str:
    model = read_spec(config.embeddings).identity if config.embeddings else ""
    return content_key("outside-1", model, config.search)
