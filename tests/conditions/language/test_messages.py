import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.conditions.language.artifacts import Template, ToolReturns, TranslatedMessage
from dragoman.conditions.language.messages import Messages, pattern_of
from dragoman.core.errors import DataError

PAID = Template("^Bill\\ (?P<bill>.+)\\ paid$", "Bill {bill} paid", "Tagihan {bill} lunas")
ADDED = Template("", "Added {gb} GB for {line}", "Menambah {line}: {gb} GB")
RETURNS = ToolReturns(
    {"done": TranslatedMessage("Done", "Selesai")}, {"paid": PAID, "added": ADDED}
)
MESSAGES = Messages(RETURNS, "id")


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
        Messages(ToolReturns(templates={"paid": lost}), "id")


def test_two_messages_with_one_translation_are_refused() -> None:
    same = {"on": TranslatedMessage("On", "Siap"), "off": TranslatedMessage("Off", "Siap")}
    with pytest.raises(DataError, match="two messages share a text"):
        Messages(ToolReturns(same), "id")


def test_the_pattern_of_a_text_is_as_released() -> None:
    assert pattern_of(PAID.source) == PAID.pattern
