"""The exception hierarchy.

DragomanError
├── UsageError       an option, a configuration or a name that the user must correct
│   └── UnplayableConditionError  a condition of a grid that cannot be played here
├── DataError        benchmark data missing, damaged or inconsistent
│   └── UnknownFormatError  a file or folder that its reader does not recognize
├── StoreError       a run that cannot be opened, locked or read, or a file that cannot be written
├── ReplayError      a stored conversation whose tool results a fresh environment does not repeat
├── JudgeError       a judge's reply that does not answer every question once
├── ParticipantError an agent, user or model that broke (not one that answered badly)
│   └── CodeError    an exception raised by the user's own agent or user simulator
└── RunHalted        what ends a whole run: a spent budget, an endpoint that refuses everything

`ToolError` stands apart: it is a tool's answer to its caller, never a failure of the program.
"""

import functools
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MAX_ERROR_CHARS = 2_000
"""Longest part of an error's own message that is shown, in characters."""


class DragomanError(Exception):
    """A failure that is reported to the user in one line: what, where, what to do."""


class UsageError(DragomanError):
    """An option, configuration or name that the user must correct (exit status 2)."""


class UnplayableConditionError(UsageError):
    """A condition that cannot be played here; the other conditions of its grid can be.

    Args:
        reason: Why it cannot be played.
        remedy: The options that make it possible, without a leading verb; "" if there are none.
    """

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(f"{reason}; use {remedy}" if remedy else reason)
        self.reason = reason
        self.remedy = remedy


class DataError(DragomanError):
    """Benchmark data that is missing, damaged or inconsistent."""


class UnknownFormatError(DataError):
    """A file or folder without the format that its reader expects, which may have another one."""


class StoreError(DragomanError):
    """A run that cannot be opened, locked or read, or any file that cannot be written."""


class ReplayError(DragomanError):
    """A stored conversation whose tool results a fresh world does not repeat."""


class JudgeError(DragomanError):
    """A judge's reply that does not answer every question exactly once.

    `usage` is the usage of the unusable reply, as a `core.usage.Usage`; it is paid all the same.
    """

    usage: Any = None


class ParticipantError(DragomanError):
    """An agent, a user or a model that broke: an infrastructure fault, not a bad answer.

    `usage` is the usage of the attempts, as a `core.usage.Usage`.
    """

    usage: Any = None


class CodeError(ParticipantError):
    """An exception in the code of a participant.

    The fault must be fixed there, not in the infrastructure.
    """


class RunHalted(DragomanError):  # noqa: N818 - says what happens to the run
    """An error that ends a run and not one conversation.

    The stored data stay, and the run can be resumed.
    """


class RequestsRefused(RunHalted):
    """An endpoint refused a request as it is, and has answered none so far."""


class ToolError(Exception):
    """A tool's refusal; its text is the answer that the caller sees."""


def attach_delay(cut: BaseException, delay: ParticipantError) -> None:
    """Attach the cause of a call's delay to its cancellation.

    It reaches the caller that cancelled the call.
    """
    cut.args = (delay,)


def attached_delay(cut: BaseException | None) -> ParticipantError | None:
    """Return the cause of delay of a cancelled call; None if it has none."""
    reported = () if cut is None else cut.args
    return next((delay for delay in reported if isinstance(delay, ParticipantError)), None)


def error_with_location(error: BaseException) -> str:
    """Return an error in one line, with the file and the line that raised it.

    The line is the innermost one of the user's own code, if any of it was running. Only the file's
    name is given: reports are passed on, and folders are private.
    """
    said = " ".join(f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARS].split())
    lines = [
        (frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [place for place in lines if not place[0].startswith(_library_folders())] or lines
    return f"{said} ({Path(own[-1][0]).name}, line {own[-1][1]})" if own else said


@functools.cache
def _library_folders() -> tuple[str, ...]:
    """Return the folders of library code: this package, Python, and the installed packages."""
    # Few commands need it, and a global import would load it in all of them.
    import sysconfig

    places = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return (str(Path(__file__).resolve().parents[1]), *places)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the nearest known name; "" if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]!r}?" if near else ""
