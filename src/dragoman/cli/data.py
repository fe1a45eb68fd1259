"""Implementation of `dragoman data` and `dragoman cache`: downloads, and the reply cache."""

from pathlib import Path

from dragoman.cli.output import print_json
from dragoman.cli.progress import progress_bytes
from dragoman.config.environment import cache_folder, data_folder
from dragoman.core.capabilities import PullsData
from dragoman.core.errors import UsageError, did_you_mean
from dragoman.registry.suites import benchmarks
from dragoman.store.reply_cache import FILE, clear_replies, describe_replies


def pull_source(name: str, from_dir: Path | None, url: str | None) -> None:
    """Download one benchmark's files into the cache and print the result."""
    sources = {
        key: source
        for each in benchmarks()
        if isinstance(each, PullsData)
        for key, source in each.sources().items()
    }
    if name not in sources:
        hint = did_you_mean(name, sources) or f"choose {', '.join(sources)}"
        raise UsageError(f"no data named {name!r} to pull: {hint}")
    with progress_bytes("pulling") as advance:
        reported = sources[name].pull(data_folder(), from_dir=from_dir, url=url, progress=advance)
    print(reported)


def cache_info(*, as_json: bool) -> None:
    """Print the file, the number and the size of cached replies."""
    path = _path()
    facts = describe_replies(path)
    if as_json:
        print_json(
            {
                "file": str(path),
                "replies": facts.replies,
                "in_flight": facts.in_flight,
                "bytes": facts.bytes,
            }
        )
        return
    print(f"file       {path}")
    print(f"replies    {facts.replies:,}")
    print(f"in flight  {facts.in_flight:,}")
    print(f"size       {_megabytes(facts.bytes)}")


def cache_clear() -> None:
    """Remove all cached replies."""
    print(f"removed {_megabytes(clear_replies(_path()))}: {_path()}")


def _path() -> Path:
    return cache_folder() / FILE


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.2f} MB"
