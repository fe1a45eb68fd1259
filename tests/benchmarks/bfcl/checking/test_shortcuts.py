"""Values that are found right at once are those that are right when everything is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.checking.answers import Answers, values_of
from dragoman.benchmarks.bfcl.checking.call_check import Terms, WantedCall
from dragoman.benchmarks.bfcl.checking.schema_types import TypeSlot, fitted, typed
from dragoman.benchmarks.bfcl.checking.value_check import exact_fault, value_fault
from dragoman.benchmarks.bfcl.questions import (
    ExpectedCall,
    FunctionDocument,
    Parameters,
    ParameterSchema,
)
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import UndecidableError
from dragoman.core.tools import ToolCall

PLAIN = (
    "",
    "a",
    "A.",
    "b",
    0,
    1,
    2,
    2**53 + 1,
    True,
    False,
    0.0,
    1.0,
    2.0,
    2.5,
    float(2**53),
    None,
)
ONE = st.sampled_from(PLAIN)
VALUE = st.one_of(ONE, st.lists(ONE, max_size=2), st.lists(st.lists(ONE, max_size=1), max_size=2))
TYPE = st.sampled_from(
    ["string", "any", "integer", "float", "boolean", "array", "tuple", "dict", None]
)
SCHEMA = st.builds(
    ParameterSchema, type=TYPE, items=st.none() | st.builds(ParameterSchema, type=TYPE)
)
RULES = st.sampled_from([BFCL_V4, DEFAULT_RULES])


def is_right(
    value: object, schema: ParameterSchema, alternatives: list[object], rules: BfclRules
) -> bool | None:
    """Whether a value is right when everything is looked at; None where the rules cannot say."""
    slot = TypeSlot(schema, "python", rules)
    answers = Answers(values_of(alternatives, rules), rules)
    try:
        value = fitted(value, slot)
        found = typed(value, answers, slot)
        if found.fault is not None:
            return False
        compared = exact_fault if found.stands_in else value_fault
        return compared(value, answers, slot) is None
    except UndecidableError:
        return None


@given(st.data(), SCHEMA, st.lists(VALUE, min_size=1, max_size=3), RULES)
def test_what_is_found_right_at_once_is_right(
    data: st.DataObject, schema: ParameterSchema, alternatives: list[object], rules: BfclRules
) -> None:
    value = data.draw(st.sampled_from(alternatives) | VALUE)
    function = FunctionDocument("f", Parameters({"x": schema}))
    wanted = WantedCall(function, ExpectedCall("f", {"x": alternatives}), Terms(rules, "python"))

    try:
        verdict = wanted.fault(ToolCall("", "f", {"x": value})) is None
    except UndecidableError:
        verdict = None

    assert verdict == is_right(value, schema, alternatives, rules)
