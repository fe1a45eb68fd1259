"""A reviewer's file is taken whole or not at all, and says how much was accepted."""

from collections.abc import Sequence

from msgspec.structs import replace

from dragoman.curation.review.import_reviews import RefusedRow, review_rows
from dragoman.curation.review.rows import ReviewedRow, ReviewText, rows_of
from dragoman.store.translation_memory import ReviewCount

ORDER = ReviewText("vi", "tasks", "tasks.json::0", 3, "retail/text", "Order #W1", "Đơn #W1")
GREETING = ReviewText("vi", "tasks", "tasks.json::1", 1, "retail/text", "Hello", "Xin chào")
LABEL = ReviewText(
    "vi", "schema", "data_model.json::0", 1, "retail/label/Reason", "damaged", "hỏng"
)
POLICY = ReviewText(
    "vi",
    "policy",
    "policy.md::full",
    1,
    "retail/text",
    "# One\n" + "a " * 500 + "\n# Two\nb\n",
    "# Một\nă\n# Hai\nbê\n",
    is_document=True,
)
TEXTS = (ORDER, GREETING, LABEL, POLICY)


def keeps_numbers(text: ReviewText, target: str) -> Sequence[str]:
    return ["#W1 is lost"] if "#W1" in text.source and "#W1" not in target else []


def line(text: ReviewText, number: int = 1, correction: str = "", verdict: str = "") -> ReviewedRow:
    row = rows_of(text)[number - 1]
    where = f"line {TEXTS.index(text) + 2}"
    return ReviewedRow(where, row.key, row.translation, correction, verdict)


def test_what_was_read_is_approved_and_the_rest_waits() -> None:
    review = review_rows(
        TEXTS, [line(ORDER, verdict="ok"), line(LABEL, correction="bị hỏng")], keeps_numbers
    )
    assert [(each.text.source, each.target) for each in review.approved] == [
        ("Order #W1", "Đơn #W1"),
        ("damaged", "bị hỏng"),
    ]
    assert review.refused == ()
    assert review.counts() == (ReviewCount("tasks", 1, 1), ReviewCount("schema", 1, 0))


def test_a_correction_that_loses_an_identifier_is_refused() -> None:
    review = review_rows(TEXTS, [line(ORDER, correction="Đơn hàng")], keeps_numbers)
    assert review.refused == (RefusedRow("line 2", "#W1 is lost"),)


def test_a_row_that_stands_twice_must_say_the_same() -> None:
    one, other = line(GREETING, correction="Chào"), line(GREETING, correction="Xin kính chào")
    same = review_rows(TEXTS, [one, one, line(GREETING)], keeps_numbers)
    assert ([each.target for each in same.approved], same.refused) == (["Chào"], ())
    differing = review_rows(TEXTS, [line(GREETING), one, other], keeps_numbers)
    assert [each.why for each in differing.refused] == ["contradicts line 3, which has the same id"]


def test_a_row_whose_source_is_gone_is_told_and_kept_nowhere() -> None:
    gone = replace(GREETING, source="Good morning")
    row = ReviewedRow("line 9", rows_of(gone)[0].key, "Xin chào", "", "ok")
    review = review_rows(TEXTS, [row], keeps_numbers)
    assert (review.gone, review.approved, review.refused) == (("line 9",), (), ())


def test_rows_for_another_language_are_of_no_text_here() -> None:
    thai = rows_of(replace(ORDER, language="th"))[0]
    row = ReviewedRow("line 2", thai.key, thai.translation, "", "ok")
    review = review_rows(TEXTS, [row], keeps_numbers)
    assert (review.gone, review.approved, review.fitting) == (("line 2",), (), 0)


def test_a_row_that_was_sorted_apart_from_its_id_is_refused() -> None:
    row = replace(line(ORDER), translation=GREETING.target, source=GREETING.source)
    (refused,) = review_rows(TEXTS, [row], keeps_numbers).refused
    assert refused.why.startswith("its source is not that of its id")
    whole = replace(line(ORDER, verdict="ok"), source=ORDER.source)
    assert review_rows(TEXTS, [whole], keeps_numbers).refused == ()


def test_letters_that_became_question_marks_are_no_correction() -> None:
    row = replace(line(GREETING), translation="Xin ch?o")
    (refused,) = review_rows(TEXTS, [row], keeps_numbers).refused
    assert refused.why == "its letters became question marks: save the file as CSV in UTF-8"
    asked = replace(line(GREETING), translation="Xin chào?")
    assert [each.target for each in review_rows(TEXTS, [asked], keeps_numbers).approved] == [
        "Xin chào?"
    ]


def test_a_row_without_its_id_is_refused() -> None:
    review = review_rows(TEXTS, [ReviewedRow("line 4", "", "", "Chào", "")], keeps_numbers)
    assert [each.where for each in review.refused] == ["line 4"]


def test_a_document_keeps_the_sections_that_were_not_read() -> None:
    review = review_rows(TEXTS, [line(POLICY, 2, correction="# Hai\nbê bê")], keeps_numbers)
    (approved,) = review.approved
    assert approved.target == "# Một\nă\n# Hai\nbê bê\n"
    assert (approved.read, approved.of) == (1, 2)


def test_a_text_that_was_reviewed_before_counts_no_second_time() -> None:
    before = replace(GREETING, is_reviewed=True)
    review = review_rows((before,), [line(GREETING, verdict="ok")], keeps_numbers)
    assert review.counts() == ()
    assert len(review.approved) == 1
