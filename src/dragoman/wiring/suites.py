"""Names of suites become loaded suites; other packages add theirs as entry points."""

from collections.abc import Callable
from importlib.metadata import entry_points

from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.wiring.environment import data_folder

ENTRY_POINTS = "dragoman.benchmarks"

BUNDLED = {
    "sample:shop": "five small tasks of our own in the retail domain; needs no data",
    "tau2:retail": "tau2-bench retail, 114 tasks; needs `dragoman data pull tau2`",
}


def load_suite(name: str) -> Suite:
    """Load the suite of that name.

    Raises:
        UsageError: Where no suite has that name.
        DataError: Where its data are missing or damaged.
    """
    loaders: dict[str, Callable[[], Suite]] = {"sample:shop": _sample, "tau2:retail": _retail}
    if name in loaders:
        return loaders[name]()
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name == name:
            suite: Suite = entry.load()()
            return suite
    raise UsageError(f"unknown suite {name!r}: `dragoman list suites` names those that exist")


def suite_names() -> dict[str, str]:
    """Return every suite's name with a line about it."""
    added = {entry.name: f"from {entry.value}" for entry in entry_points(group=ENTRY_POINTS)}
    return {**BUNDLED, **added}


def _sample() -> Suite:
    from dragoman.benchmarks.sample.shop import sample_suite

    return sample_suite()


def _retail() -> Suite:
    from dragoman.benchmarks.tau2.pulled import pulled_suite

    return pulled_suite("retail", data_folder())
