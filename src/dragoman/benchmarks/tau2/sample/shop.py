"""The sample shop: tau2 retail's tools over a small database and tasks of our own."""

from importlib.resources import files

from dragoman.benchmarks.tau2.suite import DomainSuite
from dragoman.core.protocols import Provenance

NOTICE = "Written for this project; names, orders and addresses are invented."


def sample_suite() -> DomainSuite:
    """Load the bundled suite `sample:shop`."""
    folder = files("dragoman.benchmarks.tau2.sample") / "data"
    return DomainSuite(
        "sample:shop",
        lambda name: (folder / name).read_bytes(),
        Provenance("dragoman sample shop", "Apache-2.0", NOTICE, ""),
    )
