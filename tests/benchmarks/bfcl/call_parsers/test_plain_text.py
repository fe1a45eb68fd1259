"""Reading without a syntax tree gives the tree's calls, or refuses texts without calls."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.call_parsers.limits import (
    UnreadableError,
    check_bounds,
    leaves_list_open,
)
from dragoman.benchmarks.bfcl.call_parsers.plain_python_calls import is_no_call, read_plain_calls
from dragoman.benchmarks.bfcl.call_parsers.python_calls import read_any_calls, read_python_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES

NAMES = ("f", "g.h", "a", "b", "class", "print", "not", "in", "rb", "é", "_x1", "True", "None")
MARKS = (
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ", ",
    ":",
    "=",
    "==",
    ".",
    " ",
    "\n",
    "\r",
    "\t",
    "#",
    ";",
)
VALUES = (
    "1",
    "-1",
    "01",
    "0",
    "-0",
    "1.50",
    "00.5",
    "5.",
    ".5",
    "1e5",
    "1_0",
    "0x1",
    "1j",
    "9" * 30,
)
TEXTS = (
    "'x'",
    '"y z"',
    "'",
    '"',
    "''",
    "'''",
    "'it''s'",
    "f'{x}'",
    "'\\n'",
    "'é\ud800'",
    "'\0'",
    "\r",
)
CALLS = ("f(a=1)", "f(a='x', b=[1, 'y'])", "f(a={'k': 1.5})", "f()", "g.h(a=x)", "['x'](a=1)")


def calls_by_tree(text: str) -> list[str | None]:
    """Return the syntax tree's calls under both rule sets; None for a text without calls."""
    found: list[str | None] = []
    for rules in (BFCL_V4, DEFAULT_RULES):
        try:
            found.append(repr(read_any_calls(text, rules)))
        except UnreadableError:
            found.append(None)
    return found


def check_against_tree(text: str) -> None:
    plain = read_plain_calls(text)
    if plain is not None:
        assert calls_by_tree(text) == [repr(plain)] * 2
    if is_no_call(text):
        assert calls_by_tree(text) == [None, None]


@given(st.lists(st.sampled_from((*NAMES, *MARKS, *VALUES, *TEXTS, *CALLS)), max_size=12))
@example(["'x'", "]", "(", "a", "=", "1", ")", "#"])
@example(["'x'", "]", ".", "f", "(", "a", "=", "[", "1", "]", ")", ",", "[", "1"])
def test_pieces_of_python_are_what_the_syntax_tree_says(pieces: list[str]) -> None:
    check_against_tree(f"[{''.join(pieces)}]")
    check_against_tree(f"[{''.join(pieces)}")


@given(
    st.lists(
        st.sampled_from((*CALLS, *VALUES, *TEXTS, "{'k': 1}", "[]", "x for x in", "two words"))
    ),
    st.sampled_from((",", ", ", "\n", " ", "")),
)
def test_lists_of_calls_are_what_the_syntax_tree_says(parts: list[str], between: str) -> None:
    check_against_tree(f"[{between.join(parts)}]")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}_", fullmatch=True), JSON, max_size=4))
def test_any_values_are_what_the_syntax_tree_says(arguments: dict[str, object]) -> None:
    written = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    check_against_tree(f"[f({written}), g({written})]")


def test_usual_calls_are_plain() -> None:
    calls = read_plain_calls(
        "[m.f(a=1, b=-2.5, c='x', d=True),\n g(e=[1, ['y']], h={\"k\": None}, i=j)]"
    )
    assert calls is not None
    assert [(call.name, call.arguments, call.raw) for call in calls] == [
        ("m.f", {"a": 1, "b": -2.5, "c": "x", "d": True}, "m.f(a=1, b=-2.5, c='x', d=True)"),
        (
            "g",
            {"e": [1, ["y"]], "h": {"k": None}, "i": "j"},
            "g(e=[1, ['y']], h={\"k\": None}, i=j)",
        ),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "f(a=1)",
        "[]",
        "[f(1)]",
        "[f(a=1, a=2)]",
        "[f(class=1)]",
        "[f(a=lambda)]",
        "[f(a=-x)]",
        "[f(a='x' 'y')]",
        "[f(a='\\n')]",
        "[f(a=01)]",
        "[f(a=(1, 2))]",
        "[f(a=[[[[[[1]]]]]])]",
        "[f(a=1),]",
        "[f(a=1)] [g(b=2)]",
    ],
)
def test_other_texts_are_left_to_the_syntax_tree(text: str) -> None:
    assert read_plain_calls(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "[I cannot do that.]",
        "[Sorry, I cannot: that's not possible]",
        "['f(a=1)']",
        '[{"name": "f", "arguments": {"a": 1}}]',
        "[json\n[f(a=1)]",
    ],
)
def test_what_holds_no_calls_is_told_at_once(text: str) -> None:
    assert is_no_call(text)
    assert calls_by_tree(text) == [None, None]


@pytest.mark.parametrize(
    "text", ["[]", "[f(a=x if y else z)]", "[f(a=not x)]", "['x'](a=[1])", "[f(a='two words')]"]
)
def test_what_may_hold_calls_is_not_refused(text: str) -> None:
    assert not is_no_call(text)


def test_a_carriage_return_ends_a_comment_as_it_does_for_the_syntax_tree() -> None:
    text = "[f(a=1)#[\r]"
    assert not is_no_call(text)
    (call,) = read_python_calls(text, DEFAULT_RULES)
    assert [(call.name, call.arguments)] == [("f", {"a": 1})]


def test_what_nests_too_deeply_is_seen_behind_a_comment_that_a_carriage_return_ends() -> None:
    with pytest.raises(UnreadableError, match="nested"):
        check_bounds("#\r" + "[" * 200 + "]" * 200)


def test_brackets_in_strings_and_comments_open_no_list() -> None:
    assert leaves_list_open("[f(a=[1)]")
    assert not leaves_list_open("[f(a='[')]")
    assert not leaves_list_open("[f(a=1)] # [")
    assert not leaves_list_open("[f(a=1)#[\r]")
    assert not leaves_list_open("[f(a=f'{x['y']}')")
