"""Text from models is bounded: no hang, no execution, and no error but our own."""

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.ast_checker.argument_check import parse_source_value
from dragoman.benchmarks.bfcl.ast_checker.reply_check import (
    WrittenReply,
    attempts_call,
    judge_reply,
)
from dragoman.benchmarks.bfcl.ast_checker.value_types import type_slot
from dragoman.benchmarks.bfcl.call_parsers.json_calls import (
    item_strings,
    read_items,
    read_object_items,
)
from dragoman.benchmarks.bfcl.call_parsers.limits import MAX_LENGTH, UnreadableError, check_bounds
from dragoman.benchmarks.bfcl.entry_files import ParameterSchema, read_question
from dragoman.benchmarks.bfcl.reply_parser import Form, read_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES
from dragoman.benchmarks.bfcl.source_code.tokenizer import SourceLanguage
from dragoman.benchmarks.bfcl.text_tool_calls import call_string
from dragoman.benchmarks.bfcl.verdicts import Judged, UndecidableError

FORMS: tuple[Form, ...] = (
    "python",
    "json",
    "verbose_xml",
    "concise_xml",
    "java",
    "javascript",
)

KINDS: tuple[tuple[SourceLanguage, str], ...] = (
    ("java", "double"),
    ("java", "ArrayList"),
    ("java", "Array"),
    ("java", "HashMap"),
    ("javascript", "float"),
    ("javascript", "array"),
    ("javascript", "dict"),
)

DEEP = 10**5
NEAR = 8_000
FRAGMENTS = (
    "f(a=",
    "g(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "(",
    "'",
    '"',
    "'''",
    '"""',
    "`",
    "\\",
    "\n",
    "\r",
    "\f",
    "\0",
    "\ud800",
    "é",
    "日本",
    ",",
    ";",
    ":",
    ".",
    "=",
    "==",
    "->",
    "=>",
    "...",
    "+",
    "-",
    "~",
    "not ",
    "**",
    "<<",
    "%",
    "*",
    "/",
    "//",
    "/*",
    "#",
    "1",
    "1e9",
    "0x",
    "1_0",
    "1j",
    "9**9",
    "x",
    "new ",
    "new int[]",
    "new HashMap<",
    "Arrays.asList(",
    "put(",
    "lambda x: ",
    "for x in y",
    "if x else y",
    "await ",
    "async ",
    "yield ",
    "function",
    "class ",
    "f'{x}'",
    "b'x'",
    "__import__('os')",
    "<functions>",
    "</functions>",
    '<function name="f">',
    "</function>",
    '<param name="a" value="1" type="integer">',
    "</param>",
    "<TOOLCALL>",
    "</TOOLCALL>",
    "&amp;",
    "<!ENTITY",
    '{"function": "f", "parameters": ',
    "null",
    "true",
    "NaN",
    "1" * 5_000,
)

CORPUS = {
    "round brackets": "(" * DEEP + ")" * DEEP,
    "square brackets": "[" * DEEP + "]" * DEEP,
    "braces": "{" * DEEP + "}" * DEEP,
    "calls": "f(a=" * DEEP + "1" + ")" * DEEP,
    "open calls": "f(" * NEAR,
    "objects": '[{"a":' * (NEAR // 3) + "1" + "}]" * (NEAR // 3),
    "minuses": "f(a=" + "-" * NEAR + "1)",
    "nots": "f(a=" + "not " * (NEAR // 2) + "1)",
    "sum": "f(a=1" + "+1" * NEAR + ")",
    "powers": "f(a=2" + "**2" * NEAR + ")",
    "attributes": "f(a=b" + ".c" * NEAR + ")",
    "indexes": "f(a=b" + "[0]" * NEAR + ")",
    "results": "f" + "()" * NEAR,
    "lambdas": "f(a=" + "lambda: " * 10_000 + "1)",
    "conditions": "f(a=" + "1 if 1 else " * 8_000 + "1)",
    "ternaries": "f(a=" + "1 ? 1 : " * 12_000 + "1)",
    "arrows": "f(a=" + "x => " * 15_000 + "1)",
    "assignments": "f(" + "a=" * NEAR + "1)",
    "strings": "f(a=" + "'x' " * NEAR + ")",
    "commas": "f(" + "a," * NEAR + ")",
    "semicolons": ";" * MAX_LENGTH,
    "quotes": "'" * MAX_LENGTH,
    "triple quotes": "'''" * NEAR,
    "backslashes": "f(a='" + "\\" * NEAR + "')",
    "backticks": "`" * MAX_LENGTH,
    "slashes": "/" * MAX_LENGTH,
    "spaces": "f(a=1" + " " * (MAX_LENGTH - 10) + ")",
    "new lines": "f(a=1" + "\n" * (MAX_LENGTH - 10) + ")",
    "ten million characters": "f(a='" + "x" * 10**7 + "')",
    "ten million brackets": "[" * 10**7,
    "digits": f"f(a={'9' * 50_000})",
    "a power": "f(a=9**9**9)",
    "a shift": "f(a=1<<9**9)",
    "a product": "f(a='x'*9**9)",
    "nested products": "f(a=[[[0]*999]*999]*999)",
    "formatting": "f(a='%999999999d' % 1)",
    "an import": "f(a=__import__('os').system('true'))",
    "an added import": "f(a=__import__('os').getpid()+0)",
    "a comprehension": "f(a=[x for x in range(10**9)])",
    "a formatted string": "f(a=f'{9**9**9}')",
    "a lambda": "f(a=lambda: (yield))",
    "a null byte": "f(a='\0')",
    "a bare null byte": "\0",
    "a surrogate": "f(a='\ud800')",
    "a bare surrogate": "\ud800(a=1)",
    "an escaped surrogate": "f(a='\\ud800')",
    "an unknown escape": "f(a='\\d \\q')",
    "a number against a word": "f(a=1if x else 2)",
    "empty": "",
    "bare text": "Sorry, I cannot do that.",
    "elements": "<functions>" + "<a>" * NEAR + "</functions>",
    "entities": '<!DOCTYPE a [<!ENTITY b "c">]><functions>&b;</functions>',
    "types": "f(a=new A" + "<A" * NEAR + ")",
    "blocks": "f(a=new A()" + "{" * NEAR + "}" * NEAR + ")",
    "open comments": "/*" * NEAR,
    "open strings": "f(a=" + '"' + '\\"' * NEAR,
    "open triple strings": "f(a='''" + "\\'" * NEAR,
    "open maps": "new HashMap<" * 8_000,
    "puts": "new HashMap<String, String>() {{ " + 'put("a", "b' * 8_000,
    "news": "new ArrayList<" * 7_000,
    "arrays": "new a[] {" * 10_000,
    "casts": "f(a=" + "(a) " * NEAR + "b)",
    "templates": "`${" * NEAR,
    "regular expressions": "f(a=" + "/[" * NEAR + ")",
}


def try_to_read(text: str, *, in_tags: bool = False) -> None:
    """Read a text in every form; only our own errors may come of it."""
    for form in FORMS:
        for rules in (BFCL_V4, DEFAULT_RULES):
            try:
                for call in read_calls(text, form, rules, in_tags=in_tags):
                    call_string(call)
            except UnreadableError as error:
                assert str(error)  # noqa: PT017 - it may or may not be raised


def try_to_convert(text: str) -> None:
    """Read a text as a value of one Java and JavaScript type of every kind."""
    for language, kind in KINDS:
        for rules in (BFCL_V4, DEFAULT_RULES):
            parse_source_value(
                text,
                type_slot(ParameterSchema(kind, ParameterSchema("any")), language, rules),
                language,
            )


HEAVY = {
    *("arrays", "attributes", "backticks", "casts"),
    *("indexes", "lambdas", "semicolons", "ternaries"),
}
"""Texts that take seconds to be read in every form."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=pytest.mark.nightly if name in HEAVY else ())
        for name, text in CORPUS.items()
    ],
)
@pytest.mark.nightly
def test_the_corpus_raises_nothing_but_our_error(text: str) -> None:
    try_to_read(text)
    try_to_convert(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", CORPUS.values(), ids=CORPUS)
def test_the_corpus_is_judged(text: str) -> None:
    function = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    answers: list[dict[str, dict[str, list[object]]]] = [{"f": {"a": ["x"]}}]
    question = read_question({"id": "parallel_0", "function": [function]}, answers)
    irrelevant = read_question({"id": "irrelevance_0", "function": [function]})
    for asked in (question, irrelevant):
        judgement = judge_reply(asked, WrittenReply(text), DEFAULT_RULES)
        assert isinstance(judgement.outcome, Judged)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
def test_mixed_fragments_raise_nothing_but_our_error(text: str) -> None:
    try_to_read(text)
    try_to_read(f"<TOOLCALL>{text}</TOOLCALL>", in_tags=True)
    try_to_convert(text)


@given(st.text(max_size=200))
def test_any_text_raises_nothing_but_our_error(text: str) -> None:
    try_to_read(text)
    try_to_read(f"[f(a={text})]")
    try_to_convert(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_stored_reply_raises_nothing_but_our_error(stored: object) -> None:
    for reader in (read_items, read_object_items, item_strings):
        try:
            reader(stored)
        except UnreadableError as error:
            assert str(error)  # noqa: PT017 - it may or may not be raised


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}_", fullmatch=True), JSON, max_size=4))
def test_values_written_in_python_are_read_back(arguments: dict[str, object]) -> None:
    text = f"[f({', '.join(f'{name}={value!r}' for name, value in arguments.items())})]"
    if any(word in text for word in ("nan", "inf", "\\ud")):
        return
    (call,) = read_calls(text, "python", DEFAULT_RULES)
    assert call.arguments == arguments
    assert repr(call.arguments) == repr(arguments)


def test_nothing_in_a_text_is_executed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    for expression in (
        f"open({str(victim)!r}, 'w').write('x')",
        f"open({str(victim)!r}, 'w').write('x') + 0",
        f"[open({str(victim)!r}, 'w')]",
        f"__import__('pathlib').Path({str(victim)!r}).touch() or 1",
        f"(lambda: open({str(victim)!r}, 'w'))()",
    ):
        try_to_read(f"[f(a={expression})]")
    assert not victim.exists()


def test_odd_escapes_are_read_whatever_the_filter_of_warnings_says() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (call,) = read_calls("[f(a='\\d')]", "python", BFCL_V4)
        (touching,) = read_calls("[f(a=g(5.if x else y))]", "python", BFCL_V4)
    assert call.arguments == {"a": "\\d"}
    assert touching.arguments == {"a": "g(5.0 if x else y)"}


def test_what_is_within_the_bounds_is_read() -> None:
    deep = f"f(a={'[' * 50}{']' * 50})"
    long = f"f(a='{'x' * 90_000}')"
    wide = f"f(a=[{', '.join('1' * 30 for _ in range(3_000))}])"
    for text in (deep, long, wide):
        for form in ("python", "javascript"):
            if text is not deep or form == "python":
                assert len(read_calls(text, form, BFCL_V4)) == 1


def test_a_text_beyond_the_bounds_is_refused_by_its_measure() -> None:
    with pytest.raises(UnreadableError, match="100001 characters"):
        check_bounds("x" * 100_001)
    with pytest.raises(UnreadableError, match="deep"):
        check_bounds("[" * 101)
    check_bounds("[" * 100)
    check_bounds("'" + "[" * 5_000 + "'")
    check_bounds("x, " * 5_000)


def test_looking_for_attempts_is_bounded_too() -> None:
    function = {"name": "f", "parameters": {"properties": {}}}
    question = read_question({"id": "irrelevance_0", "function": [function]})
    for text in ("f(" * NEAR, "f " * NEAR, "[" * NEAR, "`" * NEAR + "f(", '"name" : ' * 9_000):
        assert attempts_call(text, question.functions) in {True, False}


def test_types_that_break_the_reference_are_named() -> None:
    slot = type_slot(ParameterSchema("Stack"), "java", BFCL_V4)
    with pytest.raises(UndecidableError, match="Stack"):
        parse_source_value("x", slot, "java")


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["[0]*4999", "'x'*9999", "([0]*4999)*0", "[[0]*99]*99", "[0]*4000+[0]+[0]+[0]"]
)
def test_all_arithmetic_of_a_reply_leads_to_little_together(part: str) -> None:
    (call,) = read_calls(f"[f(a={part})]", "python", DEFAULT_RULES)
    assert "a" in call.arguments
    many = ",".join([part] * (90_000 // (len(part) + 1)))
    for text in (
        f"[f(a=[{many}])]",
        f"[f({many})]",
        f"[{','.join([f'f(a={part})'] * (90_000 // (len(part) + 6)))}]",
    ):
        with pytest.raises(UnreadableError, match="arithmetic leads to more"):
            read_calls(text, "python", DEFAULT_RULES)


@pytest.mark.parametrize("number", [f"0x{'f' * 4_000}", f"0b{'1' * 15_000}", f"0o{'7' * 5_000}"])
@pytest.mark.parametrize(
    "text", ["[f({})]", "[f(a={})]", "[f(a=-{})]", "[f(a=g({}))]", "[f(a={{1: {}}})]"]
)
def test_a_number_that_python_does_not_print_is_out_of_bounds(text: str, number: str) -> None:
    with pytest.raises(UnreadableError, match="a number out of bounds"):
        read_calls(text.format(number), "python", DEFAULT_RULES)


def test_a_text_that_looks_like_such_a_number_is_a_text() -> None:
    (call,) = read_calls(f"[f(a='0x{'f' * 4_000}\\n')]", "python", DEFAULT_RULES)

    assert call.arguments == {"a": f"0x{'f' * 4_000}\n"}
