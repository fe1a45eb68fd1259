"""The terminal of a run in progress: running score, notices of stalls, input of a human player."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dragoman.cli.output import print_line
from dragoman.cli.progress import repeat_in_thread
from dragoman.composition.external_access import uses_network
from dragoman.core.costs import FREE, Cost, PriceOf, cost_of, total_cost
from dragoman.core.episodes import COMPLETE, Episode
from dragoman.core.errors import RunHalted
from dragoman.core.scores import Score, Scored, is_success
from dragoman.core.texts.characters import escape_controls
from dragoman.report import formatting
from dragoman.runs.in_flight import InFlightConversation, InFlightRegistry
from dragoman.runs.plan import Cell


class RunningCounts:
    """Running counts of finished conversations.

    Args:
        price_of: Returns prices; the cost is shown while all prices are known.

    Attributes:
        played: The number of conversations that were added.
    """

    def __init__(self, price_of: PriceOf) -> None:
        self.played = 0
        self._price_of = price_of
        self._cost: Cost | None = FREE
        self._asked = False
        self._scored = self._passed = 0
        self._endings: Counter[str] = Counter()

    def add(self, cell: Cell, episode: Episode, score: Score) -> None:  # noqa: ARG002
        """Add one conversation."""
        self.played += 1
        reward = score.reward
        if isinstance(reward, Scored) and not reward.undecided:
            self._scored += 1
            self._passed += is_success(reward.value)
        if episode.ending.reason not in COMPLETE:
            self._endings[episode.ending.reason] += 1
        used = (*episode.usage, *score.judges_usage)
        if used:
            self._asked = True
            self._cost = total_cost(
                (self._cost, *(cost_of(usage, self._price_of) for usage in used))
            )

    def describe(self) -> str:
        """Return the counts in one line.

        It covers scored conversations only, never those that have no score.
        """
        return "; ".join(filter(None, (self._score(), self._failures(), self._spent())))

    def _score(self) -> str:
        return f"{self._passed:,} of {self._scored:,} scored passed" if self._scored else ""

    def _failures(self) -> str:
        return ", ".join(
            f"{count:,} {reason.replace('_', ' ')}" for reason, count in self._endings.most_common()
        )

    def _spent(self) -> str:
        is_known = self._asked and self._cost is not None
        return f"cost {formatting.money(self._cost)}" if is_known else ""


SILENCE_S = 30.0
"""Seconds without a reply before the first notice; each further notice takes twice as long."""

CHECK_EVERY_S = 1.0
MAX_NAMED = 3

_OF_A_CONVERSATION = "see --timeout"
_OF_AN_ENDPOINT = "see --read-timeout"
_BUILT = "a built recognizer is cached; --asr understood does not need one"
_SPOKEN = "see --concurrency: this machine can synthesize and recognize fewer at a time"


@contextmanager
def stall_notices(
    watch: InFlightRegistry,
    *,
    is_on: bool,
    silence: float = SILENCE_S,
    every: float = CHECK_EVERY_S,
) -> Iterator[None]:
    """Print a notice on standard error when a run stalls.

    A thread checks this, since an agent may block the event loop.
    """
    if not is_on:
        yield
        return
    describe = silence

    def look() -> None:
        nonlocal describe
        waiting = watch.stalled(silence)
        if not waiting:
            describe = silence
        elif waiting[-1].seconds >= describe:
            describe = 2 * waiting[-1].seconds
            print_line(stall_notice(waiting), to_stderr=True)
            sys.stderr.flush()

    with repeat_in_thread(look, every):
        yield


def stall_notice(waiting: Sequence[InFlightConversation]) -> str:
    """Return a line that names the conversations with the longest wait, and their participants.

    The conversations wait for these participants.
    """
    shown = waiting[:MAX_NAMED]
    named = "; ".join(map(_describe_waiting, shown))
    more = f"; and {len(waiting) - MAX_NAMED} more" if len(waiting) > MAX_NAMED else ""
    least = formatting.duration(waiting[-1].seconds)
    count = formatting.format_count(len(waiting), "conversation")
    helps = "; ".join(dict.fromkeys(map(_option, shown)))
    return f"no reply for {least}: {count} in flight, waiting: {named}{more} ({helps})"


def _describe_waiting(entry: InFlightConversation) -> str:
    waited = formatting.duration(entry.seconds)
    who = _awaited_name(entry)
    return f"task {entry.cell.task.id} for {entry.what} ({f'{who}, ' if who else ''}{waited})"


def _awaited_name(entry: InFlightConversation) -> str:
    """Return the name of the awaited participant; "" if the line has it or there is none."""
    match entry.awaited.party:
        case "agent":
            return entry.cell.agent.name
        case "user":
            return entry.cell.user.name
        case "tool":
            return ""
        case _:
            return entry.awaited.name


def _option(entry: InFlightConversation) -> str:
    """Return the option that helps with this kind of participant."""
    match entry.awaited.party:
        case "recognizer being built":
            return _BUILT
        case "voice" | "recognizer" | "line":
            return _OF_AN_ENDPOINT if uses_network(_awaited_name(entry)) else _SPOKEN
        case "instructions":
            return _OF_AN_ENDPOINT
        case "tool" | "nobody":
            return _OF_A_CONVERSATION
        case _:
            return _OF_AN_ENDPOINT if uses_network(_awaited_name(entry)) else _OF_A_CONVERSATION


MAX_LINE = 65_536
"""Longest typed line, in bytes."""
_CHUNK = 4_096


class TerminalConsole:
    """Reads lines from a file descriptor, which may be a terminal, a pipe or a file."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self._pending = b""
        self._has_ended = False

    async def read(self, prompt: str) -> str | None:
        """Return the next line without its end, or None if the input has ended.

        Raises:
            RunHalted: For a line that is longer than `MAX_LINE`.
        """
        print(prompt, end="", file=sys.stderr, flush=True)
        while b"\n" not in self._pending and not self._has_ended:
            await _readable(self._descriptor)
            chunk = os.read(self._descriptor, _CHUNK)
            self._has_ended = not chunk
            self._pending += chunk
            if len(self._pending) > MAX_LINE and b"\n" not in self._pending:
                raise RunHalted(f"standard input: a line of more than {MAX_LINE} bytes")
        if not self._pending:
            print(file=sys.stderr)
            return None
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode("utf-8", "replace")

    def show(self, text: str) -> None:
        """Show a text with control characters escaped."""
        print(escape_controls(text), file=sys.stderr, flush=True)


async def _readable(descriptor: int) -> None:
    """Wait until a descriptor has input; a file always has."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:
        return
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
