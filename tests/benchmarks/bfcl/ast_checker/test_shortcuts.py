"""Values that are found right at once are those that are right when everything is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.ast_checker.argument_check import (
    exact_fault,
    parse_source_value,
    value_fault,
)
from dragoman.benchmarks.bfcl.ast_checker.call_check import CallCheckContext, call_fault
from dragoman.benchmarks.bfcl.ast_checker.value_types import (
    TYPES,
    accepted_values,
    check_type,
    coerce_value,
    type_slot,
)
from dragoman.benchmarks.bfcl.entry_files import (
    ExpectedCall,
    FunctionDocument,
    Language,
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


SOURCES = (
    "a",
    '"a"',
    "'a'",
    "true",
    "0",
    "1",
    "-1",
    "1.0",
    "1L",
    "1f",
    "null",
    "[1]",
    "[true]",
    "",
)
SOURCE = st.sampled_from([*SOURCES, "new int[]{1}", "List.of(1)", '["a"]', '{"a": 1}', "{a: 1}"])
SOURCE_TYPE = st.sampled_from([*TYPES["java"], *TYPES["javascript"]])
SOURCE_SCHEMA = st.builds(
    ParameterSchema, type=SOURCE_TYPE, items=st.none() | st.builds(ParameterSchema, SOURCE_TYPE)
)


def is_right(
    value: object,
    schema: ParameterSchema,
    alternatives: list[object],
    rules: BfclRules,
    language: Language = "python",
) -> bool | None:
    """Return whether a full check finds a value right; None if the rules cannot decide."""
    slot = type_slot(schema, language, rules)
    answers = accepted_values(alternatives, rules)
    try:
        if language != "python":
            value = parse_source_value(str(value), slot, language)
        value = coerce_value(value, slot)
        found = check_type(value, answers, slot)
        if found.fault is not None:
            return False
        compared = exact_fault if found.stands_in else value_fault
        return compared(value, answers, slot) is None
    except UndecidableError:
        return None


def is_found_right(
    value: object,
    schema: ParameterSchema,
    alternatives: list[object],
    rules: BfclRules,
    language: Language = "python",
) -> bool | None:
    """The verdict on a call with this one argument."""
    function = FunctionDocument("f", Parameters({"x": schema}))
    expected, given = ExpectedCall("f", {"x": alternatives}), ToolCall("", "f", {"x": value})
    try:
        return call_fault(given, function, expected, CallCheckContext(rules, language)) is None
    except UndecidableError:
        return None


@given(st.data(), SCHEMA, st.lists(VALUE, min_size=1, max_size=3), RULES)
def test_what_is_found_right_at_once_is_right(
    data: st.DataObject, schema: ParameterSchema, alternatives: list[object], rules: BfclRules
) -> None:
    value = data.draw(st.sampled_from(alternatives) | VALUE)
    found = is_found_right(value, schema, alternatives, rules)
    assert found == is_right(value, schema, alternatives, rules)


@given(
    SOURCE,
    SOURCE_SCHEMA,
    st.lists(VALUE | SOURCE, min_size=1, max_size=3),
    RULES,
    st.sampled_from(["java", "javascript"]),
)
def test_what_is_found_right_at_once_of_source_text_is_right(
    text: str,
    schema: ParameterSchema,
    alternatives: list[object],
    rules: BfclRules,
    language: Language,
) -> None:
    found = is_found_right(text, schema, alternatives, rules, language)
    assert found == is_right(text, schema, alternatives, rules, language)
