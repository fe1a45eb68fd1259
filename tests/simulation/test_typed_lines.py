import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.tools import Toolset, ToolSpec
from dragoman.simulation.participants.human import (
    Command,
    TypedCall,
    TypedText,
    TypingError,
    parse_typed_line,
)

SCHEMA: dict[str, object] = {
    "properties": {
        "zip": {"type": "string"},
        "count": {"type": "integer"},
        "on": {"type": "boolean"},
    }
}
TOOLS = Toolset((ToolSpec("find", "", SCHEMA), ToolSpec("list_all", "", {})))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  Hello, how are you? ", TypedText("Hello, how are you?")),
        ("Your total = 5", TypedText("Your total = 5")),
        ("/help", Command("help", "")),
        ("/tool  find ", Command("tool", "find")),
        ("/say find me", Command("say", "find me")),
        ("list_all", TypedCall("list_all", {})),
        ("find zip=04101", TypedCall("find", {"zip": "04101"})),
        ('find name="two words" zip=1', TypedCall("find", {"name": "two words", "zip": "1"})),
        ('find items=["a", "b"] count=3', TypedCall("find", {"items": ["a", "b"], "count": 3})),
        ("find on=true", TypedCall("find", {"on": True})),
        ("find id=#W12 mail=a@b.c", TypedCall("find", {"id": "#W12", "mail": "a@b.c"})),
        (
            'find {"zip": "1", "deep": {"a": [1]}}',
            TypedCall("find", {"zip": "1", "deep": {"a": [1]}}),
        ),
        ("find {}", TypedCall("find", {})),
    ],
)
def test_a_line_is_words_a_command_or_a_call(line: str, expected: object) -> None:
    assert parse_typed_line(line, TOOLS) == expected


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/", "a command is a slash and a word"),
        ("/9%", "a command is a slash and a word"),
        ("find me a jacket", "find is a tool"),
        ("fnd zip=1", "unknown tool 'fnd'"),
        ('fnd {"zip": 1}', "unknown tool 'fnd'"),
        ("find zip=1 zip=2", "zip is given twice"),
        ("find zip=1 and more", "not key=value: 'and more'"),
        ('find name="open', "name has a value that cannot be read"),
        ("find items=[1,", "items has a value that cannot be read"),
        ("find zip='1'", "zip has a value that cannot be read"),
        ("find zip=", "zip has a value that cannot be read"),
        ("find count=many", "count has a value that cannot be read"),
        ("find count=NaN", "count has a value that cannot be read"),
        ('find name="a"b', "a blank is missing after the value of name"),
        ("find {zip: 1}", "not a JSON object"),
        ('find {"zip": 1} x', "not a JSON object"),
        ("find x=" + "[" * 60_000, "x has a value that cannot be read"),
        ('find {"x": ' + "[" * 60_000, "not a JSON object"),
    ],
)
def test_what_cannot_be_read_is_explained(line: str, why: str) -> None:
    typed = parse_typed_line(line, TOOLS)
    assert isinstance(typed, TypingError)
    assert why in typed.why


@given(st.text(max_size=60) | st.text('find zip="[]{}=,:1 /', max_size=40).map("find ".__add__))
def test_any_line_is_read_in_one_way_or_another(line: str) -> None:
    assert isinstance(parse_typed_line(line, TOOLS), TypedText | Command | TypedCall | TypingError)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.from_regex(r"[a-z]\w{0,5}", fullmatch=True), VALUES, max_size=4))
def test_any_arguments_can_be_typed_as_json(arguments: dict[str, object]) -> None:
    line = f"find {msgspec.json.encode(arguments).decode()}"
    assert parse_typed_line(line, TOOLS) == TypedCall("find", arguments)


@given(
    st.dictionaries(st.from_regex(r"[a-z]\w{0,5}", fullmatch=True), st.text(max_size=8), max_size=4)
)
def test_any_texts_can_be_typed_in_quotes(arguments: dict[str, object]) -> None:
    pairs = " ".join(
        f"{key}={msgspec.json.encode(value).decode()}" for key, value in arguments.items()
    )
    assert parse_typed_line(f"find {pairs}", TOOLS) == TypedCall("find", arguments)
