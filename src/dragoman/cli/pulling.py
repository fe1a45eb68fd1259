"""`dragoman data pull`."""

from pathlib import Path

from dragoman.cli.progressing.bars import progress_bytes
from dragoman.core.errors import UsageError
from dragoman.core.facets import PullsData
from dragoman.wiring.catalogue import benchmarks
from dragoman.wiring.environment import data_folder


def pull_source(name: str, from_dir: Path | None, url: str | None) -> None:
    """Pull one benchmark's files into the cache and say what was done."""
    sources = {
        key: source
        for each in benchmarks()
        if isinstance(each, PullsData)
        for key, source in each.sources().items()
    }
    if name not in sources:
        raise UsageError(f"no data named {name!r} to pull: choose {', '.join(sources)}")
    with progress_bytes("pulling") as advance:
        told = sources[name].pull(data_folder(), from_dir=from_dir, url=url, progress=advance)
    print(told)
