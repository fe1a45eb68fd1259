"""Tables in terminals of every width."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from dragoman.report.text_tables import TextTable, lines, print_table

HEARD = TextTable(
    headings=("condition", "agent", "word errors", "values heard"),
    rows=(
        (
            "en/telephone/none",
            "openai/gpt-4.1-mini?base=http://localhost:8000/v1",
            "11.5%",
            "27 of 45",
        ),
        ("en/studio/none", "careful", "5.5%", "36 of 45"),
    ),
    title="what was heard, by condition and agent",
    note="by pocketsphinx:adapted:mixed",
    numbers=frozenset({"word errors"}),
)
WORDS = " ".join((*HEARD.headings, *(cell for row in HEARD.rows for cell in row))).split()


def test_with_room_every_row_is_a_line() -> None:
    table = TextTable(("task", "k"), (("a", "1"), ("bc", "12")), numbers=frozenset({"k"}))

    assert lines(table, 80) == ["task   k", "────────", "a      1", "bc    12"]


def test_headings_take_several_lines_before_rows_become_blocks() -> None:
    table = TextTable(("condition", "values heard"), (("en", "3 of 4"),))

    assert lines(table, 22) == [
        "condition  values",
        "           heard",
        "─────────────────",
        "en         3 of 4",
    ]


def test_without_room_every_row_is_a_block() -> None:
    assert lines(HEARD, 80) == [
        "what was heard, by condition and agent",
        "condition     en/telephone/none",
        "agent         openai/gpt-4.1-mini?base=http://localhost:8000/v1",
        "word errors   11.5%",
        "values heard  27 of 45",
        "",
        "condition     en/studio/none",
        "agent         careful",
        "word errors   5.5%",
        "values heard  36 of 45",
        "",
        "by pocketsphinx:adapted:mixed",
    ]


def test_without_room_for_all_columns_a_table_comes_in_parts_where_these_take_fewer_lines() -> None:
    table = TextTable(
        ("agent", "names", "numbers", "dates"),
        (("careful", "3", "10", "0"), ("literal", "1", "12", "1")),
        title="lost",
        note="by kind",
        numbers=frozenset({"names", "numbers", "dates"}),
        keys=1,
    )

    assert lines(table, 23) == [
        "lost",
        "agent    names  numbers",
        "───────────────────────",
        "careful      3       10",
        "literal      1       12",
        "",
        "agent    dates",
        "──────────────",
        "careful      0",
        "literal      1",
        "",
        "by kind",
    ]


def test_parts_of_a_spaced_table_are_one_empty_line_apart() -> None:
    rows = (("careful", *["90 %\n-1"] * 6), ("literal", *["70 %\n-3"] * 6)) * 2
    table = TextTable(("agent", *"abcdef"), rows, is_spaced=True, keys=1)

    found = lines(table, 25)
    assert [at for at, line in enumerate(found) if line.startswith("agent")] == [0, 14]
    assert found[12:14] == ["         -3    -3    -3", ""]


def test_in_a_block_the_lines_of_a_cell_share_one_where_it_has_room_for_them() -> None:
    row = ("careful\nen/telephone/none", "^1 1.000\n^2 1.000")
    table = TextTable(("agent", "pass^k"), (row,))

    assert lines(table, 26) == [
        "agent   careful",
        "        en/telephone/none",
        "pass^k  ^1 1.000, ^2 1.000",
    ]


@pytest.mark.parametrize("width", [1, 20, 40, 80, 89, 90, 200])
def test_no_width_breaks_a_word_or_loses_one(width: int) -> None:
    found = lines(HEARD, width)

    assert set(WORDS) <= set(" ".join(found).split())
    longest = max(cell_len(word) for word in WORDS)
    assert all(cell_len(line) <= max(width, len("values heard  ") + longest) for line in found)


def test_letters_that_take_two_columns_are_aligned() -> None:
    table = TextTable(("name", "n"), (("小包", "1"), ("parcel", "2")))

    assert lines(table, 80)[2:] == ["小包    1", "parcel  2"]


def test_a_table_without_rows_has_its_headings() -> None:
    assert lines(TextTable(("condition", "agent"), ()), 80)[0] == "condition  agent"


def test_words_longer_than_the_terminal_are_left_to_it() -> None:
    console = Console(file=io.StringIO(), width=10, color_system=None)

    print_table(TextTable(("agent",), (("x" * 30,),)), console)

    assert isinstance(console.file, io.StringIO)
    assert f"{'x' * 30}\n" in console.file.getvalue()


def test_a_cell_that_names_two_things_has_no_comma_before_its_arrow_row_by_row() -> None:
    table = TextTable(("A -> B", "what"), (("careful\n-> literal", "word " * 12),))
    found = lines(table, 40)
    assert any(line.endswith("careful -> literal") for line in found)
