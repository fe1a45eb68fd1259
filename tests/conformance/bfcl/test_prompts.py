"""Our BFCL prompts and tools against upstream's: recorded texts, and hashes over every entry.

A hash is of all that upstream's own program composed for a category, one line of JSON per entry;
`prompts.json` of the data folder holds the recorded texts.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dragoman.benchmarks.bfcl.native_tools import localize_documents
from dragoman.benchmarks.bfcl.prompts import (
    DEFAULT_FORMAT,
    FORMATS,
    DocumentFormat,
    PromptTexts,
    ShownDocument,
    compose_prompt,
    format_documents,
    read_prompt_texts,
)
from dragoman.benchmarks.bfcl.single_turn_entries import (
    SINGLE_TURN,
    Entry,
    load_entries,
    load_format_variations,
    shown_documents,
    shown_messages,
    shown_tools,
)
from dragoman.core.tools import openai_schema

Read = Callable[[str], bytes]

MESSAGES = {
    "simple_python": "f2fd3d8791f4498b956f3ef438c0d3ab",
    "simple_java": "6d02adade39de4db71585462760fbb15",
    "simple_javascript": "eaf71aed7d724c96623bdf7bb1186953",
    "multiple": "568a62c6f6e6a90c7fabe21107e43fc1",
    "parallel": "7f0f9e18e11a6c34ae46ae6e5de1a57b",
    "parallel_multiple": "8750b67bce94ea0db641a5a0c29c6b22",
    "irrelevance": "cab6184a10f0f9c5dbf3f894f1696356",
    "live_simple": "e1e09c26814912522d3e597e425d7f1a",
    "live_multiple": "116b45741768ec8946554b23c46b2799",
    "live_parallel": "bb8c93c03fe4d70528caa08916db04e7",
    "live_parallel_multiple": "77af217be475aeec96ee2d830297c5c7",
    "live_irrelevance": "1ada29bd18f47b4ae65ee97bec07f8e3",
    "live_relevance": "ab97e82b869f5bfc70678acc83dd0462",
}
TOOLS = {
    "simple_python": "95272551bdb974a9c241ca765a36554e",
    "simple_java": "4ed4f8005dfd912a733ac9f4f20ab1c1",
    "simple_javascript": "0ae64e8dfa9b044ff0c98a93766ad64e",
    "multiple": "184cc84666ed6b85e28608a8fb71bd51",
    "parallel": "a0271f5ec14f24a3f8659a09d125dcd6",
    "parallel_multiple": "eea2efad391dc617f5358ecf025e7f6d",
    "irrelevance": "a73fb0ec051481b133e257810fb810c2",
    "live_simple": "146f29c626711d64980fa8b7a89073fb",
    "live_multiple": "091df5b7e3bb5d75731742df72e77568",
    "live_parallel": "b0347a28230283e80cc22331f0e179e1",
    "live_parallel_multiple": "573451748d8370ecfc29ad4251cdfac4",
    "live_irrelevance": "b9d4a0cdb918724c3f5e81fe82d1b175",
    "live_relevance": "ff5bb522c3341d0fd298a2bdc23eecc4",
}
VARIATIONS = "31264467dc85a13c0579ac6437d38527"


@pytest.fixture(scope="module")
def texts(read_bfcl: Read) -> PromptTexts:
    """The texts that prompts are composed of, as pulled."""
    return read_prompt_texts(read_bfcl("prompts.json"))


@pytest.fixture(scope="module")
def recorded(data_folder: Path) -> dict[str, Any]:
    """Upstream's texts of example functions."""
    prompts = json.loads((data_folder / "bfcl/prompts.json").read_bytes())
    return dict(prompts["format_sensitivity"])


@pytest.fixture(scope="module")
def examples(recorded: dict[str, Any]) -> list[ShownDocument]:
    """The example functions, with notes on their language already."""
    return msgspec.convert(recorded["example_functions"], list[ShownDocument])


def test_formats_are_those_of_upstream_in_its_order(recorded: dict[str, Any]) -> None:
    assert [form.name for form in FORMATS] == recorded["configs"]
    assert DEFAULT_FORMAT.name == recorded["default_config"]


@pytest.mark.parametrize("form", ["python", "xml", "json"])
def test_example_functions_are_written_as_recorded(
    recorded: dict[str, Any], examples: list[ShownDocument], form: DocumentFormat
) -> None:
    assert format_documents(examples, form) == recorded["example_docs"][form]


def test_every_format_gives_the_recorded_prompt(
    recorded: dict[str, Any], examples: list[ShownDocument], texts: PromptTexts
) -> None:
    prompts = {form.name: compose_prompt(examples, texts, form) for form in FORMATS}
    found = {
        name: {"sha256": hashlib.sha256(prompt.encode()).hexdigest(), "chars": len(prompt)}
        for name, prompt in prompts.items()
    }
    assert found == recorded["example_prompts"]
    assert len(recorded["example_prompt_full"]) == 4
    for name, prompt in recorded["example_prompt_full"].items():
        assert prompts[name] == prompt


def hashed(rows: Iterable[object]) -> str:
    lines = (json.dumps(row, sort_keys=True).encode() + b"\n" for row in rows)
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return digest.hexdigest()[:32]


def conversations(entries: Iterable[Entry], texts: PromptTexts) -> str:
    return hashed(
        [entry.task.id, [[said.role, said.content] for said in shown_messages(entry, texts)]]
        for entry in entries
    )


@pytest.mark.parametrize("category", SINGLE_TURN)
def test_every_entry_shows_what_upstream_shows(
    read_bfcl: Read, texts: PromptTexts, category: str
) -> None:
    entries = load_entries(category, read_bfcl)
    tools = hashed(
        [entry.task.id, [openai_schema(tool) for tool in shown_tools(entry, texts)]]
        for entry in entries
    )
    assert conversations(entries, texts) == MESSAGES[category]
    assert tools == TOOLS[category]
    print(f"{category}: prompts and tools of {len(entries)} entries compared")


@pytest.mark.parametrize("category", SINGLE_TURN)
def test_prompts_describe_every_function_as_its_tool_does(
    read_bfcl: Read, texts: PromptTexts, category: str
) -> None:
    for entry in load_entries(category, read_bfcl):
        documents = shown_documents(entry, texts)
        assert (
            localize_documents(documents, shown_tools(entry, texts), texts.float_note) == documents
        )


def test_every_variation_shows_what_upstream_shows(read_bfcl: Read, texts: PromptTexts) -> None:
    entries = load_format_variations(read_bfcl)
    assert len(entries) == 5200
    assert conversations(entries, texts) == VARIATIONS
    print(f"format_sensitivity: prompts of {len(entries)} entries compared")
