import pytest

from dragoman.benchmarks.bfcl.call_parsers.json_calls import (
    item_strings,
    read_items,
    read_object_items,
)
from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.reply_parser import Form, read_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules
from dragoman.benchmarks.bfcl.text_tool_calls import call_string
from dragoman.core.tools import ToolCall

BOTH = pytest.mark.parametrize("rules", [BFCL_V4, DEFAULT_RULES], ids=["bfcl-v4", "dragoman-2"])


def read(text: str, rules: BfclRules, form: Form = "python", *, in_tags: bool = False) -> object:
    """Return the calls as names with arguments, or None if the text is unreadable."""
    try:
        calls = read_calls(text, form, rules, in_tags=in_tags)
    except UnreadableError:
        return None
    return [{call.name: call.arguments} for call in calls]


def value(text: str, rules: BfclRules) -> object:
    """The value of the one argument of a call."""
    (call,) = read_calls(f"[f(a={text})]", "python", rules)
    return call.arguments["a"]


def refuses(text: str, rules: BfclRules) -> bool:
    return read(f"[f(a={text})]", rules) is None


@BOTH
def test_brackets_are_optional_and_a_bare_fence_is_taken_off(rules: BfclRules) -> None:
    for text in ("[f(a=1)]", "f(a=1)", "[f(a=1)", " f(a=1)]\n", "```\n[f(a=1)]\n```", "f(a=1),"):
        assert read(text, rules) == [{"f": {"a": 1}}]


@BOTH
def test_a_fence_with_a_language_and_words_around_a_call_are_unreadable(rules: BfclRules) -> None:
    for text in (
        "```python\n[f(a=1)]\n```",
        "The call is [f(a=1)]",
        "[f(a=1)]\nThis calls f.",
        "f(a=1); g(b=2)",
        "['f(a=1)']",
        "[[f(a=1)]]",
        "hello",
        "{}",
    ):
        assert read(text, rules) is None


@BOTH
def test_an_empty_text_holds_no_calls(rules: BfclRules) -> None:
    assert read("", rules) == read("[]", rules) == []


@BOTH
def test_calls_stand_between_tags_where_tags_are_asked_for(rules: BfclRules) -> None:
    for text in ("<TOOLCALL>[f(a=1)]</TOOLCALL>", "So: <TOOLCALL>f(a=1)</TOOLCALL> Done."):
        assert read(text, rules, in_tags=True) == [{"f": {"a": 1}}]
    assert read("[f(a=1)]", rules, in_tags=True) is None
    assert read("<TOOLCALL>[f(a=1)]", rules, in_tags=True) is None


@BOTH
def test_a_call_keeps_its_order_and_its_raw_text(rules: BfclRules) -> None:
    (call,) = read_calls("[m.f(b = 'é',\n a=2)]", "python", rules)
    assert call.name == "m.f"
    assert list(call.arguments) == ["b", "a"]
    assert call.raw == "m.f(b = 'é',\n a=2)"


def test_positionals_are_kept_and_dropped_in_the_reference() -> None:
    text = "[f(1, 'x', b=2)]"
    assert read_calls(text, "python", DEFAULT_RULES) == (
        ToolCall("", "f", {"b": 2}, positionals=(1, "x"), raw="f(1, 'x', b=2)"),
    )
    assert read_calls(text, "python", BFCL_V4)[0].positionals == ()


def test_signs_keep_their_meaning_and_are_all_minus_in_the_reference() -> None:
    for sign, ours, theirs in (
        ("+1", 1, -1),
        ("~5", -6, -5),
        ("not True", False, -1),
        ("-1", -1, -1),
        ("-1.5", -1.5, -1.5),
    ):
        assert value(sign, DEFAULT_RULES) == ours
        assert value(sign, BFCL_V4) == theirs
    assert value("- -1", DEFAULT_RULES) == 1
    assert refuses("- -1", BFCL_V4)


def test_what_is_no_plain_call_is_unreadable_and_bent_into_one_by_the_reference() -> None:
    for text, theirs in (
        ("[a.b(x=1).c(y=2)]", [{"c": {"y": 2}}]),
        ("[f[0](a=1)]", [{"": {"a": 1}}]),
        ("[f(a=1, a=2)]", [{"f": {"a": 2}}]),
        ("[f(**{'a': 1})]", [{"f": {"": {"a": 1}}}]),
        ("[f(*[1])]", [{"f": {}}]),
    ):
        assert read(text, BFCL_V4) == theirs
        assert read(text, DEFAULT_RULES) is None


@BOTH
def test_names_and_what_is_called_or_indexed_are_their_own_text(rules: BfclRules) -> None:
    for text in ("x", "true", "null", "x[0]", "x[0:2]", "g(1, 'b')"):
        assert value(text, rules) == text
    assert value("m.g(b=1)", rules) == {"m.g": {"b": 1}}
    assert value("...", rules) == "..."
    for text in ("x.y", "x > 1", "a and b", "f'{x}'", "lambda: 1", "[i for i in x]", "{1, 2}"):
        assert refuses(text, rules)


@BOTH
def test_arithmetic_on_literals_is_folded_and_never_evaluated(rules: BfclRules) -> None:
    for text, folded in (
        ("1 + 2", 3),
        ("10 / 4", 2.5),
        ("7 // 2", 3),
        ("2 ** 10", 1024),
        ("'x' + 'y'", "xy"),
        ("3 * [1]", [1, 1, 1]),
        ("[1 + 1, (2 - 3,)]", [2, (-1,)]),
    ):
        assert value(text, rules) == folded
    for text in ("x + 1", "len('x') + 1", "open('f') + 1", "1 / 0", "'%s' % 1", "1 @ 2", "'a' - 1"):
        assert refuses(text, rules)


@BOTH
def test_arithmetic_ends_at_its_bounds(rules: BfclRules) -> None:
    for text in (
        "9 ** 9 ** 9",
        "1 << 10 ** 9",
        "'x' * 10 ** 9",
        "[[0] * 9999] * 9999",
        "10 ** 9 * [0]",
        "2.0 ** 10 ** 5",
    ):
        assert refuses(text, rules)


def test_json_is_read_whole_and_cut_at_nested_lists_in_the_reference() -> None:
    nested = '[{"function": "f", "parameters": {"a": [{"b": 1}]}}]'
    assert read(nested, BFCL_V4, "json") == []
    assert read(nested, DEFAULT_RULES, "json") == [{"f": {"a": [{"b": 1}]}}]


def test_what_is_no_json_is_unreadable_and_no_calls_in_the_reference() -> None:
    for text in ("not json", "[{'function': 'f', 'parameters': {}}]"):
        assert read(text, BFCL_V4, "json") == []
        assert read(text, DEFAULT_RULES, "json") is None


@BOTH
def test_json_calls_need_a_name_and_parameters(rules: BfclRules) -> None:
    text = '[{"function": "f", "parameters": {"a": 1}}, {"function": "g", "parameters": {}}]'
    assert read(text, rules, "json") == [{"f": {"a": 1}}, {"g": {}}]
    assert read('[{"function": "f"}]', rules, "json") is None
    assert read('[{"function": "f", "parameters": [1]}]', rules, "json") is None


@BOTH
def test_xml_values_have_the_types_that_they_name(rules: BfclRules) -> None:
    verbose = (
        '<functions><function name="f"><params><param name="a" value="1" type="integer"/>'
        '<param name="b" value="(1, \'x\')" type="tuple"/></params></function></functions>'
    )
    concise = (
        'Well: <functions><function name="f"><param name="a" type="float"> 1.5 </param>'
        '<param name="b" type="boolean">True</param><param name="c" type="null"/></function>'
        "</functions>"
    )
    assert read(verbose, rules, "verbose_xml") == [{"f": {"a": 1, "b": (1, "x")}}]
    assert read(concise, rules, "concise_xml") == [{"f": {"a": 1.5, "b": True, "c": None}}]


@BOTH
def test_xml_with_a_wrong_value_a_bare_ampersand_or_entities_is_unreadable(
    rules: BfclRules,
) -> None:
    for parameter in (
        '<param name="a" type="integer">x</param>',
        '<param name="a">x & y</param>',
        '<!DOCTYPE x [<!ENTITY y "z">]><param name="a">&y;</param>',
        '<param name="a" type="dict">__import__("os")</param>',
        "<param>x</param>",
    ):
        text = f'<functions><function name="f">{parameter}</function></functions>'
        assert read(text, rules, "concise_xml") is None
    assert read("<functions>", rules, "verbose_xml") is None


def test_numbers_and_characters_beyond_strict_json_are_read() -> None:
    (call,) = read_items(
        [{"f": '{"a": NaN, "b": 1e999, "c": "\\ud800", "d": 123456789012345678901}'}]
    )
    values = call.arguments
    assert repr(values["a"]) == "nan"
    assert values["b"] == float("inf")
    assert values["c"] == "\ud800"
    assert values["d"] == 123456789012345678901


def test_stored_calls_are_read_with_json_texts_or_objects() -> None:
    assert read_items([{"f": '{"a": 1}'}]) == (ToolCall("", "f", {"a": 1}, raw='{"a": 1}'),)
    assert read_items("") == ()
    assert read_object_items([{"f": {"a": 1}}]) == (ToolCall("", "f", {"a": 1}),)


@pytest.mark.parametrize("stored", ["words", [{"f": "{bad"}], ["f"], [{}], [{"f": {}}], None])
def test_what_is_no_stored_call_cannot_be_read(stored: object) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_items(stored)
    assert not caught.value.is_format


@pytest.mark.parametrize("stored", ["words", ["words"], [{"f": {}, "g": {}}], [{"f": "{}"}]])
def test_stored_objects_of_another_form_have_a_wrong_format(stored: object) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_object_items(stored)
    assert caught.value.is_format


def test_calls_are_written_for_an_executor() -> None:
    arguments = {"a": 1, "b": {"g": {"x": [2]}}, "c": {"k": "v", "n": {"m": 1}}}
    assert call_string(ToolCall("", "f", arguments)) == (
        "f(a=1, b=g(x=[2]), c={'k': 'v', 'n': {'m': 1}})"
    )
    with pytest.raises(UnreadableError, match="empty object"):
        call_string(ToolCall("", "f", {"a": {}}))
    assert item_strings({"f": '{"a": null, "b": "é"}'}) == ("f(a=None,b='é')",)
    with pytest.raises(UnreadableError):
        item_strings([{"f": "[1]"}])
