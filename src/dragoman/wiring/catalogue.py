"""The one list of benchmarks: those that come with the program, and those of other packages.

An entry point in the group `dragoman.benchmarks` is either a benchmark, for all suites whose names
begin with its own and a colon, or a function that returns the one suite of that name.
"""

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

from dragoman.core.errors import UsageError
from dragoman.core.facets import Benchmark, Translatable
from dragoman.core.language.translations import EnglishDomain, Release
from dragoman.core.protocols import Suite
from dragoman.wiring.plug_ins import added_under, load_entry

ENTRY_POINTS = "dragoman.benchmarks"

BUNDLED: Mapping[str, str] = {
    "courier": "dragoman.benchmarks.courier.benchmark:COURIER",
    "sample": "dragoman.benchmarks.tau2.sample_suite:SAMPLE",
    "tau2": "dragoman.benchmarks.tau2.benchmark:TAU2",
    "bfcl": "dragoman.benchmarks.bfcl.benchmark:BFCL",
    "itc": "dragoman.benchmarks.itc.benchmark:ITC",
    "set": "dragoman.wiring.audio_sets:AUDIO_SETS",
}
"""Bundled benchmarks: what stands before the colon in names of suites, and where each lies."""


class OneSuite:
    """A benchmark of one suite, which a function loads."""

    def __init__(self, name: str, function: Callable[[], Suite], origin: str) -> None:
        self._name = name
        self._function = function
        self._origin = origin

    def suites(self) -> Mapping[str, str]:
        """Return its one name."""
        return {self._name: f"from {self._origin}"}

    def load(self, name: str, data: Path) -> Suite:  # noqa: ARG002 - it brings its data
        """Load the suite.

        Raises:
            UsageError: For another name.
        """
        if name != self._name:
            raise UsageError(f"unknown suite {name!r}: there is {self._name}")
        return self._function()

    def translated_domains(self) -> Sequence[str]:
        """Return its name, which is that of its folder of artifacts."""
        return (self._name,)

    def english(self, domain: str, data: Path) -> EnglishDomain:  # noqa: ARG002 - there is one
        """Return its English side.

        Raises:
            UsageError: Where it has none.
        """
        suite = self._function()
        if isinstance(suite, Translatable):
            return suite.english()
        raise UsageError(f"{self._name} cannot be translated: it names no English side")

    def releases(self) -> Sequence[Release]:
        """Return the artifacts that come with it, if any do."""
        suite = self._function()
        release = suite.english().release if isinstance(suite, Translatable) else None
        return () if release is None else (release,)


def find_benchmark(suite: str) -> Benchmark | None:
    """Return the benchmark of a suite by the suite's name; None where nobody has it.

    Raises:
        UsageError: Where another package's benchmark cannot be loaded.
    """
    first = suite.partition(":")[0]
    if first in BUNDLED:
        return _bundled(first)
    for entry in added_under(ENTRY_POINTS):
        if entry.name in {suite, first}:
            return _added(entry)
    return None


def benchmarks() -> Iterator[Benchmark]:
    """Yield all benchmarks, the bundled ones first.

    Raises:
        UsageError: Where another package's benchmark cannot be loaded.
    """
    for name in BUNDLED:
        yield _bundled(name)
    for entry in added_under(ENTRY_POINTS):
        if entry.name not in BUNDLED:
            yield _added(entry)


@functools.cache
def _bundled(name: str) -> Benchmark:
    module, _, attribute = BUNDLED[name].partition(":")
    found: Benchmark = getattr(importlib.import_module(module), attribute)
    return found


def _added(entry: EntryPoint) -> Benchmark:
    found = load_entry(entry, f"benchmark {entry.name!r}")
    if isinstance(found, Benchmark):
        return found
    if callable(found):
        return OneSuite(entry.name, found, entry.value)
    raise UsageError(f"benchmark {entry.name!r}: {entry.value} is no benchmark and no function")
