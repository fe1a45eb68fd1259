"""Named sets of choices, of every kind that there is."""

from collections.abc import Mapping

import pytest

from dragoman.benchmarks.bfcl.rules import RULES as BFCL_SUITES
from dragoman.conditions.language.tool_view_rules import VIEW_RULES
from dragoman.core.errors import UsageError
from dragoman.core.language.correctness import LANGUAGE_RULES
from dragoman.core.rules import CONVERSATION_RULES, RULES, RuleSet, RuleSets
from dragoman.scoring.measures.error_tags import TAG_RULES


@pytest.mark.parametrize(
    ("sets", "names"),
    [
        (
            RULES,
            (
                "dragoman-2 dragoman-1 tau2-1.0.1 dragoman-2-lenient dragoman-1-lenient tau2-1.0.1-lenient "
                "dragoman-2-records dragoman-1-records seatau bfcl-v4 itc-2"
            ),
        ),
        (BFCL_SUITES, "dragoman-2 dragoman-1 bfcl-v4"),
        (VIEW_RULES, "dragoman-language-view-1 seatau"),
        (
            LANGUAGE_RULES,
            "dragoman-language-1 dragoman-language-1-tolerant seatau-1d6f92a seatau-1d6f92a-tolerant",
        ),
        (TAG_RULES, "dragoman-error-tags-2 dragoman-error-tags-2-lenient seatau-1d6f92a"),
    ],
)
def test_every_kind_lists_its_sets_by_their_names(sets: Mapping[str, RuleSet], names: str) -> None:
    assert list(sets) == names.split()
    assert [rules.name for rules in sets.values()] == names.split()


def test_a_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        UsageError, match=r"^unknown rules of views 'x': choose one of drag.*, seatau$"
    ):
        VIEW_RULES.find("x")


def test_a_suite_says_which_rules_it_has_not() -> None:
    with pytest.raises(
        UsageError, match=r"^sample:shop has no rules 'bfcl-v4': choose one of drag"
    ):
        CONVERSATION_RULES.find("bfcl-v4", "sample:shop")


def test_sets_of_one_s_own_are_looked_up_alike() -> None:
    mine = RuleSet("mine")
    assert RuleSets("choice", mine).find("mine") is mine
