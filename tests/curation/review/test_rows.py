"""Decisions of a reviewer about a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dragoman.curation.review.rows import (
    ReviewedRow,
    ReviewRow,
    ReviewText,
    aligned_sections,
    read_row,
    rows_of,
    sections,
)

TEXT = ReviewText(
    "vi",
    "retail_tasks",
    "tasks.json::3/ticket",
    2,
    "retail/text",
    "Where is my order?",
    "Đơn hàng ở đâu?",
)


def row(text: ReviewText = TEXT) -> ReviewRow:
    (only,) = rows_of(text)
    return only


def sent_back(shown: ReviewRow, **changed: str) -> ReviewedRow:
    return replace(ReviewedRow("a sheet line 2", shown.key, shown.translation, "", ""), **changed)


@pytest.mark.parametrize("mark", ["ok", "OK", " x ", "yes", "✓", "Fine."])
def test_a_marked_row_is_accepted_as_it_was_shown(mark: str) -> None:
    said = read_row(row(), sent_back(row(), verdict=mark))
    assert (said.verdict, said.text) == ("ok", "Đơn hàng ở đâu?")


def test_a_row_without_a_mark_was_not_read() -> None:
    assert read_row(row(), sent_back(row())).verdict == ""


def test_a_correction_needs_no_verdict() -> None:
    said = read_row(row(), sent_back(row(), correction="Đơn của tôi đang ở đâu?"))
    assert (said.verdict, said.text) == ("fixed", "Đơn của tôi đang ở đâu?")


def test_a_correction_that_repeats_the_translation_accepts_it() -> None:
    said = read_row(row(), sent_back(row(), correction="Đơn hàng ở đâu?"))
    assert said.verdict == "ok"


def test_a_translation_edited_in_its_own_cell_is_a_correction() -> None:
    said = read_row(row(), sent_back(row(), translation="Đơn hàng của tôi đâu?", verdict="ok"))
    assert (said.verdict, said.text) == ("fixed", "Đơn hàng của tôi đâu?")


def test_what_was_approved_is_what_was_shown_not_what_was_translated_since() -> None:
    shown = row()
    newer = row(replace(TEXT, target="Đơn hàng đâu rồi?"))
    said = read_row(newer, sent_back(shown, verdict="ok"))
    assert (said.verdict, said.text) == ("ok", "Đơn hàng ở đâu?")


def test_an_unsure_row_keeps_its_text() -> None:
    said = read_row(row(), sent_back(row(), correction="?", verdict="unsure", notes="formal?"))
    assert (said.verdict, said.text, said.notes) == ("unsure", "Đơn hàng ở đâu?", "formal?")


def test_a_verdict_of_ones_own_is_refused() -> None:
    with pytest.raises(ValueError, match="'bad': write ok, fixed or unsure"):
        read_row(row(), sent_back(row(), verdict="bad"))


def test_white_space_around_a_text_is_that_of_its_source() -> None:
    text = replace(TEXT, source="Hello \n", target="Xin chào \n")
    said = read_row(row(text), sent_back(row(text), correction="Chào"))
    assert said.text == "Chào \n"


def test_the_same_source_in_another_context_is_another_row() -> None:
    other = replace(TEXT, context="retail/name")
    assert row().source_key != row(other).source_key


POLICY = "# Policy\nBe kind.\n\n## Returns\n```\n# no heading\n```\nWithin 30 days.\n"


def test_a_document_is_cut_at_its_headings() -> None:
    assert sections(POLICY) == (
        "# Policy\nBe kind.\n\n",
        "## Returns\n```\n# no heading\n```\nWithin 30 days.\n",
    )


@given(st.lists(st.sampled_from(["# a\n", "text\n", "```\n", "\n", "~~~~\n", "## b"]), max_size=20))
def test_sections_joined_are_the_document(lines: list[str]) -> None:
    assert "".join(sections("".join(lines))) == "".join(lines)


def test_sections_stand_beside_their_translations_only_where_there_are_as_many() -> None:
    long = POLICY + "x" * 1_000
    assert len(aligned_sections(long, "# P\nTử tế.\n\n## Trả\n...")) == 2
    assert aligned_sections(long, "# P\n") == ((long, "# P\n"),)
