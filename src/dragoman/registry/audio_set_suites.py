"""Audio sets as suites: `set:PATH` is played with the suites that the set was made of."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from dragoman.benchmarks.kit.recorded_suite import RecordedSuite
from dragoman.core.capabilities import Benchmark, HasTaskAliases, OwnPrompts, OwnRules
from dragoman.core.conditions import Condition
from dragoman.core.errors import DataError, UsageError
from dragoman.core.prompts import PromptSet
from dragoman.core.protocols import Suite
from dragoman.core.rules import Rules
from dragoman.registry.suites import find_benchmark
from dragoman.store.audio_set import AudioSet, read_settings, require_matching_card
from dragoman.store.audio_set_format import SETTINGS

Shared = TypeVar("Shared")


class AudioSets:
    """The benchmark whose suites are folders with audio sets."""

    def suites(self) -> Mapping[str, str]:
        """Return the form of its suites' names."""
        return {"set:PATH": "an audio set that `dragoman speak` made, played as it was recorded"}

    def load(self, name: str, data: Path) -> Suite:
        """Load a set with the suites that it was made of.

        Raises:
            UsageError: If the set or one of its suites does not exist.
            DataError: If the set or data are damaged, or the data differ from those that the set
                was made of.
        """
        benchmarks = dict(_benchmarks(name))
        recordings = AudioSet(_folder(name))
        require_matching_card(_folder(name), recordings)
        suites = []
        for part, benchmark in benchmarks.items():
            suite = benchmark.load(part, data)
            if suite.provenance.digest != recordings.settings.suites[part]:
                raise DataError(
                    f"{name}: the data of {part} differ from those it was made of: pull those, "
                    "or make the set again with `dragoman speak`"
                )
            suites.append(suite)
        return RecordedSuite(name, suites, recordings)

    def tasks_of(self, suite: str) -> str:
        """Return the name under which a set's suites have the same tasks.

        It is the set's own name if its suites have several, and if the set is not on this machine,
        since stored rows may come from another one.
        """
        try:
            found = {
                benchmark.tasks_of(part) if isinstance(benchmark, HasTaskAliases) else part
                for part, benchmark in _benchmarks(suite)
            }
        except (UsageError, DataError):
            return suite
        return found.pop() if len(found) == 1 else suite

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:
        """Return the prompts of a set's suites.

        Raises:
            UsageError: If the suites have different prompts.
            DataError: If the prompts are not pulled.
        """
        found = [
            benchmark.prompts(part, rules, ours, data)
            if isinstance(benchmark, OwnPrompts)
            else ours
            for part, benchmark in _benchmarks(suite)
        ]
        return _same(suite, "prompts", found)

    def rules_under(self, suite: str, rules: Rules, conditions: Sequence[Condition]) -> Rules:
        """Return the rules that a set's suites are played by.

        Raises:
            UsageError: If the suites have different rules.
        """
        found = [
            benchmark.rules_under(part, rules, conditions)
            if isinstance(benchmark, OwnRules)
            else rules
            for part, benchmark in _benchmarks(suite)
        ]
        return _same(suite, "rules", found)


def _benchmarks(name: str) -> Iterator[tuple[str, Benchmark]]:
    parts = read_settings(_folder(name)).suites
    if not parts:
        raise DataError(f"{name}: {SETTINGS} names no suite that the set is of")
    for part in parts:
        yield part, _benchmark(name, part)


def _benchmark(name: str, part: str) -> Benchmark:
    found = find_benchmark(part)
    if found is None or found is AUDIO_SETS:
        raise UsageError(f"{name}: it was made of {part}, and no suite has that name")
    return found


def _folder(name: str) -> Path:
    """Return the folder in the name of a set.

    Raises:
        UsageError: If the folder has no set.
    """
    path = name.partition(":")[2]
    if not (Path(path) / SETTINGS).is_file():
        raise UsageError(
            f"{name}: no audio set lies there: write set:FOLDER with a folder that `dragoman "
            "speak` made"
        )
    return Path(path)


def _same(name: str, what: str, found: Sequence[Shared]) -> Shared:
    """Return the value that all suites of a set have in common."""
    if any(each != found[0] for each in found):
        raise UsageError(
            f"{name}: its suites have different {what}: make a set of each with `dragoman speak`"
        )
    return found[0]


AUDIO_SETS = AudioSets()
