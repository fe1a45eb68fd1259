"""What commands print: results to stdout, errors to stderr."""

import codecs
import io
import sys
from collections.abc import Iterator, Mapping
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


def print_figures_json(value: Mapping[str, object]) -> None:
    """Print an object that has intervals, with the version of how these are drawn."""
    from dragoman.analysis.intervals import INTERVAL_METHOD

    print_json({**value, "intervals": INTERVAL_METHOD})


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
    """Print one line to stderr, without keys; what acts on a terminal is written out."""
    from dragoman.wiring.environment import kept_out

    print(f"dragoman: {one_line(kept_out(text))}", file=sys.stderr)


def one_line(text: str) -> str:
    """Return a text in one line, with what acts on a terminal written out."""
    return visible(" ".join(text.split()))
