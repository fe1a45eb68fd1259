"""Which prompts a run gives to models."""

from dragoman.core.facets import OwnPrompts
from dragoman.core.prompts import PromptSet
from dragoman.core.rules import Rules
from dragoman.simulation.prompts import default_prompts
from dragoman.wiring.catalogue import find_benchmark
from dragoman.wiring.environment import data_folder


def prompts_for(suite: str, rules: Rules) -> PromptSet:
    """Return a benchmark's own prompts for a suite, or ours where it has none.

    Raises:
        DataError: Where its prompts are not pulled.
    """
    benchmark, ours = find_benchmark(suite), default_prompts()
    if benchmark is not None and isinstance(benchmark, OwnPrompts):
        return benchmark.prompts(suite, rules, ours, data_folder())
    return ours
