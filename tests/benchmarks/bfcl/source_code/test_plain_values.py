"""Values that are read without the grammar equal the values that the grammar reads."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.source_code.literals import expression_value, plain_value
from dragoman.benchmarks.bfcl.source_code.parser import grammar_for
from dragoman.benchmarks.bfcl.source_code.tokenizer import SourceLanguage, tokenize

LANGUAGE = st.sampled_from(["java", "javascript"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)
WRITTEN = st.builds(
    lambda value, is_ascii, indent: json.dumps(value, ensure_ascii=is_ascii, indent=indent),
    JSON,
    st.booleans(),
    st.none() | st.just(1),
)
SIGNS = ("[", "]", "{", "}", '"', "'", ",", ":", "\\", ".", "-", "0", "12", "1e5", " ", "\n")
WORDS = ("true", "null", "NaN", "new", "int", "async", "function", "a", "é", "\u2028", '"k"', "n")
PIECES = st.lists(st.sampled_from(SIGNS + WORDS), max_size=8).map("".join)


def by_grammar(text: str, language: SourceLanguage) -> object:
    """Return the value of a text by the grammar, or the text itself if it is unreadable."""
    try:
        source = tokenize(text, language)
        return expression_value(grammar_for(source).whole_expression(), source)
    except UnreadableError:
        return text


@given(WRITTEN | PIECES, LANGUAGE)
def test_what_is_plain_has_the_value_that_the_grammar_finds(
    text: str, language: SourceLanguage
) -> None:
    found = plain_value(text, language)
    assert found is msgspec.UNSET or repr(found) == repr(by_grammar(text, language))


@pytest.mark.parametrize(
    "text",
    [
        "9" * 500,
        "[" * 30 + "]" * 30,
        '["\\ud83d\\ude00"]',
        '{"a": 1} ',
        "[1e999]",
        "[-0]",
        "[-0.0]",
    ],
)
def test_numbers_nesting_and_escapes_at_their_bounds_are_read_alike(text: str) -> None:
    for language in ("java", "javascript"):
        found = plain_value(text, language)
        assert found is msgspec.UNSET or repr(found) == repr(by_grammar(text, language))


def test_words_whole_numbers_and_json_are_plain() -> None:
    assert plain_value("total", "java") == "total"
    assert plain_value("true", "javascript") is True
    assert plain_value("-12", "java") == -12
    assert plain_value('{"a": [1, 2.5, null]}', "javascript") == {"a": [1, 2.5, None]}
    for text in ("a.b", "a..b", ".a", "a.1", "new.a", "true.a"):
        assert plain_value(text, "java") == by_grammar(text, "java") == text
    for text in ("'a'", "1.5", "new A()", "{a: 1}"):
        assert plain_value(text, "javascript") is msgspec.UNSET
