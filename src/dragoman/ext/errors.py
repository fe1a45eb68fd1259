"""Errors that Dragoman raises, and those that extensions raise for it to report.

Each has one line of text for a person. Raise `UsageError` for an option or a name that the user
must correct, `DataError` for data that are missing or damaged, and `ToolError` for an answer of a
tool that refuses.
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
