"""Check of calls against expected calls: names, arguments, and a matching in any order.

The reference matches greedily; our default is a maximum bipartite matching.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from dragoman.benchmarks.bfcl.ast_checker.argument_check import ExpectedArgument
from dragoman.benchmarks.bfcl.ast_checker.value_types import known_type
from dragoman.benchmarks.bfcl.entry_files import (
    OMISSION,
    ExpectedCall,
    FunctionDocument,
    Language,
    Question,
)
from dragoman.benchmarks.bfcl.rules import BfclRules
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

_PLAIN: Mapping[Language, Mapping[str | None, type]] = {
    "python": {"string": str, "any": str, "integer": int, "float": float},
    "java": {},
    "javascript": {},
}
"""The types of schemas of which a value that the answer lists is right, whatever else is said."""

_ODD = frozenset({"", 0, 1})
"""Listed values that may differ from an equal value.

Such a value is the mark of omission, or a truth value.
"""


class CallCheckContext(msgspec.Struct, frozen=True):
    """The terms by which calls are checked.

    `underscored` is True if the agent saw function names with `_` for every dot.
    """

    rules: BfclRules
    language: Language
    underscored: bool = False


def has_name(call: ToolCall, function: FunctionDocument, terms: CallCheckContext) -> bool:
    """Return whether a call has a function's name as the agent was shown it."""
    name = function.name.replace(".", "_") if terms.underscored else function.name
    return call.name == name


def call_fault(
    call: ToolCall, function: FunctionDocument, expected: ExpectedCall, terms: CallCheckContext
) -> CallFault | None:
    """Return the fault of a call against the expected one, or None.

    The document's name counts, as in the reference.

    Raises:
        UndecidableError: If the data, or the reference, allow no verdict.
    """
    name = function.name.replace(".", "_") if terms.underscored else function.name
    if call.name != name:
        why = f"{call.name!r:.100}, not {name}"
        return CallFault("simple_function_checker:wrong_func_name", why)
    given = call.arguments
    if call.positionals and terms.rules.positionals_are_bound:
        bound = _bind_arguments(call, function)
        if isinstance(bound, CallFault):
            return bound
        given = bound
    for name in function.parameters.required:
        if name not in given:
            return CallFault("simple_function_checker:missing_required", f"{name} is missing")
    return _arguments_fault(given, function, expected.arguments, terms)


def _arguments_fault(
    given: Mapping[str, object],
    function: FunctionDocument,
    listed: Mapping[str, list[object]],
    terms: CallCheckContext,
) -> CallFault | None:
    schemas, language, unlisted = function.parameters.properties, terms.language, 0
    plain = _PLAIN[language]
    for name, value in given.items():
        schema = schemas.get(name)
        if schema is None:
            why = f"{name!r:.50} is unknown"
            return CallFault("simple_function_checker:unexpected_param", why)
        alternatives = listed.get(name)
        if (
            alternatives is not None
            and plain.get(schema.type) is type(value)
            and value in alternatives
            and value not in _ODD
        ):
            continue
        known = known_type(schema, language)
        wanted = ExpectedArgument(schema, known, language, terms.rules, name, alternatives)
        fault = wanted.fault(value)
        if fault is not None:
            return fault
        unlisted += alternatives is None
    if len(given) - unlisted == len(listed):
        return None
    for name, alternatives in listed.items():
        if name not in given and OMISSION not in alternatives:
            return CallFault("simple_function_checker:missing_optional", f"{name} is missing")
    return None


def _bind_arguments(call: ToolCall, function: FunctionDocument) -> dict[str, object] | CallFault:
    """Return a call's arguments by name: those without one take the first names."""
    names = list(function.parameters.properties)[: len(call.positionals)]
    if len(names) < len(call.positionals):
        return CallFault(
            "simple_function_checker:too_many_positionals",
            f"{len(call.positionals)} arguments without a name, {len(names)} parameters",
        )
    twice = [name for name in names if name in call.arguments]
    if twice:
        return CallFault("simple_function_checker:given_twice", f"{twice[0]} is given twice")
    return {**dict(zip(names, call.positionals, strict=True)), **call.arguments}


Passes = Callable[[int, int], bool]
"""Whether the call at the second index passes for the expected one at the first."""


def has_greedy_matching(count: int, passes: Passes, ordered: int = 0) -> bool:
    """Return whether a greedy matching gives each of `count` expected calls a call.

    Each expected call, in turn, takes the first remaining call that passes. Each of the first
    `ordered` expected calls is known to take the call at its own position.
    """
    left = list(range(ordered, count))
    for expected in range(ordered, count):
        for place, call in enumerate(left):
            if passes(expected, call):
                del left[place]
                break
        else:
            return False
    return True


def has_perfect_matching(count: int, passes: Passes, ordered: int = 0) -> bool:
    """Return whether a bipartite matching gives each of `count` expected calls a call.

    For each of the first `ordered` expected calls, the call at its own position is known to pass.
    """
    known: dict[tuple[int, int], bool] = {}

    def will_do(expected: int, call: int) -> bool:
        pair = expected, call
        if pair not in known:
            known[pair] = passes(expected, call)
        return known[pair]

    call_of = {place: place for place in range(ordered)}
    expected_of = dict(call_of)
    for start in range(ordered, count):
        free, reached_from = _search(start, count, will_do, expected_of)
        if free is None:
            return False
        call: int | None = free
        while call is not None:
            taker = reached_from[call]
            expected_of[call] = taker
            released, call_of[taker] = call_of.get(taker), call
            call = released
    return True


def _search(
    start: int, count: int, passes: Passes, expected_of: dict[int, int]
) -> tuple[int | None, dict[int, int]]:
    """Return a call that is free, or can be freed for `start`, and who reached each call.

    Breadth first, so that no number of calls can exhaust the stack.
    """
    reached_from: dict[int, int] = {}
    queue = [start]
    for expected in queue:
        for call in range(count):
            if call in reached_from or not passes(expected, call):
                continue
            reached_from[call] = expected
            if call not in expected_of:
                return call, reached_from
            queue.append(expected_of[call])
    return None, reached_from


MAX_CALLS = 1_000
"""More calls than any reply needs: the pairing is quadratic."""


_PASSED = Judged()


def check_calls(question: Question, calls: Sequence[ToolCall], terms: CallCheckContext) -> Outcome:
    """Return the verdict on a reply's calls; the category determines the kind of check.

    Raises:
        DataError: If the question expects nothing.
    """
    try:
        fault = _fault(question, calls, terms)
    except UndecidableError as error:
        return Unscored(str(error))
    return _PASSED if fault is None else Judged(fault)


def _fault(
    question: Question, calls: Sequence[ToolCall], terms: CallCheckContext
) -> CallFault | None:
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
    question: Question, calls: Sequence[ToolCall], terms: CallCheckContext
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

    pairing = has_perfect_matching if terms.rules.matching_is_perfect else has_greedy_matching
    if pairing(count, passes, ordered):
        return None
    return CallFault(f"{checker}:cannot_find_match", "an expected call is not among them")


def _function(question: Question, expected: ExpectedCall) -> FunctionDocument:
    for function in question.functions:
        if function.name == expected.name:
            return function
    raise UndecidableError(f"{expected.name} is expected and not on offer")
