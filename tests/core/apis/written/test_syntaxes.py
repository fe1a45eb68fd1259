"""Calls are read in the syntaxes that models know; plain words give no calls."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.call_list_parser import longest_first
from dragoman.core.apis.itc_answers import (
    ANY_SYNTAX,
    ITS_FORM_ALONE,
    format_itc_answer,
    parse_itc_answer,
)
from dragoman.core.apis.tasks import ApiCall

NAMES = longest_first((
    "Consulta CEP", "Recherche d'adresse", "get_weather", "ค้นหารหัสจังหวัด", "FX Rates", "FX Rates (old)",
))  # fmt: skip
CEP = ApiCall("Consulta CEP", {"cep": "01310930"})
WEATHER = ApiCall("get_weather", {"city": "São Paulo"})
OBJECT = '{"name": "Consulta CEP", "arguments": {"cep": "01310930"}}'
IN_TEXT = r'{"name": "Consulta CEP", "arguments": "{\"cep\": \"01310930\"}"}'
XML = "<parameter=cep>01310930</parameter>"


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        (f"[{OBJECT}]", "json"),
        (f"Claro:\n```json\n[{OBJECT}]\n```\nPronto.", "json"),
        (f"I call {OBJECT} now.", "json"),
        (IN_TEXT, "json"),
        (f'[{{"type": "function", "function": {IN_TEXT}}}]', "json"),
        (f'{{"tool_calls": [{{"id": "1", "function": {OBJECT}}}]}}', "json"),
        (f'{{"thought": "x", "tool_call": {OBJECT}}}', "json"),
        (f"[{OBJECT}".removesuffix("}"), "json"),
        ("[{'name': 'Consulta CEP', 'arguments': {'cep': '01310930'}}]", "json"),
        ('{"Consulta CEP": {"cep": "01310930"}}', "json"),
        ('{"tool": "consulta_cep", "args": {"cep": "01310930"}}', "json"),
        ('Consulta CEP\n```json\n{"cep": "01310930"}\n```', "json"),
        ('{"thought": "x", "action": "Consulta CEP", "action_input": {"cep": "01310930"}}', "json"),
        (json.dumps({"Thought": "x", "Action": f"[{OBJECT}]"}), "json"),
        (f'{{"Thought": "x", "Action": [{IN_TEXT}]}}', "json"),
        ('[{"api": "Consulta CEP", "parameters": {"cep": "01310930"}, "responses": ["API_call_0"]}]',
         "seal-tools"),
        (f"<tool_call>\n{OBJECT}\n</tool_call>", "hermes"),
        ("<tool_call>[Consulta CEP(cep='01310930')]</tool_call>", "hermes"),
        (f"<function=Consulta CEP>{XML}</function>", "qwen_xml"),
        (f"[TOOL_CALLS][{OBJECT}]", "mistral"),
        (f"<|python_tag|>{OBJECT}", "python_tag"),
        (f"functools[{OBJECT}]", "functools"),
        ('<invoke name="Consulta CEP"><parameter name="cep">01310930</parameter></invoke>', "invoke"),
        ('Thought: x\nAction: Consulta CEP\nAction Input: {"cep": "01310930"}', "react"),
        ('Thought: x\n**Action:** Consulta CEP\n**Action Input:** ```json\n{"cep": "01310930"}\n```',
         "react"),
        ("Action: Consulta CEP\nAction Input: cep='01310930'", "react"),
        (('Action: Consulta CEP\nAction Input: {"cep": "01310930"}\nObservation: made up\n'
         'Action: get_weather\nAction Input: {"city": "x"}'), "react"),
        ("The service for this is: [Consulta CEP(cep='01310930')]", "listed-calls"),
        ("API-Request: [Consulta CEP(cep='01310930')]", "listed-calls"),
        ("Consulta CEP(cep='01310930')", "bare-calls"),
        ("Vou ver.\nConsulta CEP(cep='01310930')", "bare-calls"),
        ("```python\nConsulta CEP(cep='01310930')\n```", "bare-calls"),
        ("1. `Consulta CEP(cep='01310930')`", "bare-calls"),
        ('Call: Consulta CEP(cep="01310930")<bot_end>\nThought: because', "bare-calls"),
    ],
)  # fmt: skip
def test_a_call_is_read_and_its_syntax_said(text: str, syntax: str) -> None:
    read = parse_itc_answer(text, NAMES, ANY_SYNTAX)
    assert (read.calls, read.syntax, read.fault) == ((CEP,), syntax, "")
    assert not read.is_strict


@pytest.mark.parametrize(
    "text",
    [
        f"[{OBJECT}, " + '{"name": "get_weather", "arguments": {"city": "São Paulo"}}]',
        f"{OBJECT}\n" + '{"name": "get_weather", "arguments": {"city": "São Paulo"}}',
        (
            f"<tool_call>{OBJECT}</tool_call>\n<tool_call>"
            '{"name": "get_weather", "arguments": {"city": "São Paulo"}}</tool_call>'
        ),
        "- Consulta CEP(cep='01310930')\n- get_weather(city='São Paulo')",
        "Both:\n[Consulta CEP(cep='01310930'), get_weather(city='São Paulo')]",
        (
            'Action: Consulta CEP\nAction Input: {"cep": "01310930"}\nAction: get_weather\n'
            'Action Input: {"city": "São Paulo"}'
        ),
    ],
)
def test_several_calls_are_read_in_their_order(text: str) -> None:
    assert parse_itc_answer(text, NAMES, ANY_SYNTAX).calls == (CEP, WEATHER)


@pytest.mark.parametrize(
    "text",
    [
        "I could use Consulta CEP(cep) but which CEP do you mean?",
        "Please name the city (e.g. São Paulo) [required].",
        '{"name": "Consulta CEP", "description": "x", "parameters": {"type": "object", "properties": {}}}',
        '{"function": "Consulta CEP", "result": "{}"}',
        '[{"id": 1, "name": "Paris"}]',
        'Maria: {"name": "Paris", "parameters": {"a": 1}} hm',
        "[1] I cannot do this (sorry)",
        "FX Rates (EUR to USD) is what you need.",
        "No function fits. FX Rates(base) takes a base.",
        'Action: Finish\nAction Input: {"answer": 3}',
        "Thought: done\nAction: None",
        '{"Thought": "get_weather(city=1) will not do", "Action": "[]"}',
        '{"Thought": "x", "Action": "I need more information (which city?)"}',
        '{"Thought": "x", "Action": null}',
        "",
        "[]",
        "{}",
    ],
)
def test_words_descriptions_and_results_are_no_calls(text: str) -> None:
    read = parse_itc_answer(text, NAMES, ANY_SYNTAX)
    assert (read.calls or (), read.fault) == ((), "")


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        (f"Claro, vou ver.\n```json\n[{OBJECT}]\n```", "Claro, vou ver."),
        (
            'Thought: preciso do CEP\nAction: Consulta CEP\nAction Input: {"cep": "1"}',
            "preciso do CEP",
        ),
        ('{"thought": "hm", "action": "Consulta CEP", "action_input": {}}', "hm"),
        (json.dumps({"Thought": "hm", "Action": f"[{OBJECT}]"}), "hm"),
        (f"[{OBJECT}]", None),
        (f"<tool_call>{OBJECT}</tool_call>", None),
        ("API-Request: [Consulta CEP(cep='1')]", None),
    ],
)
def test_the_thought_is_what_stands_before_calls(text: str, thought: str | None) -> None:
    assert parse_itc_answer(text, NAMES, ANY_SYNTAX).thought == thought


def test_a_tool_that_nobody_offers_is_called_where_the_whole_reply_calls_it() -> None:
    alone = parse_itc_answer('[{"name": "Nobody", "arguments": {"a": 1}}]', NAMES, ANY_SYNTAX)
    assert alone.calls == (ApiCall("Nobody", {"a": 1}),)


@pytest.mark.parametrize(
    "text",
    ['{"name": "Consulta CEP", "arguments": "cep is 01310930"}', "[Consulta CEP(cep='01310930'"],
)
def test_a_call_that_cannot_be_read_is_told(text: str) -> None:
    assert parse_itc_answer(text, NAMES, ANY_SYNTAX).fault


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
CALLS = st.lists(
    st.builds(
        ApiCall,
        st.sampled_from(NAMES),
        st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), VALUES, max_size=3),
    ),
    min_size=1,
    max_size=3,
).map(tuple)


def as_objects(calls: tuple[ApiCall, ...], name: str, arguments: str) -> list[dict[str, object]]:
    return [{name: each.tool, arguments: each.arguments} for each in calls]


@given(CALLS)
def test_any_calls_come_back_from_json_tags_and_seal_tools(calls: tuple[ApiCall, ...]) -> None:
    listed = json.dumps(as_objects(calls, "name", "arguments"))
    tags = "".join(
        f"<tool_call>{json.dumps(each)}</tool_call>"
        for each in as_objects(calls, "name", "arguments")
    )
    seal = json.dumps(as_objects(calls, "api", "parameters"), ensure_ascii=False)
    for text in (listed, f"Sure.\n```json\n{listed}\n```", tags, seal):
        assert parse_itc_answer(text, NAMES, ANY_SYNTAX).calls == calls


@given(CALLS)
def test_what_the_first_reader_reads_the_second_reads_alike(calls: tuple[ApiCall, ...]) -> None:
    text = format_itc_answer("x", calls)
    one, two = (parse_itc_answer(text, NAMES, each) for each in (ITS_FORM_ALONE, ANY_SYNTAX))
    assert (one.thought, one.calls, one.is_strict) == (two.thought, two.calls, two.is_strict)


@given(st.text(st.sampled_from("[]{}()'\"=:,\\ \n<>`aAction:get_weather"), max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    read = parse_itc_answer(text, NAMES, ANY_SYNTAX)
    assert read.calls is None or not read.fault


def test_long_texts_take_no_longer_than_their_length() -> None:
    for piece in (
        "[",
        "{",
        '{"name": "',
        "Action: a\n",
        "[Consulta CEP(",
        "<tool_call>",
        "(",
        "Thought:",
    ):
        parse_itc_answer(piece * (30_000 // len(piece)), NAMES, ANY_SYNTAX)


@pytest.fixture
def seal_tools() -> Path:
    path = Path(__file__).parents[4].parent / "shared/data/itc/calls/seal-tools/dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return path


def test_seal_tools_own_answers_are_read(seal_tools: Path) -> None:
    lines = [json.loads(line) for line in seal_tools.read_text("utf-8").splitlines()[::7]]
    for line in lines:
        names = longest_first({each["api"] for each in line["calling"]})
        read = parse_itc_answer(json.dumps(line["calling"]), names, ANY_SYNTAX)
        assert read.syntax == "seal-tools"
        assert read.calls == tuple(
            ApiCall(each["api"], each["parameters"]) for each in line["calling"]
        )
