"""The released translations in the memory, before a reviewer, and back from a spreadsheet program."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from dragoman.curation.review.workbook import decode_workbook

Cli = Callable[..., CompletedProcess[str]]

SUITES = ("tau2:retail", "tau2:airline", "tau2:telecom")
SHOWN = {"vi": 1274, "th": 1273, "id": 1269, "tl": 1236, "zh": 1273}
"""Distinct texts in their contexts that the release has translations of, by language."""


@pytest.fixture(scope="module")
def once_imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memory") / "released.sqlite"


@pytest.fixture
def memory(once_imported: Path, in_languages: Path, in_process: Cli) -> Path:  # noqa: ARG001 - makes the data available
    if not once_imported.exists():
        suites = [part for suite in SUITES for part in ("--suite", suite)]
        done = in_process("memory", "import", "seataubench", once_imported, *suites)
        assert done.returncode == 0, done.stderr
    return once_imported


@pytest.mark.slow
def test_the_release_is_in_the_memory_in_all_five_languages(memory: Path, in_process: Cli) -> None:
    shown = json.loads(in_process("memory", "show", memory, "--json").stdout)
    assert {
        each["target_language"]: (each["origin"], each["entries"]) for each in shown["translations"]
    } == {language: ("imported", count) for language, count in SHOWN.items()}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.nightly
@pytest.mark.parametrize("language", ["th", "vi", "id", "tl", "zh"])
def test_a_workbook_of_the_release_comes_back_whole_from_a_spreadsheet_program(
    memory: Path, in_process: Cli, tmp_path: Path, language: str
) -> None:
    book = tmp_path / f"{language}.xlsx"
    asked = ("review", "export", ",".join(SUITES), "--to", language, "--memory", memory)
    done = in_process(*asked, "--out", book)
    assert done.returncode == 0, done.stderr
    _mark_all(book)
    _convert(book, "ods", tmp_path / "there")
    _convert(tmp_path / "there" / f"{language}.ods", "xlsx", tmp_path / "back")

    before = decode_workbook(book.read_bytes(), "it")
    after = decode_workbook((tmp_path / "back" / book.name).read_bytes(), "it")

    assert len(before) >= SHOWN[language]
    assert after == before


def _mark_all(path: Path) -> None:
    from openpyxl import load_workbook

    book = load_workbook(path)
    for sheet in book.worksheets[1:]:
        column = [cell.value for cell in sheet[1]].index("verdict") + 1
        for line in range(2, sheet.max_row + 1):
            sheet.cell(line, column).value = "ok"
    book.save(path)


def _convert(file: Path, form: str, folder: Path) -> None:
    profile = f"-env:UserInstallation=file://{folder.parent}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", str(folder)]
    subprocess.run([*command, str(file)], check=True, capture_output=True, timeout=180)
