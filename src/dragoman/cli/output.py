"""What commands print: results to stdout, progress and errors to stderr."""

import codecs
import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout

import msgspec

from dragoman.core.texts.visible import visible

INTERRUPTED = 130
"""The exit status of what a person stopped."""


def take_any_text() -> None:
    """Have terminals that cannot show a character get its escape, whatever is printed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: object) -> None:
    """Print one JSON object on one line; where the output is not Unicode, with JSON's own escapes."""
    text = msgspec.json.encode(value).decode()
    if not text.isascii() and not _is_unicode(sys.stdout.encoding):
        import json

        text = json.dumps(json.loads(text), separators=(",", ":"))
    print(text)


def _is_unicode(encoding: str | None) -> bool:
    return encoding is None or codecs.lookup(encoding).name.startswith("utf")


def print_line(text: str, *, to_stderr: bool = False) -> None:
    """Print a text that came from outside; what acts on a terminal is written out."""
    print(visible(text), file=sys.stderr if to_stderr else sys.stdout)


@contextmanager
def print_aside() -> Iterator[None]:
    """Send what code of one's own prints to stderr: stdout is for results."""
    with redirect_stdout(sys.stderr):
        yield


def print_error(text: str) -> None:
    """Print one line to stderr; what acts on a terminal is written out."""
    print(f"dragoman: {one_line(text)}", file=sys.stderr)


def one_line(text: str) -> str:
    """Return a text in one line, with what acts on a terminal written out."""
    return visible(" ".join(text.split()))


PLAIN_EVERY_S = 30.0
"""Seconds between two lines of progress where there is no terminal for a bar."""


@contextmanager
def progress(
    title: str, total: int | None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal, a line now and then elsewhere; yield what advances it."""
    if total == 0:
        yield lambda: None
        return
    if not sys.stderr.isatty():
        yield _plain_progress(title, total, clock)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    known = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    so_far = (TextColumn("{task.completed} so far"), TimeElapsedColumn())
    columns = (TextColumn(title), *(so_far if total is None else known))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


def _plain_progress(
    title: str, total: int | None, clock: Callable[[], float]
) -> Callable[[], None]:
    """Return what counts one more, and prints a line where the last one is old enough."""
    started = last = clock()
    done = 0

    def advance() -> None:
        nonlocal done, last
        done += 1
        now = clock()
        if now - last >= PLAIN_EVERY_S:
            last = now
            of = "" if total is None else f" of {total:,}"
            print(f"{title}: {done:,}{of} after {now - started:,.0f} s", file=sys.stderr)

    return advance


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
