"""From a reply to its verdict, beside the reference's and with the rule that tells them apart."""

from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.abstention import attempts_call, irrelevance_fault, relevance_fault
from dragoman.benchmarks.bfcl.bounds import UnreadableError
from dragoman.benchmarks.bfcl.call_check import Terms
from dragoman.benchmarks.bfcl.checking import check_calls
from dragoman.benchmarks.bfcl.items import read_items, read_object_items
from dragoman.benchmarks.bfcl.questions import FunctionDocument, Question
from dragoman.benchmarks.bfcl.reading import Form, read_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DIFFERENCES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import (
    DECODER_FAILED,
    WRONG_FORMAT,
    Fault,
    Judged,
    Judgement,
    Outcome,
)
from dragoman.core.scores import Unscored
from dragoman.core.speech import Called, Reply, Unparsed, say
from dragoman.core.tools import ToolCall


class Written(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reply as it was stored, and how it has to be read.

    `content` is text, or the list of a function-calling model: `items` with arguments as JSON
    texts, `object_items` as objects. `underscored` says that names were shown with `_` for dots.
    """

    content: object
    form: Form | Literal["items", "object_items"] = "python"
    in_tags: bool = False
    underscored: bool = False

    @property
    def text(self) -> str:
        """The reply as text."""
        return self.content if isinstance(self.content, str) else repr(self.content)


def read(written: Written, rules: BfclRules) -> tuple[ToolCall, ...]:
    """Return the calls of a reply, or raise UnreadableError."""
    if written.form == "items":
        return read_items(written.content)
    if written.form == "object_items":
        return read_object_items(written.content)
    if not isinstance(written.content, str):
        raise UnreadableError("the reply is no text")
    return read_calls(written.content, written.form, rules, in_tags=written.in_tags)


def reply_of(written: Written, functions: tuple[FunctionDocument, ...], rules: BfclRules) -> Reply:
    """Return what a reply is: calls, words, or an attempt at calls that cannot be read."""
    try:
        calls = read(written, rules)
    except UnreadableError as error:
        if isinstance(written.content, str) and not attempts_call(written.text, functions):
            return say(written.text)
        return Unparsed(written.text, str(error))
    return Called(calls) if calls else say(written.text)


def outcome(question: Question, written: Written, rules: BfclRules) -> Outcome:
    """Return the verdict on a reply under one rule set."""
    error: UnreadableError | None = None
    calls: tuple[ToolCall, ...] | None = None
    try:
        calls = read(written, rules)
    except UnreadableError as unreadable:
        error = unreadable
    if "irrelevance" in question.category:
        return Judged(irrelevance_fault(calls, written.text, question.functions, rules))
    if "relevance" in question.category:
        return Judged(relevance_fault(calls))
    if calls is None:
        is_format = error is not None and error.is_format
        return Judged(Fault(WRONG_FORMAT if is_format else DECODER_FAILED, str(error)))
    return check_calls(question, calls, Terms(rules, question.language, written.underscored))


def judge(question: Question, written: Written, rules: BfclRules) -> Judgement:
    """Return the verdict on a reply; where the reference's is another, that and what decided."""
    found = outcome(question, written, rules)
    reference = outcome(question, written, BFCL_V4)
    if _verdict(found) == _verdict(reference):
        return Judgement(rules.name, found)
    return Judgement(rules.name, found, reference, _deciding_rule(question, written, rules))


def _verdict(result: Outcome) -> str | None:
    if isinstance(result, Unscored):
        return "unscored"
    return None if result.fault is None else result.fault.error_type


def _deciding_rule(question: Question, written: Written, rules: BfclRules) -> str:
    """Return the rule that changed the verdict last on the way from the reference's rules."""
    deciding, tried, before = "", BFCL_V4, _verdict(outcome(question, written, BFCL_V4))
    for name in DIFFERENCES:
        tried = msgspec.structs.replace(tried, **{name: getattr(rules, name)})
        now = _verdict(outcome(question, written, tried))
        if now != before:
            deciding, before = name, now
    return deciding
