"""`dragoman data pull`."""

from pathlib import Path

from dragoman.benchmarks.data import pull
from dragoman.benchmarks.tau2.pulled import source_folder
from dragoman.benchmarks.tau2.upstream import derive_schemas, tau2_source
from dragoman.cli.output import progress_bytes
from dragoman.core.errors import UsageError
from dragoman.wiring.environment import data_folder


def pull_source(name: str, from_dir: Path | None, url: str | None) -> None:
    """Pull one benchmark's files into the cache and say what was done."""
    if name != "tau2":
        raise UsageError(f"no data named {name!r} to pull: choose tau2")
    target = source_folder(data_folder())
    with progress_bytes("pulling") as advance:
        report = pull(
            tau2_source(),
            target,
            derive=derive_schemas,
            from_dir=from_dir,
            url=url,
            progress=advance,
        )
    print(report.message)
