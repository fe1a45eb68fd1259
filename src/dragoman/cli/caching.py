"""`dragoman cache`."""

from pathlib import Path

from dragoman.cli.output import print_json
from dragoman.store.reply_file import FILE, clear_replies, describe_replies
from dragoman.wiring.environment import cache_folder


def cache_info(*, as_json: bool) -> None:
    """Print where remembered replies lie and how many there are."""
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
    """Remove all remembered replies."""
    print(f"removed {_megabytes(clear_replies(_path()))}: {_path()}")


def _path() -> Path:
    return cache_folder() / FILE


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.2f} MB"
