"""The answer of a run in a terminal: headline, table, basis and next steps in 30 lines."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.comparison import group_cells
from dragoman.analysis.drops import drops_from_baseline
from dragoman.analysis.failure_attribution import FailureSource, attribution_result
from dragoman.cli.run_answer import MAX_LINES, AnswerNotes, Page, answer_lines, next_lines
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.report.overview import RunOverview, cell_point, run_totals
from dragoman.report.overview_builder import build_overview

TELEPHONE = condition_of({"voice": "telephone"})
VIETNAMESE = condition_of({"language": "vi", "scenario": "domain"})
SPEECH: list[FailureSource | float] = ["speech"] * 12
NOTES = AnswerNotes("dragoman-1")


def cell(
    condition: Condition, came: Sequence[FailureSource | float], agent: str
) -> tuple[ConversationResult, ...]:
    return tuple(
        ConversationResult(
            *("courier", condition, agent, f"task-{number:02}", 0),
            Episode((), Termination("user_stop"), 4, 0),
            Score("dragoman-1", "none", Scored(float(found == 1.0)), ()),
            measures=(attribution_result(found),) if isinstance(found, str) else (),
        )
        for number, found in enumerate(came)
    )


def overview(*cells: tuple[ConversationResult, ...]) -> RunOverview:
    rows = [row for each in cells for row in each]
    summarized = summarize(rows, "dragoman-1", "none")
    digests = {row.task: "same" for row in rows}
    drops = drops_from_baseline(group_cells("run", rows, digests))
    points = list(map(cell_point, summarized))
    return build_overview(points, drops, rows, {}, run_totals(summarized))


def test_the_answer_begins_with_the_headline_and_the_drop_has_its_stage() -> None:
    found = overview(
        cell(PLAIN, [1.0] * 20, "v2=mine:agent"),
        cell(TELEPHONE, [*SPEECH, *[1.0] * 8], "v2=mine:agent"),
    )

    lines = answer_lines(found, NOTES)

    assert " ".join(lines).startswith(found.headline)
    row = next(line for line in lines if "-60.0" in line)
    assert row.split()[-2:] == ["recognizer", "60.0"]
    assert any("baseline" in line for line in lines)


def test_failures_that_no_replay_has_looked_for_are_part_of_the_answer() -> None:
    came: list[FailureSource | float] = ["speech", "speech", *[0.0] * 8, *[1.0] * 10]
    came[-3:] = "line", "line", "line"
    found = overview(
        cell(PLAIN, [1.0] * 20, "v2=mine:agent"),
        cell(TELEPHONE, came, "v2=mine:agent"),
    )

    text = " ".join(answer_lines(found, NOTES))

    assert "The channel costs 15.0 points, not attributed 40.0, recognizer 10.0." in text
    assert "mostly not attributed" in text


@pytest.mark.parametrize(("replayed", "is_told"), [(0, False), (4, False), (5, True), (10, True)])
def test_a_run_on_old_replies_begins_with_a_warning(replayed: int, is_told: bool) -> None:
    found = overview(cell(PLAIN, [1.0] * 4, "v2=mine:agent"))
    totals = msgspec.structs.replace(found.totals, calls=10, replayed=replayed)

    lines = answer_lines(msgspec.structs.replace(found, totals=totals), NOTES)

    told = [line for line in lines if line.startswith(f"Warning: {replayed} of 10 model replies")]
    assert bool(told) == is_told
    counted = f"{replayed} of 10 model replies from the cache"
    assert (counted in " ".join(lines)) == (replayed == 4)


def test_an_interval_and_a_correction_never_contradict_each_other() -> None:
    agents = [f"mine:{name}" for name in "abcdefgh"]
    found = overview(
        *(
            each
            for agent in agents
            for each in (
                cell(PLAIN, [1.0] * 20, agent),
                cell(TELEPHONE, [*[0.0] * 5, *[1.0] * 15], agent),
            )
        )
    )

    text = " ".join(answer_lines(found, NOTES))

    assert "not significant" in text
    assert "after correction for 8 comparisons" in text
    assert "p 0" not in text


def test_an_agent_that_fails_at_the_baseline_is_one_line_after_the_others() -> None:
    found = overview(
        cell(PLAIN, [0.0] * 8, "silent"),
        cell(TELEPHONE, [0.0] * 8, "silent"),
        cell(PLAIN, [1.0] * 8, "mine:agent"),
        cell(TELEPHONE, [0.0] * 8, "mine:agent"),
    )

    lines = answer_lines(found, NOTES)

    fails = next(at for at, line in enumerate(lines) if "baseline fails: 0 of 8 tasks" in line)
    assert lines[fails].startswith("silent: ")
    assert any("-100.0" in line for line in lines[:fails])


@pytest.mark.parametrize("width", [80, 100])
def test_however_large_the_grid_the_answer_has_thirty_lines(width: int) -> None:
    conditions = [PLAIN, TELEPHONE, VIETNAMESE, VIETNAMESE.with_axes(voice="telephone")]
    found = overview(
        *(
            cell(condition, [1.0] * (4 - at) + [0.0] * at, f"mine:{agent}")
            for agent in range(8)
            for at, condition in enumerate(conditions)
        )
    )
    notes = AnswerNotes("dragoman-1", ["ended: 1 timeout"] * 9, ["mind this " * 30] * 9)
    steps = next_lines(Path("mine"), found)

    lines = answer_lines(found, notes, Page(MAX_LINES - len(steps) - 1, width))

    assert len(lines) + 1 + len(steps) <= MAX_LINES
    assert max(map(len, lines)) <= width
    assert any("more rows: --full" in line for line in lines)


def test_no_agent_is_named_without_one_of_its_conditions() -> None:
    agents = [f"v{number}=mine:agent{number}" for number in range(6)]
    found = overview(
        *(cell(PLAIN, [1.0] * 20, agent) for agent in agents),
        *(cell(TELEPHONE, [*SPEECH, *[1.0] * 8], agent) for agent in agents),
    )

    ends = set()
    for most in range(14, 24):
        lines = answer_lines(found, NOTES, Page(most, 100))
        (folded,) = [at for at, line in enumerate(lines) if "more row" in line]
        ends.add((lines[folded - 1][:20].strip(), lines[folded]))

    assert {end for end, _ in ends} == {"English text", "English, telephone"}
    assert {more for _, more in ends} >= {"(9 more rows: --full)", "(8 more rows: --full)"}


def test_names_and_warnings_of_others_cannot_act_on_the_terminal() -> None:
    found = overview(cell(PLAIN, [1.0] * 4, "mine:\x1b[2Jagent"))

    text = "\n".join(answer_lines(found, AnswerNotes("dragoman-1", (), ["\x1b]0;x\x07"])))

    assert "\x1b" not in text
    assert "\x07" not in text


def test_the_first_step_of_a_run_without_failures_is_its_report() -> None:
    found = overview(cell(PLAIN, [1.0] * 4, "mine:agent"))

    assert next_lines(Path("my run"), found)[0].startswith("Next: dragoman report 'my run' ")
