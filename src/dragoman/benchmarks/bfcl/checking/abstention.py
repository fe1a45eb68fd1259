"""Whether a reply called anything, and whether one that could not be read tried to."""

import re
from collections.abc import Sequence

from dragoman.benchmarks.bfcl.questions import FunctionDocument
from dragoman.benchmarks.bfcl.verdicts import CallFault
from dragoman.core.texts.calls_in_text import written_calls_in
from dragoman.core.tools import ToolCall

_BEGINS_WITH_CALL = re.compile(r"[`\s]*+(?:\w++\n\s*+)?\[\s*+[\"']?[\w.]++\(")
_NAMES_IN_JSON = re.compile(r"""["'](?:name|function)["']\s*+:\s*+["'][\w.]++["']""")


def attempts_call(text: str, functions: Sequence[FunctionDocument]) -> bool:
    """Whether a text that cannot be read tries to call something.

    It does if it begins with a call in square brackets, names a function in JSON, or has an offered
    function's name with arguments behind it.
    """
    if _BEGINS_WITH_CALL.match(text) or _NAMES_IN_JSON.search(text):
        return True
    names = {name for function in functions for name in _spellings(function.name)}
    return any(_has_call(text, name) for name in names)


def _spellings(name: str) -> tuple[str, str]:
    return name, name.replace(".", "_")


def _has_call(text: str, name: str) -> bool:
    if name not in text:
        return False
    pattern = rf"(?<![\w.])(?<!def ){re.escape(name)}\s*+\(\s*+[^)\s]"
    return re.search(pattern, text) is not None


def holds_written_calls(text: str, functions: Sequence[FunctionDocument]) -> bool:
    """Whether a text holds calls in any form that models are known to write."""
    return written_calls_in(text, [function.name for function in functions]) is not None


def irrelevance_fault(calls: Sequence[ToolCall], *, tried: bool) -> CallFault | None:
    """Return a fault where nothing should have been called; `tried` marks an unreadable call."""
    if calls:
        return CallFault("irrelevance_error:decoder_success", f"{calls[0].name:.100} was called")
    if tried:
        return CallFault("irrelevance_error:unreadable_call", "a call that cannot be read")
    return None


def relevance_fault(calls: Sequence[ToolCall] | None) -> CallFault | None:
    """Return a fault where something should have been called, whatever it is."""
    if calls:
        return None
    return CallFault("relevance_error:decoder_failed", "nothing was called")
