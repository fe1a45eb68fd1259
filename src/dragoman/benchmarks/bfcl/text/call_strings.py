"""Calls as texts for an executor: `f(a=1, b='x')`."""

from collections.abc import Mapping

from dragoman.benchmarks.bfcl.text.bounds import UnreadableError
from dragoman.benchmarks.bfcl.text.python_text import NAMELESS
from dragoman.core.tools import ToolCall


def call_string(call: ToolCall) -> str:
    """Return a call as text, or raise UnreadableError for an empty object among its values.

    An object whose values are all objects is written as a nested call, as the reference has it.
    """
    return f"{call.name}({_listed(call.arguments)})"


def _listed(arguments: Mapping[str, object]) -> str:
    return ", ".join(
        f"{'None' if name == NAMELESS else name}={_written(value)}"
        for name, value in arguments.items()
    )


def _written(value: object) -> str:
    if not isinstance(value, dict):
        return repr(value)
    if all(isinstance(entry, dict) for entry in value.values()):
        name, arguments = next(iter(value.items()), (None, None))
        if not isinstance(arguments, dict):
            raise UnreadableError("an empty object cannot be written as a call")
        return f"{name}({_listed(arguments)})"
    return "{" + ", ".join(f"'{key}': {_written(entry)}" for key, entry in value.items()) + "}"
