import json
from collections.abc import Callable

import pytest

from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.core.tools import ToolResult

Ask = Callable[..., ToolResult]


@pytest.mark.parametrize(
    ("postcode", "word"), [("AL-2217", "copper"), ("AL-2271", "cobalt"), ("", "")]
)
def test_nobody_is_verified_by_half_of_the_proof(agent: Ask, postcode: str, word: str) -> None:
    refused = agent("verify_identity", customer_id="C1005", postcode=postcode, security_word=word)
    assert refused.content.startswith("Error: postcode and security word do not both match")


def test_who_is_verified_is_no_record(agent: Ask, environment: DomainEnvironment) -> None:
    passed = agent(
        "verify_identity", customer_id="C1005", postcode="AL-2217", security_word="Cobalt"
    )
    assert passed.content == "C1005 is verified for this conversation."
    assert environment.delta() == {}


def test_a_fee_is_waived_once_and_for_a_reason(agent: Ask) -> None:
    waiver = {"tracking_number": "BE120955676", "code": "redelivery", "reason": "missed_window"}
    waived = json.loads(agent("waive_fee", **waiver).content)
    assert waived["fees"] == [
        {"code": "redelivery", "cents": 650, "status": "waived", "waived_for": "missed_window"}
    ]
    assert "no fee 'redelivery' that is due" in agent("waive_fee", **waiver).content


def test_a_fee_that_is_not_there_cannot_be_waived(agent: Ask) -> None:
    refused = agent("waive_fee", tracking_number="BE120955676", code="duty", reason="goodwill")
    assert "no fee 'duty'" in refused.content


@pytest.mark.parametrize("cents", [0, -1, 11501, 10**30])
def test_a_claim_is_worth_something_and_no_more_than_the_parcel(
    agent: Ask, environment: DomainEnvironment, cents: int
) -> None:
    refused = agent("file_claim", tracking_number="PK201153502", kind="damage", cents=cents)
    assert "the amount must be 1 to 11500 cents" in refused.content
    assert environment.delta() == {}


def test_a_parcel_has_one_claim(agent: Ask) -> None:
    claim = {"tracking_number": "PK201153502", "kind": "damage", "cents": 5000}
    filed = json.loads(agent("file_claim", **claim).content)
    assert filed == {**claim, "authority": "nobody verified"}
    assert "has a claim already" in agent("file_claim", **claim).content


def test_handing_over_leaves_a_case_that_does_not_depend_on_the_summary(
    agent: Ask, environment: DomainEnvironment
) -> None:
    agent("escalate_to_human", reason="threat", summary="He threatens the driver.")
    first = dict(environment.delta())
    agent("escalate_to_human", reason="threat", summary="Angry man on the line.")
    assert (
        dict(environment.delta()) == first == {("agent", "cases", "threat"): b'{"reason":"threat"}'}
    )


def test_there_is_no_handing_over_for_other_reasons(agent: Ask) -> None:
    refused = agent("escalate_to_human", reason="customer is annoying", summary="")
    assert refused.content.startswith("Error: invalid arguments")
