"""What one conversation took: steps, calls, tokens, time and money."""

from collections.abc import Sequence

from dragoman.analysis.cells import Outcome
from dragoman.core.costs import PriceOf, cost_of, total_cost
from dragoman.core.usage import Usage, total_usage

AGENT = "agent"
"""The purpose of the agent's own calls."""


def measures(outcome: Outcome, price_of: PriceOf) -> dict[str, float | None]:
    """Return what a conversation took by measure; None where it is not known.

    Calls and tokens are the agent's; seconds are those of the whole conversation, and its cost (US
    dollars, all calls) takes in the user's and the judges' models. Earlier attempts do not count.
    """
    episode = outcome.episode
    used = () if episode is None else episode.usage
    judged = () if outcome.score is None else outcome.score.judges_usage
    agents = [entry for entry in used if entry.purpose == AGENT]
    return {
        "steps": None if episode is None else episode.steps,
        "tool errors": None if episode is None else episode.errors,
        "agent's calls": sum(entry.calls for entry in agents) if agents else None,
        "agent's tokens in": _total([entry.input_tokens for entry in agents]),
        "agent's tokens out": _total([entry.output_tokens for entry in agents]),
        "seconds": None if episode is None else episode.seconds,
        "cost, USD": _cost((*used, *judged), price_of),
    }


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _cost(used: Sequence[Usage], price_of: PriceOf) -> float | None:
    if not used:
        return None
    total = total_cost(cost_of(entry, price_of) for entry in total_usage(used))
    return None if total is None else float(total.nominal)
