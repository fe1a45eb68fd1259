import msgspec
import pytest

from dragoman.analysis.cell_summary import CellSummary, ConversationResult, summarize
from dragoman.analysis.intervals import Interval
from dragoman.core.conditions import PLAIN
from dragoman.core.episodes import Episode, Termination, TerminationReason
from dragoman.core.scores import (
    UNREADABLE_CALLS,
    ComponentScore,
    Evidence,
    Score,
    Scored,
    Unscored,
    Verdict,
)
from dragoman.core.usage import Usage


def outcome(  # noqa: PLR0913 - the columns of a row
    task: str,
    reward: Verdict | None,
    *,
    trial: int = 0,
    agent: str = "gold",
    ending: TerminationReason = "user_stop",
    errors: int = 0,
    tokens: int | None = 10,
) -> ConversationResult:
    usage = (Usage("agent", "m", 1, input_tokens=tokens, output_tokens=1),)
    episode = Episode((), Termination(ending), 3, errors, usage=usage, seconds=0.5)
    score = None if reward is None else Score("rules", "none", reward, ())
    return ConversationResult("suite", PLAIN, agent, task, trial, episode, score)


def missing(task: str, trial: int = 0, agent: str = "gold") -> ConversationResult:
    return ConversationResult("suite", PLAIN, agent, task, trial)


def summary(*outcomes: ConversationResult) -> CellSummary:
    (cell,) = summarize(outcomes, "rules", "none")
    return cell


def test_a_cell_counts_what_happened() -> None:
    cell = summary(
        outcome("a", Scored(1.0), errors=2),
        outcome("b", Scored(0.0, ("NL_ASSERTION",)), ending="max_steps"),
        outcome("c", Unscored("no judge"), errors=1),
        outcome("d", Unscored("infrastructure: cut"), ending="infrastructure_error"),
        missing("e"),
    )
    assert (cell.rules, cell.judge, cell.planned_tasks) == ("rules", "none", 5)
    assert (cell.episodes, cell.missing, cell.infrastructure_errors) == (4, 1, 1)
    assert cell.tool_errors == 3
    assert cell.endings == {"user_stop": 2, "infrastructure_error": 1, "max_steps": 1}
    assert cell.unscored == {
        "0 whatever NL_ASSERTION would be": 1,
        "infrastructure: cut": 1,
        "no judge": 1,
    }
    assert (cell.result.tasks, cell.result.left_out) == (1, 4)
    assert cell.result.figures[0].value == 1.0
    assert cell.seconds == 2.0


def test_an_infrastructure_fault_is_never_a_failure_of_the_agent() -> None:
    cell = summary(
        outcome("a", Scored(1.0)),
        outcome("b", Unscored("infrastructure: cut"), ending="infrastructure_error"),
    )
    assert cell.result.figures[0].value == 1.0
    assert cell.result.figures[0].bounds.low == 0.5


def test_agents_are_cells_of_their_own_in_order_of_appearance() -> None:
    rows = [
        outcome("a", Scored(1.0), agent="silent"),
        outcome("a", Scored(0.0), agent="gold"),
        outcome("b", Scored(1.0), agent="silent"),
    ]
    cells = summarize(rows, "rules", "none")
    assert [(cell.agent, cell.planned_tasks) for cell in cells] == [("silent", 2), ("gold", 1)]


def test_trials_are_those_planned_and_not_those_played() -> None:
    cell = summary(outcome("a", Scored(1.0)), missing("a", trial=1))
    assert (cell.result.trials, cell.result.tasks, cell.result.left_out) == (2, 1, 0)
    assert [figure.tasks for figure in cell.result.figures] == [1, 0]
    assert [figure.value for figure in cell.result.figures] == [1.0, None]


def test_a_cells_interval_does_not_depend_on_the_rest_of_the_grid() -> None:
    rows = [outcome(str(number), Scored(float(number % 3 > 0))) for number in range(12)]
    alone = summarize(rows, "rules", "none")[0]
    beside = summarize([outcome("a", Scored(1.0), agent="other"), *rows], "rules", "none")[1]
    assert alone == beside


@pytest.mark.parametrize(("tokens", "total"), [(10, 20), (None, None)])
def test_usage_is_added_up_and_unknown_stays_unknown(tokens: int | None, total: int | None) -> None:
    cell = summary(outcome("a", Scored(1.0)), outcome("b", Scored(1.0), tokens=tokens))
    assert cell.usage == (Usage("agent", "m", 2, input_tokens=total, output_tokens=2),)


def test_a_cell_is_assumed_where_one_score_is() -> None:
    part = ComponentScore("NL_ASSERTION", in_basis=True, verdict=Scored(1.0), assumed=True)
    score = Score("rules", "assume-met", Scored(1.0), (part,))
    row = ConversationResult("suite", PLAIN, "gold", "a", 0, outcome("a", None).episode, score)
    assert summary(row).assumed
    assert not summary(outcome("a", Scored(1.0))).assumed


def simulated(row: ConversationResult, *failed: str) -> ConversationResult:
    """Return an outcome whose simulated user was checked."""
    evidence = tuple(
        Evidence(check, check not in failed) for check in ("goal_kept", "own_language")
    )
    assert row.score is not None
    score = msgspec.structs.replace(row.score, simulator=evidence)
    return msgspec.structs.replace(row, score=score)


def test_conversations_with_an_invalid_user_are_counted_and_still_count() -> None:
    cell = summary(
        simulated(outcome("a", Scored(1.0))),
        simulated(outcome("b", Scored(0.0)), "goal_kept", "own_language"),
        simulated(outcome("c", Scored(0.0)), "goal_kept"),
        simulated(outcome("d", Scored(0.0))),
    )
    assert cell.invalid == 2
    assert cell.invalid_kinds == {"goal_kept": 2, "own_language": 1}
    assert cell.result.figures[0].value == 0.25
    assert cell.without_invalid is not None
    assert (cell.without_invalid.tasks, cell.without_invalid.left_out) == (2, 2)
    assert cell.without_invalid.figures[0].value == 0.5
    assert cell.without_invalid.figures[0].bounds == Interval(0.25, 0.75)


def test_a_task_with_one_invalid_trial_leaves_only_the_figures_apart() -> None:
    rows = [
        simulated(outcome("a", Scored(1.0))),
        simulated(outcome("a", Scored(0.0), trial=1), "goal_kept"),
        simulated(outcome("b", Scored(1.0))),
        simulated(outcome("b", Scored(1.0), trial=1)),
    ]
    cell = summary(*rows)
    assert [figure.value for figure in cell.result.figures] == [0.75, 0.5]
    assert cell.without_invalid is not None
    assert [figure.value for figure in cell.without_invalid.figures] == [1.0, 1.0]


def test_without_a_failed_check_there_is_nothing_to_show_apart() -> None:
    cell = summary(simulated(outcome("a", Scored(1.0))))
    assert (cell.invalid, cell.invalid_kinds, cell.without_invalid) == (0, {}, None)


def test_where_no_user_was_checked_how_many_failed_is_unknown() -> None:
    cell = summary(outcome("a", Scored(1.0)), missing("b"))
    assert (cell.invalid, cell.without_invalid) == (None, None)


def test_what_the_judge_of_users_consumed_is_counted() -> None:
    usage = Usage("user judge", "m", 1)
    judged = Score("rules", "none", Scored(1.0), (), simulator_usage=usage)
    row = ConversationResult("suite", PLAIN, "gold", "a", 0, outcome("a", None).episode, judged)
    assert usage in summary(row).usage


def test_no_outcomes_are_no_cells() -> None:
    assert summarize([], "rules", "none") == ()


def test_what_the_judge_consumed_is_counted() -> None:
    judged = Score("rules", "chat", Scored(1.0), (), usage=Usage("judge", "m"))
    row = ConversationResult("suite", PLAIN, "gold", "a", 0, outcome("a", None).episode, judged)
    assert "judge" in {entry.purpose for entry in summary(row).usage}


def test_replies_without_calls_that_could_be_read_are_counted_among_those_that_were_given() -> None:
    def judged(task: str, kind: str) -> ConversationResult:
        row = outcome(task, Scored(0.0))
        assert row.score is not None
        part = ComponentScore("CALLS", True, Scored(0.0), (Evidence("fault", False, "", kind),))
        score = msgspec.structs.replace(row.score, components=(part,))
        return msgspec.structs.replace(row, score=score)

    fault = outcome("z", Unscored("infrastructure: cut"), ending="infrastructure_error")
    half = [judged("a", UNREADABLE_CALLS), judged("b", "")]
    assert not summary(*half, fault).is_mostly_unreadable
    most = summary(*half, judged("c", UNREADABLE_CALLS), fault, missing("y"))
    assert (most.unreadable, most.answered, most.is_mostly_unreadable) == (2, 3, True)
    assert not summary(fault).is_mostly_unreadable


def test_what_was_played_and_has_no_score_yet_takes_its_task_out_and_is_counted() -> None:
    cell = summary(
        outcome("a", Scored(1.0)),
        outcome("a", None, trial=1),
        outcome("b", Scored(0.0)),
        missing("b", trial=1),
    )
    assert cell.result.figures[0].value == 0.0
    assert (cell.result.tasks, cell.result.left_out) == (1, 1)
    assert cell.unscored == {"not scored yet": 1}
