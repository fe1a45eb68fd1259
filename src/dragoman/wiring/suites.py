"""Names of suites become loaded suites."""

import functools

from dragoman.core.errors import UsageError
from dragoman.core.facets import OWN_DATASET, Outside, OwnDefaultRules, ReachesOutside, SharesTasks
from dragoman.core.protocols import Suite
from dragoman.core.rules import DEFAULT_RULES
from dragoman.wiring.catalogue import benchmarks, find_benchmark
from dragoman.wiring.environment import data_folder


def load_suite(name: str, outside: Outside | None = None) -> Suite:
    """Load the suite of that name.

    Args:
        name: Its name.
        outside: What a run names for tools that reach outside; None for nothing.

    Raises:
        UsageError: Where no suite has that name.
        DataError: Where its data are missing or damaged.
    """
    benchmark = find_benchmark(name)
    if benchmark is None:
        raise UsageError(f"unknown suite {name!r}: `dragoman list suites` names those that exist")
    suite = benchmark.load(name, data_folder())
    if outside is not None and isinstance(suite, ReachesOutside):
        return suite.reaching(outside)
    return suite


@functools.cache
def tasks_of(name: str) -> str:
    """Return one name for all suites of which tasks with one id are the same task.

    What no benchmark has is taken for a dataset: rows have its name, and it is evaluated as a folder.
    """
    benchmark = find_benchmark(name)
    if benchmark is None:
        return OWN_DATASET
    return benchmark.tasks_of(name) if isinstance(benchmark, SharesTasks) else name


def default_rules_of(suite: str) -> str:
    """Return the name of the rules that hold for a suite where none are named."""
    benchmark = find_benchmark(suite)
    if benchmark is not None and isinstance(benchmark, OwnDefaultRules):
        return benchmark.default_rules(suite)
    return DEFAULT_RULES.name


def suite_names() -> dict[str, str]:
    """Return every suite's name with a line about each."""
    return {name: about for each in benchmarks() for name, about in each.suites().items()}
