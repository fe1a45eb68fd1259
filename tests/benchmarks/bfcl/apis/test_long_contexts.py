"""Additions of long contexts to trading, travel and the car; the constants are short."""

import pytest

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.apis.trading_bot import TradingBot
from dragoman.benchmarks.bfcl.apis.travel_api import TravelAPI
from dragoman.benchmarks.bfcl.apis.vehicle_control_api import VehicleControlAPI
from dragoman.core.tools import ToolCall

CONSTANTS = {
    "WATCH_LIST_EXTENSION": ["AAA", {"__ellipsis__": True}],
    "TRANSACTION_HISTORY_EXTENSION": [{"type": "deposit"}],
    "MA_5_EXTENSION": [1.5],
    "MA_20_EXTENSION": [2.5],
    "TECHNOLOGY_EXTENSION": ["AAPL", "TEC"],
    "AUTOMOBILE_EXTENSION": ["CAR"],
    "ORDER_DETAIL_EXTENSION": {"note": "All about {symbol}."},
    "FILE_CONTENT_EXTENSION": "more",
    "POPULATE_FILE_EXTENSION": ["more.txt"],
    "CAR_STATUS_METADATA_EXTENSION": "metadata",
    "LONG_WEATHER_EXTENSION": {"Monday": {"high": 20}},
    "PARKING_BRAKE_INSTRUCTION": "pull",
    "INTERMEDIARY_CITIES": ["Porto"],
    "CREDIT_CARD_EXTENSION": {"c1": {"balance": 1.0}, "c2": {"balance": 2.0}},
    "BOOKING_RECORD_EXTENSION": {"b1": {"travel_cost": 5.0, "card_id": "c2"}},
    "FILES_TAIL_USED": [],
}


@pytest.fixture
def long() -> LongTexts:
    return LongTexts.convert(CONSTANTS)


def test_stocks_orders_and_lists_grow(long: LongTexts) -> None:
    api = TradingBot({"authenticated": True}, long)
    stock = api.get_stock_info("NVDA")
    assert list(stock) == ["price", "percent_change", "volume", "MA(5)", "MA(20)"]
    assert (stock["MA(5)"], stock["MA(20)"]) == ([1.5], [2.5])
    details = api.get_order_details(12345)
    assert list(details)[-1] == "metadata"
    assert details["metadata"] == {"note": "All about AAPL."}
    assert api.get_available_stocks("Technology") == {
        "stock_list": ["AAPL", "GOOG", "MSFT", "NVDA", "AAPL", "TEC"]
    }
    assert api.get_available_stocks("Farming") == {"stock_list": []}


def test_the_long_watch_list_is_a_bare_list_that_ends_in_an_ellipsis(long: LongTexts) -> None:
    scenario = {"TradingBot": {"authenticated": True}}
    result = make_environment(["TradingBot"], scenario, long).call(
        ToolCall("1", "get_watchlist", {})
    )
    assert result.content == "['NVDA', 'AAA', Ellipsis]"


def test_added_transactions_are_not_asked_for_their_days(long: LongTexts) -> None:
    api = TradingBot({"authenticated": True}, long)
    history = api.get_transaction_history("2024-09-02", "2024-09-01")
    assert history == {"transaction_history": [{"type": "deposit"}]}


def test_cards_and_bookings_are_added_after_the_entry_s_where_their_numbers_are_free(
    long: LongTexts,
) -> None:
    api = TravelAPI({"credit_card_list": {"c1": {"balance": 9.0}}}, long)
    assert api.get_all_credit_cards() == {
        "credit_card_list": {"c1": {"balance": 9.0}, "c2": {"balance": 2.0}}
    }
    assert TravelAPI({}, long).state()["booking_record"] == {
        "b1": {"travel_cost": 5.0, "card_id": "c2"}
    }


def test_an_added_card_that_is_paid_with_is_another_one_in_every_world(long: LongTexts) -> None:
    owner = {"access_token": "abc"}
    api = TravelAPI(owner, long)
    api.purchase_insurance("abc", "full", "b1", 50.0, "c2")
    assert api.get_credit_card_balance("abc", "c2") == {"card_balance": -48.0}
    assert TravelAPI(owner, long).get_credit_card_balance("abc", "c2") == {"card_balance": 2.0}


def test_every_route_s_cost_is_listed_and_the_booking_pays_its_own(long: LongTexts) -> None:
    api = TravelAPI({"access_token": "abc", "credit_card_list": {"c": {"balance": 500.0}}}, long)
    costs = api.get_flight_cost("LAX", "SFO", "2026-11-10", "economy")["travel_cost_list"]
    assert isinstance(costs, list)
    assert (costs[:3], len(costs)) == ([200.0, 500.0, 400.0], 153)
    booked = api.book_flight("abc", "c", "2026-11-10", "LAX", "SFO", "economy")
    assert booked["booking_history"] == api.state()["booking_record"]
    assert api.get_credit_card_balance("abc", "c") == {"card_balance": 400.0}


def test_the_car_talks_more(long: LongTexts) -> None:
    car = VehicleControlAPI({}, long)
    assert list(car.displayCarStatus("radio")) == ["metadata", "error"]
    assert next(iter(car.activateParkingBrake("engage"))) == "parkingBrakeInstruction"
    assert list(car.get_outside_temperature_from_google()) == ["Monday", "outsideTemperature"]
    assert car.check_tire_pressure()["car_info"] == "metadata"
    assert car.estimate_distance("a", "b") == {
        "error": "distance not found in database.",
        "intermediaryCities": ["Porto"],
    }
    assert car.state()["long_context"] is True
