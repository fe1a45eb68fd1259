import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.language.artifacts import Template, ToolReturns, TranslatedMessage
from dragoman.conditions.language.tool_messages import (
    MessageTranslations,
    PlaceholderValues,
    pattern_of,
)
from dragoman.conditions.language.value_sets import build_value_set
from dragoman.core.errors import DataError

PAID = Template("^Bill\\ (?P<bill>.+)\\ paid$", "Bill {bill} paid", "Tagihan {bill} lunas")
ADDED = Template("", "Added {gb} GB for {line}", "Menambah {line}: {gb} GB")
RETURNS = ToolReturns(
    {"done": TranslatedMessage("Done", "Selesai")}, {"paid": PAID, "added": ADDED}
)
MESSAGES = MessageTranslations(RETURNS, "id")


def test_messages_are_shown_in_the_language_and_come_back() -> None:
    for source, shown in (
        ("Done", "Selesai"),
        ("Bill B1001 paid", "Tagihan B1001 lunas"),
        ("Added 1.5 GB for L1", "Menambah L1: 1.5 GB"),
    ):
        assert MESSAGES.label(source) == shown
        assert MESSAGES.canon(shown) == source


def test_what_is_no_message_is_none() -> None:
    assert MESSAGES.label("Done ") is None
    assert MESSAGES.canon("selesai") is None
    assert MESSAGES.label("Bill " + "x" * 5_000 + " paid") is None


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_message_that_is_shown_comes_back_whatever_fills_it(first: str, second: str) -> None:
    source = f"Added {first} GB for {second}"
    shown = MESSAGES.label(source)
    assert shown is None or MESSAGES.canon(shown) == source


def test_a_translation_with_other_placeholders_is_refused() -> None:
    lost = Template("", "Bill {bill} paid", "Tagihan lunas")
    with pytest.raises(DataError, match="id: paid: the translation has other placeholders"):
        MessageTranslations(ToolReturns(templates={"paid": lost}), "id")


def test_two_messages_with_one_translation_are_refused() -> None:
    same = {"on": TranslatedMessage("On", "Siap"), "off": TranslatedMessage("Off", "Siap")}
    with pytest.raises(DataError, match="two messages share a text"):
        MessageTranslations(ToolReturns(same), "id")


def test_the_pattern_of_a_text_is_as_released() -> None:
    assert pattern_of(PAID.source) == PAID.pattern


# Slots of messages

SPOKEN = ToolReturns(
    exact={
        "off": TranslatedMessage("Bluetooth is off", "Bluetooth mati"),
        "depot": TranslatedMessage("depot", "depo"),
        "locker": TranslatedMessage("locker", "loker"),
    },
    templates={
        "error": Template("", "Error: {refusal}", "Kesalahan: {refusal}"),
        "cannot": Template("", "cannot connect: {reason}", "tidak tersambung: {reason}"),
        "none": Template("", "there is no {kind} {key}", "{kind} {key} tidak ada"),
        "nowhere": Template("", "nothing in {town}", "{town} tidak punya apa-apa"),
        "here": Template("", "{number} is here", "{number} di sini"),
        "already": Template("", "{number} is here already", "{number} sudah di sini"),
    },
)
TOWNS = build_value_set("Town", {"Pennick": "Pelangi", "O'Dwyer": "Odiwa"})
FILLED = MessageTranslations(
    SPOKEN,
    "id",
    PlaceholderValues(
        {"town": TOWNS}, {"kind": ("depot", "locker")}, frozenset({"reason", "refusal"})
    ),
)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("nothing in Pennick", "Pelangi tidak punya apa-apa"),
        ("nothing in 'Pennick'", "'Pelangi' tidak punya apa-apa"),
        ('nothing in "O\'Dwyer"', '"Odiwa" tidak punya apa-apa'),
        ("nothing in 'Elsewhere'", "'Elsewhere' tidak punya apa-apa"),
        ("there is no locker 'L9'", "loker 'L9' tidak ada"),
        ("Error: there is no depot 'L9'", "Kesalahan: depo 'L9' tidak ada"),
        ("Error: cannot connect: Bluetooth is off", "Kesalahan: tidak tersambung: Bluetooth mati"),
        ("7 is here", "7 di sini"),
        ("7 is here already", "7 sudah di sini"),
        ("7 is here\n8 is here already", "7 di sini\n8 sudah di sini"),
    ],
)
def test_what_is_filled_in_is_in_the_language_and_comes_back(source: str, shown: str) -> None:
    assert FILLED.label(source) == shown
    assert FILLED.canon(shown) == source


def test_another_message_must_be_one() -> None:
    assert FILLED.label("cannot connect: no reason at all") is None
    assert FILLED.label("Error: something else") is None


def test_a_line_that_is_no_message_leaves_the_whole_as_it_is() -> None:
    assert FILLED.label("Bluetooth is off\nand the rain falls") is None


def test_in_a_language_without_spaces_words_tell_where_they_end() -> None:
    returns = ToolReturns(
        exact={"parcel": TranslatedMessage("parcel", "包裹")},
        templates={"none": Template("", "there is no {kind} {key}", "不存在{kind}{key}")},
    )
    messages = MessageTranslations(returns, "zh", PlaceholderValues(words={"kind": ("parcel",)}))
    assert messages.label("there is no parcel 'A1'") == "不存在包裹'A1'"


def test_other_values_may_be_filled_in_later() -> None:
    plain = FILLED.filled_from(PlaceholderValues())
    assert plain.label("nothing in Pennick") == "Pennick tidak punya apa-apa"
