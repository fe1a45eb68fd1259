import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.grouping import by_axes
from dragoman.analysis.intervals import clustered_interval
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.scores import ComponentScore, Score, Scored, Unscored, Verdict

THAI = condition_of({"language": "th", "scenario": "domain"})
PHONE = {"voice": "telephone"}


def row(
    task: str, condition: Condition, verdict: Verdict | None, agent: str = "gold"
) -> ConversationResult:
    score = None if verdict is None else Score("rules", "none", verdict, ())
    return ConversationResult("suite", condition, agent, task, 0, None, score)


def test_cells_that_share_a_value_are_one_group() -> None:
    rows = [
        row(task, condition.with_axes(**voice), Scored(float(task == "a" or not voice)))
        for condition in (PLAIN, THAI)
        for voice in ({}, PHONE)
        for task in ("a", "b")
    ]
    text, telephone = by_axes(rows, ["voice"])
    assert (text.values, text.cells, text.tasks, text.value) == ({"voice": "text"}, 2, 2, 1.0)
    assert (telephone.values, telephone.value) == (PHONE, 0.5)
    assert telephone.interval == clustered_interval([1.0, 0.0])
    assert [group.values for group in by_axes(rows, ["language", "voice"])] == [
        {"language": "en", "voice": "text"},
        {"language": "en", "voice": "telephone"},
        {"language": "th", "voice": "text"},
        {"language": "th", "voice": "telephone"},
    ]


def test_a_task_counts_once_by_its_mean_over_cells() -> None:
    rows = [row("a", PLAIN, Scored(1.0)), row("a", THAI, Scored(0.0)), row("b", PLAIN, Scored(1.0))]
    (group,) = by_axes(rows, ["voice"])
    assert (group.tasks, group.value) == (2, 0.75)


@pytest.mark.parametrize("open_verdict", [None, Unscored("no judge"), Scored(0.0, ("X",))])
def test_a_task_with_an_open_conversation_is_left_out(open_verdict: Verdict | None) -> None:
    rows = [row("a", PLAIN, Scored(1.0)), row("a", THAI, open_verdict)]
    (group,) = by_axes(rows, ["voice"])
    assert (group.tasks, group.left_out, group.value, group.interval) == (0, 1, None, None)


def test_the_agent_is_an_axis_too() -> None:
    rows = [row("a", PLAIN, Scored(1.0)), row("a", PLAIN, Scored(0.0), "silent")]
    assert [(group.values["agent"], group.value) for group in by_axes(rows, ["agent"])] == [
        ("gold", 1.0),
        ("silent", 0.0),
    ]


def test_a_group_of_one_cell_has_that_cells_pass_hat() -> None:
    rows = [
        row("a", PLAIN, Scored(1.0)),
        row("a", PLAIN, None),
        row("b", PLAIN, Scored(0.0)),
        row("b", PLAIN, Scored(1.0)),
    ]
    (group,) = by_axes(rows, ["voice"])
    (cell,) = summarize(rows, "r", "j")
    assert (group.tasks, group.value) == (2, cell.result.figures[0].value) == (2, 0.75)


def test_a_group_says_whether_a_verdict_was_assumed() -> None:
    judged = ComponentScore("NL_ASSERTION", True, Scored(1.0), assumed=True)
    score = Score("r", "assume-met", Scored(1.0), (judged,))
    assumed = ConversationResult("suite", THAI, "gold", "a", 0, None, score)
    groups = by_axes([row("a", PLAIN, Scored(1.0)), assumed], ["language"])
    assert [group.assumed for group in groups] == [False, True]


def test_text_is_no_part_of_what_a_recognizer_heard() -> None:
    studio = PLAIN.with_axes(voice="studio")
    rows = [row("a", PLAIN, Scored(1.0)), row("a", studio, Scored(0.0))]
    groups = by_axes(rows, ["recognizer"])
    assert [(group.values["recognizer"], group.value) for group in groups] == [
        ("none", 1.0),
        ("mixed", 0.0),
    ]
