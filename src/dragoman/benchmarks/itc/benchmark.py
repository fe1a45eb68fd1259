"""What is known of the suites of web APIs before any is loaded."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.prompts import BARE, PromptSet
from dragoman.core.protocols import Suite
from dragoman.core.rules import Rules

_PREFIX = "itc:"


class Itc:
    """International Tool Calling: suites named `itc:SET`, or `itc:SET/LANGUAGE` for a part."""

    def suites(self) -> Mapping[str, str]:
        """Return the names of its suites with a line about each."""
        return {
            "itc:world": "queries in many languages to invented APIs of many countries; itc:world/pt for one language; needs no data"
        }

    def load(self, name: str, data: Path) -> Suite:  # noqa: ARG002 - its data come with the program
        """Load a set, or the part of it in one language.

        Raises:
            UsageError: Where there is no such set, or nothing in the language.
            DataError: Where data are missing or damaged.
        """
        from dragoman.benchmarks.itc.records import CallSet, SetTask
        from dragoman.benchmarks.itc.suite import ApiSuite
        from dragoman.benchmarks.itc.world_set import world_set

        short, slash, language = name.removeprefix(_PREFIX).partition("/")
        if short != "world":
            raise UsageError(f"unknown suite {name!r}: itc has world")
        found: CallSet = world_set()
        if not slash:
            return ApiSuite(found)
        part: tuple[SetTask, ...] = tuple(
            each for each in found.tasks if each.task.language.partition("-")[0] == language
        )
        if not part:
            known = sorted({each.task.language for each in found.tasks})
            raise UsageError(
                f"{name}: it has no queries in {language!r}, but in {', '.join(known)}"
            )
        return ApiSuite(msgspec.structs.replace(found, name=name, tasks=part))

    def prompts(self, suite: str, rules: Rules, ours: PromptSet, data: Path) -> PromptSet:  # noqa: ARG002 - the same for all
        """Return none: what an agent is told stands in the suite's policy."""
        return BARE


ITC = Itc()
