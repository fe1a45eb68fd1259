"""Judges' counts in addition to the log's decisions: figures that are counted by hand."""

from collections.abc import Mapping, Sequence

import pytest

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored
from dragoman.papers.mm_tau.definitions import CODE
from dragoman.papers.mm_tau.summary import MmTauSummary, mm_tau_summaries, summarize_mm_tau

SCORING = ("dragoman-1", "none")
JUDGE = "measure-2:big@1234"
VOICE = PLAIN.with_axes(voice="telephone")


def judged(unscored: str = "", version: str = "1@aaaa", **counts: float) -> MeasureResult:
    found = {"judged": 1.0, **counts}
    return MeasureResult(
        "mm_tau_p2", version, JUDGE, counts={} if unscored else found, unscored=unscored
    )


def logged(errors: int, recovered: int) -> MeasureResult:
    return MeasureResult("recovery", "1", counts={"errors": errors, "recovered": recovered})


def rows(
    rewards: Sequence[float],
    measures: Sequence[tuple[MeasureResult, ...]],
    condition: Condition = PLAIN,
) -> list[ConversationResult]:
    episode = Episode((), Termination("user_stop"), 1, 0)
    return [
        ConversationResult(
            *("courier", condition, "clerk", f"t{number}", 0, episode),
            Score(*SCORING, Scored(value), ()),
            measures=measures[number],
        )
        for number, value in enumerate(rewards)
    ]


def summary(found: Sequence[ConversationResult]) -> MmTauSummary:
    return summarize_mm_tau(found, {(row.suite, row.task): "same" for row in found}, SCORING)


def test_a_judge_has_a_column_of_its_own_beside_the_log() -> None:
    found = summary(
        rows(
            [1, 1],
            [
                (logged(2, 2), judged(errors=4, recovered=1, tasks=1, tasks_succeeded=1)),
                (logged(0, 0), judged(errors=0, recovered=0, tasks=2, tasks_succeeded=1)),
            ],
        )
    )

    log, judge = found.cells
    assert (log.reader, judge.reader) == ("log", "big@1234")
    assert (log.metrics["ERR"].value, judge.metrics["ERR"].value) == (1.0, 0.25)
    assert (log.metrics["pass^1"].value, judge.metrics["pass^1"].value) == (1.0, 0.5)
    assert log.metrics["CR"].why.endswith("ask a judge")


def test_what_a_judge_left_open_or_found_no_task_in_is_unscored_and_in_no_figure() -> None:
    found = summary(
        rows(
            [1, 1, 1],
            [
                (judged(errors=1, recovered=1, tasks=1, tasks_succeeded=1),),
                (judged(unscored="judge failed: prose"),),
                (judged(errors=1, recovered=0),),
            ],
        )
    )

    metrics = found.cells[1].metrics
    assert (metrics["pass^1"].value, metrics["pass^1"].n, metrics["pass^1"].unscored) == (1, 1, 2)
    assert (metrics["ERR"].value, metrics["ERR"].n, metrics["ERR"].unscored) == (0.5, 2, 1)


def test_two_versions_of_the_rubric_are_two_readers_of_one_judge() -> None:
    both = (
        judged(tasks=1, tasks_succeeded=1),
        judged(version="1.strict@bbbb", tasks=1, tasks_succeeded=0),
    )
    _, plain, strict = summary(rows([1], [both])).cells

    assert (plain.reader, strict.reader) == ("big@1234", "big@1234, mm_tau_p2@1.strict")
    assert (plain.metrics["pass^1"].value, strict.metrics["pass^1"].value) == (1.0, 0.0)


def test_robustness_by_a_judge_is_of_its_own_verdicts() -> None:
    passed, failed = judged(tasks=1, tasks_succeeded=1), judged(tasks=1, tasks_succeeded=0)
    found = summary(
        [
            *rows([1, 1], [(passed,), (passed,)]),
            *rows([1, 1], [(passed,), (failed,)], VOICE),
        ]
    )

    robust = {
        cell.reader: cell.metrics["MRS"].value
        for cell in found.cells
        if cell.input_mode.voice == "telephone"
    }
    assert robust == {"log": 1.0, "big@1234": 0.5}


def test_judge_and_log_agree_over_the_conversations_that_both_counted() -> None:
    found = summary(
        rows(
            [1, 1, 0, 0, 1],
            [
                (logged(0, 0), judged(errors=0, tasks=1, tasks_succeeded=1)),
                (logged(1, 1), judged(errors=2, tasks=1, tasks_succeeded=0)),
                (logged(2, 1), judged(errors=2, tasks=1, tasks_succeeded=0)),
                (logged(3, 1), judged(unscored="judge failed: nothing")),
                (judged(errors=1, tasks=1, tasks_succeeded=1),),
            ],
        )
    )

    by_what = {each.what: each for each in found.agreements}
    errors = by_what["errors"]
    assert (errors.n, errors.unjudged, errors.uncounted) == (3, 1, 1)
    assert errors.judged == pytest.approx(4 / 3)
    assert errors.counted == 1.0
    assert errors.equal.value == pytest.approx(2 / 3)
    assert errors.r is not None
    assert errors.r.value == pytest.approx(0.866, abs=0.001)
    success = by_what["success"]
    assert (success.n, success.equal.value, success.r) == (4, 0.75, None)
    assert success.kappa is not None
    assert success.kappa.value == pytest.approx(0.5)


def test_without_a_judge_there_is_nothing_to_agree_with() -> None:
    found = summary(rows([1], [(logged(0, 0),)]))

    assert [cell.reader for cell in found.cells] == ["log"]
    assert found.agreements == ()


# By the source's code


PER_MESSAGE = {
    "judged_agent_replies": 4,
    "judged_user_replies": 4,
    "critical_field_percent": 400,
    "message_necessity": 3,
    "clarification_asked": 2,
    "clarification_required": 1,
    "clarification_true_positives": 1,
    "confirmation_asked": 1,
    "confirmation_required": 2,
    "confirmation_true_positives": 1,
    "error_committed": 0,
    "error_identified": 0,
    "errors_put_right": 0,
    "error_recovered": 0,
    "user_effort": 1,
    "tasks_identified": 2,
    "tasks_succeeded": 1,
    "tasks_with_agent_understanding_errors": 0,
    "tasks_with_agent_understanding_errors_succeeded": 0,
}
"""The third worked example of the source's code, as the second version of the rubric counts it."""

IN_TEXT = {
    **PER_MESSAGE,
    "judged_agent_replies": 3,
    "judged_user_replies": 3,
    "tasks_succeeded": 2,
}


def by_message(counts: Mapping[str, float]) -> MeasureResult:
    return MeasureResult("mm_tau_p2", "2@bb", JUDGE, counts={"judged": 1.0, **counts})


def by_sets(found: Sequence[ConversationResult]) -> tuple[MmTauSummary, ...]:
    digests = {(row.suite, row.task): "same" for row in found}
    return mm_tau_summaries(found, digests, SCORING, definitions=None)


def test_the_sets_of_the_paper_and_of_the_code_stand_beside_ours_where_messages_were_judged() -> (
    None
):
    own, paper, code = by_sets(
        [
            *rows([1], [(by_message(IN_TEXT),)]),
            *rows([1], [(by_message(PER_MESSAGE),)], VOICE),
        ]
    )

    _, _, text, voice = code.cells
    values = {name: each.value for name, each in voice.metrics.items()}
    assert values.pop("TO") == pytest.approx(1 / 3)
    assert values == {
        **dict.fromkeys(("ERR", "RTC", "ARGA", "IAS")),
        "CP": 0.5,
        "CR": 1,
        "SP": 1,
        "SR": 0.5,
        "TE": 0.75,
        "CFA": 0.5,
        "UES": 0.25,
        "pass^1": 0.5,
        "MRS": 0.5,
    }
    assert voice.metrics["IAS"].why == "the source's code does not compute it"
    assert voice.metrics["ERR"].why == "0/0 (no error_committed)"
    assert text.metrics["MRS"].why == "nobody speaks in text"
    assert (code.changes, voice.mm_tap, code.has_composite) == ((), None, False)
    own_voice, paper_voice = own.cells[3], paper.cells[3]
    assert own_voice.metrics["CR"].value == paper_voice.metrics["CR"].value == 2
    assert own_voice.metrics["SR"].value == 0.5
    assert own_voice.metrics["UES"].value == 1
    assert own_voice.metrics["pass^1"].value == 0
    assert "SP" not in own_voice.metrics
    assert paper_voice.metrics["SP"].why.startswith("the paper prints it and does not define it")


def test_the_code_needs_a_judge_of_messages_and_says_so() -> None:
    found = rows([1], [(judged(tasks=1, tasks_succeeded=1),)], VOICE)
    (own,) = by_sets(found)
    assert own.definitions == "dragoman"
    (code,) = mm_tau_summaries(found, {("courier", "t0"): "x"}, SCORING, definitions=(CODE,))
    log, judge = code.cells
    assert log.metrics["TE"].why.startswith("the source's code counts by a judge: --rubric")
    assert judge.metrics["TE"].why == (
        "mm_tau_p2@1 does not ask for its counts: --rubric mm_tau_p2@2"
    )


def test_an_answer_that_failed_is_unscored_by_the_code_too() -> None:
    found = rows(
        [1, 1],
        [
            (by_message(PER_MESSAGE),),
            (judged(unscored="judge failed: prose", version="2@bb"),),
        ],
        VOICE,
    )
    code = by_sets(found)[2].cells[1]
    assert (code.metrics["TE"].value, code.metrics["TE"].unscored) == (0.75, 1)
    assert code.metrics["TO"].why.startswith("no text conversation")
