"""tau2 domains as pulled into the cache."""

from pathlib import Path

from dragoman.benchmarks.pulling.data import PinnedData, open_file
from dragoman.benchmarks.tau2.suite import ALL_DOMAINS, DomainSuite
from dragoman.benchmarks.tau2.upstream import derive_schemas, tau2_source
from dragoman.core.protocols import Provenance

HINT = "run `dragoman data pull tau2`"


def pulled_suite(domain: str, folder: Path, split: str = "base") -> DomainSuite:
    """Load a split of a domain from the folder of pulled data.

    Raises:
        DataError: Where a file is missing or damaged; the line names the command that helps.
    """
    source = tau2_source()
    target = source_folder(folder)
    where = ALL_DOMAINS[domain].folder or domain
    return DomainSuite(
        f"tau2:{domain}",
        lambda name: open_file(target, source, f"{where}/{name}", HINT),
        Provenance(f"tau2-bench {source.commit}", source.licence, source.notice, ""),
        ALL_DOMAINS[domain],
        split,
    )


def user_guidelines(folder: Path) -> tuple[str, str]:
    """Return the reference's guidelines for user simulators: without tools, and with tools."""
    source, target = tau2_source(), source_folder(folder)
    without, with_tools = (
        open_file(target, source, f"user_simulator/{name}.md", HINT).decode("utf-8").strip()
        for name in ("simulation_guidelines", "simulation_guidelines_tools")
    )
    return without, with_tools


def source_folder(folder: Path) -> Path:
    """Return where the pinned files lie under the folder of pulled data."""
    return folder / "tau2" / tau2_source().commit[:12]


TAU2_DATA = PinnedData(tau2_source, source_folder, derive_schemas)
