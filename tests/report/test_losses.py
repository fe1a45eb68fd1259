"""Losses between conditions, in lines that a terminal shows before everything."""

from collections.abc import Sequence

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, CellOutcomes
from dragoman.analysis.drops import find_drops
from dragoman.analysis.failure_attribution import FailureSource, attribution_result
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored
from dragoman.report.degradation import MAX_LINES, drop_lines, points

TELEPHONE = condition_of({"voice": "telephone"})
MISRECOGNIZED = MeasureResult(
    "values", "2", counts={"lost": 1, "lost: id or code": 1, "said: id or code": 4, "won back": 0}
)


def cell(
    condition: Condition, lost: Sequence[FailureSource | float], agent: str = "clerk"
) -> CellOutcomes:
    rows = tuple(
        ConversationResult(
            *("courier", condition, agent, str(task), 0),
            Episode((), Termination("user_stop"), 4, 0),
            Score("dragoman-1", "none", Scored(float(found == 1.0)), ()),
            measures=(
                *((attribution_result(found),) if isinstance(found, str) else ()),
                *(() if condition.voice == "text" else (MISRECOGNIZED,)),
            ),
        )
        for task, found in enumerate(lost)
    )
    name = CellName("run", "courier", condition, agent)
    return CellOutcomes(name, rows, {str(task): "same" for task in range(len(lost))})


def lines(*cells: CellOutcomes, is_imported: bool = False) -> list[str]:
    return drop_lines(find_drops(cells), "my run", is_imported=is_imported)


def test_a_loss_says_how_much_at_which_stage_and_in_which_values() -> None:
    found = lines(cell(PLAIN, [1.0] * 4), cell(TELEPHONE, ["line", "line", "speech", 1.0]))
    assert found == [
        "pass^1 change from baseline, percentage points (4 tasks, 95% CI, Holm-adjusted",
        "p, 1 comparison)",
        "clerk   telephone vs. text   -75.0 [-100.0, -25.0]   p=0.250, not significant",
        "  Stages: channel 50.0, recognizer or voice 25.0",
        "  Misrecognized values: id or code 4/16",
    ]


def test_what_was_not_looked_for_is_told_as_that_with_the_command_that_does() -> None:
    known, unknown = cell(PLAIN, [1.0] * 4), cell(TELEPHONE, ["line", 0.0, 0.0, 1.0])
    assert lines(known, unknown)[3:5] == [
        "  Stages: channel 25.0; the rest is not attributed yet; run: dragoman attribute",
        "    'my run'   (a value was misrecognized in 3 of 3 failures)",
    ]
    assert "dragoman attribute" not in "".join(lines(known, unknown, is_imported=True))


def test_a_gain_is_no_loss() -> None:
    found = lines(cell(PLAIN, [0.0, 1.0]), cell(TELEPHONE, [1.0, 1.0]))
    assert found[2].startswith("clerk   telephone vs. text   +50.0 [0.0, 100.0]   p=")


def test_many_losses_take_no_more_lines_than_there_are_and_say_how_many_are_left_out() -> None:
    cells = [
        each
        for agent in map(str, range(12))
        for each in (
            cell(PLAIN, [1.0] * 4, agent),
            cell(TELEPHONE, ["line", "line", 1.0, 1.0], agent),
        )
    ]
    found = lines(*cells)
    assert len(found) == MAX_LINES
    assert found[-1] == "and 10 more: dragoman show 'my run' --full"
    assert max(map(len, found)) <= 80
    every = drop_lines(find_drops(cells), "my run", most=None)
    assert [f"{agent}   telephone vs. text" in " ".join(every) for agent in range(12)] == [
        True
    ] * 12


def test_one_loss_of_several_says_over_how_many_its_p_is_corrected() -> None:
    first, *rest = find_drops(
        [
            cell(PLAIN, [1.0] * 4),
            cell(TELEPHONE, ["line", 1.0, 1.0, 1.0]),
            cell(condition_of({"voice": "studio"}), [1.0] * 4),
        ]
    )
    assert len(rest) == 1
    assert "2 comparisons" in " ".join(drop_lines([first], "run")[:2])


def test_nothing_that_is_lost_is_no_negative_number() -> None:
    (found,) = find_drops([cell(PLAIN, [1.0, 0.0]), cell(TELEPHONE, [1.0, 0.0])])
    assert str(found.value) == "0.0"


def test_one_condition_alone_loses_nothing_to_another() -> None:
    assert lines(cell(PLAIN, [1.0, 0.0])) == []


def test_points_are_of_a_hundred_and_nothing_is_no_negative_number() -> None:
    assert list(map(points, (0.125, -0.0001, -0.5))) == ["12.5", "0.0", "-50.0"]
