"""Registry of benchmarks and suites, with the prompts and default rules of each suite.

An entry point in the group `dragoman.benchmarks` is either a benchmark, for all suites whose names
begin with its own and a colon, or a function that returns the one suite of that name.
"""

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

from dragoman.config.environment import data_folder
from dragoman.core.capabilities import (
    OWN_DATASET,
    Benchmark,
    ExternalServices,
    HasTaskAliases,
    NeedsExternalServices,
    OwnDefaultRules,
    OwnPrompts,
    Translatable,
)
from dragoman.core.errors import UsageError, did_you_mean
from dragoman.core.language.translated_domains import EnglishDomain, Release
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import Suite
from dragoman.core.rules import DEFAULT_RULES, Rules
from dragoman.registry.entry_points import find_entry_points, load_entry_point
from dragoman.simulation.prompts import default_prompts

ENTRY_POINTS = "dragoman.benchmarks"

BUNDLED: Mapping[str, str] = {
    "courier": "dragoman.benchmarks.courier.benchmark:COURIER",
    "sample": "dragoman.benchmarks.tau2.sample_suite:SAMPLE",
    "tau2": "dragoman.benchmarks.tau2.benchmark:TAU2",
    "bfcl": "dragoman.benchmarks.bfcl.benchmark:BFCL",
    "itc": "dragoman.benchmarks.itc.benchmark:ITC",
    "set": "dragoman.registry.audio_set_suites:AUDIO_SETS",
}
"""Bundled benchmarks: the prefix of their suites' names, and the place of each object."""


class OneSuite:
    """A benchmark of one suite, which a function loads."""

    def __init__(self, name: str, function: Callable[[], Suite], origin: str) -> None:
        self._name = name
        self._function = function
        self._origin = origin

    def suites(self) -> Mapping[str, str]:
        """Return its one suite name with a line about it."""
        return {self._name: f"from {self._origin}"}

    def load(self, name: str, data: Path) -> Suite:  # noqa: ARG002 - it brings its data
        """Load the suite.

        Raises:
            UsageError: For any other name.
        """
        if name != self._name:
            raise UsageError(f"unknown suite {name!r}: there is {self._name}")
        return self._function()

    def translated_domains(self) -> Sequence[str]:
        """Return its name, which is also the name of its folder of artifacts."""
        return (self._name,)

    def english(self, domain: str, data: Path) -> EnglishDomain:  # noqa: ARG002 - there is one
        """Return its English side.

        Raises:
            UsageError: If it has none.
        """
        suite = self._function()
        if isinstance(suite, Translatable):
            return suite.english()
        raise UsageError(f"{self._name} cannot be translated: it names no English side")

    def releases(self) -> Sequence[Release]:
        """Return the artifacts that come with it, if there are any."""
        suite = self._function()
        release = suite.english().release if isinstance(suite, Translatable) else None
        return () if release is None else (release,)


def find_benchmark(suite: str) -> Benchmark | None:
    """Return the benchmark of a suite by the suite's name; None if there is none.

    Raises:
        UsageError: If another package's benchmark cannot be loaded.
    """
    first = suite.partition(":")[0]
    if first in BUNDLED:
        return _load_bundled_suite(first)
    for entry in find_entry_points(ENTRY_POINTS):
        if entry.name in {suite, first}:
            return _load_added(entry)
    return None


def benchmarks() -> Iterator[Benchmark]:
    """Yield all benchmarks, the bundled ones first.

    Raises:
        UsageError: If another package's benchmark cannot be loaded.
    """
    for name in BUNDLED:
        yield _load_bundled_suite(name)
    for entry in find_entry_points(ENTRY_POINTS):
        if entry.name not in BUNDLED:
            yield _load_added(entry)


@functools.cache
def _load_bundled_suite(name: str) -> Benchmark:
    module, _, attribute = BUNDLED[name].partition(":")
    found: Benchmark = getattr(importlib.import_module(module), attribute)
    return found


def _load_added(entry: EntryPoint) -> Benchmark:
    found = load_entry_point(entry, f"benchmark {entry.name!r}")
    if isinstance(found, Benchmark):
        return found
    if callable(found):
        return OneSuite(entry.name, found, entry.value)
    raise UsageError(
        f"benchmark {entry.name!r}: {entry.value} is neither a benchmark nor a function"
    )


def load_suite(name: str, outside: ExternalServices | None = None) -> Suite:
    """Load the suite of that name.

    Args:
        name: Its name.
        outside: The external services that a run names for its tools; None for none.

    Raises:
        UsageError: If no suite has that name.
        DataError: If its data are missing or damaged.
    """
    suite = _load_named(name)
    if outside is not None and isinstance(suite, NeedsExternalServices):
        return suite.reaching(outside)
    return suite


def _load_named(name: str) -> Suite:
    """Load a suite; for an unknown name, the error names the nearest known one."""
    unknown = f"unknown suite {name!r}"
    benchmark = find_benchmark(name)
    try:
        if benchmark is not None:
            return benchmark.load(name, data_folder())
    except UsageError as error:
        hint = did_you_mean(name, suite_names()) if str(error).startswith(unknown) else ""
        if not hint:
            raise
        raise UsageError(f"{unknown}: {hint} (`dragoman list suites`)") from error
    hint = did_you_mean(name, suite_names())
    if hint:
        raise UsageError(f"{unknown}: {hint} (`dragoman list suites`)")
    raise UsageError(f"{unknown}: `dragoman list suites` names those that exist")


@functools.cache
def task_family(name: str) -> str:
    """Return one name for all suites in which tasks with one id are the same task.

    A name that no benchmark has stands for a dataset: its rows carry this name, and it is evaluated
    as a folder.
    """
    benchmark = find_benchmark(name)
    if benchmark is None:
        return OWN_DATASET
    return benchmark.tasks_of(name) if isinstance(benchmark, HasTaskAliases) else name


def default_rules_of(suite: str) -> str:
    """Return the name of a suite's default rules."""
    benchmark = find_benchmark(suite)
    if benchmark is not None and isinstance(benchmark, OwnDefaultRules):
        return benchmark.default_rules(suite)
    return DEFAULT_RULES.name


def suite_names() -> dict[str, str]:
    """Return every suite's name with a line about each."""
    return {name: about for each in benchmarks() for name, about in each.suites().items()}


def prompts_for(suite: str, rules: Rules) -> PromptSet:
    """Return a benchmark's own prompts for a suite, or Dragoman's if it has none.

    Raises:
        DataError: If its prompts are not pulled.
    """
    benchmark, ours = find_benchmark(suite), default_prompts()
    if benchmark is not None and isinstance(benchmark, OwnPrompts):
        return benchmark.prompts(suite, rules, ours, data_folder())
    return ours
