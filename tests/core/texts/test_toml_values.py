"""Foreign TOML is read unchanged, or refused at once with one kind of error."""

import datetime as dt
import tomllib

import msgspec
import pytest

from dragoman.core.texts.decoding import decode_toml, load_toml

WICKED = {
    "arrays": "a = " + "[" * 100_000,
    "tables": "a = " + "{a = " * 100_000,
    "a long key": ".".join(["a"] * 100_000) + " = 1",
    "a long key with blanks": "[" + " . ".join(["a-b"] * 1_000) + "]",
    "a long quoted key": ".".join(['"a b"'] * 1_000) + " = 1",
    "a long key within": "x = {" + ".".join(["a"] * 1_000) + " = 1}",
    "a long number": "a = 1" + "0" * 100_000,
    "no TOML": "a = = 1",
}


@pytest.mark.parametrize("name", WICKED)
def test_what_is_wicked_is_refused_in_one_kind_of_error(name: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        load_toml(WICKED[name])
    with pytest.raises(msgspec.DecodeError):
        decode_toml(WICKED[name].encode(), dict[str, object])


def test_values_come_as_they_are_written() -> None:
    text = 'a.b."c d" = 1.5\ntext = "one. two. three."\nday = 2026-03-16\n'
    assert load_toml(text) == {
        "a": {"b": {"c d": 1.5}},
        "text": "one. two. three.",
        "day": dt.date(2026, 3, 16),
    }
    assert decode_toml(b"day = 2026-03-16", dict[str, dt.date]) == {"day": dt.date(2026, 3, 16)}


def test_a_long_word_costs_no_more_than_its_length() -> None:
    word = "a" * 2**20
    assert load_toml(f'a = "{word}"') == {"a": word}
