"""The answer of a run as a record: the headline, ranked drops, failing baselines, the matrix."""

from collections.abc import Sequence

import msgspec

from dragoman.analysis.cell_summary import ConversationResult, summarize
from dragoman.analysis.comparison import group_cells
from dragoman.analysis.drops import drops_from_baseline
from dragoman.analysis.failure_attribution import FailureSource, attribution_result
from dragoman.core.conditions import PLAIN, Condition, condition_of
from dragoman.core.episodes import Episode, Termination
from dragoman.core.scores import Score, Scored
from dragoman.report.labels import (
    agent_labels,
    condition_chips,
    condition_label,
    condition_phrase,
    is_diagnostic,
)
from dragoman.report.overview import RunOverview, cell_point, run_totals
from dragoman.report.overview_builder import build_overview

TELEPHONE = condition_of({"voice": "telephone"})
VIETNAMESE = condition_of({"language": "vi", "scenario": "domain"})
BOTH = VIETNAMESE.with_axes(voice="telephone")


def failed(stage: FailureSource, count: int) -> list[FailureSource | float]:
    """Return that many conversations that failed at a stage."""
    return [stage] * count


def cell(
    condition: Condition, came: Sequence[FailureSource | float], agent: str = "support-v2"
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
    return build_overview(
        list(map(cell_point, summarized)), drops, rows, {}, run_totals(summarized)
    )


def test_figures_of_different_suites_do_not_rank_agents() -> None:
    def of(suite: str, agent: str, *came: float) -> tuple[ConversationResult, ...]:
        rows = cell(PLAIN, came, agent)
        return tuple(msgspec.structs.replace(row, suite=suite) for row in rows)

    one = overview(of("bfcl:simple", "a", 1.0, 0.0), of("bfcl:parallel", "a", 1.0, 1.0))
    two = overview(of("bfcl:simple", "a", 1.0, 0.0), of("bfcl:parallel", "b", 0.0, 1.0, 1.0, 1.0))

    assert one.headline == "a on 2 suites: pass^1 from 50.0 to 100.0"
    assert two.headline == "2 agents on 2 suites: pass^1 from 50.0 to 75.0"


def test_the_headline_names_agent_condition_and_points() -> None:
    found = overview(
        cell(PLAIN, [1.0] * 20),
        cell(TELEPHONE, [*failed("speech", 8), *[1.0] * 12]),
        cell(BOTH, [*failed("speech", 8), *failed("line", 4), *[1.0] * 8]),
    )
    assert found.headline == (
        "support-v2 loses most in Vietnamese by telephone: 60.0 points of pass^1"
    )
    assert found.subject is not None
    assert (found.subject.before, found.subject.after, found.subject.tasks) == (1.0, 0.4, 20)
    assert found.subject.main_part is not None
    assert (found.subject.main_part.stage, found.subject.main_part.value) == ("recognizer", 0.4)
    assert [(row.chips, row.failures.count) for row in found.rows] == [
        (("Vietnamese", "telephone"), 12),
        (("telephone",), 8),
    ]
    assert [part.value for part in found.rows[0].parts] == [0.4, 0.2]


def test_a_condition_that_is_not_distinguishable_is_folded_and_says_so() -> None:
    found = overview(cell(PLAIN, [1.0] * 8), cell(VIETNAMESE, [*failed("speech", 1), *[1.0] * 7]))
    assert found.rows == ()
    assert found.folded[0].correction == "not significant after correction for 1 comparison"
    assert found.headline == (
        "No condition is distinguishable from the baseline after correction for 1 comparison"
    )


def test_a_drop_that_correction_makes_insignificant_says_so_in_the_headline() -> None:
    lost: list[FailureSource | float] = [*failed("speech", 6), *[1.0] * 4]
    found = overview(
        cell(PLAIN, [1.0] * 10),
        cell(TELEPHONE, lost),
        cell(BOTH, lost),
    )
    assert found.rows == ()
    assert found.headline == (
        "support-v2 may lose 60.0 points of pass^1 in English by telephone: "
        "not significant after correction for 2 comparisons"
    )


def test_an_agent_that_fails_at_the_baseline_has_no_drop_of_zero() -> None:
    found = overview(cell(PLAIN, [0.0] * 33), cell(TELEPHONE, [0.0] * 33))
    assert [each.sentence for each in found.failing] == [
        "baseline fails: 0 of 33 tasks in English text"
    ]
    assert (found.rows, found.folded) == ((), ())
    assert found.headline == "support-v2 fails at the baseline: 0 of 33 tasks in English text"


def test_agents_under_test_come_before_diagnostic_ones() -> None:
    found = overview(
        cell(PLAIN, [1.0] * 20, "literal"),
        cell(TELEPHONE, [0.0] * 20, "literal"),
        cell(PLAIN, [1.0] * 20, "openai/gpt-4o"),
        cell(TELEPHONE, [*[0.0] * 10, *[1.0] * 10], "openai/gpt-4o"),
    )
    assert [row.label for row in found.rows] == ["gpt-4o", "literal"]
    assert [row.label for row in found.matrix] == ["gpt-4o", "literal"]
    assert found.headline == "gpt-4o loses most by telephone: 50.0 points of pass^1"


def test_the_record_survives_its_storage() -> None:
    found = overview(cell(PLAIN, [1.0] * 8), cell(TELEPHONE, [0.0] * 8))
    assert msgspec.json.decode(msgspec.json.encode(found), type=RunOverview) == found


def test_failures_to_look_at_first_are_of_the_main_stage() -> None:
    found = overview(
        cell(PLAIN, [1.0] * 20),
        cell(TELEPHONE, [*failed("line", 9), *failed("agent", 4), *[1.0] * 7]),
    )
    assert [(each.place.task, each.stage) for each in found.examples] == [
        ("task-00", "channel"),
        ("task-01", "channel"),
        ("task-02", "channel"),
    ]


def test_chips_hold_what_differs_from_the_baseline_in_words() -> None:
    hard = BOTH.with_axes(persona="hard", recognizer="understood")
    assert condition_chips(hard) == (
        *("Vietnamese", "telephone", "understood recognizer", "hard persona"),
    )
    assert condition_chips(BOTH, VIETNAMESE) == ("telephone",)
    assert condition_chips(PLAIN) == ()
    assert condition_label(PLAIN) == "English text"
    assert (
        condition_phrase(PLAIN.with_axes(voice="simulated:10"))
        == "with simulated 10\u00a0%\u00a0WER"
    )
    assert condition_chips(condition_of({"language": "xx/../y.toml"})) == ("xx/../y.toml",)


def test_a_phrase_names_english_where_other_conditions_are_in_other_languages() -> None:
    assert condition_phrase(TELEPHONE) == "by telephone"
    assert condition_phrase(TELEPHONE, has_languages=True) == "in English by telephone"
    assert condition_phrase(BOTH, has_languages=True) == "in Vietnamese by telephone"
    assert condition_phrase(BOTH, VIETNAMESE, has_languages=True) == "in Vietnamese by telephone"


def test_agents_have_short_names_that_tell_them_apart() -> None:
    one, other = (
        f"compatible/my-agent?base_url=http://127.0.0.1:{port}/v1" for port in (8821, 8822)
    )
    assert agent_labels([one, "gold", "openai/gpt-4o?temperature=0"]) == {
        one: "my-agent",
        "gold": "gold",
        "openai/gpt-4o?temperature=0": "gpt-4o",
    }
    assert agent_labels([one, other]) == {
        one: "my-agent (127.0.0.1:8821/v1)",
        other: "my-agent (127.0.0.1:8822/v1)",
    }
    assert is_diagnostic("literal")
    assert not is_diagnostic("openai/gpt-4o")
