"""Workbooks and CSV files: written content is read back after any edit by people."""

import io
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from dragoman.core.errors import DataError
from dragoman.curation.review.csv_files import decode_csv, encode_csv
from dragoman.curation.review.import_reviews import review_rows
from dragoman.curation.review.rows import (
    COLUMNS,
    LONGEST_CELL,
    ReviewedRow,
    ReviewRow,
    ReviewText,
    rows_of,
)
from dragoman.curation.review.workbook import (
    WORKBOOKS,
    decode_workbook,
    encode_workbook,
    sheet_names,
)

TEXTS = ["Where is my order?", "=1+1", "two\nlines", "'quoted'", "-5 %", "<b>&amp;</b>", "退货吗"]


def rows(sources: Sequence[str] = TEXTS) -> list[ReviewRow]:
    return [
        row
        for number, source in enumerate(sources)
        for row in rows_of(
            ReviewText(
                "th", "retail", f"tasks.json::{number}", 1, "retail/text", source, f"ว่า {source}"
            )
        )
    ]


def keys(found: Sequence[ReviewedRow]) -> list[str]:
    return [row.key for row in found]


def marked(content: bytes, sheet: str, edit: Callable[[Worksheet], None]) -> bytes:
    book = load_workbook(io.BytesIO(content))
    edit(book[sheet])
    changed = io.BytesIO()
    book.save(changed)
    return changed.getvalue()


def workbook() -> bytes:
    return encode_workbook({"retail": rows()}, "Thai")


def column(name: str) -> int:
    return COLUMNS.index(name) + 1


def all_marked(sheet: Worksheet) -> None:
    for line in range(2, sheet.max_row + 1):
        sheet.cell(line, column("verdict")).value = "ok"


def test_rows_come_back_from_a_workbook() -> None:
    found = decode_workbook(marked(workbook(), "retail", all_marked), "th.xlsx")
    assert keys(found) == [row.key for row in rows()]
    assert [row.translation for row in found] == [row.translation for row in rows()]
    assert found[0].where == "th.xlsx: retail line 2"


def test_signs_that_no_cell_holds_are_no_correction() -> None:
    reported = rows(["Ring \x07 the bell", "a\x0bb"])
    for found in (
        decode_workbook(encode_workbook({"retail": reported}, "Thai"), "th.xlsx"),
        decode_csv(encode_csv(reported), "th.csv"),
    ):
        review = review_rows([row.text for row in reported], found, lambda _, __: ["refused"])
        assert (review.fitting, review.rows, review.refused) == (2, (), ())
        asked = [replace(row, verdict="ok") for row in found]
        assert review_rows([row.text for row in reported], asked, lambda _, __: []).fitting == 2


def test_what_a_model_said_at_length_is_cut_and_a_text_is_not() -> None:
    (row,) = rows(["Hello"])
    long = replace(row, text=replace(row.text, doubts="a" * 40_000, back_translation="b" * 40_000))
    sheet = load_workbook(io.BytesIO(encode_workbook({"retail": [long]}, "Thai")))["retail"]
    assert len(str(sheet.cell(2, column("doubts")).value)) == LONGEST_CELL
    assert len(str(sheet.cell(2, column("back translation")).value)) == LONGEST_CELL
    with pytest.raises(DataError, match="fits no cell of a workbook: export to CSV"):
        encode_workbook({"retail": [replace(long, source="a" * 40_000)]}, "Thai")


def test_a_text_that_looks_like_a_formula_is_a_text_in_the_workbook() -> None:
    sheet = load_workbook(io.BytesIO(workbook()))["retail"]
    cell = sheet.cell(3, column("source"))
    assert (cell.value, cell.data_type) == ("=1+1", "s")


def test_sorted_filtered_widened_and_titled_sheets_come_back() -> None:
    def edit(sheet: Worksheet) -> None:
        all_marked(sheet)
        lines = [[cell.value for cell in line] for line in sheet.iter_rows(min_row=2)]
        lines = lines[3:] + lines[:3]
        for at, line in enumerate(lines, start=2):
            for number, value in enumerate(line, start=1):
                sheet.cell(at, number).value = value
                sheet.cell(at, number).data_type = "s"
        sheet.row_dimensions[3].hidden = True
        sheet.insert_cols(3)
        sheet.cell(1, 3).value = "who"
        sheet.insert_rows(1, amount=2)
        sheet.cell(1, 1).value = "Review of Thai"

    found = decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")
    assert sorted(keys(found)) == sorted(row.key for row in rows())


def test_a_merged_verdict_holds_for_all_its_lines() -> None:
    def edit(sheet: Worksheet) -> None:
        at = column("verdict")
        sheet.cell(2, at).value = "ok"
        sheet.merge_cells(start_row=2, end_row=4, start_column=at, end_column=at + 1)

    found = decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")
    assert [row.verdict for row in found] == ["ok", "ok", "ok", "", "", "", ""]


def test_a_formula_is_no_correction() -> None:
    def edit(sheet: Worksheet) -> None:
        sheet.cell(2, column("correction")).value = "=A1"

    with pytest.raises(DataError, match="retail line 2: a formula, not a text"):
        decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (4.5, "the correction is 4.5 as a number or a date"),
        (datetime(2026, 3, 14), "the correction is 2026-03-14 00:00:00 as a number or a date"),  # noqa: DTZ001 - cells have no zone
        ("#NAME?", "the correction is the error #NAME?"),
    ],
)
def test_a_correction_that_the_program_made_something_else_of_is_refused(
    value: object, why: str
) -> None:
    def edit(sheet: Worksheet) -> None:
        cell = sheet.cell(2, column("correction"))
        assert cell.number_format == "@"
        cell.value = value  # type: ignore[assignment]

    with pytest.raises(DataError, match=f"retail line 2: {re.escape(why)}"):
        decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")


def test_formulas_elsewhere_are_nobodys_business() -> None:
    def edit(sheet: Worksheet) -> None:
        all_marked(sheet)
        sheet.insert_rows(1)
        sheet.cell(1, 1).value = "=1+1"
        sheet.cell(3, len(COLUMNS) + 1).value = "=LEN(D2)"
        sheet.parent.create_sheet("mine").cell(1, 1).value = "=1+1"  # type: ignore[union-attr]

    found = decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")
    assert {row.verdict for row in found} == {"ok"}


def test_merged_ids_speak_for_one_line_only() -> None:
    def edit(sheet: Worksheet) -> None:
        all_marked(sheet)
        sheet.merge_cells(start_row=2, end_row=3, start_column=1, end_column=1)

    found = decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")
    assert keys(found)[:2] == [rows()[0].key, ""]


def test_a_workbook_with_a_password_is_told_from_csv() -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    assert content.startswith(WORKBOOKS)
    with pytest.raises(DataError, match="protected by a password"):
        decode_workbook(content, "th.xlsx")


def test_a_workbook_of_gigabytes_unpacked_is_refused_before_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dragoman.curation.review.workbook.MOST_UNPACKED", 1_000)
    with pytest.raises(DataError, match="bytes unpacked: no workbook of ours"):
        decode_workbook(workbook(), "th.xlsx")


def test_a_sheet_of_more_lines_than_are_read_is_refused() -> None:
    def edit(sheet: Worksheet) -> None:
        sheet.cell(1_048_576, 1).value = "far below"

    with pytest.raises(DataError, match="retail: more than 200,000 lines: delete those below"):
        decode_workbook(marked(workbook(), "retail", edit), "th.xlsx")


def test_a_workbook_without_our_columns_is_refused() -> None:
    content = io.BytesIO()
    Workbook().save(content)
    with pytest.raises(DataError, match="no sheet has the columns id, correction and verdict"):
        decode_workbook(content.getvalue(), "other.xlsx")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"id,correction,verdict\n"])
def test_what_is_no_workbook_is_said_in_one_line(content: bytes) -> None:
    with pytest.raises(DataError, match=r"th\.xlsx: no Excel workbook"):
        decode_workbook(content, "th.xlsx")


def test_sheets_have_short_and_different_names() -> None:
    names = sheet_names(
        ["telecom/tech_support_workflow_solo.md", "telecom/tech_support_workflow.md"]
    )
    assert list(names.values()) == [
        "telecom_tech_support_workflow_s",
        "telecom_tech_support_workflow.m",
    ]
    assert list(sheet_names(["a" * 40, "a" * 41]).values()) == ["a" * 31, "a" * 29 + "_2"]


def test_rows_come_back_from_csv() -> None:
    found = decode_csv(encode_csv(rows()), "th.csv")
    assert [row.translation for row in found] == [row.translation for row in rows()]
    assert keys(found) == [row.key for row in rows()]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_csv_may_be_separated_otherwise(delimiter: str) -> None:
    content = f"verdict{delimiter}correction{delimiter}id\nok{delimiter}{delimiter}k\n".encode()
    assert decode_csv(content, "th.csv") == (ReviewedRow("th.csv: line 2", "k", "", "", "ok"),)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff", "no UTF-8"),
        (b"", "names the columns"),
        (b"id,correction\n", "names the columns"),
        (b"id,correction,verdict,verdict\n", "two columns are called 'verdict'"),
    ],
)
def test_what_is_no_csv_of_ours_is_said_in_one_line(content: bytes, why: str) -> None:
    with pytest.raises(DataError, match=why):
        decode_csv(content, "th.csv")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1)))
def test_any_text_comes_back_from_csv_as_itself_or_trimmed(sources: list[str]) -> None:
    found = decode_csv(encode_csv(rows(sources)), "th.csv")
    assert [row.translation for row in found] == [row.translation.strip() for row in rows(sources)]


@given(st.binary(max_size=200))
def test_any_bytes_are_read_as_csv_or_refused(content: bytes) -> None:
    with suppress(DataError):
        assert isinstance(decode_csv(content, "th.csv"), tuple)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("form", ["ods", "xlsx"])
@pytest.mark.nightly
def test_a_spreadsheet_program_converts_a_workbook_without_loss(form: str, tmp_path: Path) -> None:
    (tmp_path / "th.xlsx").write_bytes(marked(workbook(), "retail", all_marked))
    convert(tmp_path / "th.xlsx", form, tmp_path / "there")
    convert(tmp_path / "there" / f"th.{form}", "xlsx", tmp_path / "back")

    found = decode_workbook((tmp_path / "back" / "th.xlsx").read_bytes(), "th.xlsx")

    assert keys(found) == [row.key for row in rows()]
    assert [row.translation for row in found] == [row.translation for row in rows()]
    assert {row.verdict for row in found} == {"ok"}


def convert(file: Path, form: str, folder: Path) -> None:
    profile = f"-env:UserInstallation=file://{folder.parent}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", str(folder)]
    subprocess.run([*command, str(file)], check=True, capture_output=True, timeout=120)
