"""Says whom conversations wait for, and what helps, where nothing has moved for a while."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dragoman.cli.output import print_line
from dragoman.cli.progressing.bars import repeated
from dragoman.report import wording
from dragoman.runs.in_flight import InFlightConversation, InFlightRegistry
from dragoman.wiring.reach import asks_endpoint

SILENCE_S = 30.0
"""Seconds without any reply after which people are told; then after twice as many, and so on."""

CHECK_EVERY_S = 1.0
MAX_NAMED = 3

_OF_A_CONVERSATION = "see --timeout"
_OF_AN_ENDPOINT = "see --read-timeout"
_BUILT = "what is built is kept; --asr understood needs no recognizer"
_SPOKEN = "see --concurrency: this machine speaks and hears for fewer at a time"


@contextmanager
def stall_notices(
    watch: InFlightRegistry,
    *,
    is_on: bool,
    silence: float = SILENCE_S,
    every: float = CHECK_EVERY_S,
) -> Iterator[None]:
    """Print a line on standard error wherever a run has stood still for too long.

    A thread looks after it, since an agent may hold the event loop up.
    """
    if not is_on:
        yield
        return
    told = silence

    def look() -> None:
        nonlocal told
        waiting = watch.stalled(silence)
        if not waiting:
            told = silence
        elif waiting[-1].seconds >= told:
            told = 2 * waiting[-1].seconds
            print_line(notice(waiting), to_stderr=True)
            sys.stderr.flush()

    with repeated(look, every):
        yield


def notice(waiting: Sequence[InFlightConversation]) -> str:
    """Return a line that names the conversations that have waited longest, and whom they wait for."""
    shown = waiting[:MAX_NAMED]
    named = "; ".join(map(_named, shown))
    more = f"; and {len(waiting) - MAX_NAMED} more" if len(waiting) > MAX_NAMED else ""
    least = wording.duration(waiting[-1].seconds)
    count = wording.counted(len(waiting), "conversation")
    helps = "; ".join(dict.fromkeys(map(_option, shown)))
    return f"no reply for {least}: {count} under way, waiting: {named}{more} ({helps})"


def _named(entry: InFlightConversation) -> str:
    waited = wording.duration(entry.seconds)
    who = _who(entry)
    return f"task {entry.cell.task.id} for {entry.what} ({f'{who}, ' if who else ''}{waited})"


def _who(entry: InFlightConversation) -> str:
    """Return the name of whoever is waited for; "" where the line has it, or nobody has one."""
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
    """Return the option that helps with whoever is waited for."""
    match entry.awaited.party:
        case "recognizer being built":
            return _BUILT
        case "voice" | "recognizer" | "line":
            return _OF_AN_ENDPOINT if asks_endpoint(_who(entry)) else _SPOKEN
        case "instructions":
            return _OF_AN_ENDPOINT
        case "tool" | "nobody":
            return _OF_A_CONVERSATION
        case _:
            return _OF_AN_ENDPOINT if asks_endpoint(_who(entry)) else _OF_A_CONVERSATION
