"""Sheets as spreadsheet programs and people leave them: each is read, or refused with one line that helps."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart
from openpyxl.worksheet.worksheet import Worksheet

from dragoman.core.errors import DataError
from dragoman.curation.review.csv_files import decode_csv, encode_csv
from dragoman.curation.review.import_reviews import Review, review_rows
from dragoman.curation.review.rows import COLUMNS, ReviewedRow, ReviewRow, ReviewText, rows_of
from dragoman.curation.review.workbook import decode_workbook, encode_workbook

STOVE, JACKET, FILTER, POLES = (
    ReviewText("th", "sample_db", f"db.json::products/{number}/name", 1, "sample/name", name, thai)
    for number, name, thai in (
        (1, "Camping Stove", "ทางใต้ใต้น้ำน้ำ"),
        (2, "Rain Jacket", "ใต้ศรีกาฟ้าเขียว"),
        (3, "Water Filter", "ลมเขียวมีมีทาง"),
        (4, "Trekking Poles", "สองดูคนดูเสา"),
    )
)
NAMES = (STOVE, JACKET, FILTER, POLES)
HEADER = "id,correction,verdict"


def row(text: ReviewText = STOVE) -> ReviewRow:
    return rows_of(text)[0]


def taken(rows: tuple[ReviewedRow, ...]) -> Review:
    return review_rows(NAMES, rows, lambda _, __: [])


def csv_taken(content: bytes | str) -> Review:
    given = content.encode() if isinstance(content, str) else content
    return taken(decode_csv(given, "th.csv"))


def corrected(review: Review) -> list[str]:
    return [each.target for each in review.approved]


def refusals(review: Review) -> list[str]:
    return [each.why for each in review.refused]


def workbook(edit: Callable[[Workbook, Worksheet], None]) -> bytes:
    book = load_workbook(io.BytesIO(encode_workbook({"sample_db": [row()]}, "Thai")))
    edit(book, book["sample_db"])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def put(sheet: Worksheet, name: str, value: str) -> None:
    sheet.cell(2, COLUMNS.index(name) + 1).value = value


# Content of the shared sheets, if they are available.


@pytest.fixture
def sheets() -> Path:
    folder = Path(__file__).parents[3].parent / "shared" / "inputs" / "review"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.mark.parametrize("name", ["sep_line", "title_above"])
def test_a_sheet_with_lines_above_its_header_is_read(sheets: Path, name: str) -> None:
    found = decode_csv((sheets / name / "sample_db.csv").read_bytes(), "sample_db.csv")
    assert corrected(taken(found)) == [STOVE.target, JACKET.target, FILTER.target, POLES.target]


def test_a_correction_with_a_nul_is_refused(sheets: Path) -> None:
    found = decode_csv((sheets / "corr_nul" / "sample_db.csv").read_bytes(), "sample_db.csv")
    (refused,) = taken(found).refused
    assert (refused.where, "U+0000" in refused.why) == ("sample_db.csv: line 2", True)


def test_a_correction_that_is_another_things_name_is_refused(sheets: Path) -> None:
    content = (sheets / "corr_dup_label" / "sample_db.csv").read_bytes()
    (refused,) = taken(decode_csv(content, "sample_db.csv")).refused
    assert refused.why == (
        "its correction is the name of 'Rain Jacket' too: two things need two names"
    )


def test_a_workbook_with_a_chart_sheet_is_read(sheets: Path) -> None:
    found = decode_workbook((sheets / "xlsx_extra_chart_sheet.xlsx").read_bytes(), "th.xlsx")
    assert corrected(taken(found)) == [STOVE.target]


def test_an_escaped_line_break_of_a_workbook_is_a_line_break(sheets: Path) -> None:
    found = decode_workbook((sheets / "xlsx_x000D.xlsx").read_bytes(), "th.xlsx")
    assert corrected(taken(found)) == ["เตา\nแคมป์"]


# More of their kind, of our own making.


@pytest.mark.parametrize(
    "content",
    [
        f"sep=;\r\n{HEADER.replace(',', ';')}\r\nKEY;เตา;\r\n".encode(),
        f'"sep=;"\n{HEADER.replace(",", ";")}\nKEY;เตา;\n'.encode(),
        f"sep=|\n{HEADER.replace(',', '|')}\nKEY|เตา|\n".encode("utf-8-sig"),
        f"Shop, Thai, by Somchai, 2026\n\n{HEADER.replace(',', ';')}\nKEY;เตา;\n".encode(),
        f"{HEADER}\nKEY,เตา,\n".encode("utf-16"),
        f"{HEADER}\nKEY,เตา,\n".replace(",", "\t").encode("utf-16"),
        f"{HEADER}\rKEY,เตา,\r".encode(),
        b'"id";"correction";"verdict"\nKEY;"' + "เตา".encode() + b'";\n',
        "verdict,mine,correction,id\n,4;5,เตา,KEY\n".encode(),
        f"{HEADER},,,\nKEY,เตา,,,,\n,,,,,\n".encode(),
        "Verdict,ID,Correction\n,KEY,  เตา \n".encode(),
        f'{HEADER},quality\nKEY,เตา,,"0,75"\n'.encode(),
    ],
)
def test_a_correction_is_read_from_csv_of_any_program(content: bytes) -> None:
    key = row().key
    encoding = "utf-16-le" if content.startswith(b"\xff\xfe") else "utf-8"
    given = content.replace("KEY".encode(encoding), key.encode(encoding))
    assert corrected(csv_taken(given)) == ["เตา"]


def test_lines_are_numbered_as_the_program_shows_them() -> None:
    found = decode_csv(
        f"sep=;\n\nTitle\nid;correction;verdict\n{row().key};;ok\n".encode(), "th.csv"
    )
    assert [each.where for each in found] == ["th.csv: line 5"]


def test_line_breaks_in_a_cell_are_of_one_kind() -> None:
    content = f'{HEADER}\r\n{row().key},"เตา\r\nแคมป์",\r\n'
    assert corrected(csv_taken(content)) == ["เตา\nแคมป์"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (f'{HEADER}\nKEY,"เตา,\nKEY,,ok\n', "line 3: .* a quotation mark is out of place"),
        (f'{HEADER}\nKEY,"เตา" ใหม่,\n', "line 2: .* a quotation mark is out of place"),
        ("id,correction,verdict,id\nKEY,เตา,,KEY\n", "two columns are called 'id'"),
        ("id;Correction;verdict;correction\nKEY;;;เตา\n", "two columns are called 'correction'"),
        ("\n" * 30 + f"{HEADER}\nKEY,เตา,\n", "none of its first 20 lines names the columns"),
    ],
)
def test_csv_that_cannot_be_read_is_refused_in_one_line(content: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        decode_csv(content.encode(), "th.csv")


def test_utf_16_without_its_mark_is_named() -> None:
    with pytest.raises(DataError, match=r"th\.csv: no UTF-8: save it as CSV in UTF-8"):
        decode_csv(f"{HEADER}\n".encode("utf-16-le"), "th.csv")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("เตา\x00", "U+0000"),
        ("เต\ufffdา", "U+FFFD"),
        ("เตา\x1b", "U+001B"),
        ("เตา_x000D_แคมป์", "_x000D_"),
    ],
)
def test_signs_that_nobody_types_are_no_correction(written: str, why: str) -> None:
    (refused,) = refusals(csv_taken(f"{HEADER}\n{row().key},{written},\n"))
    assert why in refused


def test_two_names_may_be_swapped_and_no_two_be_one() -> None:
    def said(text: ReviewText, correction: str) -> ReviewedRow:
        return ReviewedRow("line", row(text).key, text.target, correction, "")

    swapped = taken((said(STOVE, JACKET.target), said(JACKET, STOVE.target)))
    assert (len(swapped.approved), swapped.refused) == (2, ())
    one = taken((said(STOVE, "เตา"), said(JACKET, " เตา ")))
    assert len(one.refused) == 2
    texts = [replace(each, context="sample/text") for each in NAMES]
    rows = [said(texts[0], "เตา"), said(texts[1], "เตา")]
    assert review_rows(texts, rows, lambda _, __: []).refused == ()


def test_two_rows_of_one_id_must_agree() -> None:
    content = f"{HEADER}\n{row().key},เตา,\n{row().key},หม้อ,\n"
    assert refusals(csv_taken(content)) == ["contradicts th.csv: line 2, which has the same id"]


def test_hidden_sheets_and_charts_between_them_are_passed_by_or_read() -> None:
    def edit(book: Workbook, sheet: Worksheet) -> None:
        put(sheet, "correction", "เตา")
        book.create_chartsheet("chart", 0).add_chart(BarChart())
        book.active = book["guide"]
        sheet.sheet_state = "hidden"
        sheet.insert_rows(1, 2)
        sheet.cell(1, 1).value = "Review of shop"
        sheet.merge_cells("A1:F1")
        sheet.insert_cols(1)

    assert corrected(taken(decode_workbook(workbook(edit), "th.xlsx"))) == ["เตา"]


def test_a_workbook_of_charts_alone_has_no_sheet_of_ours() -> None:
    book = Workbook()
    book.create_chartsheet("chart")
    content = io.BytesIO()
    book.save(content)
    with pytest.raises(DataError, match="no sheet has the columns id, correction and verdict"):
        decode_workbook(content.getvalue(), "th.xlsx")


def test_an_escaped_nul_of_a_workbook_is_refused() -> None:
    found = decode_workbook(workbook(lambda _, it: put(it, "correction", "เตา_x0000_")), "th.xlsx")
    assert "U+0000" in refusals(taken(found))[0]


def test_a_text_that_looks_like_an_escaped_sign_comes_back_as_itself() -> None:
    text = replace(STOVE, source="key _x0041_", target="กุญแจ _x0041_")
    (found,) = decode_workbook(encode_workbook({"db": [row(text)]}, "Thai"), "th.xlsx")
    assert (found.source, found.translation) == (text.source, text.target)


def test_csv_of_ours_is_read_as_before() -> None:
    found = decode_csv(encode_csv([row(each) for each in NAMES]), "th.csv")
    assert [each.translation for each in found] == [each.target for each in NAMES]
