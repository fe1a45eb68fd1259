"""Whether the calls of a reply are those that a question expects."""

from collections.abc import Sequence

from dragoman.benchmarks.bfcl.call_check import Terms, call_fault
from dragoman.benchmarks.bfcl.matching import pairs_greedily, pairs_perfectly
from dragoman.benchmarks.bfcl.questions import ExpectedCall, FunctionDocument, Question
from dragoman.benchmarks.bfcl.verdicts import (
    DECODER_FAILED,
    Fault,
    Judged,
    Outcome,
    UndecidableError,
)
from dragoman.core.errors import DataError
from dragoman.core.scores import Unscored
from dragoman.core.tools import ToolCall

MAX_CALLS = 1_000
"""More calls than any reply needs: the pairing is quadratic."""


def check_calls(question: Question, calls: Sequence[ToolCall], terms: Terms) -> Outcome:
    """Return the verdict on the calls of a reply: the kind of check follows from the category."""
    try:
        return Judged(_calls_fault(question, calls, terms))
    except UndecidableError as error:
        return Unscored(str(error))


def _calls_fault(question: Question, calls: Sequence[ToolCall], terms: Terms) -> Fault | None:
    if not question.expected or not question.functions:
        raise DataError(f"BFCL entry {question.id}: nothing is expected; pull the data again")
    malformed = next((call.malformed for call in calls if call.malformed), "")
    if malformed:
        return Fault(DECODER_FAILED, malformed)
    if "parallel" in question.category:
        return _unordered_fault(question, calls, terms)
    expected = question.expected[0]
    if "multiple" in question.category:
        count, checker = len(question.expected), "multiple_function_checker"
    else:
        count, checker = 1, "simple_function_checker"
    if len(calls) != count:
        return Fault(f"{checker}:wrong_count", f"{len(calls)} calls, not {count}")
    function = (
        _offered(question, expected) if "multiple" in question.category else question.functions[0]
    )
    return call_fault(calls[0], function, expected, terms)


def _unordered_fault(question: Question, calls: Sequence[ToolCall], terms: Terms) -> Fault | None:
    checker = "parallel_function_checker_no_order"
    if len(calls) != len(question.expected) or len(calls) > MAX_CALLS:
        why = f"{len(calls)} calls, not {len(question.expected)}"
        return Fault(f"{checker}:wrong_count", why)

    def passes(expected: int, call: int) -> bool:
        wanted = question.expected[expected]
        return call_fault(calls[call], _offered(question, wanted), wanted, terms) is None

    pairing = pairs_perfectly if terms.rules.matching_is_perfect else pairs_greedily
    if pairing(len(calls), passes):
        return None
    return Fault(f"{checker}:cannot_find_match", "an expected call is not among them")


def _offered(question: Question, expected: ExpectedCall) -> FunctionDocument:
    for function in question.functions:
        if function.name == expected.name:
            return function
    raise UndecidableError(f"{expected.name} is expected and not on offer")
