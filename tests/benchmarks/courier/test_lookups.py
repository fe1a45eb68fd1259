import json
from collections.abc import Callable

import pytest

from dragoman.benchmarks.kit.environment import DomainEnvironment
from dragoman.core.tools import ToolResult

Ask = Callable[..., ToolResult]


@pytest.mark.parametrize(
    "contact",
    ["+44 7700 900112", "+447700900112", "AM.Oyelaran-Schmidt@example.com"],
)
def test_a_contact_is_found_however_it_is_written(agent: Ask, contact: str) -> None:
    found = agent("find_customer_by_contact", contact=contact)
    assert json.loads(found.content)["customer_id"] == "C1012"


def test_an_unknown_contact_is_refused(agent: Ask) -> None:
    found = agent("find_customer_by_contact", contact="nobody@example.com")
    assert found.error
    assert "no customer has the contact 'nobody@example.com'" in found.content


def test_stephen_and_steven_are_two_people(agent: Ask) -> None:
    names = ("Stephen Marsh", "steven marsh")
    found = [agent("find_customers_by_name", name=name, postcode="AL-2217") for name in names]
    assert [[row["customer_id"] for row in json.loads(each.content)] for each in found] == [
        ["C1005"],
        ["C1006"],
    ]


@pytest.mark.parametrize(
    ("typed", "postcode", "name"),
    [
        ("Maelle Quere", "OV-7715", "Maëlle Quéré"),
        ("soren agesen", "OV-7740", "Søren Ågesen"),
        ("THORDIS HALLGRIMSDOTTIR", "KI-3350", "Þórdís Hallgrímsdóttir"),
    ],
)
def test_a_name_is_found_without_its_accents(
    agent: Ask, typed: str, postcode: str, name: str
) -> None:
    found = agent("find_customers_by_name", name=typed, postcode=postcode)
    assert json.loads(found.content)[0]["name"] == name


def test_a_name_is_not_found_at_another_postcode(agent: Ask) -> None:
    assert agent("find_customers_by_name", name="Maëlle Quéré", postcode="OV-7750").error


def test_no_look_up_shows_a_security_word(agent: Ask) -> None:
    shown = agent("find_customer_by_contact", contact="+44 7700 900101").content
    assert "Odalys Ferreira" in shown
    assert "juniper" not in shown


def test_parcels_are_listed_with_what_the_customer_is_to_them(agent: Ask) -> None:
    sent = json.loads(agent("list_parcels", customer_id="C1022").content)
    assert {row["tracking_number"]: row["customer_is"] for row in sent} == {
        "PM882401530": "sender",
        "PM882401353": "sender",
    }
    assert agent("list_parcels", customer_id="C9999").error


def test_b_heard_for_p_is_another_parcel_and_a_misrecognized_digit_is_none(agent: Ask) -> None:
    owners = [
        json.loads(agent("track_parcel", tracking_number=number).content)["recipient_id"]
        for number in ("PB415050137", "BP415050137")
    ]
    assert owners == ["C1013", "C1014"]
    misrecognized = agent("track_parcel", tracking_number="PB455050137")
    assert "mistyped or misheard" in misrecognized.content


def test_a_right_number_of_no_parcel_is_refused_as_such(agent: Ask) -> None:
    unknown = agent("track_parcel", tracking_number="ZZ473124829")
    assert unknown.content == "Error: there is no parcel 'ZZ473124829'"


def test_pennick_is_not_bennick(agent: Ask) -> None:
    places = [
        json.loads(agent("find_places", town=town).content) for town in ("Pennick", "bennick")
    ]
    assert [[depot["depot_id"] for depot in each["depots"]] for each in places] == [
        ["PEN"],
        ["BEN"],
    ]
    assert [locker["locker_id"] for locker in places[0]["lockers"]] == ["L03", "L10"]
    assert agent("find_places", town="Sundmark").error


def test_slots_without_places_are_not_offered(agent: Ask) -> None:
    slots = json.loads(agent("list_slots", depot_id="KLO").content)
    assert "KLO-0314-AM" in {slot["slot_id"] for slot in slots}
    assert all(slot["places"] > 0 and slot["depot_id"] == "KLO" for slot in slots)
    assert agent("list_slots", depot_id="KOL").error


@pytest.mark.parametrize(
    ("number", "change", "cents"),
    [
        ("KV155016507", "address", 450),
        ("KE602144370", "redelivery", 0),
        ("DG813509142", "redelivery", 650),
        ("PN371604507", "locker", 0),
        ("PM882401530", "cancellation", 150),
        ("PT331092549", "depot", 0),
    ],
)
def test_a_quote_follows_plan_and_attempts(
    agent: Ask, number: str, change: str, cents: int
) -> None:
    quoted = json.loads(agent("quote_change", tracking_number=number, change=change).content)
    assert quoted == {"change": change, "cents": cents}


def test_a_change_that_does_not_exist_has_no_quote(agent: Ask) -> None:
    quoted = agent("quote_change", tracking_number="KV155016507", change="teleport")
    assert quoted.content.startswith("Error: invalid arguments")


def test_sums_are_worked_out(agent: Ask) -> None:
    assert agent("calculate", expression="6.50 + 4.50").content == "11.0"


def test_looking_changes_nothing(agent: Ask, environment: DomainEnvironment) -> None:
    assert not agent("get_locker", locker_id="L03").error
    agent("track_parcel", tracking_number="KV155016507")
    agent("quote_change", tracking_number="KV155016507", change="address")
    assert environment.delta() == {}
