from dragoman.conditions.language.artifacts import (
    FieldText,
    ModelText,
    Schema,
    ValueSetText,
    ValueText,
)
from dragoman.conditions.language.languages import find_language
from dragoman.curation.translation.glossary import Glossary, glossary_of, translation_notes


def test_a_value_with_two_labels_is_told_with_their_fields() -> None:
    schema = Schema(
        kind="schema",
        source_file="shop.py",
        models={"Order": ModelText({"status": FieldText("Status"), "level": FieldText("Level")})},
        value_sets={
            "Status": ValueSetText("enum", (ValueText("open", "เปิดอยู่"),)),
            "Level": ValueSetText("enum", (ValueText("open", "เปิดกว้าง"),)),
        },
    )

    reported = translation_notes(
        find_language("th"), glossary_of({"data_model.json": schema}, "shop"), None
    )

    assert list(reported) == [
        (
            "'open' is 'เปิดอยู่' in data_model.json: Status (Order.status); 'เปิดกว้าง' in "
            "data_model.json: Level (Order.level): where a text does not name the field, the value stays"
        )
    ]


def test_that_no_detector_was_there_is_told_where_it_would_have_been_asked(
    no_glossary: Glossary,
) -> None:
    assert list(translation_notes(find_language("th"), no_glossary, None)) == []
    assert list(translation_notes(find_language("vi"), no_glossary, None)) == [
        (
            "texts in a language that is not Vietnamese may have passed: "
            "pip install 'dragoman[language]' tells them"
        )
    ]
