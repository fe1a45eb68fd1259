import pytest

from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.core.errors import DataError
from dragoman.core.tools import ToolSpec
from dragoman.curation.translation.do_not_translate import (
    DomainData,
    data_of,
    ids_by_field,
    matches_shape,
    names_in_calls,
    shape_of,
    shapes_of,
)
from dragoman.curation.translation.placeholders import find_do_not_translate


def test_ids_are_found_by_the_names_of_their_fields_and_as_codes() -> None:
    records = [
        {"order_id": "#W1", "items": [{"item_ids": ["1234567890"], "size": "10"}]},
        {"origin": "SFO", "note": "Ring twice", "zip": "78750", "country": "USA"},
        {"origin": "JFK", "note": "HURRY", "action_id": "1_2", "id": "cancel"},
        {"id": "Track"},
    ]

    assert ids_by_field(records) == {
        "order_id": {"#W1"},
        "item_ids": {"1234567890"},
        "origin": {"SFO", "JFK"},
        "zip": {"78750"},
    }


def test_names_are_found_in_the_arguments_of_calls() -> None:
    records = [
        {
            "name": "Not This",
            "arguments": {
                "city": "New York",
                "reason": "no longer needed",
                "count": 3,
                "people": [{"dob": "2001-04-12"}],
                "note": "I cannot fix it.",
                "two": "12",
            },
        }
    ]

    assert names_in_calls(records) == {"New York", "2001-04-12"}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("#W1234567", "#A9999999"),
        ("HAT001", "AAA999"),
        ("4WQ150", "XXXXXX"),
        ("KLO-0314-AM", "AAA-9999-AA"),
        ("mia_li_3668", "aaa_aa_9999"),
        ("1234567890", "9999999999"),
        ("2024", None),
        ("STATUS", None),
        ("word", None),
    ],
)
def test_a_shape_is_what_ids_of_a_field_share(text: str, shape: str | None) -> None:
    assert shape_of(text) == shape


def test_mixed_codes_have_any_digit_or_capital_in_any_place() -> None:
    shapes = shapes_of(["4WQ150", "JG7FMM"])

    assert [text for text in ("ZFA04Y", "HAT001", "ZFA04", "ABCDEF", "123456") if matches_shape(text, shapes)] == [
        "ZFA04Y",
        "HAT001",
    ]  # fmt: skip


def test_a_domain_protects_nothing_of_another() -> None:
    shop = find_do_not_translate(DomainData(({"order_id": "#W1234567"},)))
    airline = find_do_not_translate(DomainData(({"flight_number": "HAT001"},)))

    text = "#W1234567 and HAT001"

    assert [text[span.start : span.end] for span in shop.spans(text, "tasks")] == ["#W1234567"]
    assert [text[span.start : span.end] for span in airline.spans(text, "tasks")] == ["HAT001"]


def test_data_are_read_from_every_file_of_records_of_a_domain() -> None:
    english = EnglishAssets(
        files={
            "db.json": b'{"orders": [{"order_id": "#W1234567"}]}',
            "user_db.toml": b'[[lines]]\nline_id = "L1001"\n',
            "tasks.json": b'[{"actions": [{"arguments": {"city": "Austin"}}]}]',
            "questions.json": b'{"user_id": "u_1"}\n{"user_id": "u_2"}\n',
            "policy.md": b"# Policy",
        },
        toolsets={},
        hashes={},
    )

    do_not_translate = find_do_not_translate(data_of(english, "shop"))

    assert do_not_translate.terms.ids == {
        "order_id": {"#W1234567"},
        "line_id": {"L1001"},
        "user_id": {"u_1", "u_2"},
    }
    assert do_not_translate.terms.names == {"Austin"}


def test_a_damaged_file_is_named() -> None:
    english = EnglishAssets(files={"tasks.json": b"[1, "}, toolsets={}, hashes={})

    with pytest.raises(DataError, match=r"shop: tasks.json: neither JSON nor TOML"):
        data_of(english, "shop")


def test_names_of_tools_and_types_are_identifiers() -> None:
    tool = ToolSpec("think", "Think.", {"properties": {"thought": {}}})
    do_not_translate = find_do_not_translate(DomainData((), (tool,)))
    text = "Raises:\n    ValueError: If think(x) fails, think again."

    hidden = [text[span.start : span.end] for span in do_not_translate.spans(text, "tools")]

    assert hidden == ["Raises:", "ValueError", "think"]
