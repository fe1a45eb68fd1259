"""The board of calls of APIs: groups by label, in an average that is named, with intervals and n."""

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.intervals import clustered_interval
from dragoman.core.apis.metrics import EXACT_RATE, INVOCATION, SELECTION, ApiAveraging, scores
from dragoman.core.conditions import PLAIN
from dragoman.core.measures import MeasureResult
from dragoman.papers.itc.summary import rates_over, summarize_api_calls


def outcome(task: str, *, unscored: str = "", **counts: int) -> ConversationResult:
    named: dict[str, int | float] = {
        name.replace("_", " "): count for name, count in counts.items()
    }
    calls = MeasureResult("calls", "1", counts=named, unscored=unscored)
    return ConversationResult("itc:test", PLAIN, "agent", task, 0, measures=(calls,))


ROWS = (
    outcome("a", gold_tools=1, made_tools=1, right_tools=1, compared=1, exact=1),
    outcome("b", gold_tools=3, made_tools=2, right_tools=1, missing_tools=2, extra_tools=1, compared=1, exact=0),
    outcome("c", gold_tools=1, made_tools=0, right_tools=0, missing_tools=1, compared=1, exact=0),
    outcome("d", unscored="its gold cannot be read"),
)  # fmt: skip
LABELS = {
    ("itc:test", "a"): {"language": "pt", "kind of call": "single"},
    ("itc:test", "b"): {"language": "ja", "kind of call": "repeated"},
    ("itc:test", "c"): {"language": "ja"},
    ("itc:test", "d"): {"language": "ja"},
}


@pytest.mark.parametrize(
    ("averaging", "precision", "recall", "f1"),
    [("macro", (1 + 1 / 2) / 2, (1 + 1 / 3 + 0) / 3, (1 + 2 / 5 + 0) / 3), ("micro", 2 / 3, 2 / 5, 4 / 8)],
)  # fmt: skip
def test_figures_of_everything_have_their_average_in_their_name(
    averaging: ApiAveraging, precision: float, recall: float, f1: float
) -> None:
    summary = summarize_api_calls(ROWS, LABELS, averaging)
    everything = summary.groups[0]
    assert (everything.axis, everything.conversations, everything.unscored) == ("all", 4, 1)
    values = [everything.figure(f"{name} {averaging}", SELECTION) for name in ("P", "R", "F1")]
    assert [each.value for each in values] == pytest.approx([precision, recall, f1])
    assert all(each.interval is not None for each in values)
    assert [each.n for each in values] == ([2, 3, 3] if averaging == "macro" else [3, 5, 8])
    shares = [
        everything.figure(name, SELECTION).value for name in ("hallucinated", "missing", "extra")
    ]
    assert shares == [0.0, 0.75, 0.25]
    assert everything.figure(f"F1 {averaging}", INVOCATION).value is None


def test_groups_are_taken_apart_by_every_label_that_tasks_have() -> None:
    groups = [
        (each.axis, each.group, each.conversations)
        for each in summarize_api_calls(ROWS, LABELS, "macro").groups
    ]
    assert groups == [
        ("all", "", 4),
        ("language", "ja", 3),
        ("language", "pt", 1),
        ("kind of call", "repeated", 1),
        ("kind of call", "single", 1),
    ]


def test_conversations_of_other_suites_are_left_out() -> None:
    assert summarize_api_calls(ROWS, {}, "macro").groups == ()


def test_where_all_tasks_agree_the_interval_is_that_of_so_many_tasks() -> None:
    tasks = {str(n): [{"exact": 1, "compared": 1}] for n in range(20)}
    (found,) = rates_over((EXACT_RATE,), tasks)
    assert (found.value, found.n) == (1.0, 20)
    assert found.interval == clustered_interval([1.0] * 20)


def test_trials_of_a_task_are_drawn_together() -> None:
    once = {str(n): [{"exact": n % 2, "compared": 1}] for n in range(10)}
    thrice = {task: counts * 3 for task, counts in once.items()}
    assert (
        rates_over((EXACT_RATE,), once)[0].interval == rates_over((EXACT_RATE,), thrice)[0].interval
    )


def test_a_recall_of_seal_tools_has_no_interval_where_all_tasks_agree() -> None:
    rate = scores(SELECTION, "seal")[1]
    tasks = {str(n): [{"seal right tools": 3, "seal gold tools": 1}] for n in range(5)}
    (found,) = rates_over((rate,), tasks)
    assert (found.value, found.interval) == (3.0, None)
