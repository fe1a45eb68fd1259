"""Answers with a thought and an action: the exact form, and similar forms."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.itc_answers import ParsedItcAnswer, parse_itc_answer
from dragoman.core.apis.tasks import ApiCall

CALL = (ApiCall("Text Shifter", {"text": "Good day, how is it?", "to": "fr"}),)
OBJECT = (
    '{"Thought": "A greeting is to be put into French.", '
    "\"Action\": \"[ Text Shifter(text='Good day, how is it?', 'to'='fr')]\"}"
)


@pytest.mark.parametrize(
    "text",
    [OBJECT, f"json({OBJECT})", f"json{OBJECT}", f"```json\n{OBJECT}\n```", f"```\n{OBJECT}\n```", f"  {OBJECT}\n"],
)  # fmt: skip
def test_an_object_of_thought_and_action_keeps_to_the_form(text: str) -> None:
    assert parse_itc_answer(text) == ParsedItcAnswer(
        "A greeting is to be put into French.", CALL, is_strict=True
    )


@pytest.mark.parametrize(
    "text",
    [
        f"Gladly! {OBJECT} Anything else?",
        f"Here it is:\n```json\n{OBJECT}\n```\nAs asked.",
        OBJECT.replace('"Thought"', '"thought"').replace('"Action"', '"action"'),
        OBJECT.replace("}", ', "Confidence": 3}'),
        OBJECT.replace('"', '\\"'),
        f"json({OBJECT}".replace("})", "}"),
        OBJECT.replace("French.", "French.\n"),
        OBJECT.replace('French.", ', 'French."},\n'),
        "Thought: A greeting is to be put into French.\nAction: [Text Shifter(text='Good day, how is it?', to='fr')]",
    ],
)  # fmt: skip
def test_an_answer_near_the_form_is_read_leniently(text: str) -> None:
    found = parse_itc_answer(text)
    assert found.calls == CALL
    assert (found.thought or "").strip() == "A greeting is to be put into French."
    assert not found.is_strict


REPEATED = (
    'json{"Thought": "Both addresses are to be checked, the first one fast."},\n'
    " \"Action\": \"[ Mail V4(opt='Check: Fast', email='a.b@example.com'), "
    "Mail V4(opt='Check: FastFull', email='c.d@example.org')]\"}"
)  # fmt: skip
PARALLEL = (
    '{"Thought": "Rates and a list are wanted.", '
    "\"Action\": \"[ latest(from='EUR', to='USD,AUD'), currencies() ]\"}"
)
NESTED = (
    "json({\"Thought\": \"First 'Make password', then 'MD5 Text Hash'.\",\n"
    '"Action": "[ Make_password(numbers=true, pwCount\n=1, length=12), MD5_Text\n'
    "Hash(dataString='made_password')]\n\"})"
)


def test_every_kind_of_example_of_the_source_is_read() -> None:
    assert parse_itc_answer(REPEATED).calls == (
        ApiCall("Mail V4", {"opt": "Check: Fast", "email": "a.b@example.com"}),
        ApiCall("Mail V4", {"opt": "Check: FastFull", "email": "c.d@example.org"}),
    )
    assert parse_itc_answer(PARALLEL).calls == (
        ApiCall("latest", {"from": "EUR", "to": "USD,AUD"}),
        ApiCall("currencies"),
    )
    assert parse_itc_answer(NESTED).calls == (
        ApiCall("Make_password", {"numbers": True, "pwCount": 1, "length": 12}),
        ApiCall("MD5_Text Hash", {"dataString": "made_password"}),
    )


SOURCE = Path(__file__).parents[5] / "shared" / "seeds" / "international_tool_calling.txt"
_ANSWER = re.compile(
    r'json[({]*\\?"Thought.{1,1100}?(?=\n\s*\},|\}\]\n|\]\n\s*\}|\n\s*\}\n)', re.DOTALL
)


@pytest.mark.skipif(not SOURCE.exists(), reason="the source's text is not at hand")
def test_every_answer_that_the_source_prints_is_read() -> None:
    printed = _ANSWER.findall(SOURCE.read_text())
    tools = [[call.tool for call in parse_itc_answer(text).calls or ()] for text in printed]
    template = ["function_name1", "function_name2"]
    assert tools == [
        template,
        ["Google Translate"],
        template,
        ["Global Email V4", "Global Email V4"],
        template,
        ["latest", "currencies"],
        template,
        ["Generate_password", "MD5_Text Hash"],
        ["MD5_Text_Hash"],
    ]


def test_an_answer_without_an_action_has_no_calls() -> None:
    assert parse_itc_answer("I cannot help with that.") == ParsedItcAnswer()
    assert parse_itc_answer("") == ParsedItcAnswer()
    assert parse_itc_answer('{"Thought": "Nothing fits."}').calls is None


def test_an_empty_action_is_an_answer_in_the_form() -> None:
    assert parse_itc_answer('{"Thought": "Nothing fits.", "Action": "[]"}') == ParsedItcAnswer(
        "Nothing fits.", (), is_strict=True
    )


def test_an_action_that_cannot_be_read_says_why() -> None:
    found = parse_itc_answer('{"Thought": "Now.", "Action": "[f(a=]"}')
    assert (found.calls, found.is_strict) == (None, False)
    assert found.fault == "a value expected at character 6: ']'"


def test_an_action_that_is_json_itself_is_read() -> None:
    given = '{"Thought": "t", "Action": [{"name": "f", "arguments": {"a": 1}}]}'
    assert parse_itc_answer(given).calls == (ApiCall("f", {"a": 1}),)
    assert parse_itc_answer('{"Thought": "t", "Action": ["f(a=1)"]}').calls == (
        ApiCall("f", {"a": 1}),
    )


def test_calls_alone_are_read() -> None:
    assert parse_itc_answer("[f(a='x')]") == ParsedItcAnswer(calls=(ApiCall("f", {"a": "x"}),))


_PIECES = st.sampled_from(
    ['{"Thought": "', '", "Action": "', "[f(a='x')]", '"}', "json(", ")", "```", "\\", '"', "{", "}", "[", "(", "é", " ", "\n"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_answer_is_read(text: str) -> None:
    found = parse_itc_answer(text)
    assert found.calls is not None or not found.is_strict


@pytest.mark.parametrize(
    "unit", ['{"Action":', "Action:", '\\"Action', "{", "[", '{"a":[', "Thought:\n", "\\"]
)
def test_time_grows_with_length_alone(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    started = time.process_time()
    assert not parse_itc_answer(text).is_strict
    assert time.process_time() - started < 1.0
