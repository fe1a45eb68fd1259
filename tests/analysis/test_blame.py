"""The rule by which counterfactuals name the failure source of a conversation."""

import msgspec
import pytest

from dragoman.analysis.failure_attribution import (
    FAILURE_SOURCES,
    Counterfactuals,
    FailureAttribution,
    attribution_counts,
    failure_source,
)

LOST = FailureAttribution("en/bad-line/none", "literal", "two-swaps", 0, "line")


@pytest.mark.parametrize(
    ("understood", "clean", "canonical", "found_source"),
    [
        (True, True, None, "line"),
        (True, False, None, "speech"),
        (True, None, None, "unknown"),
        (True, None, True, "unknown"),
        (True, True, False, "line"),
        (False, None, True, "arguments"),
        (False, None, False, "agent"),
        (False, None, None, "unknown"),
        (False, True, False, "agent"),
        (False, True, None, "unknown"),
        (None, True, True, "unknown"),
        (None, False, False, "unknown"),
        (None, None, None, "unknown"),
    ],
)
def test_the_stage_is_blamed_whose_perfection_saves_the_conversation(
    understood: bool | None, clean: bool | None, canonical: bool | None, found_source: str
) -> None:
    assert failure_source(Counterfactuals(understood, clean, canonical)) == found_source


@pytest.mark.parametrize(
    ("understood", "canonical", "found_source"),
    [
        (True, None, "mishearing"),
        (False, True, "arguments"),
        (False, False, "agent"),
        (None, None, "unknown"),
    ],
)
def test_simulated_errors_are_not_attributed_to_a_channel(
    understood: bool | None, canonical: bool | None, found_source: str
) -> None:
    found = Counterfactuals(understood, None, canonical, is_simulated=True)
    assert failure_source(found) == found_source


@pytest.mark.parametrize(
    ("clean", "found_source"), [(True, "line"), (False, "hearing"), (None, "unknown")]
)
def test_losses_of_an_agent_that_hears_the_audio_are_not_attributed_to_a_recognizer(
    clean: bool | None, found_source: str
) -> None:
    assert failure_source(Counterfactuals(True, clean, hears_itself=True)) == found_source


def test_lost_conversations_are_counted_by_condition_and_agent() -> None:
    rows = [
        LOST,
        msgspec.structs.replace(LOST, trial=1, failure_source="speech"),
        msgspec.structs.replace(LOST, trial=2),
        msgspec.structs.replace(LOST, trial=3, failure_source="arguments"),
        msgspec.structs.replace(LOST, agent="careful", failure_source="unknown"),
    ]
    counts = attribution_counts(rows)
    assert counts["en/bad-line/none", "literal"] == {
        "line": 2,
        "speech": 1,
        "hearing": 0,
        "mishearing": 0,
        "arguments": 1,
        "agent": 0,
        "unknown": 0,
    }
    assert counts["en/bad-line/none", "careful"]["unknown"] == 1
    assert [list(each) for each in counts.values()] == [list(FAILURE_SOURCES)] * 2


@pytest.mark.parametrize(
    ("values_lost", "word_errors", "found_source"),
    [(0, 0, "agent"), (0, 3, "unknown"), (1, 1, "speech"), (None, None, "speech")],
)
def test_neither_voice_nor_recognizer_is_blamed_where_every_value_arrived(
    values_lost: int | None, word_errors: int | None, found_source: str
) -> None:
    found = Counterfactuals(
        understood=True, clean=False, values_lost=values_lost, word_errors=word_errors
    )
    assert failure_source(found) == found_source


@pytest.mark.parametrize("is_simulated", [True, False])
def test_neither_is_the_line_nor_a_simulation(is_simulated: bool) -> None:
    found = Counterfactuals(
        understood=True, clean=True, is_simulated=is_simulated, values_lost=0, word_errors=0
    )
    assert failure_source(found) == "agent"
