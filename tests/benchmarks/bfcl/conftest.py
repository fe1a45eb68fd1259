"""Multi-turn entries as literals: the content of upstream's files, and the entry read."""

import json
from collections.abc import Callable, Mapping, Sequence

import pytest

from dragoman.benchmarks.bfcl.multi_turn_entries import (
    DOCUMENT_FILES,
    MULTI_TURN,
    MultiTurnEntry,
    load_multi_turn,
)
from dragoman.benchmarks.bfcl.prompts import (
    LanguageNotes,
    ParameterNotes,
    PromptTexts,
    PromptWording,
    SourceNotes,
    StyleTexts,
)

Files = Mapping[str, bytes]
MakeFiles = Callable[..., Files]
MakeEntry = Callable[..., MultiTurnEntry]

NOTES = SourceNotes("", "", "")
STYLE = StyleTexts("", "", "", "", "", "{functions}")


@pytest.fixture
def texts() -> PromptTexts:
    """Texts of prompting mode, short."""
    return PromptTexts(
        PromptWording(
            {"python": "[f(a=1)]"},
            {"python": ""},
            {"classic": STYLE},
            {"plaintext": "You help.\n{available_tools}"},
            "More tools. Now?",
            "{functions}\nMore functions. Now?",
        ),
        LanguageNotes(" (Python)", "", ""),
        ParameterNotes(NOTES, NOTES),
        " (float)",
    )


@pytest.fixture
def make_files() -> MakeFiles:
    """Write the files of one multi-turn entry.

    A turn is the message of the user, or None without a message.
    """

    def made(
        turns: Sequence[str | None],
        gold: Sequence[Sequence[str]],
        category: str = MULTI_TURN[0],
        **changes: object,
    ) -> Files:
        question = [[] if said is None else [{"role": "user", "content": said}] for said in turns]
        entry = {
            "id": f"{category}_0",
            "question": question,
            "initial_config": {"MathAPI": {}},
            "path": ["MathAPI.add"],
            "involved_classes": ["MathAPI"],
            **changes,
        }
        answer = {"id": entry["id"], "ground_truth": gold}
        documents = {
            f"multi_turn_func_doc/{file}.json": document(name).encode()
            for file, name in ((DOCUMENT_FILES[name], name) for name in FUNCTIONS)
        }
        return {
            f"BFCL_v4_{category}.json": json.dumps(entry).encode(),
            f"possible_answer/BFCL_v4_{category}.json": json.dumps(answer).encode(),
            **documents,
        }

    return made


@pytest.fixture
def make_entry(make_files: MakeFiles, texts: PromptTexts) -> MakeEntry:
    """Read one multi-turn entry of literals."""

    def made(
        turns: Sequence[str | None],
        gold: Sequence[Sequence[str]],
        category: str = MULTI_TURN[0],
        **changes: object,
    ) -> MultiTurnEntry:
        files = make_files(turns, gold, category, **changes)
        (entry,) = load_multi_turn(category, files.__getitem__, texts)
        return entry

    return made


FUNCTIONS = {
    "MathAPI": ("add", "mean"),
    "GorillaFileSystem": ("ls", "cd", "mkdir", "touch", "echo", "rm"),
    "TwitterAPI": ("post_tweet", "mention"),
    "VehicleControlAPI": ("pressBrakePedal", "releaseBrakePedal"),
}


def document(of_class: str) -> str:
    """Return the documents of a class, one line for each function."""
    schema = {"type": "dict", "properties": {"x": {"type": "float", "description": "A."}}}
    response = {"type": "dict", "properties": {}}
    return "\n".join(
        json.dumps(
            {"name": name, "description": "Does.", "parameters": schema, "response": response}
        )
        for name in FUNCTIONS[of_class]
    )
