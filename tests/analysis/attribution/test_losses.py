"""Losses between two conditions: parts that add up, each with its conversations."""

from collections.abc import Mapping, Sequence
from math import isclose

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.comparison import CellName, CellOutcomes
from dragoman.analysis.drops import Drop, failure_stage, find_drops
from dragoman.analysis.failure_attribution import FailureSource, attribution_result
from dragoman.analysis.families import baseline_pairs
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.episodes import Episode, Termination
from dragoman.core.measures import MeasureResult
from dragoman.core.scores import Evidence, Score, Scored, Unscored, Verdict

TELEPHONE = condition_of({"voice": "telephone"})
STUDIO = condition_of({"voice": "studio"})
HINDI = condition_of({"language": "hi", "scenario": "domain"})
HINDI_BY_TELEPHONE = HINDI.with_axes(voice="telephone")

Trial = float | FailureSource | None
"""A reward, the failure source of the conversation, or None without a verdict."""


def row(
    task: str,
    trial: int,
    found: Trial,
    condition: Condition = TELEPHONE,
    *measures: MeasureResult,
    checks: tuple[Evidence, ...] = (),
) -> ConversationResult:
    verdict: Verdict = Unscored("no judge") if found is None else Scored(float(found == 1.0))
    failure_source = (attribution_result(found),) if isinstance(found, str) else ()
    return ConversationResult(
        *("courier", condition, "clerk", task, trial),
        Episode((), Termination("user_stop"), 4, 0),
        Score("dragoman-1", "none", verdict, (), simulator=checks),
        measures=(*failure_source, *measures),
        key=f"{condition.voice}-{task}-{trial}",
    )


def cell(rows: Sequence[ConversationResult]) -> CellOutcomes:
    first = rows[0]
    name = CellName("run", first.suite, first.condition, first.agent)
    return CellOutcomes(name, tuple(rows), dict.fromkeys((each.task for each in rows), "same"))


def played(tasks: Mapping[str, Sequence[Trial]], condition: Condition) -> CellOutcomes:
    return cell(
        [
            row(task, trial, found, condition)
            for task, trials in tasks.items()
            for trial, found in enumerate(trials)
        ]
    )


def lost(base: Mapping[str, Sequence[Trial]], other: Mapping[str, Sequence[Trial]]) -> Drop:
    (found,) = find_drops([played(base, PLAIN), played(other, TELEPHONE)])
    return found


def test_parts_are_failures_there_less_those_of_the_base_and_add_up_to_the_loss() -> None:
    found = lost(
        {"a": [1.0, 1.0], "b": [1.0, "agent"], "c": [1.0], "d": [1.0]},
        {"a": ["line", 1.0], "b": ["speech", "speech"], "c": [1.0], "d": ["line"]},
    )
    parts = {part.stage: part.value for part in found.parts}
    assert parts == {"line": 0.375, "speech": 0.25, "agent": -0.125}
    assert found.value == sum(parts.values()) == 0.5
    assert [place.key for place in found.parts[0].behind] == ["telephone-a-0", "telephone-d-0"]
    assert [place.key for place in found.parts[2].in_base] == ["text-b-1"]
    assert {place.task for place in found.failed} == {"a", "b", "d"}
    assert found.is_looked_for


STAGES = st.sampled_from(["line", "speech", "agent", "arguments", "unknown", 0.0, 1.0])
TASKS = st.lists(
    st.tuples(*[st.lists(STAGES, min_size=1, max_size=4)] * 2), min_size=1, max_size=12
)


@pytest.mark.slow
@given(TASKS)
def test_parts_add_up_and_name_every_failure_once_whatever_was_played(
    tasks: list[tuple[list[Trial], list[Trial]]],
) -> None:
    base = {str(at): sides[0] for at, sides in enumerate(tasks)}
    other = {str(at): sides[1] for at, sides in enumerate(tasks)}
    found = lost(base, other)
    assert found.value is not None
    assert isclose(sum(part.value for part in found.parts), found.value, abs_tol=1e-9)
    failed = [place.key for place in found.failed]
    assert len(failed) == len(set(failed)) == sum(t != 1.0 for row in other.values() for t in row)
    assert all(part.interval.low <= part.value <= part.interval.high for part in found.parts)


def test_a_stage_that_lost_all_of_it_has_the_interval_of_the_whole() -> None:
    tasks = list("abcdefgh")
    found = lost(
        {task: [1.0] for task in tasks}, {task: ["line" if task < "d" else 1.0] for task in tasks}
    )
    (part,) = found.parts
    assert found.interval is not None
    assert part.value == found.value == 0.375
    assert isclose(part.interval.low, found.interval.low)
    assert isclose(part.interval.high, found.interval.high)


def test_tasks_that_one_side_did_not_decide_are_left_out_of_the_parts_too() -> None:
    found = lost({"a": [1.0], "b": [1.0]}, {"a": ["line"], "b": ["line", None]})
    assert found.comparison.left_out == {"incomplete in B": 1}
    assert [(part.stage, part.value) for part in found.parts] == [("line", 1.0)]


def test_what_was_not_played_again_is_not_looked_for() -> None:
    found = lost({"a": [1.0], "b": [1.0]}, {"a": ["line"], "b": [0.0]})
    assert [part.stage for part in found.parts] == ["line", "not looked for"]
    assert not found.is_looked_for


def test_each_layer_has_the_condition_without_it_as_its_base() -> None:
    cells = [
        played({"a": [1.0]}, each) for each in (TELEPHONE, HINDI_BY_TELEPHONE, STUDIO, HINDI, PLAIN)
    ]
    labels = {(a.name.condition.label, b.name.condition.label) for a, b in baseline_pairs(cells)}
    assert labels == {
        ("en/text/none", "en/telephone/none"),
        ("en/text/none", "en/studio/none"),
        ("en/text/none", "hi:domain/text/none"),
        ("en/telephone/none", "hi:domain/telephone/none"),
        ("hi:domain/text/none", "hi:domain/telephone/none"),
    }


def test_where_nothing_is_plain_the_first_condition_is_the_base_and_agents_stay_apart() -> None:
    cells = [
        cell([msgspec.structs.replace(row("a", 0, 1.0, condition), agent=agent)])
        for agent in ("clerk", "other")
        for condition in (STUDIO, TELEPHONE)
    ]
    cell_pairs = baseline_pairs(cells)
    assert [(a.name.agent, b.name.agent) for a, b in cell_pairs] == [
        ("clerk", "clerk"),
        ("other", "other"),
    ]
    assert {a.name.condition.voice for a, _ in cell_pairs} == {"studio"}


def modes(**counts: int) -> MeasureResult:
    return MeasureResult(
        "modes", "1", counts={name.replace("_", " "): n for name, n in counts.items()}
    )


def test_arguments_are_of_language_where_nothing_else_is_wrong_with_them() -> None:
    alone = row("a", 0, "arguments", HINDI, modes(other_language=2, compared_arguments=4))
    mixed = row("a", 0, "arguments", HINDI, modes(other_language=1, other_value=1))
    assert (failure_stage(alone), failure_stage(mixed)) == ("language", "arguments")
    assert failure_stage(row("a", 0, "line", HINDI, modes(other_language=2))) == "line"


@pytest.mark.parametrize(
    ("found", "stage"),
    [("line", "line"), ("arguments", "arguments"), ("agent", "user"), (0.0, "user")],
)
def test_a_user_that_failed_its_part_lost_what_no_stage_before_the_agent_did(
    found: Trial, stage: str
) -> None:
    failed = (Evidence("goal_kept", met=False),)
    assert failure_stage(row("a", 0, found, checks=failed)) == stage


def values(lost: int, said: int = 3, **more: int) -> MeasureResult:
    counts: dict[str, int | float] = {
        "lost": lost,
        "lost: name": lost,
        "said: name": said,
        "won back": 0,
        **more,
    }
    return MeasureResult("values", "2", counts=counts)


def test_values_are_counted_over_the_compared_tasks_with_the_conversations_that_lost_some() -> None:
    base = cell([row("a", 0, 1.0, PLAIN), row("b", 0, 1.0, PLAIN), row("c", 0, 1.0, PLAIN)])
    hearing = MeasureResult("hearing", "3", counts={"words": 20, "word errors": 5})
    other = cell(
        [
            row("a", 0, "line", TELEPHONE, values(2), hearing),
            row("b", 0, 1.0, TELEPHONE, values(1), hearing),
            row("c", 0, "line", TELEPHONE, values(0), hearing),
            row("d", 0, "line", TELEPHONE, values(3), hearing),
        ]
    )
    (found,) = find_drops([base, other])
    (names,) = found.values
    assert (names.name, names.count, names.of, names.value) == ("name", 3, 9, 1 / 3)
    assert [place.task for place in names.behind] == ["a", "b"]
    assert [place.task for place in found.misrecognized] == ["a"]
    assert found.word_errors.base is None
    assert found.word_errors.other is not None
    assert found.word_errors.other.value == 0.25


def test_a_value_that_an_answer_brought_back_was_not_misrecognized_in_the_end() -> None:
    base = cell([row("a", 0, 1.0, PLAIN)])
    back = MeasureResult("values", "2", counts={"lost": 1, "lost: name": 1, "won back": 1})
    (found,) = find_drops([base, cell([row("a", 0, "line", TELEPHONE, back)])])
    assert found.misrecognized == ()
    (names,) = found.values
    assert (names.count, names.of, names.value, names.interval) == (1, None, None, None)
