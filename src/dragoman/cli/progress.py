"""Progress on standard error: a bar on a terminal, a line now and then elsewhere.

The heartbeat reports that a long command is working, and on which step, where no progress is
counted.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from dragoman.cli.output import mode
from dragoman.core.progress import RUNNING_STEPS, RunningSteps
from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting

if TYPE_CHECKING:
    from rich.progress import Progress


ProgressNote = Callable[[], str]
"""Returns what is known next to the count, as text; "" for nothing."""

SecondsLeft = Callable[[float], float | None]
"""Returns the remaining seconds after so many seconds; None if they are not known."""

PLAIN_EVERY_S = 30.0
"""Seconds between two lines of progress without a terminal."""


class LinePace(NamedTuple):
    """The times of progress lines, in seconds.

    Attributes:
        first: Time until the first line; shorter work prints none.
        every: Time between two lines.
        look: Time between two looks at the clock.
    """

    first: float = 4.0
    every: float = PLAIN_EVERY_S
    look: float = 0.5


LINE_PACE: ContextVar[LinePace] = ContextVar("LINE_PACE", default=LinePace())  # noqa: B039 - frozen
"""The pace of lines of progress in this context."""

_MINUTE = 60


def no_note() -> str:
    """Return no text: for steps with a count alone."""
    return ""


class ProgressCounter:
    """A counter of finished steps, with its rate.

    Args:
        total: The number of steps; None where that is not known.
        clock: Seconds.
        seconds_left: An estimate of the remaining time; None if all steps take equally long.
    """

    def __init__(
        self,
        total: int | None,
        clock: Callable[[], float] = time.monotonic,
        seconds_left: SecondsLeft | None = None,
    ) -> None:
        self.total = total
        self.done = 0
        self._clock = clock
        self._seconds_left = seconds_left or self._left_at_this_rate
        self._started = clock()
        self.seconds = 0.0

    def advance(self) -> None:
        """Count one more, at this moment."""
        self.done += 1
        self.look()

    def look(self) -> None:
        """Update the elapsed time."""
        self.seconds = self._clock() - self._started

    def rate(self) -> str:
        """Return the number of steps per second or minute; "" before the first step."""
        if not self.done or not self.seconds:
            return ""
        per_second = self.done / self.seconds
        if per_second >= 1:
            return f"{per_second:,.0f} per second"
        return f"{per_second * _MINUTE:,.1f} per minute"

    def left(self) -> str:
        """Return the remaining time in words; "" if it is unknown."""
        seconds = self._seconds_left(self.seconds)
        return "" if seconds is None else f"{formatting.duration(seconds)} left"

    def _left_at_this_rate(self, seconds: float) -> float | None:
        if self.total is None or not self.done:
            return None
        return seconds / self.done * (self.total - self.done)

    def line(self) -> str:
        """Return count, time and speed in words."""
        of = "" if self.total is None else f" of {self.total:,}"
        begun = f"{self.done:,}{of} after {self.seconds:,.0f} s"
        return ", ".join(filter(None, (begun, self.rate(), self.left())))


class _VisibleProgress:
    """A counter of the progress bars and lines that are visible now.

    One display is enough for each command.
    """

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count one more display while the context lasts."""
        with self._lock:
            self.count += 1
        try:
            yield
        finally:
            with self._lock:
                self.count -= 1


_VISIBLE_PROGRESS = _VisibleProgress()


def is_progress_shown() -> bool:
    """Return whether a bar or progress lines are visible at the moment."""
    return _VISIBLE_PROGRESS.count > 0


@contextmanager
def progress(  # noqa: PLR0913 - two are options
    title: str,
    total: int | None,
    note: ProgressNote = no_note,
    clock: Callable[[], float] = time.monotonic,
    *,
    intro: str = "",
    seconds_left: SecondsLeft | None = None,
) -> Iterator[Callable[[], None]]:
    """Show progress, and yield a function that counts one more step.

    Args:
        title: The counted things, as a title.
        total: The number of steps; None where that is not known.
        note: Returns further text for the line next to the count.
        clock: Seconds.
        intro: A line that comes before anything else is shown; "" for none.
        seconds_left: An estimate of the remaining time; None if all steps take equally long.
    """
    if total == 0 or mode() == "quiet":
        yield lambda: None
        return
    with _VISIBLE_PROGRESS.one_more():
        count = ProgressCounter(total, clock, seconds_left)
        if mode() == "plain" or not sys.stderr.isatty():
            lines = _Lines(title, count, note, intro)
            with repeat_in_thread(lines.look, LINE_PACE.get().look):
                yield lines.advance
            return
        if intro:
            print(escape_controls(intro), file=sys.stderr)
        with _bar(title, count, note) as bar:
            task = bar.add_task(title, total=total)

            def advance() -> None:
                count.advance()
                bar.advance(task)

            yield advance


@contextmanager
def show_progress(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show progress, and yield a function that adds a number of finished steps."""
    with progress(title, total) as advance:

        def advance_by(count: int) -> None:
            for _ in range(count):
                advance()

        yield advance_by


@contextmanager
def repeat_in_thread(look: Callable[[], None], every: float) -> Iterator[None]:
    """Repeat a function in a thread every `every` seconds while the context lasts."""
    is_over = threading.Event()

    def keep_looking() -> None:
        while not is_over.wait(every):
            look()

    thread = threading.Thread(target=keep_looking, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


class LineSchedule:
    """A schedule of lines: the first one soon, the others at intervals."""

    def __init__(self) -> None:
        self._pace = LINE_PACE.get()
        self._due = self._pace.first

    def is_due(self, seconds: float, *, is_looked: bool = True) -> bool:
        """Return whether a line is due at a time after the beginning.

        A line that is due then counts as printed.

        Args:
            seconds: How many.
            is_looked: Whether this is a periodic look at the clock, so that the next one may be too
                late.
        """
        early = 2 * self._pace.look if is_looked else 0.0
        if seconds + early < self._due:
            return False
        self._due = seconds + self._pace.every
        return True

    def put_off(self, seconds: float) -> None:
        """Restart the schedule at a time after the beginning.

        Another display showed progress until then.
        """
        self._due = seconds + self._pace.first


class _Lines:
    """A counter that prints a line if the last line is old enough."""

    def __init__(self, title: str, count: ProgressCounter, note: ProgressNote, intro: str) -> None:
        self._title, self._count, self._note = title, count, note
        self._intro = intro
        self._steps = RUNNING_STEPS.get()
        self._times = LineSchedule()
        self._lock = threading.Lock()

    def advance(self) -> None:
        """Count one more."""
        with self._lock:
            self._count.advance()
            self._print(is_looked=False)

    def look(self) -> None:
        """Update the elapsed time without a finished step."""
        with self._lock:
            self._count.look()
            self._print(is_looked=True)

    def _print(self, *, is_looked: bool) -> None:
        if self._times.is_due(self._count.seconds, is_looked=is_looked):
            if self._intro:
                print(escape_controls(self._intro), file=sys.stderr)
                self._intro = ""
            doing = () if self._steps is None else self._steps.names
            more = "; ".join(filter(None, (self._note(), *doing)))
            line = f"{self._title}: {self._count.line()}{f'; {more}' if more else ''}"
            print(line, file=sys.stderr, flush=True)


def _bar(title: str, count: ProgressCounter, note: ProgressNote) -> "Progress":
    """Return a bar with its count, and below it the rate and the note."""
    from rich.console import Console, RenderableType
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class Bar(Progress):
        """The bar with a line below it."""

        def get_renderables(self) -> Iterator[RenderableType]:
            """Yield the bar and the text next to its count."""
            yield from super().get_renderables()
            count.look()
            known = "; ".join(filter(None, (count.rate(), count.left(), note())))
            if known:
                yield Text(f"  {known}")

    of_known = (BarColumn(bar_width=None), MofNCompleteColumn())
    of_unknown = (SpinnerColumn(), TextColumn("{task.completed} so far"))
    columns = (
        TextColumn(title),
        *(of_unknown if count.total is None else of_known),
        TimeElapsedColumn(),
    )
    return Bar(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def progress_bytes(title: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar of bytes on a terminal; yield a function that updates it."""
    if mode() != "usual" or not sys.stderr.isatty():
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


@contextmanager
def progress_download(line: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show the progress of a download; yield a function that sets file, bytes and total.

    Args:
        line: The file, its size and its source: the first line without a terminal.
    """
    if mode() == "quiet":
        yield lambda *_: None
    elif mode() == "plain" or not sys.stderr.isatty():
        yield _byte_lines(line, time.monotonic)
    else:
        with progress_bytes(line) as advance:
            yield advance


def _byte_lines(line: str, clock: Callable[[], float]) -> Callable[[str, int, int], None]:
    """Return a callback that prints a line at the first bytes, and further lines at intervals.

    A further line is printed once the last one is old enough.
    """
    last: float | None = None

    def progress(file: str, done: int, total: int) -> None:
        nonlocal last
        now = clock()
        if last is None:
            last = now
            print(line, file=sys.stderr)
        elif now - last >= PLAIN_EVERY_S or done == total:
            last = now
            print(f"{file}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB", file=sys.stderr)

    return progress


@contextmanager
def heartbeat(title: str, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Print a line soon, and further lines at intervals, while no other progress is shown.

    The line names the long steps that are under way (`core.progress.RUNNING_STEPS`).

    Args:
        title: The name of the work, such as the command.
        clock: Seconds.
    """
    if mode() == "quiet":
        yield
        return
    steps = RUNNING_STEPS.get() or RunningSteps()
    noted = RUNNING_STEPS.set(steps)
    times, began = LineSchedule(), clock()

    def look() -> None:
        seconds = clock() - began
        if is_progress_shown():
            times.put_off(seconds)
        elif times.is_due(seconds):
            what = ", ".join(steps.names) or "at work"
            print(
                escape_controls(f"{title}: {what}, {seconds:,.0f} s so far"),
                file=sys.stderr,
                flush=True,
            )

    try:
        with repeat_in_thread(look, LINE_PACE.get().look):
            yield
    finally:
        RUNNING_STEPS.reset(noted)
