"""Calls as code that stands in something: in fences, in strings, behind a thought."""

import re

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.formats.parts import fenced
from dragoman.benchmarks.bfcl.text.formats.reader import ReadCode
from dragoman.benchmarks.bfcl.text.python_text import read_literal
from dragoman.core.tools import ToolCall

_PRINTED = re.compile(r"print\((.*)\)", re.DOTALL)
_API = "default_api."


def read_code(text: str, read: ReadCode) -> tuple[ToolCall, ...]:
    """Read the code of the first fence that holds calls, or all of a reply without fences."""
    problem: UnreadableError | None = None
    for inside in fenced(text) or [text]:
        try:
            return read(inside)
        except UnreadableError as error:
            problem = problem or error
    raise problem or UnreadableError("nothing in the fences")


def read_tool_code(text: str, read: ReadCode) -> tuple[ToolCall, ...]:
    """Read fences of `tool_code`: a list, or a call on each line, printed or not (Gemma)."""
    calls: list[ToolCall] = []
    for inside in text.split("```tool_code")[1:]:
        calls += _listed_or_by_line(inside.partition("```")[0].strip(), read)
    if not calls:
        raise UnreadableError("no fence of tool_code")
    return tuple(calls)


def read_quoted(text: str, read: ReadCode) -> tuple[ToolCall, ...]:
    """Read a list of strings, or one string, that each hold calls (Arctic, DBRX)."""
    value = read_literal(text.strip())
    strings = value if isinstance(value, list) else [value]
    if not strings or not all(isinstance(entry, str) for entry in strings):
        raise UnreadableError("no list of strings")
    return tuple(call for entry in strings for call in read(str(entry)))


def _listed_or_by_line(code: str, read: ReadCode) -> tuple[ToolCall, ...]:
    try:
        return read(_plain(code))
    except UnreadableError:
        lines = [line for line in code.splitlines() if line.strip()]
        return tuple(call for line in lines for call in read(_plain(line)))


def _plain(code: str) -> str:
    """Return code without the printing around it and the name of the interface before its calls."""
    code = code.strip()
    printed = _PRINTED.fullmatch(code)
    code = code if printed is None else printed[1].strip()
    return code.replace(_API, "") if code.startswith((_API, f"[{_API}")) else code
