"""Translated files next to the English ones."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.translated_files import (
    TranslatedFile,
    left_in_english,
    translated_file,
)
from dragoman.core.errors import DataError

NAME = "BFCL_v4_simple_python.json"


def entry(identity: str) -> dict[str, Any]:
    unit = {
        "type": "string",
        "description": "The unit.",
        "enum": ["celsius", "kelvin"],
        "default": "celsius",
    }
    function = {
        "name": "weather.now",
        "description": "Tells the weather.",
        "parameters": {"type": "dict", "properties": {"unit": unit}, "required": []},
    }
    return {
        "id": identity,
        "question": [[{"role": "user", "content": f"How is it, {identity}?"}]],
        "function": [function],
    }


def in_thai(identity: str) -> dict[str, Any]:
    line = entry(identity)
    line["question"][0][0]["content"] = "เป็นอย่างไร"
    function = line["function"][0]
    function["description"] = "บอกสภาพอากาศ"
    unit = function["parameters"]["properties"]["unit"]
    unit |= {"description": "หน่วย", "enum": ["เซลเซียส", "kelvin"], "default": "เซลเซียส"}
    return line


def content(*lines: dict[str, Any]) -> bytes:
    return b"\n".join(json.dumps(line, ensure_ascii=False).encode() for line in lines) + b"\n"


def read(english: bytes, translated: bytes) -> TranslatedFile:
    return translated_file(NAME, lambda _: translated, lambda _: english)


def test_lines_are_matched_by_their_names_and_keep_the_english_order() -> None:
    found = read(content(entry("a"), entry("b")), content(in_thai("b"), in_thai("a")))
    assert list(found.lines) == ["a", "b"]
    assert [json.loads(line) for line in found.content.split(b"\n")] == [in_thai("a"), in_thai("b")]


def test_labels_stand_at_the_places_of_their_arguments() -> None:
    found = read(content(entry("a")), content(in_thai("a")))
    assert found.lines["a"].labels == {
        "weather.now": {("unit",): {"celsius": "เซลเซียส", "kelvin": "kelvin"}}
    }


def test_what_is_left_in_english_is_counted_by_use() -> None:
    found = read(content(entry("a"), entry("b")), content(in_thai("a"), entry("b")))
    assert left_in_english([found], "said") == (1, 2)
    assert left_in_english([found], "described") == (2, 2)
    assert left_in_english([found], "choice") == (2, 2)


def change(place: str, value: object) -> Callable[[dict[str, Any]], None]:
    *steps, last = [int(step) if step.isdigit() else step for step in place.split("/")]

    def changed(line: dict[str, Any]) -> None:
        holder: Any = line
        for step in steps:
            holder = holder[step]
        holder[last] = value

    return changed


UNIT = "function/0/parameters/properties/unit"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (change("function/0/name", "weather.then"), "differs from the English line in more"),
        (change("function/0/parameters/required", ["unit"]), "in more than texts"),
        (change(f"{UNIT}/type", "integer"), "in more than texts"),
        (change(f"{UNIT}/enum", ["เซลเซียส"]), "no text at function/0/parameters"),
        (change(f"{UNIT}/enum/1", "เซลเซียส"), "two values of weather.now.unit are called"),
        (change(f"{UNIT}/default", "องศา"), "unit/default has another label than its list"),
        (change("question/0/0/content", " "), "no text at question/0/0/content"),
        (change("question", []), "no text at question/0/0/content"),
        (change("id", "c"), "a is missing: translate the file again"),
    ],
)
def test_a_line_that_is_another_is_refused_in_one_line(
    changed: Callable[[dict[str, Any]], None], what: str
) -> None:
    other = copy.deepcopy(in_thai("a"))
    changed(other)
    with pytest.raises(DataError, match=what) as refused:
        read(content(entry("a")), content(other))
    assert str(refused.value).startswith(f"translated {NAME}")
    assert "\n" not in str(refused.value)


def test_damaged_and_doubled_lines_are_named() -> None:
    with pytest.raises(DataError, match="line 1"):
        read(content(entry("a")), b"{")
    with pytest.raises(DataError, match="line 2: a is there twice"):
        read(content(entry("a")), content(in_thai("a"), in_thai("a")))
