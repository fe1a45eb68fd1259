"""What commands print: results to stdout, progress and errors to stderr."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from dragoman.core.visible import visible


def print_json(value: object) -> None:
    """Print one JSON object on one line."""
    print(msgspec.json.encode(value).decode())


def print_line(text: str, *, to_stderr: bool = False) -> None:
    """Print a text that came from outside; what acts on a terminal is written out."""
    print(visible(text), file=sys.stderr if to_stderr else sys.stdout)


def print_error(text: str) -> None:
    """Print one line to stderr; what acts on a terminal is written out."""
    print(f"dragoman: {_line(text)}", file=sys.stderr)


def show_warnings() -> None:
    """Have warnings of the program shown as errors are: one visible line each."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_OneLine())


class _OneLine(logging.Formatter):
    """Makes one line of a record, with what acts on a terminal written out."""

    def format(self, record: logging.LogRecord) -> str:
        return _line(super().format(record))


def _line(text: str) -> str:
    return visible(" ".join(text.split()))


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; yield what advances it by one."""
    if total == 0 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def progress_bytes(title: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar of bytes on a terminal; yield what sets file, bytes so far and total."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda file, done, total: bar.update(
            task, description=file, completed=done, total=total
        )
