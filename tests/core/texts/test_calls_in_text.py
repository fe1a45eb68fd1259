"""Calls that models wrote into their words, in the forms of many, and words that are none."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.texts.tool_call_parsing import (
    BARE_SYNTAXES,
    MAX_CALLS,
    MAX_CHARS,
    MAX_RAW,
    SYNTAXES,
    parse_text_calls,
)

OFFERED = ("get_weather", "math.factorial")
HANOI = '{"city": "Hanoi"}'

ONE_CALL = [
    (
        "hermes",
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Hanoi"}}\n</tool_call>',
    ),
    ("hermes", 'Let me look.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Hanoi"}}'),
    (
        "falcon",
        '<tool_call>\n<tool_call name="get_weather" arguments={"city": "Hanoi"}/>\n</tool_call>',
    ),
    (
        "qwen_xml",
        (
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nHanoi\n</parameter>\n</function>\n"
            "</tool_call>"
        ),
    ),
    (
        "qwen_xml",
        (
            "<seed:tool_call><function=get_weather><parameter=city>Hanoi</parameter></function>"
            "</seed:tool_call>"
        ),
    ),
    ("function_tag", '<function=get_weather>{"city": "Hanoi"}</function>'),
    (
        "invoke",
        (
            '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Hanoi</parameter>\n'
            "</invoke>\n</function_calls>"
        ),
    ),
    (
        "invoke",
        (
            '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Hanoi</parameter>'
            "</invoke></minimax:tool_call>"
        ),
    ),
    (
        "invoke",
        (
            '<\uff5cDSML\uff5cfunction_calls>\n<\uff5cDSML\uff5cinvoke name="get_weather">\n<\uff5cDSML\uff5cparameter name="city" '
            'string="true">Hanoi</\uff5cDSML\uff5cparameter>\n</\uff5cDSML\uff5cinvoke>\n</\uff5cDSML\uff5cfunction_calls>'
        ),
    ),
    ("mistral", '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Hanoi"}}]'),
    ("mistral", '[TOOL_CALLS]get_weather[ARGS]{"city": "Hanoi"}'),
    ("mistral", '[TOOL_CALLS]get_weather{"city": "Hanoi"}'),
    ("python_tag", '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Hanoi"}}'),
    (
        "harmony",
        (
            '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Hanoi"}'
            "<|call|>"
        ),
    ),
    ("harmony", 'commentary to=functions.get_weather json{"city": "Hanoi"}'),
    ("harmony", '<|channel|>commentary to=get_weather<|message|>{"city": "Hanoi"}'),
    (
        "deepseek",
        (
            "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>get_weather\n```json\n"
            '{"city": "Hanoi"}\n```<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>'
        ),
    ),
    (
        "deepseek",
        (
            '<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>get_weather<\uff5ctool\u2581sep\uff5c>{"city": "Hanoi"}'
            "<\uff5ctool\u2581call\u2581end\uff5c>"
        ),
    ),
    (
        "kimi",
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
            '<|tool_call_argument_begin|>{"city": "Hanoi"}<|tool_call_end|><|tool_calls_section_end|>'
        ),
    ),
    (
        "glm",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Hanoi</arg_value>\n</tool_call>",
    ),
    ("granite", '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Hanoi"}}]'),
    ("tag", '<function_call> {"name": "get_weather", "arguments": {"city": "Hanoi"}}'),
    ("functools", 'functools[{"name": "get_weather", "arguments": {"city": "Hanoi"}}]'),
    (
        "nemotron",
        '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Hanoi"}}]</TOOLCALL>',
    ),
    (
        "command",
        (
            '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": '
            '{"city": "Hanoi"}}]<|END_ACTION|>'
        ),
    ),
    ("lfm2", '<|tool_call_start|>[get_weather(city="Hanoi")]<|tool_call_end|>'),
    ("tag", '<|tools_prefix|>[{"get_weather": {"city": "Hanoi"}}]<|tools_suffix|>'),
    ("tag", '<function_calls>\nget_weather(city="Hanoi")\n</function_calls>'),
    (
        "tag",
        (
            '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Hanoi"}}'
            "<|action_end|>"
        ),
    ),
    ("bare_name", 'functions.get_weather:0{"city": "Hanoi"}'),
    ("bare_name", 'functionget_weather\n```json\n{"city": "Hanoi"}\n```'),
    ("bare_name", 'get_weather\n{"city": "Hanoi"}'),
    ("react", 'Thought: the city is known\nAction: get_weather\nAction Input: {"city": "Hanoi"}'),
    ("json", '{"name": "get_weather", "arguments": {"city": "Hanoi"}}'),
    ("json", '[{"name": "get_weather", "arguments": {"city": "Hanoi"}}]'),
    ("json", '{"type": "function", "name": "get_weather", "parameters": {"city": "Hanoi"}}'),
    ("json", '{"function": "get_weather", "args": {"city": "Hanoi"}}<|eom_id|>'),
    ("json", '{"thought": "x", "action": "get_weather", "action_input": {"city": "Hanoi"}}'),
    ("json", '[{"get_weather": {"city": "Hanoi"}}]'),
    ("json", 'Sure:\n```json\n{"name": "get_weather", "arguments": {"city": "Hanoi"}}\n```'),
    ("json", 'I call {"name": "get_weather", "arguments": {"city": "Hanoi"}} now.'),
    (
        "json",
        (
            '{"tool_calls": [{"id": "c", "type": "function", "function": {"name": "get_weather", '
            '"arguments": "{\\"city\\": \\"Hanoi\\"}"}}]}'
        ),
    ),
    (
        "json",
        'Action: ```json\n[{"tool_name": "get_weather", "parameters": {"city": "Hanoi"}}]\n```',
    ),
    ("python", "[get_weather(city='Hanoi')]"),
    ("python", "get_weather(city='Hanoi')</s>"),
    ("python", "```python\nget_weather(city='Hanoi')\n```"),
    ("python", '```tool_code\nprint(default_api.get_weather(city="Hanoi"))\n```'),
    ("python", "```python\nweather = get_weather(city='Hanoi')\n```"),
    ("python", "I'll check that.\n[get_weather(city='Hanoi')]"),
    ("element", "<get_weather>\n<city>Hanoi</city>\n</get_weather>"),
    ("json", '<think>hm</think>\n\n{"name": "get_weather", "arguments": {"city": "Hanoi"}}'),
]

CUT_SHORT = [
    ("hermes", '<tool_call>\n{"name": "get_weather", "argum'),
    ("json", '{"name": "get_weather", "arguments": {"city": "Han'),
    ("json", "{'name': 'get_weather', 'arguments': {'city': 'Hanoi'}}"),
    ("python", "[get_weather(city='Hanoi', un"),
    ("mistral", '[TOOL_CALLS]get_weather{"city": "Ha'),
    ("function_gemma", "<start_function_call>call:get_weather{city:<escape>Hanoi<escape>}"),
]

NO_CALL = [
    "None of the functions can do this.",
    "I cannot use get_weather for this.",
    "You could use get_weather(city) but it needs a city.",
    "The function `get_weather(city='Hanoi')` exists, but it does not help.",
    "I called get_weather() earlier.",
    "get_weather",
    "get_weather()\nis a function that takes a city.",
    "Available tools:\n- get_weather(city)\n- math.factorial(number)",
    "I would wrap it in <tool_call> tags.",
    "[TOOL_CALLS][]",
    "<TOOLCALL>[]</TOOLCALL>",
    "<|tool_call|>[]",
    "<|python_tag|>",
    "<tool_call></tool_call>",
    "<tool_call>None</tool_call>",
    "<tool_call>{}</tool_call>",
    '<tool_call>{"name": null}</tool_call>',
    '<tool_call>{"name": "none", "arguments": {}}</tool_call>',
    '<think><tool_call>{"name": "get_weather", "arguments": {}}</tool_call></think>No function fits.',
    '[{"tool_name": "directly-answer", "parameters": {}}]',
    (
        '{"name": "get_weather", "description": "Weather", "parameters": {"type": "object", '
        '"properties": {}}}'
    ),
    '{"name": "Mia", "arguments": {}}',
    '{"city": "Hanoi"}',
    '```json\n{"answer": 5}\n```',
    "[foo(a=1)]",
    "[]",
    "{}",
    "[ok](http://x.y)",
    "<b>bold</b>",
    "Action: call the bank",
    "to=me",
    "a < b and c > d (see above)",
    "",
]


@pytest.mark.parametrize(("syntax", "text"), ONE_CALL)
def test_a_call_is_read_with_its_arguments_and_the_name_of_its_form(syntax: str, text: str) -> None:
    found = parse_text_calls(text, OFFERED)
    assert found is not None
    calls = [(call.id, call.name, call.arguments) for call in found.calls]
    assert (found.syntax, calls) == (syntax, [("text_0", "get_weather", {"city": "Hanoi"})])


@pytest.mark.parametrize(("syntax", "text"), CUT_SHORT)
def test_a_call_whose_arguments_cannot_be_read_is_a_call_and_says_so(
    syntax: str, text: str
) -> None:
    found = parse_text_calls(text, OFFERED)
    assert found is not None
    assert found.syntax == syntax
    assert [(call.name, call.malformed != "") for call in found.calls] == [("get_weather", True)]


@pytest.mark.parametrize("text", NO_CALL)
def test_prose_descriptions_and_empty_lists_are_no_calls(text: str) -> None:
    assert parse_text_calls(text, OFFERED) is None


def test_behind_a_mark_any_tool_is_called_and_without_one_an_offered_tool() -> None:
    reported = '{"name": "other", "arguments": {"a": 1}}'
    found = parse_text_calls(f"<tool_call>{reported}</tool_call>", OFFERED)
    assert found is not None
    assert found.calls[0].name == "other"
    assert parse_text_calls(reported, OFFERED) is None


@pytest.mark.parametrize("name", ["math.factorial", "math_factorial", "functions.math.factorial"])
def test_a_name_is_known_in_every_spelling(name: str) -> None:
    assert parse_text_calls(f'{{"name": "{name}", "arguments": {{"n": 5}}}}', OFFERED) is not None


def test_several_calls_are_all_told() -> None:
    text = f'<tool_call>{{"name": "a", "arguments": {HANOI}}}</tool_call>' * 2
    found = parse_text_calls(text, OFFERED)
    assert found is not None
    assert [call.id for call in found.calls] == ["text_0", "text_1"]


def test_what_is_kept_of_a_reply_has_bounds() -> None:
    many = parse_text_calls('<tool_call>{"name": "a", "arguments": {}}' * 1_000, ())
    long = parse_text_calls(f'[TOOL_CALLS]f{{"a": "{"x" * 9_000}', ())
    assert many is not None
    assert long is not None
    assert len(many.calls) <= MAX_CALLS
    assert len(long.calls[0].raw) <= MAX_RAW


def test_what_stands_behind_the_bound_is_not_looked_at() -> None:
    call = '<tool_call>{"name": "a", "arguments": {}}</tool_call>'
    assert parse_text_calls("a" * MAX_CHARS + call, ()) is None


def test_arguments_that_nest_without_end_cannot_be_read() -> None:
    deep = "[" * 500 + "]" * 500
    found = parse_text_calls(f'<tool_call>{{"name": "a", "arguments": {{"a": {deep}}}}}', ())
    assert found is not None
    assert found.calls[0].malformed


PIECES = [
    *(
        "<tool_call>",
        "</tool_call>",
        "<function=f>",
        "<parameter=a>",
        '<invoke name="f">',
        "f(a=1)",
    ),
    *("[TOOL_CALLS]", "<|python_tag|>", "to=functions.f", "<|tool_call_begin|>", "<|tool_sep|>"),
    *("<arg_key>", "</arg_key>", "<arg_value>", '{"name": "f", "arguments": {', "{", "}", "[", "]"),
    *(
        '"',
        "\\",
        "f",
        "(",
        ")",
        "```",
        "```json\n",
        "\n",
        " ",
        ",",
        ":",
        "Action: f\nAction Input:",
    ),
    *("<f>", "</f>", "\uff5c", "\x00", "\ud800", "call:f{", "functions.f:0", "=", "</think>", "é"),
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_is_read_or_not_and_never_breaks(text: str) -> None:
    found = parse_text_calls(text, ("f",))
    if found is not None:
        assert found.calls
        assert found.syntax in {*SYNTAXES, *BARE_SYNTAXES}
        assert all(call.name for call in found.calls)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="<>|`"), max_size=40),
    st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=8), max_size=3),
)
def test_a_marked_call_is_found_whatever_is_said_before_it(
    before: str, arguments: dict[str, object]
) -> None:
    reported = json.dumps({"name": "get_weather", "arguments": arguments})
    found = parse_text_calls(f"{before}\n<tool_call>{reported}</tool_call>", OFFERED)
    assert found is not None
    assert found.calls[0].name == "get_weather"


@given(st.text(st.sampled_from("abc get_weather .,!?\n'-"), max_size=80))
def test_words_without_brackets_are_never_calls(text: str) -> None:
    assert parse_text_calls(text, OFFERED) is None


@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_that_repeats_without_end_is_read_soon(piece: str) -> None:
    """A reader that tried every piece at every piece would not come back from this."""
    text = piece * (MAX_CHARS // len(piece))
    found = parse_text_calls(text, ("f",))
    assert found is None or len(found.calls) <= MAX_CALLS
