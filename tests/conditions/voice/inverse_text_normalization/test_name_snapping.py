import pytest
from bench.voice.snapping import (
    DEFAULT_SNAP_RULE,
    SnapRule,
    nearest,
    snap_names,
)

NAMES = ("Holt", "Carvalho", "Kowalski", "Petrov", "Peters")


@pytest.mark.parametrize(
    ("heard", "written"),
    [
        ("it is spelled h o l t", "it is spelled Holt"),
        (
            "my last name is spelled e o w a l s k i please",
            "my last name is spelled Kowalski please",
        ),
        ("it is spelled c eight r v eight l h o", "it is spelled Carvalho"),
        ("it is spelled k o when l s k i", "it is spelled Kowalski"),
    ],
)
def test_a_spelled_name_is_taken_for_the_nearest(heard: str, written: str) -> None:
    assert snap_names(heard, NAMES).text == written


@pytest.mark.parametrize(
    "heard",
    [
        "it is spelled s m i t h",
        "it is spelled j o h n at example dot com",
        "the number is h o l t",
        "my order is late",
        "",
    ],
)
def test_what_is_far_from_every_name_and_what_is_no_name_is_left_alone(heard: str) -> None:
    snapped = snap_names(heard, NAMES)
    assert (snapped.text, snapped.snaps) == (heard, ())


def test_a_name_between_two_is_left_alone() -> None:
    rule = SnapRule("wide", furthest=0.5, margin=0.1)
    assert nearest("martan", ("Martin", "Marten"), rule) is None
    assert nearest("marten", ("Martin", "Marten"), rule) is not None


def test_nothing_is_snapped_to_an_empty_list() -> None:
    assert nearest("holt", (), DEFAULT_SNAP_RULE) is None


def test_letters_that_sound_alike_are_nearer_than_others() -> None:
    rule = SnapRule("wide", furthest=1.0, margin=0.0)
    alike, other = (
        nearest("kowalsgi", ("kowalsji",), rule),
        nearest("kowalsti", ("kowalspi",), rule),
    )
    assert alike is not None
    assert other is not None
    assert other.distance < alike.distance


def test_the_stage_names_its_rule() -> None:
    stage = snap_names("it is spelled h o l t", NAMES).stage
    assert (stage.name, stage.engine) == ("snapping", DEFAULT_SNAP_RULE.name)
    assert stage.settings["furthest"] == DEFAULT_SNAP_RULE.furthest
