"""The answer of a comparison in a terminal: the sentence, its detail, and one table."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, CellOutcomes, Comparison, comparable, compare
from dragoman.cli.compare_answer import (
    MAX_ROWS,
    AnswerFooter,
    comparison_lines,
    full_comparison_command,
)
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.scores import Score, Scored
from dragoman.report.comparison_answer import build_comparison_answer

TELEPHONE = condition_of({"voice": "telephone"})
VIETNAMESE = condition_of({"language": "vi", "scenario": "domain"})
FOOTER = AnswerFooter("dragoman-2")


def cell(  # noqa: PLR0913 - the parts of the cell's name
    passed: int,
    *,
    run: str = "runs/before",
    agent: str = "mine:agent",
    condition: Condition = PLAIN,
    suite: str = "courier",
    tasks: range = range(20),
) -> CellOutcomes:
    """Return a cell of which the first tasks pass, with one trial of each."""
    rows = (
        ConversationResult(
            *(suite, condition, agent, f"task-{task:02}", 0, None),
            Score("dragoman-2", "none", Scored(float(number < passed)), ()),
        )
        for number, task in enumerate(tasks)
    )
    digests = {f"task-{task:02}": "same" for task in tasks}
    return CellOutcomes(CellName(run, suite, condition, agent), tuple(rows), digests)


def versions(*passed: tuple[Condition, int, int]) -> tuple[Comparison, ...]:
    """Compare v1 in one run with v2 in another, by condition."""
    return compare(
        (
            cell(a, run="runs/v1", agent="v1", condition=condition),
            cell(b, run="runs/v2", agent="v2", condition=condition),
        )
        for condition, a, b in passed
    )


def printed(comparisons: Sequence[Comparison], width: int = 80) -> list[str]:
    return comparison_lines(build_comparison_answer(comparisons), FOOTER, width)


def test_the_sentence_names_the_worse_side_the_condition_and_the_points() -> None:
    found = build_comparison_answer(
        versions((PLAIN, 20, 20), (TELEPHONE, 20, 11), (VIETNAMESE, 15, 12))
    )
    assert found.headline == "B (v2) is worse in English by telephone: 45.0 points of pass^1"
    assert found.detail == (
        "95% CI 25.0 to 65.0, n = 20 tasks x 1 trial, "
        "p = 0.012 after correction for 3 comparisons (Holm)."
    )
    assert found.sides == "courier; A v1 (runs/v1), B v2 (runs/v2)"
    assert [row.name for row in found.rows] == [
        "English, telephone",
        "Vietnamese text",
        "English text",
    ]


def test_the_sentence_names_english_where_another_row_has_a_language() -> None:
    """Without a word on the language it would read as a result over both."""
    spoken = VIETNAMESE.with_axes(voice="telephone")
    found = build_comparison_answer(versions((TELEPHONE, 20, 11), (spoken, 20, 20)))
    assert found.headline == "B (v2) is worse in English by telephone: 45.0 points of pass^1"
    alone = build_comparison_answer(versions((PLAIN, 20, 20), (TELEPHONE, 20, 11)))
    assert alone.headline == "B (v2) is worse by telephone: 45.0 points of pass^1"


def test_a_gain_is_better_and_a_loss_comes_before_a_larger_gain() -> None:
    gain = build_comparison_answer(versions((PLAIN, 20, 20), (TELEPHONE, 8, 20)))
    assert gain.headline == "B (v2) is better by telephone: 60.0 points of pass^1"
    assert gain.detail.startswith("95% CI 40.0 to 80.0, ")

    both = build_comparison_answer(versions((PLAIN, 20, 11), (TELEPHONE, 8, 20)))
    assert both.headline == "B (v2) is worse in English text: 45.0 points of pass^1"
    assert both.detail.endswith(" B is worse in 1 and better in 1 of 2 comparisons.")


def test_of_several_losses_the_largest_is_named() -> None:
    found = build_comparison_answer(versions((PLAIN, 20, 11), (TELEPHONE, 20, 5)))
    assert found.headline == "B (v2) is worse, most by telephone: 75.0 points of pass^1"
    assert "p < 0.001 after" in found.detail
    assert found.detail.endswith(" B is worse in 2 of 2 comparisons.")


def test_without_a_significant_difference_the_largest_is_named() -> None:
    several = build_comparison_answer(versions((PLAIN, 20, 20), (TELEPHONE, 15, 12)))
    assert several.headline == (
        "No difference is significant after correction for 2 comparisons; the largest: "
        "B (v2) has 15.0 fewer points of pass^1 than A by telephone"
    )
    assert several.detail == "95% CI 0.0 to 30.0, n = 20 tasks x 1 trial, p = 0.500 (Holm)."

    one = build_comparison_answer(versions((PLAIN, 12, 15)))
    assert one.headline == (
        "The difference is not significant: B (v2) has 15.0 more points of pass^1 than A"
    )
    assert one.detail == "95% CI 0.0 to 30.0, n = 20 tasks x 1 trial, p = 0.250."


def test_one_significant_comparison_needs_no_correction() -> None:
    found = build_comparison_answer(versions((TELEPHONE, 20, 11)))
    assert found.headline == "B (v2) is worse by telephone: 45.0 points of pass^1"
    assert found.detail == "95% CI 25.0 to 65.0, n = 20 tasks x 1 trial, p = 0.004."


def test_equal_sides_have_no_difference_but_an_interval() -> None:
    one = build_comparison_answer(versions((PLAIN, 9, 9)))
    assert one.headline == "No difference: A and B (v2) have a pass^1 of 45.0"
    assert one.detail == "95% CI -16.8 to 16.8, n = 20 tasks x 1 trial, p = 1.000."

    several = build_comparison_answer(versions((PLAIN, 9, 9), (TELEPHONE, 3, 3)))
    assert (
        several.headline == "No difference: A and B have the same pass^1 in each of 2 comparisons"
    )
    assert several.detail.startswith("Widest 95% CI -16.8 to 16.8, ")


def test_too_few_tasks_for_any_significant_difference_are_named() -> None:
    pair = cell(5, tasks=range(5)), cell(0, run="runs/after", tasks=range(5))
    found = build_comparison_answer(compare([pair]))
    assert found.headline == (
        "The difference is not significant: B (after) has 100.0 fewer points of pass^1 than A"
    )
    assert found.detail.endswith("p = 0.062. Fewer than 6 tasks are never significant.")


def test_without_a_common_task_there_is_no_difference_to_state() -> None:
    pair = cell(5, tasks=range(5)), cell(5, run="runs/after", tasks=range(5, 9))
    lines = printed(compare([pair]))
    assert lines[:2] == ["Nothing can be compared: A and B have no common task", ""]
    assert lines[3].split(None, 5)[2:] == ["0", "-", "-", "no common task       -"]
    assert "Excluded: 9 tasks (5 only in A, 4 only in B)." in lines


def test_a_comparison_without_a_common_task_does_not_count_as_tested() -> None:
    alone = (
        cell(5, condition=TELEPHONE, tasks=range(5)),
        cell(4, run="runs/after", condition=TELEPHONE, tasks=range(5, 9)),
    )
    found = build_comparison_answer(compare([alone, (cell(20), cell(11, run="runs/after"))]))
    assert found.headline == "B (after) is worse in English text: 45.0 points of pass^1"
    assert "correction" not in found.detail
    assert [row.gap is None for row in found.rows] == [False, True]
    assert found.notes == (
        "1 comparison has no common task.",
        "Excluded: up to 9 tasks of a comparison (only in A, only in B).",
    )


def test_in_one_run_both_sides_are_named() -> None:
    agents = compare([(cell(20, agent="v1"), cell(8, agent="v2"))])
    assert build_comparison_answer(agents).headline == (
        "B (v2) is worse than A (v1): 60.0 points of pass^1"
    )

    grid = [
        cell(passed, agent=agent, condition=condition)
        for agent, condition, passed in (
            *(("v1", PLAIN, 20), ("v1", TELEPHONE, 18)),
            *(("v2", PLAIN, 20), ("v2", TELEPHONE, 5)),
        )
    ]
    found = build_comparison_answer(compare(comparable(grid)))
    assert found.headline == (
        "B (English, telephone) is worse than A (English text) for v2: 75.0 points of pass^1"
    )
    assert found.detail.endswith(" 2 of 4 comparisons are significant.")
    assert found.rows[0].name == "v2: English text -> English, telephone"
    assert found.rows[1].name == "v1 -> v2: English, telephone"
    assert found.sides == "courier; run runs/before"


def test_several_suites_and_agents_are_named_in_sentence_and_rows() -> None:
    found = build_comparison_answer(
        compare(
            (
                cell(20, suite=suite, agent=agent),
                cell(passed, suite=suite, agent=agent, run="runs/after"),
            )
            for suite, agent, passed in (("courier", "v1", 20), ("shop", "v2", 9))
        )
    )
    assert found.headline == "B (after) is worse on shop for v2: 55.0 points of pass^1"
    assert [row.name for row in found.rows] == ["shop: v2", "courier: v1"]
    assert found.sides == "A runs/before, B runs/after"


def test_runs_in_folders_of_one_name_are_told_apart_by_their_paths() -> None:
    pair = cell(20, run="monday/mine"), cell(9, run="friday/mine")
    assert build_comparison_answer(compare([pair])).headline.startswith("B (friday/mine) is worse")


def test_a_scripted_agent_does_not_hide_the_agent_under_test() -> None:
    pairs = [
        (cell(20, agent=agent), cell(passed, agent=agent, run="runs/after"))
        for agent, passed in (("silent", 0), ("mine:agent", 9))
    ]
    assert build_comparison_answer(compare(pairs)).headline == (
        "B (after) is worse, most for mine:agent: 55.0 points of pass^1"
    )


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_table_fits_the_terminal_and_breaks_no_word(width: int) -> None:
    voice = condition_of({"language": "vi", "scenario": "domain", "voice": "simulated:10"})
    long = "a-model-with-a-name-without-room-in-a-table"
    pairs = [
        (
            cell(20, condition=condition, agent=agent),
            cell(0, condition=condition, agent=agent, run="runs/after"),
        )
        for condition in (PLAIN, voice)
        for agent in ("v1", long)
    ]
    lines = printed(compare(pairs), width)
    assert max(map(len, lines)) <= min(width, 100)
    text = " ".join(" ".join(lines).split())
    assert text.count(long) == 2
    assert sum("-100.0 [-100.0, -66.3]" in line for line in lines) == 4
    assert "simulated 10 % WER" in text


def test_rows_and_notes_without_room_are_counted() -> None:
    pairs = [
        (cell(20, agent=f"v{number}"), cell(20, agent=f"v{number}", run="runs/after"))
        for number in range(MAX_ROWS + 3)
    ]
    found = build_comparison_answer(compare(pairs))
    lines = comparison_lines(found, AnswerFooter("r", [f"note {at}" for at in range(6)]))
    assert "(3 more rows: --full)" in lines
    assert lines[-2:] == ["Note: note 3", "2 more notes: --full"]
    full = comparison_lines(found, AnswerFooter("r", ["elsewhere"]), full=True)
    assert sum("0.0 [-16.8, +16.8]" in line for line in full) == MAX_ROWS + 3
    assert not any("elsewhere" in line for line in full)


def test_control_codes_of_names_are_escaped() -> None:
    pair = cell(20, agent="\x1b]0;x\x07"), cell(9, agent="\x1b]0;x\x07", run="runs/\x1bafter")
    assert not {"\x1b", "\x07"} & set("\n".join(printed(compare([pair]))))


def test_the_next_command_has_the_given_options() -> None:
    options = [("--agent", "v1"), ("--versus", None), ("--kept", 0.4)]
    assert full_comparison_command([Path("my run"), Path("b")], options) == (
        "dragoman compare 'my run' b --agent v1 --kept 0.4 --full"
    )
