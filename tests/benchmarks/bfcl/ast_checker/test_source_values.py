import pytest

from dragoman.benchmarks.bfcl.ast_checker.argument_check import parse_source_value
from dragoman.benchmarks.bfcl.ast_checker.value_types import type_slot
from dragoman.benchmarks.bfcl.entry_files import ParameterSchema
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.source_code.tokenizer import SourceLanguage
from dragoman.benchmarks.bfcl.verdicts import UndecidableError

BOTH = pytest.mark.parametrize("rules", [BFCL_V4, DEFAULT_RULES], ids=["bfcl-v4", "dragoman-2"])


def value(
    text: str,
    kind: str,
    rules: BfclRules,
    language: SourceLanguage = "java",
    element: str | None = None,
) -> object:
    items = None if element is None else ParameterSchema(element)
    return parse_source_value(
        text, type_slot(ParameterSchema(kind, items), language, rules), language
    )


@BOTH
@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("5", "integer", 5),
        ("-5", "byte", -5),
        ("5L", "long", 5),
        ("5.5f", "float", 5.5),
        ("15e-1", "double", 1.5),
        ("true", "boolean", True),
        ("5L", "integer", "5L"),
        ("5.5", "float", "5.5"),
        ("True", "boolean", "True"),
        ("a b", "String", "a b"),
        ("someObject", "HashMap", "someObject"),
    ],
)
def test_java_literals_have_the_type_that_they_are_written_with(
    text: str, kind: str, expected: object, rules: BfclRules
) -> None:
    found = value(text, kind, rules)
    assert (found, type(found)) == (expected, type(expected))


def test_a_small_java_number_widens_and_not_in_the_reference() -> None:
    for text, kind in (("5", "long"), ("5", "float"), ("5L", "double")):
        assert value(text, kind, BFCL_V4) == text
        assert value(text, kind, DEFAULT_RULES) == 5


def test_java_strings_in_arrays_lose_their_quotes_and_not_in_the_reference() -> None:
    text = 'new String[]{"a, b", "c"}'
    assert value(text, "Array", DEFAULT_RULES, element="String") == ["a, b", "c"]
    assert value(text, "Array", BFCL_V4, element="String") == ['"a', 'b"', '"c"']
    bare = "new String[]{a, b}"
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert value(bare, "Array", rules, element="String") == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        'Arrays.asList("a", "b")',
        'List.of("a", "b")',
        'new ArrayList<>(List.of("a", "b"))',
        'new java.util.ArrayList<String>() {{ add("a"); add("b"); }}',
    ],
)
def test_java_lists_are_read_in_every_spelling(text: str) -> None:
    assert value(text, "ArrayList", DEFAULT_RULES, element="String") == ["a", "b"]


def test_the_reference_knows_some_spellings_of_lists_and_splits_at_every_comma() -> None:
    spelled = 'new ArrayList<String>(Arrays.asList("a, b", "c"))'
    assert value(spelled, "ArrayList", BFCL_V4, element="String") == ["", "", "c"]
    assert value(spelled, "ArrayList", DEFAULT_RULES, element="String") == ["a, b", "c"]
    assert value('List.of("a")', "ArrayList", BFCL_V4, element="String") == 'List.of("a")'
    assert value("new ArrayList<>()", "ArrayList", BFCL_V4, element="String") == []


def test_java_maps_are_read_with_all_their_values() -> None:
    spelled = 'new HashMap<String, Object>() {{ put("k", new String[]{"a"}); put("n", 2L); }}'
    assert value(spelled, "HashMap", DEFAULT_RULES) == {"k": ["a"], "n": 2}
    assert value(spelled, "HashMap", BFCL_V4) == {}
    assert value('Map.of("k", 1)', "HashMap", DEFAULT_RULES) == {"k": 1}
    assert value('Map.of("k", 1)', "HashMap", BFCL_V4) == 'Map.of("k", 1)'
    simple = 'new HashMap<String, Object>() {{ put("k", "v"); put("m", true); }}'
    for rules in (BFCL_V4, DEFAULT_RULES):
        assert value(simple, "HashMap", rules) == {"k": "v", "m": True}
        assert value("new HashMap<>()", "HashMap", rules) == {}


def test_java_collections_that_compute_stay_text() -> None:
    for text in (
        'new HashMap<>() {{ put("k", 1); remove("k"); }}',
        "new ArrayList<>(other)",
        "new HashMap<>() {{ put(List.of(1), 2); }}",
        "other.stream().toList()",
    ):
        assert value(text, "HashMap", DEFAULT_RULES) == text


def test_a_quoted_java_string_loses_its_quotes_and_not_in_the_reference() -> None:
    assert value('"a b"', "String", DEFAULT_RULES) == "a b"
    assert value('"a b"', "String", BFCL_V4) == '"a b"'
    assert value("'c'", "char", DEFAULT_RULES) == "c"
    assert value("'c'", "char", BFCL_V4) == "'c'"


@pytest.mark.parametrize("kind", ["Set", "Hashtable", "Queue", "Stack", "string"])
def test_java_types_that_break_the_reference_leave_no_verdict(kind: str) -> None:
    with pytest.raises(UndecidableError, match=kind):
        value("x", kind, BFCL_V4)
    assert value("x", kind, DEFAULT_RULES) == "x"


@BOTH
@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("5", "integer", 5),
        ("-5.5", "float", -5.5),
        ("10n", "Bigint", 10),
        ("5", "Bigint", "5"),
        ("false", "Boolean", False),
        ("'x'", "String", "x"),
        ("[1.5, 2.5]", "array", [1.5, 2.5]),
        ("[[1, 2], [3]]", "array", [[1, 2], [3]]),
        ("{'k': 'v', l: true}", "dict", {"k": "v", "l": True}),
        ("{}", "dict", {}),
        ("someObject", "dict", "someObject"),
    ],
)
def test_javascript_literals_are_read(
    text: str, kind: str, expected: object, rules: BfclRules
) -> None:
    found = value(text, kind, rules, "javascript")
    assert (found, type(found)) == (expected, type(expected))


def test_commas_and_braces_inside_javascript_values_split_only_in_the_reference() -> None:
    strings, nested = '["a, b","c"]', '{"a":[1,2],"b":{"c":3}}'
    assert value(strings, "array", DEFAULT_RULES, "javascript", "String") == ["a, b", "c"]
    assert value(strings, "array", BFCL_V4, "javascript", "String") == ['"a', 'b"', "c"]
    assert value(nested, "dict", DEFAULT_RULES, "javascript") == {"a": [1, 2], "b": {"c": 3}}
    assert value(nested, "dict", BFCL_V4, "javascript") == {"a": [1, 2], "b": '{"c":3'}


def test_javascript_values_over_several_lines_are_read_and_not_by_the_reference() -> None:
    text = '{\n  "k": "v"\n}'
    assert value(text, "dict", DEFAULT_RULES, "javascript") == {"k": "v"}
    assert value(text, "dict", BFCL_V4, "javascript") == text


def test_numbers_in_javascript_strings_stay_strings_and_not_in_the_reference() -> None:
    assert value('{"n": "5"}', "dict", DEFAULT_RULES, "javascript") == {"n": "5"}
    assert value('{"n": "5"}', "dict", BFCL_V4, "javascript") == {"n": 5}


def test_javascript_has_one_kind_of_number_and_the_reference_patterns() -> None:
    assert value("5.0", "integer", DEFAULT_RULES, "javascript") == 5
    assert value("5.0", "integer", BFCL_V4, "javascript") == "5.0"
    assert value("15e-1", "float", DEFAULT_RULES, "javascript") == 1.5
    assert value("15e-1", "float", BFCL_V4, "javascript") == "15e-1"


def test_text_behind_a_javascript_value_makes_it_text_and_is_overlooked_by_the_reference() -> None:
    assert value("[1,2] tail", "array", BFCL_V4, "javascript", "integer") == [1, 2]
    assert value("[1,2] tail", "array", DEFAULT_RULES, "javascript", "integer") == "[1,2] tail"
