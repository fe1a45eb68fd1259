import msgspec
import pytest

from dragoman.core.errors import UsageError
from dragoman.core.rules import DEFAULT_RULES, RULES, TAU2_RULES, find_rules


def test_rules_are_found_by_name() -> None:
    assert find_rules("dragoman-1") is DEFAULT_RULES
    assert find_rules("tau2-1.0.1") is TAU2_RULES


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"'tau2'.*dragoman-1.*tau2-1\.0\.1"):
        find_rules("tau2")


def test_every_rule_set_is_known_by_its_own_name() -> None:
    assert all(name == rules.name for name, rules in RULES.items())


def test_the_two_rule_sets_differ_in_the_choices_that_the_reference_makes_otherwise() -> None:
    ours, theirs = msgspec.structs.asdict(DEFAULT_RULES), msgspec.structs.asdict(TAU2_RULES)
    assert {name for name in ours if ours[name] != theirs[name]} >= {
        "name",
        "arguments_are_validated",
        "each_item_keeps_its_variant",
        "money_is_rounded",
        "absent_arguments_must_match",
        "stop_outranks_limits",
        "bad_reply_is_the_speakers",
        "nothing_to_judge_passes",
        "numbers_match_whole",
    }
