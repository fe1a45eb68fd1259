"""A workbook that unpacks to too much is refused before any part is read whole."""

import io
import re
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import load_workbook

from dragoman.core.errors import DataError
from dragoman.curation.review.rows import ReviewRow, ReviewText, rows_of
from dragoman.curation.review.workbook import decode_workbook, encode_workbook

MOST_MB = 100
SHEET, STYLES, TEXTS = "xl/worksheets/sheet2.xml", "xl/styles.xml", "xl/sharedStrings.xml"
NO_TEXTS = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"></sst>'
ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
)


def texts(*sources: str) -> list[ReviewRow]:
    return [
        row
        for number, source in enumerate(sources)
        for row in rows_of(
            ReviewText("th", "shop", f"t::{number}", 1, "shop/text", source, f"ว่า {source}")
        )
    ]


def changed(part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a workbook of ours with one part changed."""
    reported = io.BytesIO()
    ours = io.BytesIO(encode_workbook({"shop": texts("one", "two", "three")}, "Thai"))
    with zipfile.ZipFile(ours) as old, zipfile.ZipFile(reported, "w", zipfile.ZIP_DEFLATED) as new:
        parts = {TEXTS: NO_TEXTS} | {name: old.read(name) for name in old.namelist()}
        for name, content in parts.items():
            new.writestr(name, change(content) if name == part else content)
    return reported.getvalue()


def before(end: bytes, more: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(end, more + end, 1)


BOMBS = {
    "a cell of 100 MB": (SHEET, before(b"</sheetData>", b'<row r="9"><c r="A9" t="inlineStr"><is><t>'
                                       + b"a" * 100_000_000 + b"</t></is></c></row>")),
    "a text of 100 MB": (TEXTS, before(b"</sst>", b"<si><t>" + b"a" * 100_000_000 + b"</t></si>")),
    "texts without end": (TEXTS, before(b"</sst>", b"<si/>" * 5_000_000)),
    "a row without end": (SHEET, before(b"</sheetData>", b'<row r="9">' + b"<c/>" * 5_000_000 + b"</row>")),
    "a row of long texts": (SHEET, before(b"</sheetData>", b"<row>" + (b"<c><is><t>" + b"a" * 150_000 + b"</t></is></c>") * 100 + b"</row>")),
    "rows without end": (SHEET, before(b"</sheetData>", b"<row/>" * 1_000_000)),
    "parts of a text without end": (SHEET, before(b"</sheetData>", b"<row><c><is>" + b"<t/>" * 1_000_000 + b"</is></c></row>")),
    "an attribute of 50 MB": (SHEET, before(b"</sheetData>", b'<row r="' + b"9" * 50_000_000 + b'"/>')),
    "styles without end": (STYLES, before(b"</cellXfs>", b"<xf/>" * 1_000_000)),
    "cells in cells": (SHEET, before(b"</sheetData>", b"<c>" * 100_000 + b"</c>" * 100_000)),
    "entities": (TEXTS, lambda content: ENTITIES + re.sub(rb"^<\?xml.*?\?>", b"", content)),
    "entities in UTF-16": (TEXTS, lambda content: (ENTITIES + content).decode().replace(
        ' version="1.0"?>', ' version="1.0" encoding="utf-16"?>', 1).encode("utf-16")),
    "another encoding": (TEXTS, lambda content: b'<?xml version="1.0" encoding="utf-7"?>' + content),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_in_a_workbook_is_refused_and_costs_little(name: str) -> None:
    content = changed(*BOMBS[name])
    assert len(content) < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"th\.xlsx: .*: no workbook of ours"):
            decode_workbook(content, "th.xlsx")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_MB * 2**20


def test_parts_without_end_are_refused() -> None:
    content = io.BytesIO(encode_workbook({"shop": texts("one")}, "Thai"))
    with zipfile.ZipFile(content, "a") as archive:
        for number in range(2_001):
            archive.writestr(f"xl/media/{number}.png", b"")
    with pytest.raises(DataError, match=r"th\.xlsx: 2,0\d\d parts: no workbook of ours"):
        decode_workbook(content.getvalue(), "th.xlsx")


def test_cells_that_are_merged_over_a_whole_sheet_cost_nothing() -> None:
    merged = b'<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    content = changed(SHEET, lambda sheet: sheet.replace(b"</sheetData>", b"</sheetData>" + merged))
    assert len(decode_workbook(content, "th.xlsx")) == 3


@pytest.mark.slow
def test_a_cell_at_the_far_end_costs_nothing() -> None:
    far = b'<row r="199999"><c r="XFD199999" t="inlineStr"><is><t>far</t></is></c></row>'
    content = changed(SHEET, before(b"</sheetData>", far))
    tracemalloc.start()
    try:
        assert len(decode_workbook(content, "th.xlsx")) == 3
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20 * 2**20


def test_a_verdict_that_is_merged_downwards_holds_for_all_its_lines() -> None:
    book = load_workbook(io.BytesIO(encode_workbook({"shop": texts("one", "two", "three")}, "Th")))
    sheet = book["shop"]
    sheet["G2"], sheet["G4"] = "ok", "unsure"
    sheet.merge_cells("G2:G3")
    content = io.BytesIO()
    book.save(content)
    found = decode_workbook(content.getvalue(), "th.xlsx")
    assert [row.verdict for row in found] == ["ok", "ok", "unsure"]


@pytest.mark.slow
def test_a_long_honest_workbook_opens() -> None:
    reported = texts(*(f"text {number} {'ก' * 300}" for number in range(2_000)))
    assert len(decode_workbook(encode_workbook({"shop": reported}, "Thai"), "th.xlsx")) == 2_000
