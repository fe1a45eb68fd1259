"""Raters item by item: against labels, against each other, early and late, short and long."""

from dragoman.analysis.judge_accuracy import (
    WHOLE,
    JudgedItem,
    Rater,
    Shift,
    labelled_figures,
    panel_figures,
)

KIND, HARSH = Rater("polite", "1", "kind"), Rater("polite", "1", "harsh")
NEWER = Rater("polite", "2", "kind")


def replies(*values: int | None, cell: str = "c") -> dict[JudgedItem, int]:
    return {
        JudgedItem(cell, place, "polite"): value
        for place, value in enumerate(values)
        if value is not None
    }


def words(labels: dict[JudgedItem, int], *counts: int) -> dict[JudgedItem, int]:
    return dict(zip(sorted(labels), counts, strict=True))


def test_what_a_rater_left_out_is_counted_and_enters_no_figure() -> None:
    labels = replies(1, 0, 1, 0)
    (found,) = labelled_figures(
        {KIND: replies(1, None, 1, 1)}, labels, ["polite"], words(labels, 5, 5, 5, 5)
    )
    assert (found.items, found.unanswered, found.right.items) == (4, 1, 3)
    assert found.errors is not None
    assert (found.errors.hits, found.errors.false_alarms) == (2, 1)
    assert found.right.value == 2 / 3
    assert found.by_length is None


def test_a_judge_that_errs_late_and_on_long_replies_is_told() -> None:
    labels = replies(*[1] * 40)
    given = replies(*[1] * 20, *[0] * 20)
    (found,) = labelled_figures({KIND: given}, labels, ["polite"], words(labels, *[50, 10] * 20))
    assert found.by_position is not None
    assert (found.by_position.low, found.by_position.high) == (0.0, 1.0)
    assert found.by_length is not None
    assert isinstance(found.by_length, Shift)
    assert found.by_length.difference == 0
    assert found.by_length.interval is not None
    assert found.by_length.interval.low < 0 < found.by_length.interval.high


def test_whole_conversations_have_no_place() -> None:
    labels = {JudgedItem(cell, WHOLE, "count"): value for cell, value in (("a", 3), ("b", 0))}
    (found,) = labelled_figures({KIND: labels}, labels, [], dict.fromkeys(labels, 9))
    assert (found.by_position, found.errors, found.right.value) == (None, None, 1.0)


def test_only_raters_by_the_same_version_are_a_panel() -> None:
    answers = {KIND: replies(1, 1, 0), HARSH: replies(1, 0, 0), NEWER: replies(0, 0, 0)}
    (panel,) = panel_figures(answers)
    assert (panel.version, panel.judges) == ("1", ("harsh", "kind"))
    assert panel.percent.value == 2 / 3
    assert panel.cohen is not None
    assert panel.split == ((JudgedItem("c", 1, "polite"), (0, 1)),)


def test_each_version_of_a_rubric_is_held_against_the_same_labels() -> None:
    labels = replies(1, 1, 0)
    found = labelled_figures(
        {KIND: replies(1, 1, 0), NEWER: replies(1, 0, 0)}, labels, ["polite"], {}
    )
    assert [(each.rater.version, each.right.value) for each in found] == [("1", 1.0), ("2", 2 / 3)]
