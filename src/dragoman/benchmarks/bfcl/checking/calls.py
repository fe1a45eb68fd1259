"""Whether the calls of a reply are those that a question expects."""

from collections.abc import Sequence

from dragoman.benchmarks.bfcl.checking.call_check import Terms, WantedCall
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


class WantedCalls:
    """The calls that a question expects, for any number of replies."""

    def __init__(self, question: Question, terms: Terms) -> None:
        self._question = question
        self._terms = terms
        self._calls: dict[int, WantedCall] = {}

    def check(self, calls: Sequence[ToolCall]) -> Outcome:
        """Return the verdict on calls: the kind of check follows from the category.

        Raises:
            DataError: Where the question expects nothing.
        """
        try:
            fault = self._fault(calls)
        except UndecidableError as error:
            return Unscored(str(error))
        return _PASSED if fault is None else Judged(fault)

    def _fault(self, calls: Sequence[ToolCall]) -> CallFault | None:
        question = self._question
        if not question.expected or not question.functions:
            raise DataError(f"BFCL entry {question.id}: nothing is expected; pull the data again")
        for call in calls:
            if call.malformed:
                return CallFault(DECODER_FAILED, call.malformed)
        if "parallel" in question.category:
            return self._unordered_fault(calls)
        if "multiple" in question.category:
            count, checker = len(question.expected), "multiple_function_checker"
        else:
            count, checker = 1, "simple_function_checker"
        if len(calls) != count:
            return CallFault(f"{checker}:wrong_count", f"{len(calls)} calls, not {count}")
        return self._call(0).fault(calls[0])

    def _unordered_fault(self, calls: Sequence[ToolCall]) -> CallFault | None:
        checker, wanted = "parallel_function_checker_no_order", len(self._question.expected)
        if len(calls) != wanted or len(calls) > MAX_CALLS:
            return CallFault(f"{checker}:wrong_count", f"{len(calls)} calls, not {wanted}")

        def passes(expected: int, call: int) -> bool:
            wanted, given = self._call(expected), calls[call]
            return given.name == wanted.name and wanted.fault(given) is None

        is_perfect = self._terms.rules.matching_is_perfect
        pairing = pairs_perfectly if is_perfect else pairs_greedily
        if pairing(wanted, passes):
            return None
        return CallFault(f"{checker}:cannot_find_match", "an expected call is not among them")

    def _call(self, number: int) -> WantedCall:
        """Return an expected call, prepared when it is first asked for."""
        found = self._calls.get(number)
        if found is None:
            expected = self._question.expected[number]
            found = WantedCall(self._function(expected), expected, self._terms)
            self._calls[number] = found
        return found

    def _function(self, expected: ExpectedCall) -> FunctionDocument:
        if "multiple" not in self._question.category and "parallel" not in self._question.category:
            return self._question.functions[0]
        for function in self._question.functions:
            if function.name == expected.name:
                return function
        raise UndecidableError(f"{expected.name} is expected and not on offer")


def check_calls(question: Question, calls: Sequence[ToolCall], terms: Terms) -> Outcome:
    """Return the verdict on the calls of one reply; see `WantedCalls.check`."""
    return WantedCalls(question, terms).check(calls)
