"""Calls as a stored conversation can hold them.

Python text, and JSON as Python reads it, can name values that JSON in UTF-8 has no form for: halves of
characters, keys that are no texts, complex numbers, whole numbers without end. Verdicts on calls in
text are given on the text and see them as they were written.
"""

import msgspec

from dragoman.core.texts.carried import carried, why_not_carried
from dragoman.core.tools import ToolCall


def storable(call: ToolCall) -> ToolCall:
    """Return a call as it is, or as one that cannot be read where a record could not carry it."""
    if not (why := why_not_carried((call.name, call.arguments, call.positionals, call.raw))):
        return call
    return msgspec.structs.replace(
        call,
        name=carried(call.name),
        arguments={},
        positionals=(),
        raw=carried(call.raw),
        malformed=why,
    )
