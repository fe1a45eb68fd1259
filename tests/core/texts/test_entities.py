import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.texts.entities import (
    EntityKind,
    canonical_entity,
    contains_entity,
    find_entities,
    kind_of,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("ines.carvalho@example.com", "email"),
        ("final_report.pdf", "file"),
        ("2026-05-05", "date"),
        ("May 5th, 2026", "date"),
        ("5 of May", "date"),
        ("3:30 PM", "time"),
        ("15:45", "time"),
        ("$1,250.50", "amount"),
        ("20 pounds", "amount"),
        ("415-555-0182", "phone"),
        ("+14155550182", "phone"),
        ("+44 7700 900102", "phone"),
        ("#W2378156", "code"),
        ("mia_garcia_4516", "code"),
        ("83702", "code"),
        ("SFO", "acronym"),
        ("150", "number"),
        ("2,000,000", "number"),
        ("50000", "number"),
        ("Holt", "name"),
        ("Ines Carvalho", "name"),
    ],
)
def test_a_value_shows_its_kind_by_its_form(value: str, kind: EntityKind) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("date", "May 5, 2026", "2026-05-05"),
        ("date", "5th of May 2026", "5/5/2026"),
        ("date", "May 5", "5 May"),
        ("time", "3:30 PM", "15:30"),
        ("time", "12 AM", "00:00"),
        ("amount", "$1,250.50", "1250.5 dollars"),
        ("amount", "£20", "20 pounds"),
        ("number", "1,200", "1200.0"),
        ("phone", "+1 415-555-0182", "+14155550182"),
        ("code", "#W2378156", "w2378156"),
    ],
)
def test_all_writings_of_a_value_have_one_form(kind: EntityKind, one: str, other: str) -> None:
    assert canonical_entity(kind, one) == canonical_entity(kind, other)


def test_a_date_that_does_not_exist_stays_as_it_is() -> None:
    assert canonical_entity("date", "2026-02-31") == "2026-02-31"


def test_values_are_found_where_they_stand() -> None:
    text = "Move final_report.pdf by May 5, 2026 for $20 or call 415-555-0182."
    assert [(found.kind, found.text) for found in find_entities(text)] == [
        ("file", "final_report.pdf"),
        ("date", "May 5, 2026"),
        ("amount", "$20"),
        ("phone", "415-555-0182"),
    ]


@pytest.mark.parametrize("text", ["a well-known place", "the 15th", "it is fine", "1.2.3.4.5"])
def test_words_and_ordinals_are_no_ids(text: str) -> None:
    assert [found.text for found in find_entities(text) if found.kind == "code"] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Holt", "my last name is holt"),
        ("2026-05-05", "on May 5, 2026 please"),
        ("3", "three tickets"),
        ("1250.5", "it cost $1,250.50"),
        ("#W2378156", "order W2378156"),
        ("4155550182", "call 415-555-0182"),
    ],
)
def test_a_value_stands_in_any_of_its_writings(value: str, text: str) -> None:
    assert contains_entity(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Holt", "my last name is Holton"),
        ("2026-05-05", "on May 6, 2026"),
        ("3", "thirty tickets"),
        ("#W2378156", "order W2378157"),
        ("", "anything"),
        ("final_report.pdf", "final report.pdf"),
    ],
)
def test_a_value_that_differs_does_not_stand(value: str, text: str) -> None:
    assert not contains_entity(value, text)


@given(st.text(max_size=200))
def test_any_text_is_looked_through(text: str) -> None:
    for found in find_entities(text):
        assert text[found.start : found.end] == found.text
        assert found.canonical
        assert contains_entity(found.text, text)


def test_a_long_chain_of_hyphens_is_looked_through_once() -> None:
    # Looking ahead from each of its letters to the end takes most of a minute.
    assert list(find_entities("a-" * 20_000)) == []
