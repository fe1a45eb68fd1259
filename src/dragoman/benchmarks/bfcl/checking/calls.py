"""Whether the calls of a reply are those that a question expects."""

from collections.abc import Sequence

from dragoman.benchmarks.bfcl.checking.call_check import Terms, call_fault, has_name
from dragoman.benchmarks.bfcl.checking.matching import pairs_greedily, pairs_perfectly
from dragoman.benchmarks.bfcl.questions import ExpectedCall, FunctionDocument, Question
from dragoman.benchmarks.bfcl.verdicts import (
    DECODER_FAILED,
    CallFault,
    Judged,
    Outcome,
    UndecidableError,
)
from dragoman.core.errors import DataError
from dragoman.core.scores import Unscored
from dragoman.core.tools import ToolCall

MAX_CALLS = 1_000
"""More calls than any reply needs: the pairing is quadratic."""


_PASSED = Judged()


def check_calls(question: Question, calls: Sequence[ToolCall], terms: Terms) -> Outcome:
    """Return the verdict on the calls of a reply: the kind of check follows from the category.

    Raises:
        DataError: Where the question expects nothing.
    """
    try:
        fault = _fault(question, calls, terms)
    except UndecidableError as error:
        return Unscored(str(error))
    return _PASSED if fault is None else Judged(fault)


def _fault(question: Question, calls: Sequence[ToolCall], terms: Terms) -> CallFault | None:
    if not question.expected or not question.functions:
        raise DataError(f"BFCL entry {question.id}: nothing is expected; pull the data again")
    for call in calls:
        if call.malformed:
            return CallFault(DECODER_FAILED, call.malformed)
    if "parallel" in question.category:
        return _unordered_fault(question, calls, terms)
    is_multiple = "multiple" in question.category
    count = len(question.expected) if is_multiple else 1
    if len(calls) != count:
        checker = "multiple_function_checker" if is_multiple else "simple_function_checker"
        return CallFault(f"{checker}:wrong_count", f"{len(calls)} calls, not {count}")
    expected = question.expected[0]
    function = _function(question, expected) if is_multiple else question.functions[0]
    return call_fault(calls[0], function, expected, terms)


def _unordered_fault(
    question: Question, calls: Sequence[ToolCall], terms: Terms
) -> CallFault | None:
    checker, count = "parallel_function_checker_no_order", len(question.expected)
    if len(calls) != count or len(calls) > MAX_CALLS:
        return CallFault(f"{checker}:wrong_count", f"{len(calls)} calls, not {count}")
    ordered = 0
    for wanted, given in zip(question.expected, calls, strict=True):
        if call_fault(given, _function(question, wanted), wanted, terms) is not None:
            break
        ordered += 1
    if ordered == count:
        return None

    def passes(expected: int, call: int) -> bool:
        wanted, given = question.expected[expected], calls[call]
        function = _function(question, wanted)
        if expected == call == ordered or not has_name(given, function, terms):
            return False
        return call_fault(given, function, wanted, terms) is None

    pairing = pairs_perfectly if terms.rules.matching_is_perfect else pairs_greedily
    if pairing(count, passes, ordered):
        return None
    return CallFault(f"{checker}:cannot_find_match", "an expected call is not among them")


def _function(question: Question, expected: ExpectedCall) -> FunctionDocument:
    for function in question.functions:
        if function.name == expected.name:
            return function
    raise UndecidableError(f"{expected.name} is expected and not on offer")
