"""courier's entry in the registry: names, capabilities and lazy loading of its suites."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dragoman.core.language.translated_domains import EnglishDomain, Release
from dragoman.core.protocols import Suite
from dragoman.core.result_files import DomainFacts


class Courier:
    """A parcel service of our own, and its splits by difficulty."""

    def suites(self) -> Mapping[str, str]:
        """Return its one name."""
        return {
            "courier": "a parcel service of our own, 33 tasks, the user has tools; splits easy, "
            "harder, hardest; needs no data"
        }

    def load(self, name: str, data: Path) -> Suite:  # noqa: ARG002 - its data come with the program
        """Load the suite, or the split that its name goes on with."""
        from dragoman.benchmarks.courier.domain import courier_suite

        return courier_suite(name.partition(":")[2])

    def describe(self, domain: str) -> DomainFacts | None:
        """Return its tools, what is at stake, and who its users are."""
        from dragoman.benchmarks.courier.domain import COURIER as DOMAIN
        from dragoman.benchmarks.courier.domain import courier_suite

        if domain != "courier":
            return None
        suite = courier_suite()
        scenarios = {task.id: task.scenario for task in suite.tasks}
        return DomainFacts(DOMAIN.kinds["agent"], suite.risk_profile, scenarios)

    def translated_domains(self) -> Sequence[str]:
        """Return the one name of a folder of artifacts."""
        return ("courier",)

    def english(self, domain: str, data: Path) -> EnglishDomain:  # noqa: ARG002 - there is one
        """Return its English side."""
        from dragoman.benchmarks.courier.domain import courier_suite

        return courier_suite().english()

    def releases(self) -> Sequence[Release]:
        """Return the artifacts that come with it."""
        from dragoman.benchmarks.courier.domain import courier_suite

        release = courier_suite().english().release
        return () if release is None else (release,)


COURIER = Courier()
