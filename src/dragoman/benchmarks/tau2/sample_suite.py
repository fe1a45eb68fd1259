"""The sample suite `sample:shop`: retail's tools over a small database and tasks of our own.

It needs no download, and serves first steps, demonstrations and tests.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from msgspec.structs import replace

from dragoman.benchmarks.kit.suite_translations import read_declarations
from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.errors import UsageError
from dragoman.core.language.translated_domains import EnglishDomain
from dragoman.core.protocols import Provenance, Suite

NAME = "sample:shop"
NOTICE = "Written for this project; names, orders and addresses are invented."


class SampleSuite(DomainSuite):
    """The shop, whose products have names that can be translated."""

    def __init__(self) -> None:
        self._folder = files("dragoman.benchmarks.tau2") / "sample_data"
        super().__init__(
            NAME,
            lambda name: (self._folder / name).read_bytes(),
            Provenance("dragoman sample shop", "Apache-2.0", NOTICE, ""),
        )

    def english(self) -> EnglishDomain:
        """Return the English side, with what it declares of its names."""
        return replace(super().english(), declared=read_declarations(NAME, self._folder))


def sample_suite() -> DomainSuite:
    """Load the bundled suite `sample:shop`."""
    return SampleSuite()


class Sample:
    """A small shop that needs no data."""

    def suites(self) -> Mapping[str, str]:
        """Return its one name."""
        return {NAME: "five small tasks of our own in the retail domain; needs no data"}

    def load(self, name: str, data: Path) -> Suite:  # noqa: ARG002 - its data come with the program
        """Load the shop.

        Raises:
            UsageError: For another name.
        """
        if name != NAME:
            raise UsageError(f"unknown suite {name!r}: there is {NAME}")
        return sample_suite()


SAMPLE = Sample()
