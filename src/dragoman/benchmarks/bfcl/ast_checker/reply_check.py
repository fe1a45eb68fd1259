"""Check of a whole reply: parse its calls, or its abstention, and compare verdicts.

Relevance and irrelevance categories only ask whether anything was called.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.ast_checker.call_check import CallCheckContext, check_calls
from dragoman.benchmarks.bfcl.call_parsers.json_calls import read_items, read_object_items
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.entry_files import FunctionDocument, Question
from dragoman.benchmarks.bfcl.reply_parser import (
    READ_BY_RULES,
    Form,
    read_calls,
    read_format,
    reading_choices,
)
from dragoman.benchmarks.bfcl.rules import BfclRules
from dragoman.benchmarks.bfcl.verdicts import (
    DECODER_FAILED,
    WRONG_FORMAT,
    CallFault,
    CallJudgement,
    Judged,
    Outcome,
    compare_with_reference,
)
from dragoman.core.replies import Reply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.texts.tool_call_parsing import parse_text_calls
from dragoman.core.tools import ToolCall

_BEGINS_WITH_CALL = re.compile(r"[`\s]*+(?:\w++\n\s*+)?\[\s*+[\"']?[\w.]++\(")
_NAMES_IN_JSON = re.compile(r"""["'](?:name|function)["']\s*+:\s*+["'][\w.]++["']""")


def attempts_call(text: str, functions: Sequence[FunctionDocument]) -> bool:
    """Return whether a text that cannot be read tries to call something.

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
    """Return whether a text holds calls in any form that models are known to write."""
    return parse_text_calls(text, [function.name for function in functions]) is not None


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


class WrittenReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reply as it was stored, and how it has to be read.

    `content` is text, the calls of a reply, or the list of a function-calling model as it was
    stored: `items` with arguments as JSON texts, `object_items` as objects. `underscored` says
    that names were shown with `_` for dots. `described_as` is one of `MODEL_FORMATS` where a model
    wrote calls in a form of its own; `form` is then that of calls which are code in it. `meant`
    returns a call with values in the place of the labels that were shown for them; None where none
    were.
    """

    content: object
    form: Form | Literal["calls", "items", "object_items"] = "python"
    in_tags: bool = False
    underscored: bool = False
    described_as: str = msgspec.field(default="", name="told_as")
    meant: Callable[[ToolCall], ToolCall] | None = None

    @property
    def text(self) -> str:
        """The reply as text."""
        return self.content if isinstance(self.content, str) else repr(self.content)


def read_reply(written: WrittenReply, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a reply, or raise UnreadableError."""
    calls = _as_written(written, rules)
    return calls if written.meant is None else tuple(map(written.meant, calls))


def _as_written(written: WrittenReply, rules: BfclRules) -> tuple[ToolCall, ...]:
    if written.form == "calls":
        return _readable(msgspec.convert(written.content, tuple[ToolCall, ...]))
    if written.form == "items":
        return read_items(written.content)
    if written.form == "object_items":
        return read_object_items(written.content)
    if not isinstance(written.content, str):
        raise UnreadableError("the reply is not text")
    if written.described_as:
        return read_format(written.content, written.described_as, written.form, rules)
    return read_calls(written.content, written.form, rules, in_tags=written.in_tags)


def _readable(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    malformed = next((call.malformed for call in calls if call.malformed), "")
    if malformed:
        raise UnreadableError(malformed)
    return calls


def classify_reply(
    written: WrittenReply, functions: tuple[FunctionDocument, ...], rules: BfclRules
) -> Reply:
    """Return what a reply is: calls, words, or an attempt at calls that cannot be read."""
    try:
        calls = read_reply(written, rules)
    except UnreadableError as error:
        has_calls = attempts_call(written.text, functions) or (
            rules.written_calls_are_calls and holds_written_calls(written.text, functions)
        )
        if isinstance(written.content, str) and not has_calls:
            return text_reply(written.text)
        return UnparsedReply(written.text, str(error))
    return ToolCallReply(calls) if calls else text_reply(written.text)


def judge_by_rules(question: Question, written: WrittenReply, rules: BfclRules) -> Outcome:
    """Return the verdict on one reply under one rule set, without the reference's."""
    return _outcome(question, _ReadReply(written), rules)


def judge_reply(question: Question, written: WrittenReply, rules: BfclRules) -> CallJudgement:
    """Return the verdict on a reply; where the reference's is another, that and what decided."""
    reply = _ReadReply(written)
    return compare_with_reference(lambda tried: _outcome(question, reply, tried), rules)


def _outcome(question: Question, reply: "_ReadReply", rules: BfclRules) -> Outcome:
    found = reply.calls(rules)
    error = found if isinstance(found, UnreadableError) else None
    calls = None if isinstance(found, UnreadableError) else found
    if "irrelevance" in question.category:
        tried = calls is None and _tries(reply.written, question, rules)
        return Judged(irrelevance_fault(calls or (), tried=tried))
    if "relevance" in question.category:
        return Judged(relevance_fault(calls))
    if calls is None:
        is_format = error is not None and error.is_format
        return Judged(CallFault(WRONG_FORMAT if is_format else DECODER_FAILED, str(error)))
    terms = CallCheckContext(rules, question.language, reply.written.underscored)
    return check_calls(question, calls, terms)


class _ReadReply:
    """A reply that is read once for every choice that reading makes."""

    def __init__(self, written: WrittenReply) -> None:
        self.written = written
        self._known: dict[tuple[bool, ...], tuple[ToolCall, ...] | UnreadableError] = {}

    def calls(self, rules: BfclRules) -> tuple[ToolCall, ...] | UnreadableError:
        """Return the calls of the reply, or why it cannot be read."""
        choices = reading_choices(rules) if self.written.form in READ_BY_RULES else ()
        found = self._known.get(choices)
        if found is None:
            try:
                found = read_reply(self.written, rules)
            except UnreadableError as error:
                found = error
            self._known[choices] = found
        return found


def _tries(written: WrittenReply, question: Question, rules: BfclRules) -> bool:
    """Return whether an unreadable reply attempts a call, as far as the rules look for attempts."""
    if not isinstance(written.content, str):
        return rules.attempts_are_not_abstention and bool(written.content)
    text, functions = written.content, question.functions
    if rules.attempts_are_not_abstention and attempts_call(text, functions):
        return True
    return rules.written_calls_are_calls and holds_written_calls(text, functions)
