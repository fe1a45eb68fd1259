"""`dragoman review`: translations are exported for a person, and decisions imported."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest
from openpyxl import load_workbook

from dragoman.curation.review.rows import COLUMNS
from dragoman.store.translation_memory import TranslationMemory
from dragoman.testing.chat_requests import ChatBody
from dragoman.testing.fake_translation_llm import FakeTranslationLlm
from dragoman.testing.responses import CannedReply
from dragoman.testing.scripted_answers import Unanswered
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

MEMORY = "out/translation_memory.sqlite"


class Reader(FakeTranslationLlm):
    """Translates for show, and finds fault with every translation whose source is short."""

    def __call__(self, request: ChatBody) -> CannedReply | Unanswered:
        asked = msgspec.json.decode(request.messages[-1].text)
        if "translation" not in asked["items"][0]:
            return super().__call__(request)
        said = [
            {"id": item["id"], "score": 20 if len(item["source"]) < 40 else 95, "why": "stiff"}
            for item in asked["items"]
        ]
        return CannedReply(json.dumps({"estimates": said}))


@pytest.fixture
def answers() -> Reader:
    return Reader()


@pytest.fixture
def model(answers: Reader) -> Iterator[str]:
    with ModelServer(answers) as server:
        yield f"compatible/any?base_url={server.url}"


@pytest.fixture
def translated(run_json: RunJson, folder: Path, model: str) -> Path:
    run_json("translate", "sample:shop", "--to", "vi", "--model", model, "--out", "out")
    return folder


def edit(path: Path, sheet: str, change: Callable[[list[Any]], None]) -> list[list[Any]]:
    """Change the lines of a sheet as a person would; return the original lines."""
    book = load_workbook(path)
    lines = [list(line) for line in book[sheet].iter_rows(min_row=2)]
    before = [[cell.value for cell in line] for line in lines]
    for line in lines:
        change(line)
    content = io.BytesIO()
    book.save(content)
    path.write_bytes(content.getvalue())
    return before


def column(name: str) -> int:
    return COLUMNS.index(name)


@pytest.mark.slow
def test_what_a_reviewer_approves_and_corrects_is_kept_and_written(
    run_json: RunJson, translated: Path, answers: Reader
) -> None:
    run_json(
        "review", "export", "sample:shop", "--to", "vi", "--memory", MEMORY, "--out", "vi.xlsx"
    )

    def correct_the_first_and_accept_the_others(line: list[Any]) -> None:
        if line[0].row == 2:
            line[column("correction")].value = f"Đã sửa: {line[column('translation')].value}"
        else:
            line[column("verdict")].value = "ok"

    before = edit(translated / "vi.xlsx", "sample_tasks", correct_the_first_and_accept_the_others)
    again = ("review", "import", "sample:shop", "vi.xlsx", "--to", "vi", "--memory", MEMORY)
    taken = run_json(*again, "--reviewer", "Lan")
    assert taken["taken"]
    assert taken["counts"] == [
        {"artifact": "sample_tasks", "read": len(before), "accepted": len(before) - 1, "unsure": 0}
    ]
    (review,) = run_json("review", "status", "--memory", MEMORY)["reviews"]
    assert (review["reviewer"], review["file"]) == ("Lan", "vi.xlsx")

    sent = answers.sent.total()
    written = ("translate", "sample:shop", "--to", "vi", "--model", "glossary", "--out", "out")
    run_json(*written)
    assert answers.sent.total() == sent
    assert "Đã sửa: " in (translated / "out" / "sample" / "vi" / "tasks.json").read_text("utf-8")
    with TranslationMemory(translated / MEMORY, write=False) as memory:
        reviewed = [entry for entry in memory.entries() if entry.origin == "reviewed"]
    assert len(reviewed) == len(before)
    assert {entry.translator for entry in reviewed} == {"Lan"}


@pytest.mark.slow
def test_what_is_to_be_done_next_is_a_command_that_does_it(
    dragoman: Cli, run_json: RunJson, translated: Path
) -> None:
    run_json(
        "review", "export", "sample:shop", "--to", "vi", "--memory", MEMORY, "--out", "vi.xlsx"
    )

    def correct(line: list[Any]) -> None:
        line[column("correction")].value = f"Đã sửa: {line[column('translation')].value}"

    edit(translated / "vi.xlsx", "sample_tasks", correct)
    taken = dragoman("review", "import", "sample:shop", "vi.xlsx", "--to", "vi", "--memory", MEMORY)
    command = taken.stdout.splitlines()[-1].split()
    assert command[:3] == ["dragoman", "translate", "sample:shop"]
    assert dragoman(*command[1:]).returncode == 0
    assert "Đã sửa: " in (translated / "out" / "sample" / "vi" / "tasks.json").read_text("utf-8")


@pytest.mark.slow
def test_a_correction_that_loses_a_number_sign_takes_nothing_of_the_file(
    dragoman: Cli, run_json: RunJson, translated: Path
) -> None:
    out = ("--memory", MEMORY, "--out", "vi")
    run_json("review", "export", "sample:shop", "--to", "vi", *out)
    path = translated / "vi" / "sample_tasks.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *lines = csv.reader(file)
    changed = next(line for line in lines if "#S1" in line[column("source")])
    changed[column("correction")] = "Một câu không có mã."
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([header, changed])
    files = ("vi/sample_tasks.csv", "--to", "vi", "--memory", MEMORY)
    done = dragoman("review", "import", "sample:shop", *files)
    assert (done.returncode, done.stdout) == (1, "")
    assert "sample_tasks.csv: line 2: id-lost" in done.stderr
    assert "nothing was imported: 1 row refused" in done.stderr
    assert run_json("review", "status", "--memory", MEMORY)["reviews"] == []


@pytest.mark.slow
def test_models_may_look_first_and_are_asked_once(
    run_json: RunJson, translated: Path, model: str, answers: Reader
) -> None:
    helpers = ("--back-translate", model, "--estimate", model)
    export = ("review", "export", "sample:shop", "--to", "vi", "--memory", MEMORY)
    (before,) = run_json("memory", "show", MEMORY)["usage"]
    first = run_json(*export, "--out", "first.xlsx", *helpers)
    sent = answers.sent.total()
    run_json(*export, "--out", "second.xlsx", *helpers)
    assert answers.sent.total() == sent
    used = run_json("memory", "show", MEMORY)["usage"]
    assert {each["purpose"] for each in used} == {"translation", "estimate"}
    assert sum(each["calls"] for each in used) == before["calls"] + sum(
        each["calls"] for each in first["usage"]
    )

    book = load_workbook(translated / "second.xlsx")
    lines = list(book["sample_tasks"].iter_rows(min_row=2, values_only=True))
    assert all(line[column("back translation")] for line in lines)
    assert all("a model gives" in str(line[column("doubts")]) for line in lines)
    estimates = [line[column("quality")] for line in lines]
    assert estimates == sorted(map(float, map(str, estimates)))


def test_what_cannot_be_reviewed_is_told_in_one_line(refused: Refused, folder: Path) -> None:
    export = ("review", "export", "sample:shop", "--to", "vi", "--out", "vi.xlsx")
    said = refused(*export, "--memory", "none.sqlite", status=1)
    assert "no translation memory here" in said
    with TranslationMemory(folder / "empty.sqlite"):
        pass
    empty = ("--memory", "empty.sqlite")
    assert "has no translation into vi" in refused(*export, *empty, status=2)
    assert "choose schema, tools" in refused(*export, *empty, "--components", "prose", status=2)
    (folder / "vi.xlsx").write_bytes(b"somebody's")
    assert "vi.xlsx is there already" in refused(*export, *empty, status=2)
    doc = ("review", "export", "sample:shop", "--to", "vi", "--out", "vi.doc")
    assert "name a workbook (.xlsx)" in refused(*doc, *empty, status=2)
    (folder / "bad.csv").write_bytes(b"\xff")
    imported = ("review", "import", "sample:shop", "bad.csv", "--to", "vi", *empty)
    assert "bad.csv: no UTF-8" in refused(*imported, status=1)
    (folder / "vi.csv").write_text("id,correction,verdict\n0123456789abcdef-01234567,,ok\n")
    missing = ("review", "import", "sample:shop", "vi.csv", "--to", "vi", "--memory", "none.sqlite")
    assert "no translation memory here" in refused(*missing, status=1)
    assert not (folder / "none.sqlite").exists()


@pytest.mark.slow
def test_a_file_of_another_language_is_refused(
    refused: Refused, run_json: RunJson, translated: Path, model: str
) -> None:
    run_json("translate", "sample:shop", "--to", "th", "--model", model, "--out", "out")
    run_json(
        "review", "export", "sample:shop", "--to", "th", "--memory", MEMORY, "--out", "th.xlsx"
    )

    def accept(line: list[Any]) -> None:
        line[column("verdict")].value = "ok"

    edit(translated / "th.xlsx", "sample_tasks", accept)
    taken = ("review", "import", "sample:shop", "th.xlsx", "--to", "vi", "--memory", MEMORY)
    assert "th.xlsx: no row is of sample:shop into vi" in refused(*taken, status=2)
    with TranslationMemory(translated / MEMORY, write=False) as memory:
        assert {each.origin for each in memory.counts()} == {"machine"}


@pytest.mark.slow
def test_translations_that_ship_are_reviewed_without_a_memory(
    run_json: RunJson, folder: Path
) -> None:
    sheets = run_json("review", "export", "courier", "--to", "th", "--out", "th")["sheets"]
    assert sheets["courier_policy"] > 0
    status = run_json("review", "status")
    assert [each["target_language"] for each in status["entries"]] == ["th"]
    again = run_json("review", "export", "courier", "--to", "vi", "--out", "vi")["sheets"]
    assert again.keys() == sheets.keys()
    assert (folder / "translations" / "translation_memory.sqlite").is_file()


def test_a_suite_that_ships_no_translations_needs_a_memory(refused: Refused, folder: Path) -> None:
    asked = ("review", "export", "sample:shop", "--to", "th", "--out", "th")
    assert "sample:shop has no translations of its own" in refused(*asked, status=2)
    assert not (folder / "translations").exists()


def test_a_memory_that_is_named_and_not_there_is_not_made(refused: Refused, folder: Path) -> None:
    asked = ("review", "export", "courier", "--to", "th", "--out", "th", "--memory", "none.sqlite")
    assert "no translation memory here" in refused(*asked, status=1)
    assert not (folder / "none.sqlite").exists()
