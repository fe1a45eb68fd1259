"""What is known of courier before it is loaded."""

from collections.abc import Mapping
from pathlib import Path

from dragoman.core.protocols import Suite


class Courier:
    """A parcel service of our own, and its splits by difficulty."""

    def suites(self) -> Mapping[str, str]:
        """Return its one name."""
        return {
            "courier": "a parcel service of our own, 33 tasks, the user has tools; splits easy, harder, hardest; needs no data"
        }

    def load(self, name: str, data: Path) -> Suite:  # noqa: ARG002 - its data come with the program
        """Load the suite, or the split that its name goes on with."""
        from dragoman.benchmarks.courier.suite import courier_suite

        return courier_suite(name.partition(":")[2])


COURIER = Courier()
