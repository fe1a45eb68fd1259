import json
from collections.abc import Callable
from typing import Any

import pytest

from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.core.tools import ToolResult

Ask = Callable[..., ToolResult]
SEVEN_KEY_STREET = {
    "street": "Key Street",
    "house_number": "7",
    "postcode": "KL-4809",
    "town": "Kloster",
    "country": "Marland",
}


def parcel_of(result: ToolResult) -> dict[str, Any]:
    assert not result.error, result.content
    parcel: dict[str, Any] = json.loads(result.content)
    return parcel


# The requester


def test_a_change_for_nobody_verified_is_made_and_shows(agent: Ask) -> None:
    changed = agent("change_address", tracking_number="KV155016507", **SEVEN_KEY_STREET)
    assert parcel_of(changed)["authority"] == "nobody verified"


@pytest.mark.parametrize(
    ("customer", "postcode", "word", "authority"),
    [
        ("C1003", "KL-4821", "thimble", "recipient"),
        ("C1036", "KL-4801", "prism", "sender"),
        ("C1019", "KI-3316", "barley", "nobody verified"),
    ],
)
def test_a_change_says_on_whose_behalf_it_was_made(
    agent: Ask, customer: str, postcode: str, word: str, authority: str
) -> None:
    proof = {"customer_id": customer, "postcode": postcode, "security_word": word}
    assert not agent("verify_identity", **proof).error
    changed = agent("change_address", tracking_number="KV155016507", **SEVEN_KEY_STREET)
    assert parcel_of(changed)["authority"] == authority


# Addresses


def test_a_new_address_costs_the_fee_of_the_plan(agent: Ask) -> None:
    changed = parcel_of(agent("change_address", tracking_number="KV155016507", **SEVEN_KEY_STREET))
    assert changed["address"] == SEVEN_KEY_STREET
    assert changed["fees"] == [{"code": "address", "cents": 450, "status": "due", "waived_for": ""}]


def test_the_system_takes_addresses_abroad_that_the_policy_forbids(agent: Ask) -> None:
    abroad = {**SEVEN_KEY_STREET, "country": "Sundmark"}
    assert not agent("change_address", tracking_number="MT507171207", **abroad).error


@pytest.mark.parametrize(
    ("line", "value"), [("street", " "), ("town", ""), ("house_number", "x" * 81)]
)
def test_an_address_with_an_empty_or_endless_line_is_refused(
    agent: Ask, line: str, value: str
) -> None:
    address = {**SEVEN_KEY_STREET, line: value}
    assert (
        "1 to 80 characters"
        in agent("change_address", tracking_number="KV155016507", **address).content
    )


def test_the_address_that_a_parcel_has_is_no_change(
    agent: Ask, environment: DomainEnvironment
) -> None:
    address = parcel_of(agent("track_parcel", tracking_number="KV155016507"))["address"]
    again = agent("change_address", tracking_number="KV155016507", **address)
    assert "already" in again.content
    assert environment.delta() == {}


@pytest.mark.parametrize(
    ("number", "status"),
    [
        ("GD360711893", "out_for_delivery"),
        ("PK201153502", "delivered"),
        ("VN182736415", "customs_hold"),
        ("BV705163509", "in_locker"),
    ],
)
def test_what_is_too_far_on_its_way_is_not_changed(agent: Ask, number: str, status: str) -> None:
    refusals = [
        agent("change_address", tracking_number=number, **SEVEN_KEY_STREET),
        agent("hold_at_depot", tracking_number=number, depot_id="KLO"),
        agent("redirect_to_locker", tracking_number=number, locker_id="L01"),
        agent("cancel_shipment", tracking_number=number),
        agent("book_redelivery", tracking_number=number, slot_id="KLO-0314-AM"),
    ]
    assert all(
        result.error and f"{number} is {status}: too late" in result.content for result in refusals
    )


# Redeliveries


def test_a_booking_takes_a_place_and_gives_back_the_one_before(agent: Ask) -> None:
    first = agent("book_redelivery", tracking_number="KE602144370", slot_id="KLO-0314-AM")
    assert parcel_of(first)["slot_id"] == "KLO-0314-AM"
    assert parcel_of(first)["expected"] == "2026-03-14 08:00-12:00"
    assert places(agent, "KLO-0314-AM") == 2
    parcel_of(agent("book_redelivery", tracking_number="KE602144370", slot_id="KLO-0314-PM"))
    assert (places(agent, "KLO-0314-AM"), places(agent, "KLO-0314-PM")) == (3, 0)


def places(agent: Ask, slot_id: str) -> int:
    slots = json.loads(agent("list_slots", depot_id=slot_id[:3]).content)
    return next((slot["places"] for slot in slots if slot["slot_id"] == slot_id), 0)


@pytest.mark.parametrize(
    ("number", "slot", "why"),
    [
        ("KE602144370", "BRW-0313-PM", "is a slot of BRW, not of KLO"),
        ("KE602144370", "KLO-0399-AM", "there is no slot"),
        ("PB415050137", "BEN-0313-EVE", "is not at a depot after a delivery attempt"),
        ("MT507171207", "ALD-0313-AM", "is not at a depot after a delivery attempt"),
        ("BE120955676", "BRW-0313-PM", "has that slot already"),
    ],
)
def test_a_slot_that_does_not_fit_is_refused(agent: Ask, number: str, slot: str, why: str) -> None:
    refused = agent("book_redelivery", tracking_number=number, slot_id=slot)
    assert why in refused.content


def test_a_full_slot_is_refused(agent: Ask) -> None:
    parcel_of(agent("book_redelivery", tracking_number="BT551503725", slot_id="BRW-0314-AM"))
    refused = agent("book_redelivery", tracking_number="BE120955676", slot_id="BRW-0314-AM")
    assert refused.content == "Error: BRW-0314-AM has no place left"


# Depots and lockers


def test_a_held_parcel_is_held_once(agent: Ask) -> None:
    held = parcel_of(agent("hold_at_depot", tracking_number="PT331092549", depot_id="PEN"))
    assert (held["status"], held["depot_id"], held["fees"]) == ("held_at_depot", "PEN", [])
    again = agent("hold_at_depot", tracking_number="PT331092549", depot_id="PEN")
    assert "held at PEN already" in again.content
    assert agent("hold_at_depot", tracking_number="PT331092549", depot_id="PAN").error


def test_a_locker_keeps_the_smallest_compartment_that_fits(agent: Ask) -> None:
    sent = parcel_of(agent("redirect_to_locker", tracking_number="MG701550184", locker_id="L09"))
    compartments = json.loads(agent("get_locker", locker_id="L09").content)["compartments"]
    kept = compartments[sent["compartment"]]
    assert kept == {"size": "S", "state": "reserved", "tracking_number": "MG701550184"}


def test_a_locker_without_a_fitting_compartment_is_refused(agent: Ask) -> None:
    refused = agent("redirect_to_locker", tracking_number="PN371604507", locker_id="L03")
    assert refused.content == "Error: L03 has no free compartment for size L"
    assert not agent("redirect_to_locker", tracking_number="PN371604507", locker_id="L10").error


def test_a_parcel_goes_to_a_locker_once(agent: Ask) -> None:
    parcel_of(agent("redirect_to_locker", tracking_number="MG701550184", locker_id="L09"))
    again = agent("redirect_to_locker", tracking_number="MG701550184", locker_id="L09")
    assert "goes to L09 already" in again.content


@pytest.mark.parametrize("instead", ["another locker", "a depot", "an address", "nowhere"])
def test_a_compartment_that_is_not_needed_any_more_is_free_again(agent: Ask, instead: str) -> None:
    number = "MG701550184"
    before = agent("get_locker", locker_id="L09").content
    parcel_of(agent("redirect_to_locker", tracking_number=number, locker_id="L09"))
    changes = {
        "another locker": ("redirect_to_locker", {"locker_id": "L08"}),
        "a depot": ("hold_at_depot", {"depot_id": "ALD"}),
        "an address": ("change_address", SEVEN_KEY_STREET),
        "nowhere": ("cancel_shipment", {}),
    }
    tool, arguments = changes[instead]
    parcel_of(agent(tool, tracking_number=number, **arguments))
    assert agent("get_locker", locker_id="L09").content == before


def test_the_system_puts_batteries_into_lockers_that_the_policy_keeps_out(agent: Ask) -> None:
    assert not agent("redirect_to_locker", tracking_number="TB226409155", locker_id="L07").error


# Cancelling


def test_a_cancelled_shipment_stays_cancelled(agent: Ask) -> None:
    cancelled = parcel_of(agent("cancel_shipment", tracking_number="PM882401530"))
    assert cancelled["status"] == "cancelled"
    assert [fee["cents"] for fee in cancelled["fees"]] == [150]
    for tool, arguments in (
        ("cancel_shipment", {}),
        ("change_address", SEVEN_KEY_STREET),
        ("hold_at_depot", {"depot_id": "BEN"}),
    ):
        assert agent(tool, tracking_number="PM882401530", **arguments).error


@pytest.mark.parametrize("rules_argument", ["tracking_number", "depot_id"])
def test_arguments_of_the_wrong_type_are_refused_before_anything_is_stored(
    agent: Ask, environment: DomainEnvironment, rules_argument: str
) -> None:
    arguments = {"tracking_number": "PT331092549", "depot_id": "PEN", rules_argument: ["PEN"]}
    assert "invalid arguments" in agent("hold_at_depot", **arguments).content
    assert environment.delta() == {}
