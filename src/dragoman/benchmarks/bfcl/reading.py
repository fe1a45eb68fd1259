"""Reading calls in the text of a reply, in any form that agents are asked for."""

from collections.abc import Callable, Mapping
from typing import Literal

from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.source_code.text import read_java_calls, read_javascript_calls
from dragoman.benchmarks.bfcl.text.bounds import check_length
from dragoman.benchmarks.bfcl.text.formats.table import FORMATS, behind_thought
from dragoman.benchmarks.bfcl.text.framing import bracketed, tagged
from dragoman.benchmarks.bfcl.text.json_text import read_json_calls
from dragoman.benchmarks.bfcl.text.python_text import read_python_calls
from dragoman.benchmarks.bfcl.text.xml_text import read_xml_calls
from dragoman.core.tools import ToolCall

Form = Literal["python", "json", "verbose_xml", "concise_xml", "java", "javascript"]
"""The form in which calls are asked for."""

READ_BY_RULES: frozenset[str] = frozenset({"python", "json", "java", "javascript"})
"""The forms in which rule sets can differ in what they read."""

Read = Callable[[str, BfclRules], tuple[ToolCall, ...]]


def read_calls(
    text: str, form: Form, rules: BfclRules, *, in_tags: bool = False
) -> tuple[ToolCall, ...]:
    """Return the calls of a text; with `in_tags`, of what stands between `<TOOLCALL>` tags.

    Raises:
        UnreadableError: Where the text holds no calls of that form.
    """
    check_length(text)
    framed = bracketed(text) if form in _BRACKETED else text
    if in_tags:
        framed = tagged(framed)
    return _READERS[form](framed, rules)


def read_format(text: str, name: str, code: Form, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a reply in one of `FORMATS`, where calls that are code have the form `code`.

    Raises:
        UnreadableError: Where the reply holds no calls of that form.
    """
    check_length(text)
    found = FORMATS[name]
    return found.read(behind_thought(text), lambda part: read_calls(part, code, rules))


def reading_choices(rules: BfclRules) -> tuple[bool, ...]:
    """Return what a rule set says of reading: texts are the same calls where this is the same."""
    return (
        rules.positionals_are_bound,
        rules.signs_keep_their_meaning,
        rules.odd_calls_are_unreadable,
        rules.json_is_read_whole,
        rules.source_is_read_as_written,
    )


def _python(text: str, rules: BfclRules) -> tuple[ToolCall, ...]:
    return read_python_calls(text.strip().strip("'"), rules)


def _verbose_xml(text: str, _: BfclRules) -> tuple[ToolCall, ...]:
    return read_xml_calls(text, verbose=True)


def _concise_xml(text: str, _: BfclRules) -> tuple[ToolCall, ...]:
    return read_xml_calls(text, verbose=False)


_BRACKETED = frozenset({"python", "json", "java", "javascript"})

_READERS: Mapping[Form, Read] = {
    "python": _python,
    "json": read_json_calls,
    "verbose_xml": _verbose_xml,
    "concise_xml": _concise_xml,
    "java": read_java_calls,
    "javascript": read_javascript_calls,
}
