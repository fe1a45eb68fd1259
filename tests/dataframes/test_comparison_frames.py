from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, CellOutcomes, Comparison, compare
from dragoman.core.conditions import PLAIN
from dragoman.core.scores import Score, Scored
from dragoman.dataframes.comparison_frames import comparison_object, comparisons_frame
from dragoman.report.comparison import differences_table

TRIALS = {"a": (1.0, 1.0), "b": (1.0,)}
"""Task b was played once of two times."""


def ragged() -> Comparison:
    one, other = (
        CellOutcomes(
            CellName("run", "suite", PLAIN, agent),
            tuple(
                ConversationResult(
                    "suite", PLAIN, agent, task, trial, None, Score("r", "j", Scored(value), ())
                )
                for task, values in TRIALS.items()
                for trial, value in enumerate(values)
            ),
            {"a": "1", "b": "2"},
        )
        for agent in ("clerk", "gold")
    )
    (comparison,) = compare([(one, other)])
    return comparison


def test_each_power_is_shown_with_the_tasks_that_entered_it() -> None:
    frame = comparisons_frame([ragged()])
    assert frame.select("k", "tasks").rows() == [(1, 2), (2, 1)]
    assert comparison_object(ragged())["tasks_by_k"] == {"1": 2, "2": 1}
    (row,) = differences_table([ragged()], ("r", "j")).rows
    assert row[1:3] == ("2\n1", "1\n2")
