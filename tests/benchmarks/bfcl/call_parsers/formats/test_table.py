"""Every form by a reply of its kind; the calls are always the same two, or the first of them."""

import json
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.call_parsers.limits import MAX_LENGTH, UnreadableError
from dragoman.benchmarks.bfcl.call_parsers.model_formats import DEEPSEEK_BEGINS
from dragoman.benchmarks.bfcl.reply_parser import MODEL_FORMATS, read_format
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES

F: dict[str, dict[str, object]] = {"f": {"a": 1, "b": "x"}}
G: dict[str, dict[str, object]] = {"m.g": {}}
SEP = "<\uff5ctool▁sep\uff5c>"
END = "<\uff5ctool▁call▁end\uff5c>"

F_ARGUMENTS = '{"name": "f", "arguments": {"a": 1, "b": "x"}}'
G_ARGUMENTS = '{"name": "m.g", "arguments": {}}'
F_PARAMETERS = '{"name": "f", "parameters": {"a": 1, "b": "x"}}'

REPLIES = [
    (
        "tool_call",
        f"<tool_call>\n{F_ARGUMENTS}\n</tool_call>\n<tool_call>{G_ARGUMENTS}</tool_call>",
    ),
    ("tool_call", f"I call them.\n<tool_call>[{F_ARGUMENTS}, {G_ARGUMENTS}]"),
    (
        "tool_call",
        (
            "<tool_call>\n{'name': 'f', 'arguments': {'a': 1, 'b': 'x'}}\n</tool_call><tool_call>"
            f"{G_ARGUMENTS}</tool_call><|im_end|>"
        ),
    ),
    (
        "arg_keys",
        (
            "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>b</arg_key>"
            "\n<arg_value>x</arg_value>\n</tool_call>\n<tool_call>m.g\n</tool_call>"
        ),
    ),
    ("function_tags", '<function=f>{"a": 1, "b": "x"}</function><function=m.g>{}</function>'),
    (
        "function_tags",
        (
            "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nx\n</parameter>"
            "\n</function>\n</tool_call><tool_call><function=m.g>\n</function></tool_call>"
        ),
    ),
    (
        "invoke_tags",
        (
            '<calls><invoke name="f"><parameter name="a">1</parameter><parameter name="b">x'
            '</parameter></invoke><invoke name="m.g"></invoke></calls>'
        ),
    ),
    ("toolcall_json", f"<TOOLCALL>[{F_ARGUMENTS}, {G_ARGUMENTS}]</TOOLCALL>"),
    ("function_call", f"<function_call> {F_ARGUMENTS} <function_call> {G_ARGUMENTS}"),
    ("tool_call_token", f"<|tool_call|>[{F_ARGUMENTS}, {G_ARGUMENTS}]<|end_of_text|>"),
    ("tool_call_token", f"<|tool_call|>[{F_ARGUMENTS}, {G_ARGUMENTS}]<|/tool_call|>"),
    ("functools", f" functools[{F_ARGUMENTS}, {G_ARGUMENTS}]"),
    ("mistral", f"[TOOL_CALLS] [{F_ARGUMENTS}, {G_ARGUMENTS}]</s>"),
    ("mistral_args", '[TOOL_CALLS]f[ARGS]{"a": 1, "b": "x"}[TOOL_CALLS]m.g[ARGS]{}'),
    ("python_tag", f"<|python_tag|>{F_PARAMETERS}; {G_ARGUMENTS}<|eom_id|>"),
    (
        "deepseek",
        f'{DEEPSEEK_BEGINS}f{SEP}{{"a": 1, "b": "x"}}{END}{DEEPSEEK_BEGINS}m.g{SEP}{{}}{END}',
    ),
    (
        "deepseek",
        (
            f'{DEEPSEEK_BEGINS}function{SEP}f\n```json\n{{"a": 1, "b": "x"}}\n```{END}\n'
            f"{DEEPSEEK_BEGINS}function{SEP}m.g\n```json\n{{}}\n```{END}"
        ),
    ),
    (
        "kimi",
        (
            '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": 1, "b": "x"}'
            "<|tool_call_end|><|tool_call_begin|>functions.m.g:1<|tool_call_argument_begin|>{}"
            "<|tool_call_end|>"
        ),
    ),
    (
        "action_token",
        (
            '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"a": 1, "b": "x"}},'
            ' {"tool_call_id": "1", "tool_name": "m.g", "parameters": {}}]<|END_ACTION|>'
        ),
    ),
    (
        "action_list",
        (
            'Action: ```json\n[{"tool_name": "f", "parameters": {"a": 1, "b": "x"}}, '
            '{"tool_name": "m.g", "parameters": {}}]\n```'
        ),
    ),
    (
        "react",
        (
            'Thought: two calls.\nAction: f\nAction Input: {"a": 1, "b": "x"}\nObservation: ok\n'
            "Thought: now the other.\nAction: m.g\nAction Input: ```json\n{}\n```"
        ),
    ),
    ("tool_code", "```tool_code\nprint(f(a=1, b='x'))\nprint(m.g())\n```"),
    ("tool_code", "So:\n```tool_code\n[default_api.f(a=1, b='x'), default_api.m.g()]\n```"),
    ("fence", "Here:\n```python\n[f(a=1, b='x'), m.g()]\n```\nThat is all."),
    ("fence", "```json\n[f(a=1, b='x'), m.g()]\n```"),
    ("json_fence", f"```json\n[{F_ARGUMENTS}, {G_ARGUMENTS}]\n```"),
    ("bare_json", f"[{F_ARGUMENTS}, {G_ARGUMENTS}]"),
    ("bare_json", f"{F_PARAMETERS}; {G_ARGUMENTS}"),
    ("bare_json", f'{{"thought": "", "tool_calls": [{F_ARGUMENTS}, {G_ARGUMENTS}]}}'),
    ("bare_json", "[{'f': {'a': 1, 'b': 'x'}}, {'m.g': {}}]"),
    (
        "bare_json",
        (
            '[{"type": "function", "function": {"name": "f", "arguments": "{\\"a\\": 1, \\"b\\": \\"x\\"}"}},'
            f" {G_ARGUMENTS}]"
        ),
    ),
    ("quoted", "['f(a=1, b=\"x\")', 'm.g()']"),
    ("thought", "<think>Maybe [h(c=2)]?</think>\n\n[f(a=1, b='x'), m.g()]"),
]


def read(text: str, name: str) -> list[dict[str, dict[str, object]]]:
    calls = read_format(text, name, "python", DEFAULT_RULES)
    return [{call.name: call.arguments} for call in calls]


@pytest.mark.parametrize(("name", "reply"), REPLIES)
def test_a_reply_is_read_in_its_form(name: str, reply: str) -> None:
    assert read(reply, name) == [F, G]


@pytest.mark.parametrize(("name", "reply"), REPLIES)
def test_a_thought_before_the_calls_is_no_part_of_them(name: str, reply: str) -> None:
    thought = f"<think>{reply} or not?</think>"
    assert read(thought + reply.rpartition("</think>")[2], name) == [F, G]


@pytest.mark.parametrize(("name", "reply"), REPLIES)
def test_a_reply_bears_the_signs_of_its_form(name: str, reply: str) -> None:
    assert all(sign in reply for sign in MODEL_FORMATS[name].signs)


def test_every_form_has_a_reply_here() -> None:
    assert {name for name, _ in REPLIES} == MODEL_FORMATS.keys()


@pytest.mark.parametrize("name", MODEL_FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "Which city do you mean?",
        "<tool_call>",
        "<tool_call>{</tool_call>",
        '<tool_call>{"name": "f"}</tool_call>',
        '<tool_call>{"name": "f", "arguments": "[1]"}</tool_call>',
        '[TOOL_CALLS]f{"a": 1}',
        "Action: none is needed.",
        "functools",
        "```\n\n```",
        "[1, 2]",
        "{" * 500,
        "f" * (MAX_LENGTH + 1),
    ],
)
def test_what_holds_no_calls_is_refused_or_holds_none(name: str, text: str) -> None:
    try:
        calls = read_format(text, name, "python", DEFAULT_RULES)
    except UnreadableError:
        return
    assert calls == ()


def test_code_is_read_by_the_rules_in_force_and_in_the_language_of_its_question() -> None:
    reply = "```python\n[f(+1, a=+1)]\n```"
    (ours,) = read_format(reply, "fence", "python", DEFAULT_RULES)
    (theirs,) = read_format(reply, "fence", "python", BFCL_V4)
    assert (ours.arguments, ours.positionals) == ({"a": 1}, (1,))
    assert (theirs.arguments, theirs.positionals) == ({"a": -1}, ())
    (java,) = read_format("```java\nm.f(a=new int[]{1, 2}, b=2)\n```", "fence", "java", BFCL_V4)
    assert java.arguments == {"a": "new int[]{1,2}", "b": "2"}


@pytest.mark.parametrize(("name", "reply"), REPLIES)
def test_nothing_in_a_reply_is_evaluated(name: str, reply: str, tmp_path: Path) -> None:
    code = f"open('{tmp_path}/x', 'w')"
    hostile = reply.replace("'x'", code).replace('"x"', json.dumps(code)).replace("x<", f"{code}<")
    with suppress(UnreadableError):
        read_format(hostile, name, "python", DEFAULT_RULES)
    assert not list(tmp_path.iterdir())


PIECES = st.sampled_from(
    [
        *{sign for found in MODEL_FORMATS.values() for sign in found.signs},
        *("</tool_call>", "Action Input:", SEP, END, "</think>", "</arg_key>", "<arg_value>", "f"),
        *(
            '{"name": "f", "arguments": {}}',
            "[f(a=1)]",
            "[",
            "]",
            "}",
            '"',
            "'",
            "\n",
            ";",
            "(",
            "=",
        ),
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(sorted(MODEL_FORMATS)))
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    try:
        calls = read_format(text, name, "python", DEFAULT_RULES)
    except UnreadableError:
        return
    assert all(isinstance(call.arguments, dict) for call in calls)


@pytest.mark.parametrize("name", MODEL_FORMATS)
def test_reading_takes_time_in_proportion_to_the_text(name: str) -> None:
    for piece in (
        *MODEL_FORMATS[name].signs,
        "{",
        '{"a": 1} ',
        "<arg_key>",
        "```",
        "<invoke name=",
    ):
        begun = time.process_time()
        with suppress(UnreadableError):
            read_format(piece * (MAX_LENGTH // len(piece)), name, "python", DEFAULT_RULES)
        assert time.process_time() - begun < 2
