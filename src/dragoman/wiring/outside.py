"""What a run names for tools that reach outside: a model for embeddings, a search engine."""

from dragoman.core.errors import UsageError
from dragoman.core.facets import Outside, ReachesOutside, SearchAccess
from dragoman.core.keys import content_key
from dragoman.core.protocols import Suite
from dragoman.models.model_spec import parse_base_url, parse_model_spec
from dragoman.simulation.participants.canonical_arguments import wrapped_agent_name
from dragoman.wiring.agents.agent_names import specs_of
from dragoman.wiring.connections import Connections
from dragoman.wiring.environment import variable
from dragoman.wiring.grid.config import RunConfig

SEARCH_KEY = "SERPAPI_API_KEY"

_CALL_NOTHING = frozenset({"gold", "silent"})
"""Agents that play a plan, which has no calls where tools reach outside."""


def outside_of(config: RunConfig, connections: Connections) -> Outside | None:
    """Return what a run names, ready to be asked; None where it names nothing.

    Raises:
        UsageError: For a model or an address that cannot be reached.
    """
    if not (config.embeddings or config.search):
        return None
    embed = search = None
    if config.embeddings:
        embed = connections.embedding_model(parse_model_spec(config.embeddings)).embed
    if config.search:
        address = parse_base_url(config.search, "search")
        search = SearchAccess(address, variable(SEARCH_KEY), config.patience)
    return Outside(embed, search, _identity(config))


def named_outside(config: RunConfig) -> Outside | None:
    """Return what tells a run's names from others', without anything that could be asked."""
    if not (config.embeddings or config.search):
        return None
    return Outside(identity=_identity(config))


def require_outside(suite: Suite, config: RunConfig) -> None:
    """Raise UsageError where agents would miss what a run does not name, or a name is of no use."""
    needed, missing = (
        (suite.needs, suite.missing) if isinstance(suite, ReachesOutside) else ("", "")
    )
    for option, given in (("embeddings", config.embeddings), ("search", config.search)):
        if given and option != needed:
            raise UsageError(f"{suite.name} has no use for --{option}: leave it out")
    if missing and not _CALL_NOTHING.issuperset(
        map(wrapped_agent_name, specs_of(config.agents).values())
    ):
        raise UsageError(f"{suite.name} {missing}")


def _identity(config: RunConfig) -> str:
    model = parse_model_spec(config.embeddings).identity if config.embeddings else ""
    return content_key("outside-1", model, config.search)
