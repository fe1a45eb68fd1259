import pytest

from dragoman.conditions.language.artifacts import (
    FieldText,
    ModelText,
    Schema,
    ValueSetText,
    ValueText,
)
from dragoman.core.errors import DataError
from dragoman.curation.translation.glossary import (
    Conflict,
    Glossary,
    Term,
    glossary_for,
    glossary_of,
)
from dragoman.curation.translation.segments import Segment


def schema(model: str, field: str, key: str, **labels: str) -> Schema:
    values = tuple(ValueText(value.replace("__", " "), label) for value, label in labels.items())
    return Schema(
        kind="schema",
        source_file="x.py",
        models={model: ModelText({field: FieldText(f"Optional[{key}]")})},
        value_sets={key: ValueSetText("enum", values)},
    )


def telecom() -> Glossary:
    return glossary_of(
        {
            "data_model.json": schema("Line", "status", "LineStatus", Active="ใช้งานได้", Suspended="ระงับ"),
            "user_data_model.json": schema(
                "Sim", "sim_status", "SimStatus", active="ทำงานอยู่", Suspended="ถูกระงับ", locked_pin="ล็อก"
            ),
        },
        "telecom/th",
    )  # fmt: skip


def terms(source: str) -> list[tuple[str, str]]:
    segment = Segment("a::b", "policy", source, "text", "telecom/text")
    return [(term.canonical, term.label) for term in glossary_for(segment, telecom())]


def test_two_schema_files_of_a_domain_are_one_glossary() -> None:
    assert {(each.file, each.canonical) for each in telecom().values} == {
        ("data_model.json", "Active"),
        ("data_model.json", "Suspended"),
        ("user_data_model.json", "active"),
        ("user_data_model.json", "Suspended"),
        ("user_data_model.json", "locked_pin"),
    }


def test_a_value_with_two_labels_is_reported_with_its_fields() -> None:
    (conflict,) = telecom().conflicts

    assert conflict == Conflict(
        "Suspended",
        {
            "ระงับ": ("data_model.json: LineStatus (Line.status)",),
            "ถูกระงับ": ("user_data_model.json: SimStatus (Sim.sim_status)",),
        },
    )
    assert str(conflict) == (
        "'Suspended' is 'ระงับ' in data_model.json: LineStatus (Line.status); "
        "'ถูกระงับ' in user_data_model.json: SimStatus (Sim.sim_status)"
    )


def test_a_value_set_whose_labels_are_read_alike_is_refused() -> None:
    with pytest.raises(DataError, match=r"telecom/vi: data_model.json: Level: 'kém' would mean"):
        glossary_of(
            {"data_model.json": schema("M", "f", "Level", poor="Kém", bad="kém ")}, "telecom/vi"
        )


@pytest.mark.parametrize("form", ["locked_pin", "locked pin", "Locked PIN", "locked-pin"])
def test_a_term_is_found_in_its_alias_forms(form: str) -> None:
    assert terms(f"The card is {form}.") == [("locked_pin", "ล็อก")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The line status is Active.", [("Active", "ใช้งานได้")]),
        ("An active sim status is needed.", [("active", "ทำงานอยู่")]),
        ("You are an active person.", []),
        ("It was suspended. The status bar is green.", []),
    ],
)
def test_an_ordinary_word_is_a_term_only_beside_its_field(
    source: str, expected: list[tuple[str, str]]
) -> None:
    assert terms(source) == expected


def test_terms_say_which_fields_they_belong_to() -> None:
    segment = Segment("a::b", "policy", "It is locked_pin.", "text", "telecom/text")

    assert glossary_for(segment, telecom()) == (Term("locked_pin", "ล็อก", ("Sim.sim_status",)),)


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("The line status is one of: Active, 'Suspended'.", "ระงับ"),
        ("The sim status can be 'Suspended'.", "ถูกระงับ"),
        ("It is 'Suspended'.", None),
    ],
)
def test_what_stands_on_the_line_decides_between_two_labels(line: str, label: str | None) -> None:
    start = line.index("Suspended")

    assert telecom().label_at(line, start, start + len("Suspended")) == label
