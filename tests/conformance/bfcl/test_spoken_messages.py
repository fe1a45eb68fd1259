"""All messages of BFCL Audio's scope are rewritten by rules, and no value that they state is lost.

The bounds are what the data gave when the rules were written, rounded down; they may rise.
"""

from collections import Counter
from collections.abc import Callable

import pytest
from tests.conformance.minimum import at_least

from dragoman.benchmarks.bfcl.categories import BfclSuite
from dragoman.curation.audio_sets.messages import messages_of, topics_of
from dragoman.curation.audio_sets.rewrite import rewrite_message_with_rules
from dragoman.curation.audio_sets.rule_based_rewriting import phenomena_of
from dragoman.curation.audio_sets.value_readers import MatchedReader

READER = MatchedReader("en")
LoadBfcl = Callable[[str], BfclSuite]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "floors"),
    [
        ("non_live", {"messages": 1390, "values": 4400, "spelled": 50, "in words": 1700}),
        pytest.param(
            "multi_turn",
            {"messages": 3136, "values": 3250, "spelled": 300, "in words": 950},
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_every_value_that_a_message_states_is_found_in_what_is_said(
    load_bfcl: LoadBfcl, group: str, floors: dict[str, int]
) -> None:
    found = [
        rewrite_message_with_rules(each, phenomena_of("en"), 1, READER)
        for each in messages_of([load_bfcl(group)], READER)
    ]
    hows = Counter(each.how for one in found for each in one.proof)

    assert len(found) == floors["messages"]
    assert hows[None] == 0
    assert hows.total() >= floors["values"]
    assert hows["spelled"] >= floors["spelled"]
    assert hows["in words"] >= floors["in words"]
    milder = [one for one in found if one.grade != "rules"]
    assert len(milder) <= 25
    assert all(one.reasons for one in milder)


def test_the_whitelists_of_the_source_s_example_hold_what_its_user_says(
    load_bfcl: LoadBfcl,
) -> None:
    said = [
        topics_of(each.values)
        for each in messages_of([load_bfcl("multi_turn_base")], READER)
        if each.task == "multi_turn_base_0"
    ]
    # The source has document/temp for the destination, which stands in no call and in no message.
    assert said == [
        {
            "folder": "document",
            "dir_name": "temp",
            "source": "final_report.pdf",
            "destination": "temp",
        },
        {"pattern": "budget analysis"},
        {"file_name": "final_report.pdf"},
        {
            "source": "previous_report.pdf",
            "destination": "temp",
            "folder": "temp",
            "file_name2": "previous_report.pdf",
        },
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "group", ["non_live", pytest.param("multi_turn", marks=pytest.mark.nightly)]
)
def test_a_value_with_another_digit_or_letter_is_not_found(load_bfcl: LoadBfcl, group: str) -> None:
    """Another value of one or two signs may stand in a formula, one with leading zeros as a number."""
    looked_at = 0
    for message in messages_of([load_bfcl(group)], READER):
        said = rewrite_message_with_rules(message, phenomena_of("en"), 1, READER).said
        for altered in {_altered(each.value) for each in message.values} - {""}:
            if READER.how_stated(altered, message.text) is None:
                looked_at += 1
                assert READER.how_said(altered, said) is None, (altered, said)
    assert looked_at >= at_least(2001)


def _altered(value: str) -> str:
    """Return a value with another last digit or letter; "" for a short one, or one that is led by a zero."""
    places = [at for at, sign in enumerate(value) if sign.isascii() and sign.isalnum()]
    if len(places) < 3 or value.startswith("0"):
        return ""
    at = places[-1]
    other = str((int(value[at]) + 1) % 10) if value[at].isdecimal() else "qz"[value[at] in "qQ"]
    return f"{value[:at]}{other}{value[at + 1 :]}"


@pytest.mark.slow
def test_a_name_of_which_a_sign_was_lost_is_not_found(
    load_bfcl: LoadBfcl,
) -> None:
    found = [
        rewrite_message_with_rules(each, phenomena_of("en"), 1, READER)
        for each in messages_of([load_bfcl("multi_turn_base")], READER)
    ]
    spelled = [
        (each.value, one)
        for one in found
        for each in one.proof
        if each.how in {"spelled", "in words"} and "_" in each.value
    ]
    assert len(spelled) > 50
    for value, one in spelled:
        for altered in (value.replace("_", "", 1), value.replace("_", "-", 1), f"{value}x"):
            if READER.how_stated(altered, one.message.text) is None:
                assert READER.how_said(altered, one.said) is None, (altered, one.said)
