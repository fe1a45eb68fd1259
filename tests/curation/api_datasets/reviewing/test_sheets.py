"""Sheets of annotators are read as they were meant, or refused with the line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.curation.api_datasets.annotation.assignment import gold_labels
from dragoman.curation.api_datasets.annotation.sheets import COLUMNS, SheetRow, read_filled_rows
from dragoman.curation.api_datasets.rate import QueryRating
from dragoman.curation.review.csv_files import csv_table_lines, encode_csv_table

HEADER = "id,query,relevance,practicality,linguistic_applicability,clarity,specificity,note"
ROW = SheetRow("0a1b", "=SUM(1) is what?", "pt", "Brazil", "@api: adds")
SCORES = st.integers(1, 5)
RATINGS = st.builds(
    QueryRating, SCORES, SCORES, SCORES, SCORES, SCORES, st.text("abc=;,\"'\n é", max_size=8)
)


def read(text: str) -> QueryRating:
    """Return the rating of a file's only row."""
    (row,) = read_filled_rows(csv_table_lines(text.encode(), "ana.csv"), "ana.csv")
    return row.rating()


def test_cells_that_programs_would_run_are_guarded() -> None:
    text = encode_csv_table(COLUMNS, [ROW.cells()]).decode("utf-8-sig")
    assert "'=SUM(1) is what?" in text
    assert "'@api: adds" in text


@given(RATINGS)
def test_what_is_written_is_read_again(rating: QueryRating) -> None:
    table = encode_csv_table(COLUMNS, [ROW.cells(rating)])
    (row,) = read_filled_rows(csv_table_lines(table, "ana.csv"), "ana.csv")
    assert (row.id, row.is_of(ROW.query)) == ("0a1b", True)
    assert row.rating().scores == rating.scores
    assert row.rating().why.split() == rating.why.split()


@pytest.mark.parametrize("written", ["4", " 4 ", "4.0", '"4,0"', "4.", "\uff14"])
def test_a_four_is_a_four(written: str) -> None:
    assert read(f"{HEADER}\n0a,q,{written},4,4,4,4,\n").relevance == 4


@pytest.mark.parametrize("written", ["0", "6", "4.5", "44", "good", "-4", "4..0", "²"])
def test_what_is_no_score_is_refused_with_its_line(written: str) -> None:
    with pytest.raises(DataError, match=r"^ana\.csv: line 3: clarity is .*from 1 to 5$"):
        read(f"{HEADER}\n\n0a,q,4,4,4,{written},4,\n")


def test_half_a_row_is_refused() -> None:
    with pytest.raises(DataError, match="line 2: specificity is missing: fill in all five"):
        read(f"{HEADER}\n0a,q,4,4,4,4,,\n")


def test_semicolons_a_mark_moved_columns_and_other_spellings_are_read() -> None:
    text = (
        "\ufeffNote;Specificity;Clarity;Linguistic applicability;Practicality;Relevance;mine;ID\r\n"
        "well; 5;4;3;2;1;x;0a\r\n;;;;;;;\r\n"
    )
    rating = read(text)
    assert rating == QueryRating(1, 2, 3, 4, 5, "well")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (HEADER.replace("id,", "nr,"), "no column id"),
        (HEADER.replace("clarity", "clearness"), "no column clarity"),
        (f"{HEADER},Clarity", "two columns are called clarity"),
        ("", "no column id"),
    ],
)
def test_a_file_without_our_columns_is_one_line(header: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(f"{header}\n0a,q,4,4,4,4,4,\n")


def test_gold_rows_are_found_by_id_or_by_text() -> None:
    lines = csv_table_lines(
        f"{HEADER}\nt1,,5,5,5,5,5,\n,Que  horas são?,1,1,1,1,1,\nt3,,,,,,,\n".encode(), "g.csv"
    )
    rows = read_filled_rows(lines, "g.csv", ("id", "query"))
    found = gold_labels(rows, {"t1": "Oi", "t2": "Que horas são?", "t3": "Olá"})
    assert {name: rating.clarity for name, rating in found.items()} == {"t1": 5, "t2": 1}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("t9,,5,5,5,5,5,", "line 2: the dataset has no query 't9'"),
        ("t1,Tchau,5,5,5,5,5,", "line 2: t1 is another query"),
        (",Adeus,5,5,5,5,5,", "line 2: no query has this text"),
        (",Oi,5,5,5,5,5,", "line 2: several queries have this text"),
        ("t1,,5,5,5,5,5,\nt1,,5,5,5,5,5,", "line 3: the query t1 stands above"),
    ],
)
def test_a_gold_row_of_no_query_is_one_line(row: str, said: str) -> None:
    rows = read_filled_rows(csv_table_lines(f"{HEADER}\n{row}\n".encode(), "g.csv"), "g.csv")
    with pytest.raises(DataError, match=said):
        gold_labels(rows, {"t1": "Oi", "t2": "Oi"})
