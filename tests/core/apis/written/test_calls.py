"""Calls in text: names of any letters, quotes inside quotes, and nothing evaluated."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.apis.call_list_parser import (
    MAX_CALLS,
    UnreadableCallsError,
    longest_first,
    parse_calls,
)
from dragoman.core.apis.tasks import ApiCall

READ = [
    ("[f(a='x')]", [ApiCall("f", {"a": "x"})]),
    ("[ Text Shifter(text='Hi, you?', 'to'='fr') ]", [ApiCall("Text Shifter", {"text": "Hi, you?", "to": "fr"})]),
    ("[currencies()]", [ApiCall("currencies", {})]),
    ("[]", []),
    ("[f(a=1, b=-2.5, c=1e3)]", [ApiCall("f", {"a": 1, "b": -2.5, "c": 1000.0})]),
    ("[f(a=true, b=True, c=null, d=None, e=False)]", [ApiCall("f", {"a": True, "b": True, "c": None, "d": None, "e": False})]),
    ("[Mail V4(opt='Check: Fast'), Mail V4(opt='Check: Slow')]", [ApiCall("Mail V4", {"opt": "Check: Fast"}), ApiCall("Mail V4", {"opt": "Check: Slow"})]),
    ("[Recherche d'adresse(q='12 rue de l'Église')]", [ApiCall("Recherche d'adresse", {"q": "12 rue de l'Église"})]),
    ("[郵便番号検索(番号='100-0001')]", [ApiCall("郵便番号検索", {"番号": "100-0001"})]),
    ("[f(a=\"say 'hi', please\")]", [ApiCall("f", {"a": "say 'hi', please"})]),
    ("[f(a='say \\'hi\\', b=\\'c\\'')]", [ApiCall("f", {"a": "say 'hi', b='c'"})]),
    ("[f(a='x\\u00e9\\n')]", [ApiCall("f", {"a": "xé\n"})]),
    ("[f(a=['x', 'it's', 3], b={'k': [1, {'l': null}], \"m\": 'n'})]", [ApiCall("f", {"a": ["x", "it's", 3], "b": {"k": [1, {"l": None}], "m": "n"}})]),
    ("[f(a='[{'k': 'v, w', 'l': 'm'}]', b=2)]", [ApiCall("f", {"a": "[{'k': 'v, w', 'l': 'm'}]", "b": 2})]),
    ("[f(a='[x', b='{y}z')]", [ApiCall("f", {"a": "[x", "b": "{y}z"})]),
    ("[f(a=(1, 2), b=[])]", [ApiCall("f", {"a": [1, 2], "b": []})]),
    ("[f(a=“x”, b=\N{LEFT SINGLE QUOTATION MARK}y\N{RIGHT SINGLE QUOTATION MARK})]", [ApiCall("f", {"a": "x", "b": "y"})]),
    ("[MD5 Text\nHash(dataString='p')]", [ApiCall("MD5 Text Hash", {"dataString": "p"})]),
    ("['quoted name'(a='x')]", [ApiCall("quoted name", {"a": "x"})]),
    ("[f(first name='x')]", [ApiCall("f", {"first name": "x"})]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "calls"), READ, ids=[text for text, _ in READ])
def test_calls_in_the_form_that_is_asked_for_are_read_and_plain(
    text: str, calls: list[ApiCall]
) -> None:
    found = parse_calls(text)
    assert list(found.calls) == calls
    assert found.is_plain


NEARLY = [
    ("f(a='x')", [ApiCall("f", {"a": "x"})]),
    ("[f(a='x')", [ApiCall("f", {"a": "x"})]),
    ("[f(a='x')] as asked", [ApiCall("f", {"a": "x"})]),
    ("[f(date=2026-03-16, city=São Paulo)]", [ApiCall("f", {"date": "2026-03-16", "city": "São Paulo"})]),
    ("[f('x', 3)]", [ApiCall("f", {"#1": "x", "#2": 3})]),
    ("[f({'a': 'x'})]", [ApiCall("f", {"a": "x"})]),
    ("[f(a='x') g(b='y')]", [ApiCall("f", {"a": "x"}), ApiCall("g", {"b": "y"})]),
    ("f(a='x')\ng(b='y')", [ApiCall("f", {"a": "x"}), ApiCall("g", {"b": "y"})]),
    ("[f(a: 'x')]", [ApiCall("f", {"a": "x"})]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "calls"), NEARLY, ids=[text for text, _ in NEARLY])
def test_calls_near_the_form_are_read_and_are_not_plain(text: str, calls: list[ApiCall]) -> None:
    found = parse_calls(text)
    assert list(found.calls) == calls
    assert not found.is_plain


@pytest.mark.parametrize(
    "text",
    [
        "[f(a='x'",
        "[f(a=)]",
        "[f(a='x]",
        "[f(a=g(b='x'))]",
        "[(a='x')]",
        "[f(a='x') and so on",
        "[f",
        "words alone",
        "[f(a=" + "[" * 40 + "]" * 40 + ")]",
        "[" + "f()," * (MAX_CALLS + 1) + "]",
        "[f(a='" + "x" * 100_001 + "')]",
    ],
)
def test_what_is_no_list_of_calls_is_refused(text: str) -> None:
    with pytest.raises(UnreadableCallsError):
        parse_calls(text)


def test_a_tool_that_is_offered_may_have_brackets_and_commas_in_its_name() -> None:
    names = longest_first(["Clima", "Clima (MX, 7 días)"])
    found = parse_calls("[Clima (MX, 7 días)(ciudad='León'), Clima(ciudad='Puebla')]", names)
    assert [call.tool for call in found.calls] == ["Clima (MX, 7 días)", "Clima"]


def test_nothing_is_evaluated() -> None:
    found = parse_calls('[f(a=\'__import__("os").system("true")\', b=9**9)]')
    assert found.calls[0].arguments == {"a": '__import__("os").system("true")', "b": "9**9"}


_PIECES = st.sampled_from(
    [
        *"[](){}=:,'\"\\ \n`“”\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}é郵",
        "f",
        "a=",
        "'x'",
        "f(a='x')",
        "\\u00e9",
        "\\ud83d",
        "-1.5",
        "null",
    ]
)


@given(st.lists(_PIECES, max_size=60).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = None
    with contextlib.suppress(UnreadableCallsError):
        found = parse_calls(text)
    assert found is None or all(call.tool for call in found.calls)


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\\'"), max_size=20)


@given(st.dictionaries(st.text("abcdé番_", min_size=1, max_size=8), _TEXTS, max_size=4))
def test_written_arguments_are_read_back(arguments: dict[str, object]) -> None:
    written = ", ".join(f"{name}='{value}'" for name, value in arguments.items())
    assert parse_calls(f"[Tool Name({written})]").calls == (ApiCall("Tool Name", arguments),)


@pytest.mark.parametrize(
    "unit",
    ["'", "' ", "',", "', a=", "\\", "[", "(", "f(", "f(a='", "f(a='x', ", "{", "{'a':", " ", "', 'a", "a=b,", "'['", "'[", "',b='["],
)  # fmt: skip
def test_time_grows_with_length_alone(unit: str) -> None:
    text = ("[f(a='" + unit * 100_000)[:100_000]
    started = time.process_time()
    with pytest.raises(UnreadableCallsError):
        parse_calls(text)
    assert time.process_time() - started < 1.0
