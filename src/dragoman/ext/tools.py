"""Tools of conversations: their schemas, the calls of them and the results."""

from dragoman.core.tools import (
    NO_TOOLS,
    Change,
    Role,
    ToolCall,
    ToolKind,
    ToolResult,
    Toolset,
    ToolSpec,
)

__all__ = [
    "NO_TOOLS",
    "Change",
    "Role",
    "ToolCall",
    "ToolKind",
    "ToolResult",
    "ToolSpec",
    "Toolset",
]
