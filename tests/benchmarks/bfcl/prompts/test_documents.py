import msgspec
import pytest

from dragoman.benchmarks.bfcl.entry_files import Language
from dragoman.benchmarks.bfcl.prompts import (
    LanguageNotes,
    ParameterNotes,
    PromptTexts,
    PromptWording,
    ShownDocument,
    SourceNotes,
    add_language_notes,
    format_documents,
)

TEXTS = PromptTexts(
    PromptWording({}, {}, {}, {}, "", ""),
    LanguageNotes(" (Python)", " (Java)", " (JavaScript)"),
    ParameterNotes(
        SourceNotes(" Anything.", " A Java {}.", " Of {}."),
        SourceNotes(" Whatever.", " A JavaScript {}.", " Of {}.", " With {}."),
    ),
    " A float.",
)


def document(**properties: dict[str, object]) -> ShownDocument:
    return ShownDocument(
        "f.g", "Does.", {"type": "dict", "properties": properties, "required": ["a"]}
    )


def shown(language: Language, **schema: object) -> dict[str, object]:
    schema = {"type": schema.pop("kind"), "description": "It.", **schema}
    return add_language_notes(document(a=schema), language, TEXTS).properties["a"]


@pytest.mark.parametrize(
    ("language", "note"),
    [("python", " (Python)"), ("java", " (Java)"), ("javascript", " (JavaScript)")],
)
def test_every_function_says_its_language(language: Language, note: str) -> None:
    noted = add_language_notes(document(), language, TEXTS)
    assert noted.description == f"Does.{note}"
    assert noted.name == "f.g"
    assert noted.parameters["required"] == ["a"]


def test_parameters_of_python_functions_are_left_as_they_are() -> None:
    schema: dict[str, object] = {"kind": "array", "items": {"type": "float"}, "default": None}
    assert shown("python", **schema) == {
        "type": "array",
        "description": "It.",
        "items": {"type": "float"},
        "default": None,
    }


@pytest.mark.parametrize(
    ("language", "kind", "description"),
    [
        ("java", "any", "It. Anything."),
        ("java", "HashMap", "It. A Java HashMap."),
        ("javascript", "any", "It. Whatever."),
        ("javascript", "Bigint", "It. A JavaScript Bigint."),
    ],
)
def test_values_of_other_languages_are_texts_that_tell_their_type(
    language: Language, kind: str, description: str
) -> None:
    assert shown(language, kind=kind) == {"type": "string", "description": description}


@pytest.mark.parametrize(("language", "kind"), [("java", "ArrayList"), ("javascript", "array")])
def test_the_type_of_elements_is_told_and_dropped(language: Language, kind: str) -> None:
    reported = shown(language, kind=kind, items={"type": "long"}, default="x")
    assert str(reported["description"]).endswith(f"{kind}. Of long.")
    assert sorted(reported) == ["default", "description", "type"]


def test_the_entries_of_a_javascript_object_are_told_and_dropped() -> None:
    reported = shown(
        "javascript", kind="dict", properties={"é": {"type": "String"}}, required=["é"]
    )
    assert reported == {
        "type": "string",
        "description": 'It. A JavaScript dict. With {"\\u00e9": {"type": "String"}}.',
        "required": ["é"],
    }


NESTED = document(
    a={"type": "string", "description": "A, b.", "enum": ["x"], "default": "x, y"},
    b={
        "type": "dict",
        "description": "B.",
        "properties": {"c": {"type": "array", "items": {"type": "boolean"}, "description": "C."}},
    },
)


def test_documents_as_docstrings() -> None:
    assert format_documents([NESTED], "python") == (
        "# Function: f.g\n"
        '    """\n'
        "    Does.\n"
        "\n"
        "    Args:\n"
        "        a (str, default='x, y'): A, b. Enum values: ['x'].\n"
        "        b (dict): B.\n"
        "            c (list[bool]): C.\n"
        '    """\n'
        "\n\n\n"
    )


def test_documents_as_xml_lose_the_commas_of_attributes() -> None:
    assert format_documents([NESTED], "xml") == (
        '<function name="f.g">\n'
        "  <desc>Does.</desc>\n"
        "  <params>\n"
        '    <param name="a" type="string" required="true" default="\'x y\'">\n'
        "      <desc>A, b. Enum values: ['x'].</desc>\n"
        "    </param>\n"
        '    <param name="b" type="dict" required="false">\n'
        "      <desc>B.</desc>\n"
        "      <params>\n"
        '        <param name="c" type="array[boolean]" required="true">\n'
        "          <desc>C.</desc>\n"
        "        </param>\n"
        "      </params>\n"
        "    </param>\n"
        "  </params>\n"
        "</function>\n"
    )


def test_documents_as_json_keep_every_key_and_escape_what_is_not_ascii() -> None:
    text = format_documents([ShownDocument("f", "é", {"type": "dict", "x": 1})], "json")
    assert "\\u00e9" in text
    assert msgspec.json.decode(text) == [
        {"name": "f", "description": "é", "parameters": {"type": "dict", "x": 1}}
    ]
