"""Errors that Dragoman raises, and those that extensions raise for it to report.

Each has a one-line message for the user. Raise `UsageError` for an option or a name that the user
must correct, `DataError` for data that are missing or damaged, and `ToolError` for a tool's answer
that refuses a call.
"""

from dragoman.core.errors import (
    CodeError,
    DataError,
    DragomanError,
    JudgeError,
    ParticipantError,
    ReplayError,
    RunHalted,
    StoreError,
    ToolError,
    UsageError,
)

__all__ = [
    "CodeError",
    "DataError",
    "DragomanError",
    "JudgeError",
    "ParticipantError",
    "ReplayError",
    "RunHalted",
    "StoreError",
    "ToolError",
    "UsageError",
]
