"""All messages of BFCL Audio's scope are rewritten by rules, and no value that they state is lost.

The bounds are what the data gave when the rules were written, rounded down; they may rise.
"""

from collections import Counter
from collections.abc import Callable

import pytest

from dragoman.benchmarks.bfcl.suite import BfclSuite
from dragoman.curation.speech.messages import messages_of
from dragoman.curation.speech.reading.reader import ReadText
from dragoman.curation.speech.rules.phenomena import phenomena_of
from dragoman.curation.speech.settling import settled_by_rules
from dragoman.curation.speech.whitelists import topics_of

LoadBfcl = Callable[[str], BfclSuite]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "floors"),
    [
        ("non_live", {"messages": 1390, "values": 4450, "spelled": 180, "in words": 1500}),
        pytest.param(
            "multi_turn",
            {"messages": 3136, "values": 3280, "spelled": 700, "in words": 500},
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_every_value_that_a_message_states_is_found_in_what_is_said(
    load_bfcl: LoadBfcl, group: str, floors: dict[str, int]
) -> None:
    found = [
        settled_by_rules(each, phenomena_of("en"), 1) for each in messages_of([load_bfcl(group)])
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
        for each in messages_of([load_bfcl("multi_turn_base")])
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
def test_a_file_s_name_of_which_a_sign_or_a_letter_was_lost_is_not_found(
    load_bfcl: LoadBfcl,
) -> None:
    found = [
        settled_by_rules(each, phenomena_of("en"), 1)
        for each in messages_of([load_bfcl("multi_turn_base")])
    ]
    spelled = [
        (each.value, one)
        for one in found
        for each in one.proof
        if each.how == "spelled" and "_" in each.value
    ]
    assert len(spelled) > 60
    for value, one in spelled:
        without_its_first = value[1:] if value[1].isalnum() else value + "x"
        for altered in (value.replace("_", "", 1), value.replace("_", "-", 1), without_its_first):
            assert ReadText(one.said).how(altered) is None, (altered, one.said)
