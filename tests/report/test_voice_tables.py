"""Voices against text as tables: absent data is missing, and never 0."""

from collections.abc import Mapping, Sequence

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.voice_summary import VoiceSummary, summarize_voice
from dragoman.core.conditions import PLAIN, Condition
from dragoman.core.episodes import Episode, Termination
from dragoman.core.leaderboard import Aggregate, Leaderboard
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Score, Scored, Unscored
from dragoman.report.text_tables import TextTable
from dragoman.report.voice import voice_tables

LINE = PLAIN.with_axes(voice="telephone")
LEADERBOARD = Leaderboard({"one": 2, "other": 2}, (Aggregate("overall", ("one", "other")),))

Counts = Mapping[str, Mapping[str, int | float]]


def outcomes(
    condition: Condition,
    rewards: Sequence[float | None],
    counts: Counts | None = None,
    suite: str = "bench:one",
) -> list[ConversationResult]:
    """Return an outcome for each task with its counts; None is a broken conversation."""
    measures = tuple(
        MeasureResult(name, "1", counts=dict(found)) for name, found in (counts or {}).items()
    )
    return [
        ConversationResult(
            suite,
            condition,
            "clerk",
            f"t{number}",
            0,
            Episode(
                (), Termination("user_stop" if value is not None else "infrastructure_error"), 1, 0
            ),
            Score(
                "dragoman-1", "none", Unscored("no answer") if value is None else Scored(value), ()
            ),
            measures=measures,
        )
        for number, value in enumerate(rewards)
    ]


def summary(*cells: list[ConversationResult]) -> VoiceSummary:
    rows = [row for cell in cells for row in cell]
    return summarize_voice(rows, {}, {}, ("dragoman-1", "none"), LEADERBOARD)


def tables(*cells: list[ConversationResult]) -> dict[str, TextTable]:
    return {table.title: table for table in voice_tables(summary(*cells))}


def test_a_table_is_there_where_the_run_holds_what_it_shows() -> None:
    found = tables(outcomes(PLAIN, [1.0]), outcomes(LINE, [0.0]))

    assert list(found) == ["clerk", "time of a conversation, in seconds", "conversations"]


def test_accuracy_stands_above_its_difference_and_what_is_missing_is_named() -> None:
    found = tables(outcomes(PLAIN, [1.0, 1.0]), outcomes(LINE, [0.0, None]))["clerk"]

    assert found.headings == ("accuracy", "text", "telephone+mixed")
    assert [row[0] for row in found.rows] == ["one", "overall", "all tasks"]
    one, overall, every = found.rows
    assert one[1] == every[1] == "100.0 % of 2"
    accuracy, difference = one[2].split("\n")
    assert accuracy == "0.0 % of 1"
    assert difference.startswith("-100.0 [-100.0, ")
    assert overall[1:] == ("-", "-")
    assert found.note.endswith("overall lacks other")


def test_a_difference_over_fewer_tasks_than_the_figure_says_so() -> None:
    text, spoken = outcomes(PLAIN, [1.0, None]), outcomes(LINE, [1.0, 0.0])

    (one, *_) = tables(text, spoken)["clerk"].rows

    accuracy, difference = one[2].split("\n")
    assert accuracy == "50.0 % of 2"
    assert difference.endswith("] of 1")


def test_lost_values_are_told_by_kind_where_kinds_were_measured() -> None:
    counts = {
        "hearing": {"values": 3, "values heard": 2},
        "values": {"values": 3, "lost": 2, "lost: name": 2, "lost: number": 0, "won back": 1},
    }

    found = tables(outcomes(PLAIN, [1.0]), outcomes(LINE, [0.0], counts))

    table = found["values that calls need: spoken and misrecognized"]
    assert table.headings == ("agent", "input", "spoken", "misrecognized", "name", "recovered")
    assert table.rows == (("clerk", "telephone+mixed", "3", "2", "2", "1"),)


def test_values_and_failure_sources_are_counted_where_they_were_measured() -> None:
    counts = {"hearing": {"values": 3, "values heard": 2}, "blame": {"lost": 1, "line": 1}}
    found = tables(outcomes(PLAIN, [1.0, 1.0]), outcomes(LINE, [0.0, 0.0], counts))

    (heard,) = found["values that calls need: spoken and misrecognized"].rows
    assert heard == ("clerk", "telephone+mixed", "6", "2")
    failure_source = found["failed conversations by failure source"]
    (lost,) = failure_source.rows
    assert lost[failure_source.headings.index("failed")] == "2"
    assert lost[failure_source.headings.index("channel")] == "2"
    assert lost[failure_source.headings.index("recognizer or voice")] == "0"


def test_decisions_have_a_column_for_each_reason_that_occurs() -> None:
    counts = {"clarifications": {"conversations": 1, "judged": 1, "rejected: leak": 1}}
    asked = LINE.with_axes(clarify="rule")
    found = tables(outcomes(LINE, [0.0]), outcomes(asked, [1.0], counts))

    reasons = found["clarifications: decisions by reason"]
    assert reasons.headings == ("agent", "input", "clarify", "leak")
    assert reasons.rows == (("clerk", "telephone+mixed", "rule", "1"),)
    (row,) = found["clarifications: conversations with a question"].rows
    assert row[:6] == (
        "clerk",
        "telephone+mixed",
        "rule",
        "100.0 % of 1",
        "0.0 % of 1",
        "100.0 % of 1",
    )
    assert row[6].startswith("+100.0 [")


def test_what_broke_is_counted_and_its_reason_told() -> None:
    found = tables(outcomes(PLAIN, [1.0, 1.0]), outcomes(LINE, [0.0, None]))["conversations"]

    assert found.headings[2:] == (
        "planned",
        "not run",
        "infrastructure errors",
        "code errors",
        "unscored",
    )
    assert found.rows[1] == ("clerk", "telephone+mixed", "2", "0", "1", "0", "1")
    assert found.note == "unscored: no answer"
