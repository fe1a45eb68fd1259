"""Docstrings in parts that are translated one by one."""

import inspect

from hypothesis import given
from hypothesis import strategies as st

from dragoman.curation.translation.tool_docstrings import (
    docstring_parts,
    join_halves,
    rebuild_docstring,
)

LEND = inspect.cleandoc(
    """Lend a book. If somebody has it already, the library
    will refuse.
    Checks:
     - the book is there
     - the borrower is known

    Args:
        number (str): The book's number, for example
            "B2". It is on the
            spine.
        borrower: The borrower's full name.

    Returns:
        Book: The book as it is now.

    Raises:
        ToolError: If there is no such book.
        ValueError: If the number is damaged,
            or empty.
    """
)


def test_a_docstring_has_a_text_for_each_thing_that_it_says() -> None:
    assert {part.place: part.text for part in docstring_parts(LEND)} == {
        ("description",): "Lend a book. If somebody has it already, the library will refuse.\n"
        "Checks:\n - the book is there\n - the borrower is known",
        ("args", "number"): 'The book\'s number, for example "B2". It is on the spine.',
        ("args", "borrower"): "The borrower's full name.",
        ("returns",): "The book as it is now.",
        ("raises", 0): "If there is no such book.",
        ("raises", 1): "If the number is damaged, or empty.",
    }


def test_what_is_not_translated_keeps_its_lines() -> None:
    same = {part.place: part.text for part in docstring_parts(LEND)}
    assert rebuild_docstring(LEND, same) == LEND
    assert rebuild_docstring(LEND, {}) == LEND


def test_translations_stand_where_their_originals_stood() -> None:
    translated = rebuild_docstring(
        LEND,
        {
            ("description",): "Mượn sách.\nKiểm tra trước.",
            ("args", "number"): "Số sách.\nỞ gáy sách.",
            ("returns",): "Cuốn sách.",
            ("raises", 1): "Nếu số bị hỏng.",
        },
    )
    assert translated == (
        "Mượn sách.\nKiểm tra trước.\n\n"
        "Args:\n"
        "    number (str): Số sách.\n        Ở gáy sách.\n"
        "    borrower: The borrower's full name.\n\n"
        "Returns:\n    Book: Cuốn sách.\n\n"
        "Raises:\n    ToolError: If there is no such book.\n    ValueError: Nếu số bị hỏng."
    )


def test_headings_that_nobody_knows_belong_to_what_is_said_before_them() -> None:
    (part,) = docstring_parts("Suspend a line.\nLogic: sets its status.\nExample:\n    nothing")
    assert part.text == "Suspend a line.\nLogic: sets its status.\nExample:\n    nothing"


def test_text_after_the_sections_is_said_too() -> None:
    places = [part.place for part in docstring_parts("Do.\n\nArgs:\n    a: One.\n\nBe careful.")]
    assert places == [("description",), ("args", "a"), ("description", 5)]


def test_a_docstring_without_words_has_no_parts() -> None:
    assert docstring_parts("") == ()
    assert docstring_parts("\n\nArgs:\n") == ()


def test_a_description_that_was_released_in_two_halves_is_one_sentence_again() -> None:
    assert join_halves("Lấy dữ liệu, gồm\n\nhạn mức.", "Gets data, including limits.") == (
        "Lấy dữ liệu, gồm hạn mức."
    )
    assert join_halves(
        "如果未找到用户\uff0c该函数\n\n将返回错误。", "If not found, it returns."
    ) == ("如果未找到用户\uff0c该函数将返回错误。")
    assert join_halves("Một.\n\nHai.", "One.\nTwo.") == "Một.\nHai."
    assert join_halves("Một.\n\nHai.", "One.\n\nTwo.") == "Một.\n\nHai."


WORDS = st.text(alphabet="abcd .,:-\n", max_size=120)


@given(WORDS)
def test_any_text_stays_as_it_is_where_nothing_is_translated(docstring: str) -> None:
    assert (
        rebuild_docstring(docstring, {part.place: part.text for part in docstring_parts(docstring)})
        == docstring
    )


@given(st.lists(st.text(alphabet="xyz ", min_size=1).map(str.strip).filter(bool), min_size=6))
def test_what_was_put_in_is_read_again(texts: list[str]) -> None:
    wanted = dict(zip((part.place for part in docstring_parts(LEND)), texts, strict=False))
    assert {
        part.place: part.text for part in docstring_parts(rebuild_docstring(LEND, wanted))
    } == wanted
