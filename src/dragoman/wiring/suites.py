"""Names of suites become loaded suites."""

from dragoman.core.errors import UsageError
from dragoman.core.facets import Outside, ReachesOutside
from dragoman.core.protocols import Suite
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


def suite_names() -> dict[str, str]:
    """Return every suite's name with a line about each."""
    return {name: about for each in benchmarks() for name, about in each.suites().items()}
