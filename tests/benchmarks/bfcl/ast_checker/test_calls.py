from collections.abc import Mapping, Sequence

import msgspec
import pytest

from dragoman.benchmarks.bfcl.ast_checker.call_check import CallCheckContext, check_calls
from dragoman.benchmarks.bfcl.entry_files import Language, Question, read_question
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.verdicts import Judged
from dragoman.core.errors import DataError
from dragoman.core.scores import Unscored
from dragoman.core.tools import ToolCall

STRINGS = {"type": "array", "items": {"type": "string"}}
FLOATS = {"type": "array", "items": {"type": "float"}}


def one_argument(
    schema: Mapping[str, object], values: list[object], category: str = "simple_python"
) -> Question:
    """Return a question for one call `f(a=...)`, where `a` is optional."""
    return with_answers([{"f": {"a": values}}], {"a": schema}, category)


def with_answers(
    answers: Sequence[Mapping[str, Mapping[str, list[object]]]],
    properties: Mapping[str, object],
    category: str,
    required: Sequence[str] = (),
) -> Question:
    function = {"name": "f", "parameters": {"properties": properties, "required": required}}
    return read_question({"id": f"{category}_0", "function": [function]}, answers)


def call(*positionals: object, **arguments: object) -> ToolCall:
    return ToolCall("", "f", arguments, positionals=positionals)


def error(
    question: Question, rules: BfclRules, *calls: ToolCall, language: Language = "python"
) -> str | None:
    """Return the type of the error in calls, or None if they pass."""
    result = check_calls(question, calls, CallCheckContext(rules, language))
    assert isinstance(result, Judged)
    return None if result.fault is None else result.fault.error_type


def test_strings_match_as_they_are_and_in_the_reference_without_case_and_punctuation() -> None:
    city = one_argument({"type": "string"}, ["New York"])
    assert error(city, DEFAULT_RULES, call(a="New York")) is None
    for spelled in ("new york", "New-York", "N.e/w*York^", "New,_York"):
        assert error(city, BFCL_V4, call(a=spelled)) is None
        assert error(city, DEFAULT_RULES, call(a=spelled)) == "value_error:string"
    for other in ("New\tYork", "New York\n", "(New York)"):
        assert error(city, BFCL_V4, call(a=other)) == "value_error:string"


def test_a_decimal_point_counts_and_not_in_the_reference() -> None:
    version = one_argument({"type": "string"}, ["3.5"])
    assert error(version, BFCL_V4, call(a="-35")) is None
    assert error(version, DEFAULT_RULES, call(a="-35")) == "value_error:string"


def test_either_quote_will_do_only_in_the_reference() -> None:
    word = one_argument({"type": "string"}, ["it's"])
    assert error(word, BFCL_V4, call(a='it"s')) is None
    assert error(word, DEFAULT_RULES, call(a='it"s')) == "value_error:string"


def test_whole_numbers_serve_as_floats_at_every_depth_and_in_the_reference_at_the_top() -> None:
    number, interval = one_argument({"type": "float"}, [5.0]), one_argument(FLOATS, [[1.0, 2.0]])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(number, rules, call(a=5)) is None
    assert error(interval, BFCL_V4, call(a=[1, 2])) == "type_error:nested"
    assert error(interval, DEFAULT_RULES, call(a=[1, 2])) is None


def test_elements_are_checked_even_where_the_list_may_be_omitted_except_in_the_reference() -> None:
    interval = one_argument(FLOATS, [[1.0, 2.0], ""])
    assert error(interval, BFCL_V4, call(a=[True, 2.0])) is None
    assert error(interval, DEFAULT_RULES, call(a=[True, 2.0])) == "type_error:nested"


def test_elements_of_elements_are_checked_except_in_the_reference() -> None:
    rows = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    grid = one_argument(rows, [[[1, 2], [3]]])
    assert error(grid, BFCL_V4, call(a=[[1, 2], [3.0]])) is None
    assert error(grid, DEFAULT_RULES, call(a=[[1, 2], [3.0]])) == "type_error:nested"


def test_entries_of_objects_have_the_schemas_types_except_in_the_reference() -> None:
    schema = {"type": "dict", "properties": {"n": {"type": "integer"}}}
    entry = one_argument(schema, [{"n": [2]}])
    assert error(entry, BFCL_V4, call(a={"n": 2.0})) is None
    assert error(entry, DEFAULT_RULES, call(a={"n": 2.0})) == "value_error:dict_value"


def test_any_alternative_sets_the_type_and_in_the_reference_the_first() -> None:
    variable = one_argument({"type": "integer"}, [7, "total"])
    assert error(variable, BFCL_V4, call(a="total")) == "type_error:simple"
    assert error(variable, DEFAULT_RULES, call(a="total")) is None
    nothing = one_argument({"type": "string"}, ["x", None])
    assert error(nothing, BFCL_V4, call(a=None)) == "type_error:simple"
    assert error(nothing, DEFAULT_RULES, call(a=None)) is None


def test_a_variables_name_is_compared_as_it_stands() -> None:
    variable = one_argument({"type": "integer"}, ["total"])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(variable, rules, call(a="total")) is None
        assert error(variable, rules, call(a="Total")) == "value_error:others"
        assert error(variable, rules, call(a=5)) == "value_error:others"


def test_true_is_not_one_except_inside_objects_in_the_reference() -> None:
    entry = one_argument({"type": "dict"}, [{"n": [1]}])
    assert error(entry, BFCL_V4, call(a={"n": True})) is None
    assert error(entry, DEFAULT_RULES, call(a={"n": True})) == "value_error:dict_value"
    number = one_argument({"type": "integer"}, [1])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(number, rules, call(a=True)) == "type_error:simple"


def test_the_mark_of_omission_is_no_value_and_in_the_reference_an_empty_one() -> None:
    text, floats = one_argument({"type": "string"}, ["x", ""]), one_argument(FLOATS, [[1.0], ""])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(text, rules, call()) is None
        assert error(floats, rules, call()) is None
    assert error(text, BFCL_V4, call(a=" - ")) is None
    assert error(text, DEFAULT_RULES, call(a="")) == "value_error:string"
    assert error(floats, BFCL_V4, call(a=[])) is None
    assert error(floats, DEFAULT_RULES, call(a=[])) == "value_error:list/tuple"


def test_a_key_that_may_be_omitted_may_be_empty_in_the_reference_only() -> None:
    entry = one_argument({"type": "dict"}, [{"k": ["x"], "o": ["z", ""]}])
    assert error(entry, BFCL_V4, call(a={"k": "x", "o": ""})) is None
    assert error(entry, DEFAULT_RULES, call(a={"k": "x", "o": ""})) == "value_error:dict_value"


def test_an_empty_object_where_only_omission_is_expected_is_unclear() -> None:
    entry = one_argument({"type": "dict"}, [""])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(entry, rules, call(a={})) == "dict_checker:unclear"


def test_objects_inside_objects_hold_alternatives_and_not_in_the_reference() -> None:
    entry = one_argument({"type": "dict"}, [{"k": [{"m": ["x", "y"], "o": ["z", ""]}]}])
    assert error(entry, BFCL_V4, call(a={"k": {"m": "y"}})) == "value_error:dict_value"
    assert error(entry, DEFAULT_RULES, call(a={"k": {"m": "y"}})) is None
    as_it_stands = {"k": {"m": ["x", "y"], "o": ["z", ""]}}
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(entry, rules, call(a=as_it_stands)) is None
        assert error(entry, rules, call(a={"k": {"m": "q"}})) == "value_error:dict_value"


def test_an_argument_may_be_given_its_default_except_in_the_reference() -> None:
    unlisted = with_answers(
        [{"f": {"a": [1]}}],
        {"a": {"type": "integer"}, "unit": {"type": "string", "default": "m"}},
        "simple_python",
    )
    assert (
        error(unlisted, BFCL_V4, call(a=1, unit="m")) == "simple_function_checker:unexpected_param"
    )
    assert error(unlisted, DEFAULT_RULES, call(a=1, unit="m")) is None
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert (
            error(unlisted, rules, call(a=1, unit="km"))
            == "simple_function_checker:unexpected_param"
        )


@pytest.mark.parametrize("schema", [{"type": "number"}, {}, {"type": "array"}])
def test_schemas_that_break_the_reference_are_judged_by_value(
    schema: Mapping[str, object],
) -> None:
    value: object = [1] if schema == {"type": "array"} else 1
    question = one_argument(schema, [value])
    assert isinstance(
        check_calls(question, [call(a=value)], CallCheckContext(BFCL_V4, "python")), Unscored
    )
    assert error(question, DEFAULT_RULES, call(a=value)) is None
    assert error(question, DEFAULT_RULES, call(a=2)) is not None


def test_a_list_of_objects_with_something_else_breaks_only_the_reference() -> None:
    objects = one_argument({"type": "array", "items": {"type": "dict"}}, [[{"k": ["x"]}], ""])
    broken = check_calls(objects, [call(a=["x"])], CallCheckContext(BFCL_V4, "python"))
    assert isinstance(broken, Unscored)
    assert error(objects, DEFAULT_RULES, call(a=["x"])) == "type_error:nested"


def test_lists_of_objects_are_compared_one_by_one_and_in_order() -> None:
    objects = one_argument(
        {"type": "array", "items": {"type": "dict"}}, [[{"k": ["x"]}, {"k": ["y"], "n": [2, ""]}]]
    )
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(objects, rules, call(a=[{"k": "x"}, {"k": "y"}])) is None
        assert error(objects, rules, call(a=[{"k": "y"}, {"k": "x"}])) == "value_error:dict_value"
        assert error(objects, rules, call(a=[{"k": "x"}])) == "value_error:list_dict_count"
        assert error(objects, rules, call(a=[{"k": "x"}, {"q": "y"}])) == "value_error:dict_key"


def test_lists_are_compared_in_order() -> None:
    words = one_argument(STRINGS, [["a b", "c"]])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(words, rules, call(a=["a b", "c"])) is None
        assert error(words, rules, call(a=["c", "a b"])) == "value_error:list/tuple"
    assert error(words, BFCL_V4, call(a=["AB", "C"])) is None
    assert error(words, DEFAULT_RULES, call(a=["AB", "C"])) == "value_error:list/tuple"


def test_a_tuple_is_a_list_only_where_a_tuple_is_asked_for() -> None:
    pair = one_argument({"type": "tuple", "items": {"type": "float"}}, [[1.0, 2.0]])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(pair, rules, call(a=(1.0, 2.0))) is None
        assert error(pair, rules, call(a=[1.0, 2.0])) is None
        array = one_argument(FLOATS, [[1.0, 2.0]])
        assert error(array, rules, call(a=(1.0, 2.0))) == "type_error:simple"


def test_positionals_take_the_names_of_the_signature_and_in_the_reference_none() -> None:
    sides = with_answers(
        [{"f": {"x": [4], "y": [5]}}],
        {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "simple_python",
        ["x", "y"],
    )
    assert error(sides, BFCL_V4, call(4, 5)) == "simple_function_checker:missing_required"
    assert error(sides, DEFAULT_RULES, call(4, 5)) is None
    assert error(sides, DEFAULT_RULES, call(4, y=5)) is None
    assert error(sides, DEFAULT_RULES, call(5, 4)) == "value_error:others"
    assert error(sides, DEFAULT_RULES, call(4, x=5)) == "simple_function_checker:given_twice"
    assert (
        error(sides, DEFAULT_RULES, call(4, 5, 6)) == "simple_function_checker:too_many_positionals"
    )


def test_calls_are_paired_perfectly_and_in_the_reference_greedily() -> None:
    numbers = with_answers(
        [{"f": {"x": [1, 2]}}, {"f": {"x": [1]}}], {"x": {"type": "integer"}}, "parallel"
    )
    one, two = call(x=1), call(x=2)
    no_match = "parallel_function_checker_no_order:cannot_find_match"
    assert error(numbers, BFCL_V4, one, two) == no_match
    assert error(numbers, BFCL_V4, two, one) is None
    for calls in ((one, two), (two, one)):
        assert error(numbers, DEFAULT_RULES, *calls) is None
    assert error(numbers, DEFAULT_RULES, two, two) == no_match


def test_the_number_of_calls_has_an_error_of_its_own_in_each_kind_of_check() -> None:
    for category, checker in (
        ("simple_python", "simple_function_checker"),
        ("live_multiple", "multiple_function_checker"),
        ("parallel_multiple", "parallel_function_checker_no_order"),
    ):
        question = with_answers([{"f": {"x": [1]}}], {"x": {"type": "integer"}}, category)
        for rules in (BFCL_V4, DEFAULT_RULES):
            assert error(question, rules) == f"{checker}:wrong_count"
            assert error(question, rules, call(x=1), call(x=1)) == f"{checker}:wrong_count"


def test_names_are_compared_as_the_agent_was_shown_them() -> None:
    function = {"name": "m.f", "parameters": {"properties": {}}}
    question = read_question({"id": "simple_python_0", "function": [function]}, [{"m.f": {}}])
    for rules in (BFCL_V4, DEFAULT_RULES):
        for name, underscored in (("m.f", False), ("m_f", True)):
            right = check_calls(
                question, [ToolCall("", name, {})], CallCheckContext(rules, "python", underscored)
            )
            wrong = check_calls(
                question,
                [ToolCall("", name, {})],
                CallCheckContext(rules, "python", not underscored),
            )
            assert isinstance(right, Judged)
            assert isinstance(wrong, Judged)
            assert right.valid
            assert wrong.fault is not None
            assert wrong.fault.error_type == "simple_function_checker:wrong_func_name"


def test_in_simple_questions_the_name_of_the_document_counts_and_not_that_of_the_answer() -> None:
    question = with_answers([{"zzz": {"a": [1]}}], {"a": {"type": "integer"}}, "simple_python")
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(question, rules, call(a=1)) is None


def test_an_expected_function_that_is_not_on_offer_leaves_no_verdict() -> None:
    question = with_answers([{"g": {"a": [1]}}], {"a": {"type": "integer"}}, "multiple")
    for rules in (BFCL_V4, DEFAULT_RULES):
        result = check_calls(question, [call(a=1)], CallCheckContext(rules, "python"))
        assert result == Unscored("g is expected and not on offer")


def test_a_malformed_call_of_an_interface_is_a_failed_reading() -> None:
    question = one_argument({"type": "integer"}, [1])
    malformed = msgspec.structs.replace(call(a=1), malformed="no JSON")
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(question, rules, malformed) == "ast_decoder:decoder_failed"


def test_values_of_java_and_javascript_must_arrive_as_text() -> None:
    java = one_argument({"type": "integer"}, [5], "simple_java")
    javascript = one_argument({"type": "integer"}, [5], "simple_javascript")
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(java, rules, call(a=5), language="java") == "type_error:java"
        assert error(javascript, rules, call(a=5), language="javascript") == "type_error:js"
        assert error(java, rules, call(a="5"), language="java") is None


def test_what_is_required_is_looked_at_first() -> None:
    question = with_answers(
        [{"f": {"a": [1, ""]}}], {"a": {"type": "integer"}}, "simple_python", ["a"]
    )
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(question, rules, call()) == "simple_function_checker:missing_required"


def test_a_question_without_answers_cannot_be_checked() -> None:
    question = with_answers([], {}, "simple_python")
    with pytest.raises(DataError, match="nothing is expected"):
        check_calls(question, [], CallCheckContext(BFCL_V4, "python"))


def test_a_whole_number_that_no_float_holds_is_not_taken_for_its_neighbour() -> None:
    number = one_argument({"type": "float"}, [2**53 + 1])
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert error(number, rules, call(a=2**53 + 1)) == "value_error:others"
        assert error(number, rules, call(a=2.0**53)) == "value_error:others"
