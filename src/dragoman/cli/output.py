"""Printing of commands: results to stdout, errors to stderr, `--quiet` and `--plain`; choices."""

import codecs
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.characters import escape_controls

if TYPE_CHECKING:
    from rich.console import Console

    from dragoman.report.capabilities import LeaderboardStyle


Mode = Literal["usual", "plain", "quiet"]

_MODE: ContextVar[Mode] = ContextVar("mode", default="usual")


def mode() -> Mode:
    """Return the output mode of the running command."""
    return _MODE.get()


def set_mode(chosen: Mode) -> None:
    """Set the output mode for the rest of this command."""
    _MODE.set(chosen)


def console() -> "Console":
    """Return the console for tables and conversations.

    It has no colours if `--plain` is given.
    """
    from rich.console import Console

    return Console(color_system=None if mode() == "plain" else "auto")


INTERRUPTED = 130
"""The exit status after an interruption by the user."""


class ReportedInterrupt(KeyboardInterrupt):
    """An interruption by the user that a line has reported."""


def escape_unprintable() -> None:
    """Print an escape for each character that the terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_metrics_json(value: Mapping[str, object]) -> None:
    """Print an object with intervals as JSON, with the version of the interval method."""
    from dragoman.analysis.intervals import INTERVAL_METHOD

    print_json({**value, "intervals": INTERVAL_METHOD})


def print_json(value: object) -> None:
    """Print one JSON object on one line.

    If the output encoding is not Unicode, the text uses JSON escapes.
    """
    text = msgspec.json.encode(value).decode()
    if not text.isascii() and not _is_unicode(sys.stdout.encoding):
        import json

        text = json.dumps(json.loads(text), separators=(",", ":"))
    print(text)


def _is_unicode(encoding: str | None) -> bool:
    return encoding is None or codecs.lookup(encoding).name.startswith("utf")


def print_line(text: str, *, to_stderr: bool = False) -> None:
    """Print a text from outside, with control codes escaped."""
    print(escape_controls(text), file=sys.stderr if to_stderr else sys.stdout)


def print_notice(text: str) -> None:
    """Print a line to stderr that `--quiet` omits, with control codes escaped."""
    if mode() != "quiet":
        print_line(text, to_stderr=True)


@contextmanager
def redirect_prints_to_stderr() -> Iterator[None]:
    """Redirect prints of user code to stderr: stdout is for results."""
    with redirect_stdout(sys.stderr):
        yield


def print_error(text: str) -> None:
    """Print one line to stderr, with keys redacted and control codes escaped."""
    from dragoman.config.environment import redact_environment

    print(f"dragoman: {one_line(redact_environment(text))}", file=sys.stderr)


def one_line(text: str) -> str:
    """Return a text in one line, with control codes escaped."""
    return escape_controls(" ".join(text.split()))


def require_options(
    given: Iterable[str],
    style: "LeaderboardStyle | None",
    choices: "Callable[[], Iterable[LeaderboardStyle]]",
) -> None:
    """Refuse options that a style does not take.

    Args:
        given: The names of the options.
        style: The style; None for none.
        choices: Returns the styles that can be named instead.

    Raises:
        UsageError: For the first such option.
    """
    for option in given:
        if style is None or option not in style.options:
            taking = one_of(each.name for each in choices() if option in each.options)
            raise UsageError(f"--{option} goes with --style {taking}")


def one_of(names: Iterable[str]) -> str:
    """Return names as a choice: `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
