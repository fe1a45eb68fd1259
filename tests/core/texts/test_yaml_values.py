"""YAML as plain values, bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.curation.untrusted_yaml import load_yaml


def test_only_what_json_writes_as_a_number_or_truth_value_is_one() -> None:
    text = (
        "a: 1\nb: -2.5\nc: true\nd: null\ne: no\nf: 010\ng: 12:30\nh: 2020-01-01\ni: 1_000\nj: .inf"
    )
    assert load_yaml(text) == {
        "a": 1,
        "b": -2.5,
        "c": True,
        "d": None,
        "e": "no",
        "f": "010",
        "g": "12:30",
        "h": "2020-01-01",
        "i": "1_000",
        "j": ".inf",
    }


def test_keys_are_texts() -> None:
    assert load_yaml("200: ok\non: [get]\n1.10: x") == {"200": "ok", "on": ["get"], "1.10": "x"}


def test_what_is_quoted_or_tagged_as_text_is_text() -> None:
    assert load_yaml("['1', \"true\", !!str 2, !!int 3]") == ["1", "true", "2", 3]


def test_merged_mappings_give_way_to_what_stands_there() -> None:
    text = "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\ntwo:\n  <<: [*b, {z: 4}]"
    assert load_yaml(text) == {
        "base": {"x": 1, "y": 2},
        "one": {"x": 1, "y": 3},
        "two": {"x": 1, "y": 2, "z": 4},
    }


def test_a_reader_of_a_tag_is_used() -> None:
    assert load_yaml("!binary aGk=", tags={"!binary": str.upper}) == "AGK="


BOMB = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{now}: &{now} [{','.join([f'*{before}'] * 10)}]\n"
    for before, now in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "more than 500,000 values"),
        ("[" * 5_000, "nested more than 100 deep"),
        ("a: &a [*a]", "stands for nothing, or for what it is in"),
        ("? [a]\n: b", "a key of YAML that is not a text"),
        ("a: !!python/object:os.system x", "python/object:os.system of YAML is not read"),
        ("--- a\n--- b", "several YAML documents in one: make it one file each"),
        ("a: b: c", "no YAML (line 1: mapping values are not allowed"),
        ("<<: 3\n", "the value that << merges is not a mapping"),
        ("\x00", "no YAML (unacceptable character"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(DataError) as refused:
        load_yaml(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.text(alphabet=" \n-:?[]{},&*!|>'\"%@`#ab<1", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = load_yaml(text)
    except DataError as error:
        assert str(error)  # noqa: PT017 - either end is right
    else:
        assert isinstance(value, dict | list | str | int | float | None)
