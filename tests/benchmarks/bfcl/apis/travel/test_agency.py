import copy
from datetime import date
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.results import ApiRefusal
from dragoman.benchmarks.bfcl.apis.travel_api import TODAY, TravelAPI
from dragoman.core.tools import ToolCall

ANA: dict[str, Any] = {
    "access_token": "abc",
    "token_expires_in": 3600,
    "user_first_name": "Ana",
    "user_last_name": "Lima",
    "credit_card_list": {"c1": {"balance": 1000.0}, "bare": {}},
}


@pytest.fixture
def api() -> TravelAPI:
    return TravelAPI(copy.deepcopy(ANA))


def book(api: TravelAPI, **changed: str) -> dict[str, object]:
    flight = {
        "access_token": "abc",
        "card_id": "c1",
        "travel_date": "2026-11-10",
        "travel_from": "SFO",
        "travel_to": "LAX",
        "travel_class": "business",
    }
    return api.book_flight(**{**flight, **changed})


def test_a_login_draws_the_token() -> None:
    api = TravelAPI({})
    assert api.travel_get_login_status() == {"status": False}
    assert api.authenticate_travel("id", "secret", "refresh", "read_write", "Ana", "Lima") == {
        "expires_in": 2,
        "access_token": "251675",
        "token_type": "Bearer",
        "scope": "read_write",
    }
    assert api.travel_get_login_status() == {"status": True}


def test_a_card_needs_a_login_and_gets_a_drawn_number() -> None:
    api = TravelAPI({})
    card = ("4012-8888", "12/2028", "Ana Lima", 465)
    assert api.register_credit_card("x", *card) == {"error": "Token not initialized"}
    api.authenticate_travel("id", "secret", "refresh", "read_write", "Ana", "Lima")
    assert api.register_credit_card("x", *card) == {"error": "Invalid access token"}
    assert api.register_credit_card("251675", *card) == {"card_id": "391310425148"}
    registered = TravelAPI({**ANA, "credit_card_list": {"4012-8888": {}}})
    assert registered.register_credit_card("abc", *card) == {"error": "Card already registered"}


@pytest.mark.parametrize(
    ("day", "travel_class", "cost"),
    [
        ("2026-11-10", "economy", 200.0),  # digits sum to 13: odd
        ("2026-11-11", "economy", 400.0),
        ("2026-11-11", "business", 800.0),
        ("2026-11-11", "first", 2000.0),
        ("some day", "economy", 400.0),  # no digit: a sum of 0
    ],
)
def test_a_flight_costs_by_route_class_and_day(
    api: TravelAPI, day: str, travel_class: str, cost: float
) -> None:
    assert api.get_flight_cost("SFO", "LAX", day, travel_class) == {"travel_cost_list": [cost]}


def test_a_route_that_is_not_flown_is_refused_before_the_class(api: TravelAPI) -> None:
    with pytest.raises(ApiRefusal, match="No available route for the given airports"):
        api.get_flight_cost("LAX", "CIA", "2026-11-10", "royal")
    with pytest.raises(ApiRefusal, match="Options are: economy, business, first"):
        api.get_flight_cost("LAX", "SFO", "2026-11-10", "royal")


def test_a_booking_is_paid_kept_and_paid_back(api: TravelAPI) -> None:
    booked = book(api)
    assert booked == {
        "booking_id": "3426812",
        "transaction_id": "45451592",
        "booking_status": True,
        "booking_history": {},
    }
    assert api.get_credit_card_balance("abc", "c1") == {"card_balance": 600.0}
    assert api.retrieve_invoice("abc", "3426812") == {
        "invoice": {
            "booking_id": "3426812",
            "travel_date": "2026-11-10",
            "travel_from": "SFO",
            "travel_to": "LAX",
            "travel_class": "business",
            "travel_cost": 400.0,
            "transaction_id": "45451592",
        }
    }
    assert api.cancel_booking("abc", "3426812") == {"cancel_status": True}
    assert api.get_credit_card_balance("abc", "c1") == {"card_balance": 1000.0}
    assert api.get_booking_history("abc") == {"booking_history": {}}


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"access_token": "x", "card_id": "none"}, "Invalid access token"),
        ({"card_id": "none", "travel_from": "zz"}, "Card not registered"),
        ({"card_id": "bare", "travel_from": "zz"}, "Balance not found"),
        ({"travel_from": "zz", "travel_to": "zz"}, "Invalid departure airport code: zz"),
        ({"travel_to": "zz", "travel_date": "soon"}, "Invalid destination airport code: zz"),
        ({"travel_date": "soon", "travel_class": "x"}, "Invalid date format. Use YYYY-MM-DD."),
        (
            {"travel_class": "x", "travel_from": "LAX", "travel_to": "CIA"},
            "Invalid travel class. Must be one of {'first', 'business', 'economy'}",
        ),
        (
            {"travel_from": "LAX", "travel_to": "CIA"},
            "No available route for the given airports.",
        ),
        ({"travel_class": "first", "travel_date": "2026-11-11"}, "Insufficient funds"),
    ],
)
def test_a_booking_is_checked_in_a_fixed_order(
    api: TravelAPI, changed: dict[str, str], error: str
) -> None:
    assert book(api, **changed) == {"booking_status": False, "error": error}


def test_a_token_that_expired_admits_nobody() -> None:
    api = TravelAPI({**ANA, "token_expires_in": 0})
    assert book(api) == {"booking_status": False, "error": "Token expired"}
    assert api.cancel_booking("abc", "b") == {"cancel_status": False, "error": "Token expired"}


def test_the_budget_limits_what_is_left_on_the_card_before_it_pays(api: TravelAPI) -> None:
    assert api.set_budget_limit("abc", 1001) == {"budget_limit": 1001.0}
    assert book(api) == {"booking_status": False, "error": "Balance is less than budget limit"}
    api.set_budget_limit("abc", 1000)
    assert book(api)["booking_status"] is True


def test_insurance_is_paid_whatever_the_balance(api: TravelAPI) -> None:
    book(api)
    assert api.purchase_insurance("abc", "full", "none", 900, "c1") == {
        "insurance_status": False,
        "error": "Booking not found",
    }
    paid = api.purchase_insurance("abc", "full", "3426812", 900.0, "c1")
    assert paid == {"insurance_id": "498276044", "insurance_status": True}
    assert api.get_credit_card_balance("abc", "c1") == {"card_balance": -300.0}


@pytest.mark.parametrize(
    ("base", "target", "value", "exchanged"),
    [("USD", "RMB", 10, 70.0), ("RMB", "USD", 10, 1.43), ("USD", "EUR", 1.5, 1.2000000000000002)],
)
def test_dollars_are_exchanged_both_ways(
    api: TravelAPI, base: str, target: str, value: float, exchanged: float
) -> None:
    assert api.compute_exchange_rate(base, target, value) == {"exchanged_value": exchanged}


def test_currencies_other_than_the_dollar_are_not_exchanged_for_each_other(
    api: TravelAPI,
) -> None:
    with pytest.raises(ApiRefusal, match="No available exchange rate"):
        api.compute_exchange_rate("EUR", "GBP", 1)


@pytest.mark.parametrize(
    ("born", "is_verified"), [("2008-03-23", True), ("2008-03-24", False), ("2009-01-01", False)]
)
def test_ages_are_reckoned_on_a_fixed_day(api: TravelAPI, born: str, is_verified: bool) -> None:
    assert date(2026, 3, 23) == TODAY
    answer = api.verify_traveler_information("Ana", "Lima", born, "US1")
    assert answer["verification_status"] is is_verified


def test_the_day_may_be_handed_in() -> None:
    api = TravelAPI(ANA, today=date(2020, 1, 1))
    assert api.verify_traveler_information("Ana", "Lima", "2003-01-01", "US1") == {
        "verification_status": False,
        "verification_failure": "Traveler must be at least 18 years old.",
    }


@pytest.mark.parametrize(
    ("traveler", "failure"),
    [
        (
            ("Bo", "Lima", "x", "x"),
            "Cannot book flight information for another user.Expected Ana Lima, got Bo Lima",
        ),
        (
            ("Ana", "Lima", "x", "x"),
            "Invalid date of birth format. Please use YYYY-MM-DD.",
        ),
        (("Ana", "Lima", "1990-01-01", "BR1"), "Passport must be issued by the United States."),
    ],
)
def test_a_traveller_is_verified_by_name_age_and_passport(
    api: TravelAPI, traveler: tuple[str, str, str, str], failure: str
) -> None:
    assert api.verify_traveler_information(*traveler) == {
        "verification_status": False,
        "verification_failure": failure,
    }


def test_the_cards_of_the_scenario_stay_as_they_were() -> None:
    scenario = copy.deepcopy(ANA)
    book(TravelAPI(scenario))
    assert scenario == ANA


def test_insurance_takes_the_booking_before_the_cost_by_position() -> None:
    environment = make_environment(["TravelAPI"], {"TravelAPI": ANA})
    result = environment.call(
        ToolCall("1", "purchase_insurance", {}, positionals=("abc", "full", "b1", 5.0, "c1"))
    )
    assert result.content == '{"insurance_status": false, "error": "Booking not found"}'
