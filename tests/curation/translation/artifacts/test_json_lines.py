"""Questions with their functions, and documents of functions, line by line."""

import json
from typing import Any

import pytest

from dragoman.core.errors import DataError
from dragoman.curation.translation.artifacts.file import SourcedFile
from dragoman.curation.translation.artifacts.json_lines import (
    choices_of_functions,
    copied_artifact,
    lines_artifact,
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
UNIT, KIND = "weather.now.unit", "weather.now.parts.kind"
CONTEXTS = {UNIT: f"bfcl/label/{UNIT}", KIND: f"bfcl/label/{KIND}"}
CONTENT = json.dumps(ENTRY).encode() + b"\n" + ESCAPED + b"\n"


def origin(name: str = "questions.json") -> SourcedFile:
    return SourcedFile(name, "bfcl", ())


def test_what_users_say_and_functions_mean_is_translated() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CONTEXTS)
    place = "questions.json::0/function/0/parameters/properties"
    assert {each.address: each.source for each in artifact.segments} == {
        "questions.json::0/function/0/description": "Tells the weather.",
        f"{place}/city/description": "The city.",
        f"{place}/unit/description": "The unit.",
        f"{place}/unit/enum/0": "celsius",
        f"{place}/unit/enum/1": "fahrenheit",
        f"{place}/unit/default": "celsius",
        f"{place}/parts/items/properties/kind/enum/0": "rain",
        "questions.json::0/question/0/1/content": "How is the weather?",
        "questions.json::0/question/1/0/content": "And tomorrow?",
        "questions.json::1/question/0/0/content": "Café?",
    }


def test_a_value_has_one_context_wherever_its_function_is_offered() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CONTEXTS)
    labels = {each.source: each.context for each in artifact.segments if each.mode == "label"}
    assert labels == {
        "celsius": "bfcl/label/weather.now.unit",
        "fahrenheit": "bfcl/label/weather.now.unit",
        "rain": "bfcl/label/weather.now.parts.kind",
    }
    schema = choices_of_functions({"questions.json": CONTENT, "more.json": CONTENT}, "bfcl:simple")
    assert {
        key: [value.canonical for value in each.values] for key, each in schema.value_sets.items()
    } == {
        "weather.now.unit": ["celsius", "fahrenheit", "42"],
        "weather.now.parts.kind": ["rain"],
    }


def test_values_that_differ_in_case_alone_stay() -> None:
    gene = {"parameters": {"properties": {"type": {"enum": ["AA", "Aa", "aa"]}}}, "name": "gene"}
    content = json.dumps({"function": [gene]}).encode()
    assert choices_of_functions({"q.json": content}, "bfcl").value_sets == {}
    assert lines_artifact(origin(), "tasks", content, {}).segments == ()


def test_lines_without_translations_stay_byte_by_byte() -> None:
    artifact = lines_artifact(origin(), "tasks", CONTENT, CONTEXTS)
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
    artifact = lines_artifact(origin(), "tasks", CONTENT, CONTEXTS)
    texts = {each.address: f"«{each.source}»" for each in artifact.segments}
    assert artifact.translations(artifact.written(texts), "th") == texts
    assert artifact.translations(b"", "th") == {}


def test_documents_of_functions_are_one_function_a_line() -> None:
    artifact = lines_artifact(
        origin("doc.json"), "functions", json.dumps(WEATHER).encode(), CONTEXTS
    )
    assert "doc.json::0/description" in {each.address for each in artifact.segments}
    assert {each.component for each in artifact.segments} == {"functions"}


def test_answers_are_the_same_in_every_language() -> None:
    artifact = copied_artifact(origin("possible_answer/q.json"), "tasks", b'{"id": 1}')
    assert artifact.segments == ()
    assert artifact.written({"x": "y"}) == b'{"id": 1}'


def test_a_damaged_line_is_named() -> None:
    with pytest.raises(DataError, match=r"questions\.json, line 2"):
        lines_artifact(origin(), "tasks", b"{}\n{", {})
