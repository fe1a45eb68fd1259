"""Questions with their functions, and documents of functions, line by line."""

import json
from typing import Any

import pytest

from dragoman.core.errors import DataError
from dragoman.curation.translation.artifact_files import SourcedFile
from dragoman.curation.translation.question_files import (
    Choices,
    choices_of,
    copied_artifact,
    lines_artifact,
    question_texts,
)

WEATHER: dict[str, Any] = {
    "name": "weather.now",
    "description": "Tells the weather.",
    "parameters": {
        "type": "dict",
        "description": "not shown as a parameter",
        "properties": {
            "city": {"type": "string", "description": "The city.", "default": "Paris"},
            "unit": {
                "type": "string",
                "description": "The unit.",
                "enum": ["celsius", "fahrenheit", "42"],
                "default": "celsius",
            },
            "description": {"type": "string"},
            "parts": {
                "type": "array",
                "items": {"type": "dict", "properties": {"kind": {"enum": ["rain", 3]}}},
            },
        },
        "required": ["city"],
    },
}
ENTRY: dict[str, Any] = {
    "id": "simple_0",
    "question": [
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How is the weather?"},
        ],
        [{"role": "user", "content": "And tomorrow?"}],
    ],
    "function": [WEATHER],
    "initial_config": {"Files": {"content": "secret"}},
}
# As upstream has a few: escaped, and with other spaces.
ESCAPED = b'{"id":"simple_1","question":[[{"role":"user","content":"Caf\\u00e9?"}]]}'
CONTENT = json.dumps(ENTRY).encode() + b"\n" + ESCAPED + b"\n"
NO_CHOICES = choices_of([], "bfcl")


def choices(*contents: bytes) -> Choices:
    return choices_of(question_texts({str(at): each for at, each in enumerate(contents)}), "bfcl")


CHOICES = choices(CONTENT, CONTENT)


def origin(name: str = "questions.json") -> SourcedFile:
    return SourcedFile(name, "bfcl", ())


def test_what_users_say_and_functions_mean_is_translated() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CHOICES)
    place = "questions.json::0/function/0/parameters/properties"
    assert {each.address: each.source for each in artifact.segments} == {
        "questions.json::0/function/0/description": "Tells the weather.",
        f"{place}/city/description": "The city.",
        f"{place}/unit/description": "The unit.",
        f"{place}/unit/enum/0": "celsius",
        f"{place}/unit/enum/1": "fahrenheit",
        f"{place}/unit/default": "celsius",
        f"{place}/parts/items/properties/kind/enum/0": "rain",
        "questions.json::0/question/0/0/content": "Be brief.",
        "questions.json::0/question/0/1/content": "How is the weather?",
        "questions.json::0/question/1/0/content": "And tomorrow?",
        "questions.json::1/question/0/0/content": "Café?",
    }


def values_in(found: Choices) -> dict[str, list[str]]:
    return {
        key: [value.canonical for value in each.values]
        for key, each in found.schema.value_sets.items()
    }


def test_a_value_has_one_context_wherever_its_function_is_offered() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CHOICES)
    labels = {each.source: each.context for each in artifact.segments if each.mode == "label"}
    assert labels == {
        "celsius": "bfcl/label/weather.now.unit",
        "fahrenheit": "bfcl/label/weather.now.unit",
        "rain": "bfcl/label/weather.now.parts.kind",
    }
    assert values_in(CHOICES) == {
        "weather.now.unit": ["celsius", "fahrenheit", "42"],
        "weather.now.parts.kind": ["rain"],
    }


def function(*listed: object, kind: str = "string") -> bytes:
    parameters = {"properties": {"type": {"type": kind, "enum": listed, "default": listed[0]}}}
    return json.dumps({"function": [{"name": "gene", "parameters": parameters}]}).encode()


def test_values_of_one_list_that_differ_in_case_alone_stay() -> None:
    content = function("AA", "Aa", "aa")
    assert values_in(choices(content)) == {}
    assert lines_artifact(origin(), "tasks", content, choices(content)).segments == ()


def test_lists_of_one_parameter_that_do_not_go_together_are_two_sets() -> None:
    first, second, third = function("C", "F"), function("c", "f"), function("F", "K")
    found = choices(first, second, third)
    assert values_in(found) == {"gene.type": ["C", "F", "K"], "gene.type~2": ["c", "f"]}
    artifact = lines_artifact(origin(), "tasks", b"\n".join((first, second, third)), found)
    contexts = [each.context.removeprefix("bfcl/label/") for each in artifact.segments]
    assert contexts == [*["gene.type"] * 3, *["gene.type~2"] * 3, *["gene.type"] * 3]


def test_values_of_booleans_and_numbers_stay() -> None:
    assert values_in(choices(function("True", "False", kind="boolean"))) == {}
    assert values_in(choices(function("one", "two", kind="integer"))) == {}


def test_what_a_call_must_have_stays_in_the_prose_of_its_question() -> None:
    artifact = lines_artifact(
        origin(), "tasks", CONTENT, CHOICES, {"simple_0": frozenset({"THE WEATHER", "celsius", ""})}
    )
    kept = {each.source: each.kept for each in artifact.segments if each.kept}
    assert kept == {"Tells the weather.": ("the weather",), "How is the weather?": ("the weather",)}


def test_lines_without_translations_stay_byte_by_byte() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CHOICES)
    assert artifact.written({}) == CONTENT
    address = "questions.json::0/question/1/0/content"
    written = artifact.written({address: "แล้วพรุ่งนี้ล่ะ"}).split(b"\n")
    assert written[1:] == [ESCAPED, b""]
    changed = json.loads(written[0])
    assert changed["question"][1][0]["content"] == "แล้วพรุ่งนี้ล่ะ"
    changed["question"][1][0]["content"] = "And tomorrow?"
    assert changed == ENTRY
    assert "แล้ว" in written[0].decode()


def test_what_is_written_is_read_back() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CHOICES)
    texts = {each.address: f"«{each.source}»" for each in artifact.segments}
    assert artifact.translations(artifact.written(texts), "th") == texts
    assert artifact.translations(b"", "th") == {}


def test_documents_of_functions_are_one_function_a_line() -> None:
    artifact = lines_artifact(
        origin("doc.json"), "functions", json.dumps(WEATHER).encode(), CHOICES
    )
    assert "doc.json::0/description" in {each.address for each in artifact.segments}
    assert {each.component for each in artifact.segments} == {"functions"}


def test_functions_of_questions_are_no_tasks() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CHOICES)
    said = {each.source for each in artifact.segments if each.component == "tasks"}
    assert said == {"Be brief.", "How is the weather?", "And tomorrow?", "Café?"}


def test_answers_are_the_same_in_every_language() -> None:
    artifact = copied_artifact(origin("possible_answer/q.json"), "tasks", b'{"id": 1}')
    assert artifact.segments == ()
    assert artifact.written({"x": "y"}) == b'{"id": 1}'


def test_a_damaged_line_is_named() -> None:
    with pytest.raises(DataError, match=r"questions\.json, line 2"):
        lines_artifact(origin(), "tasks", b"{}\n{", NO_CHOICES)
