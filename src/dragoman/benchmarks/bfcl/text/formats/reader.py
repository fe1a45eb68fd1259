"""What a reader of one form is."""

from collections.abc import Callable

from dragoman.core.tools import ToolCall

ReadCode = Callable[[str], tuple[ToolCall, ...]]
"""Reads calls that are written as code, in the language of the question and by the rules in force."""

ReadReply = Callable[[str, ReadCode], tuple[ToolCall, ...]]
"""Reads the calls of a reply; UnreadableError where it holds none of its form."""

ReadValues = Callable[[str], tuple[ToolCall, ...]]
"""The same for forms in which no call is code."""
