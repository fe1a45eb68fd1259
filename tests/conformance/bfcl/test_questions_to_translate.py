"""Translatable texts of BFCL's categories; all other text stays unchanged."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.benchmarks.bfcl.categories import BFCL_DATA, GROUPS, NAMES, TURN_GROUPS
from dragoman.conditions.language.text_invariants import has_letters
from dragoman.core.errors import UsageError
from dragoman.curation.translation.do_not_translate import data_of
from dragoman.curation.translation.placeholders import find_do_not_translate, mask
from dragoman.curation.translation.question_files import questions_of
from dragoman.curation.translation.segments import Artifact, Segment, TranslatableDomain

LARGE = {*GROUPS, *TURN_GROUPS}
"""Groups whose categories are tried one by one."""

CATEGORIES = [
    pytest.param(name, marks=pytest.mark.nightly) if name in LARGE else name
    for name in NAMES
    if name != "format_sensitivity"
]


@pytest.fixture(scope="module")
def data(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pulled data that has BFCL."""
    local = data_folder / "bfcl"
    if not local.is_dir():
        pytest.skip(f"{local} is absent: nothing to translate")
    folder = tmp_path_factory.mktemp("data")
    BFCL_DATA.pull(folder, from_dir=local, url=None, progress=lambda *_: None)
    return folder


def lines_of(domain: TranslatableDomain) -> Iterator[tuple[Artifact, bytes]]:
    for artifact in domain.artifacts:
        if artifact.component != "schema":
            yield artifact, domain.english.files[artifact.name]


def counted(value: object, parent: str = "") -> Counter[str]:
    """Count messages, descriptions and choices with letters, wherever they are in a line."""
    found: Counter[str] = Counter()
    if isinstance(value, dict):
        if value.get("role") in ("system", "user", "assistant") and has_letters(value["content"]):
            found["message"] += 1
        for key, part in value.items():
            if key == "enum" and isinstance(part, list) and parent != "properties":
                choices = choices_in(value, part)
                found["choice"] += len(choices)
                default = value.get("default")
                defaults = default if isinstance(default, list) else [default]
                found["default"] += sum(each in choices for each in defaults)
            is_text = key == "description" and parent not in {"properties", "parameters"}
            if is_text and isinstance(part, str) and has_letters(part):
                found["description"] += 1
            elif parent == "properties" or key not in {"initial_config", "response", "default"}:
                found += counted(part, "a property" if parent == "properties" else key)
    elif isinstance(value, list):
        for part in value:
            found += counted(part, parent)
    return found


def choices_in(schema: dict[str, object], listed: list[object]) -> list[str]:
    """Return listed values with letters, none of numbers and booleans; `AA` and `Aa` are codes."""
    if schema.get("type") in {"boolean", "integer", "float"} or "AA" in listed:
        return []
    return [each for each in listed if isinstance(each, str) and has_letters(each)]


@pytest.mark.parametrize("category", CATEGORIES)
def test_texts_are_all_messages_descriptions_and_choices(data: Path, category: str) -> None:
    domain = questions_of(f"bfcl:{category}", data)
    expected: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for artifact, content in lines_of(domain):
        found.update("label" if "/label/" in each.context else "text" for each in artifact.segments)
        if not artifact.name.startswith("possible_answer/"):
            for line in filter(None, content.split(b"\n")):
                expected += counted(json.loads(line))
    assert found["text"] == expected["message"] + expected["description"] > 0
    assert found["label"] == expected["choice"] + expected["default"]
    addresses = [each.address for each in domain.segments]
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize("category", CATEGORIES)
def test_files_are_the_same_where_nothing_is_translated(data: Path, category: str) -> None:
    compared = 0
    for artifact, content in lines_of(questions_of(f"bfcl:{category}", data)):
        assert (
            artifact.written({each.address: each.source for each in artifact.segments}) == content
        )
        compared += 1
    assert compared


def test_of_translated_files_only_the_listed_texts_differ(data: Path) -> None:
    for artifact, content in lines_of(questions_of("bfcl:live_simple", data)):
        texts = {each.address: f"{each.source}\u2060" for each in artifact.segments}
        written = artifact.written(texts)
        assert artifact.translations(written, artifact.name) == texts
        for old, new in zip(content.split(b"\n"), written.split(b"\n"), strict=True):
            if old:
                assert json.loads(new.replace("\u2060".encode(), b"")) == json.loads(old)


def test_labels_stand_for_values_of_the_functions(data: Path) -> None:
    domain = questions_of("bfcl:live_simple", data)
    labels = domain.artifacts[0]
    assert labels.name == "live_simple.data_model.json"
    listed = {(each.context, each.source) for each in labels.segments}
    in_functions = {
        (each.context, each.source)
        for each in domain.segments
        if each.component == "functions" and "/label/" in each.context
    }
    assert in_functions == listed
    assert len(listed) > 100


def test_names_of_functions_and_parameters_stay(data: Path) -> None:
    domain = questions_of("bfcl:simple_python", data)
    do_not_translate = find_do_not_translate(data_of(domain.english, domain.domain))
    triangle = domain.english.toolsets["agent"].by_name["calculate_triangle_area"]
    assert list(triangle.parameters["properties"]) == ["base", "height", "unit"]  # type: ignore[call-overload]
    text = "Call calculate_triangle_area for a triangle."
    segment = Segment("x::0", "tasks", text, "text", "bfcl/text")
    assert "calculate_triangle_area" not in mask(segment, do_not_translate).text


def test_variations_of_formats_have_the_questions_of_other_categories(data: Path) -> None:
    with pytest.raises(UsageError, match="has the questions of other categories"):
        questions_of("bfcl:format_sensitivity", data)
