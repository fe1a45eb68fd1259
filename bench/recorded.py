"""Recorded replies to BFCL's questions: the input for checks, decoding and the peer."""

import gzip
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.benchmarks.bfcl.entry_files import Question, read_question
from dragoman.core.errors import DataError

SHARED = Path(__file__).resolve().parents[2] / "shared"
CATEGORIES = (
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
    "irrelevance",
)
FORMS = {"simple_java": "java", "simple_javascript": "javascript"}

Json = Any


class Checked(NamedTuple):
    """Calls that were decoded from a reply, by name, and the data to check them against."""

    question: Question
    documents: Json
    answers: Json
    calls: list[tuple[str, dict[str, Json]]]
    underscored: bool


class Recorded(NamedTuple):
    """Replies of models: decoded calls, and the texts or items of each form."""

    checked: list[Checked]
    replies: Mapping[str, list[Json]]


def load_recorded() -> Recorded:
    """Read all recorded replies; raise DataError if the material is absent."""
    checked: list[Checked] = []
    replies: dict[str, list[Json]] = {"python": [], "java": [], "javascript": [], "items": []}
    for category in CATEGORIES:
        entries, answers = _questions(category)
        questions = {
            name: read_question(entry, answers.get(name, ())) for name, entry in entries.items()
        }
        for row in _lines(folder_of("DRAGOMAN_TRUTH", "truth") / f"{category}.jsonl.gz"):
            if row["format"] == "prompt":
                replies[FORMS.get(category, "python")].append(row["raw"])
            elif row["format"] == "fc_json":
                replies["items"].append(row["raw"])
            if category != "irrelevance" and _is_calls(row["decoded"]):
                documents, gold = entries[row["id"]]["function"], answers[row["id"]]
                checked.append(
                    Checked(
                        questions[row["id"]],
                        documents,
                        gold,
                        [_call(item) for item in row["decoded"]],
                        row["underscore_to_dot"],
                    )
                )
    return Recorded(checked, replies)


def _questions(category: str) -> tuple[dict[str, Json], dict[str, Json]]:
    folder = folder_of("DRAGOMAN_DATA", "data")
    entries = {entry["id"]: entry for entry in _lines(folder / f"BFCL_v4_{category}.json")}
    if category == "irrelevance":
        return entries, {}
    answers = _lines(folder / "possible_answer" / f"BFCL_v4_{category}.json")
    return entries, {answer["id"]: answer["ground_truth"] for answer in answers}


def folder_of(variable: str, default: str) -> Path:
    """Return a folder of BFCL's material: from the variable, or next to the project."""
    return Path(os.environ.get(variable) or SHARED / default) / "bfcl"


def _lines(path: Path) -> Iterator[Json]:
    zipped = path if path.suffix == ".gz" else path.with_name(f"{path.name}.gz")
    if path != zipped and path.exists():
        raw = path.read_bytes()
    elif zipped.exists():
        raw = gzip.decompress(zipped.read_bytes())
    else:
        raise DataError(f"{path} is absent: set DRAGOMAN_TRUTH and DRAGOMAN_DATA")
    return map(json.loads, raw.splitlines())


def _is_calls(decoded: Json) -> bool:
    return isinstance(decoded, list) and all(
        isinstance(item, dict) and len(item) == 1 and isinstance(next(iter(item.values())), dict)
        for item in decoded
    )


def _call(item: dict[str, Json]) -> tuple[str, dict[str, Json]]:
    ((name, arguments),) = item.items()
    return name, arguments
