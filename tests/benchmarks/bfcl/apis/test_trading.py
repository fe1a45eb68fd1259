import copy
from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.environment import make_environment
from dragoman.benchmarks.bfcl.apis.trading_bot import TradingBot
from dragoman.core.tools import ToolCall

OPEN: dict[str, Any] = {
    "authenticated": True,
    "market_status": "Open",
    "account_info": {"account_id": 1, "balance": 1000.0, "binding_card": 2},
    "orders": {
        "7": {"id": 7, "order_type": "Buy", "symbol": "AAPL", "price": 2.0, "status": "Pending"},
        "order_type": "Buy",
    },
    "watch_list": ["NVDA"],
}


@pytest.fixture
def api() -> TradingBot:
    return TradingBot(copy.deepcopy(OPEN))


def test_numbers_of_orders_are_whole_numbers_once_loaded(api: TradingBot) -> None:
    assert api.get_order_history() == {"history": [7, "order_type"]}
    assert api.get_order_details(8) == {
        "error": "Order with ID 8 not found.Here is the list of orders_id: [7, 'order_type']"
    }


def test_the_first_order_of_the_built_in_scenario_takes_the_place_of_an_old_one() -> None:
    api = TradingBot({"authenticated": True})
    placed = api.place_order("Buy", "ZETA", 20, 3)
    assert placed == {
        "order_id": 12446,
        "order_type": "Buy",
        "status": "Pending",
        "price": 20.0,
        "amount": 3,
    }
    assert api.get_order_history() == {"history": [12345, 12446]}
    assert api.get_order_details(12446)["status"] == "Open"
    assert TradingBot({}).get_order_details(12446)["symbol"] == "GOOG"


def test_an_order_is_checked_for_login_symbol_amounts_and_funds_in_this_order() -> None:
    api = TradingBot({"account_info": {"balance": 10.0}})
    assert api.place_order("Buy", "NONE", -1, 0) == {
        "error": "User not authenticated. Please log in to place an order."
    }
    api.trading_login("ana", "secret")
    assert api.place_order("Buy", "NONE", -1, 0) == {"error": "Invalid stock symbol: NONE"}
    assert api.place_order("Buy", "ZETA", -1, 0) == {
        "error": "Price and amount must be positive values."
    }
    assert api.place_order("buy", "ZETA", 5.5, 2) == {
        "error": "Insufficient funds: required $11.00 but only $10.00 available."
    }
    assert api.place_order("Sell", "ZETA", 5.5, 2)["status"] == "Pending"


def test_only_an_order_that_is_not_completed_is_cancelled(api: TradingBot) -> None:
    assert api.cancel_order(7) == {"order_id": 7, "status": "Cancelled"}
    assert TradingBot({}).cancel_order(12345) == {
        "error": "Can't cancel order 12345. Order is already completed."
    }


def test_money_moves_with_a_drawn_time(api: TradingBot) -> None:
    assert api.fund_account(500) == {
        "status": "Account funded successfully",
        "new_balance": 1500.0,
    }
    assert api.withdraw_funds(200.5)["new_balance"] == 1299.5
    assert api.state()["transaction_history"] == [
        {"type": "deposit", "amount": 500, "timestamp": "2024-09-02 05:40:15"},
        {"type": "withdrawal", "amount": 200.5, "timestamp": "2024-09-01 12:26:34"},
    ]


def test_money_is_taken_only_from_an_open_market_and_within_the_balance(api: TradingBot) -> None:
    assert api.withdraw_funds(0) == {"error": "Transaction amount must be positive."}
    assert api.withdraw_funds(1000.5) == {"error": "Insufficient funds for withdrawal."}
    closed = TradingBot({"authenticated": True})
    assert closed.withdraw_funds(1) == {"error": "Market is closed. Transactions are not allowed."}


def test_the_last_day_of_a_history_counts_only_at_its_beginning() -> None:
    days = [{"timestamp": f"2024-09-0{day} 00:00:00"} for day in (1, 2, 3)]
    late = {"timestamp": "2024-09-02 00:00:01"}
    api = TradingBot({"authenticated": True, "transaction_history": [*days, late]})
    history = api.get_transaction_history("2024-09-02", "2024-09-02")
    assert history == {"transaction_history": [days[1]]}
    assert api.get_transaction_history("", "") == {"transaction_history": [*days, late]}


def test_a_known_stock_is_watched_once(api: TradingBot) -> None:
    assert api.add_to_watchlist("ZETA") == {"watchlist": ["NVDA", "ZETA"]}
    assert api.add_to_watchlist("ZETA") == {"watchlist": ["NVDA", "ZETA"]}
    assert api.add_to_watchlist("NONE") == {"watchlist": ["NVDA", "ZETA"]}
    assert api.remove_stock_from_watchlist("NVDA") == {
        "status": "Stock NVDA removed from watchlist successfully."
    }
    assert api.get_watchlist() == {"watchlist": ["ZETA"]}


def test_stocks_are_filtered_by_price_and_by_how_far_they_moved(api: TradingBot) -> None:
    assert api.filter_stocks_by_price(["AAPL", "NONE", "ZETA"], 0, 30) == {
        "filtered_stocks": ["NONE", "ZETA"]
    }
    assert api.notify_price_change(["TSLA", "MSFT", "NONE"], 0.12) == {
        "notification": "Stocks TSLA have significant price changes."
    }
    assert api.notify_price_change(["NONE"], 0) == {
        "notification": "No significant price changes in the selected stocks."
    }


def test_the_scenario_stays_as_it_was() -> None:
    scenario = copy.deepcopy(OPEN)
    api = TradingBot(scenario)
    api.cancel_order(7)
    api.fund_account(1)
    api.add_to_watchlist("ZETA")
    api.place_order("Sell", "ZETA", 1, 1)
    assert scenario == OPEN


def test_a_date_that_is_none_is_told_of_in_the_interpreter_s_words() -> None:
    environment = make_environment(["TradingBot"], {"TradingBot": OPEN})
    result = environment.call(ToolCall("1", "get_transaction_history", {"start_date": "a"}))
    assert result.content.startswith("Error during execution: time data 'a' does not match")
