"""`TradingBot`: a brokerage account with stocks, orders and a watchlist."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite, SeededRandom, read_day

_SEED = 1_053_520
_NOW = datetime(2024, 9, 1, 10, 30)  # noqa: DTZ001 - the reference's clock has no zone
_DAY = 86_400
"""Seconds."""


class _Tables(msgspec.Struct, frozen=True):
    """The account without a scenario, symbols by company, and symbols by sector."""

    defaults: dict[str, Any]
    symbols: dict[str, str]
    sectors: dict[str, list[str]]


@cache
def _tables() -> _Tables:
    content = (files("dragoman.benchmarks.bfcl.apis") / "trading.json").read_bytes()
    return msgspec.json.decode(content, type=_Tables)


class TradingBot:
    """The brokerage account and the stocks of one world."""

    __slots__ = (
        *("_account", "_authenticated", "_counter", "_draws", "_long", "_market_status"),
        *("_orders", "_stocks", "_transactions", "_watched"),
    )

    def __init__(self, scenario: Mapping[str, Any], long: LongTexts | None = None) -> None:
        given = {**_tables().defaults, **scenario}
        self._orders: CopyOnWrite[dict[object, Any]] = CopyOnWrite(_key_by_number(given["orders"]))
        self._account: CopyOnWrite[dict[str, Any]] = CopyOnWrite(given["account_info"])
        self._authenticated: bool = given["authenticated"]
        self._market_status: str = given["market_status"]
        self._counter: int = given["order_counter"]
        self._stocks: dict[str, dict[str, Any]] = given["stocks"]
        self._watched: CopyOnWrite[list[str]] = CopyOnWrite(given["watch_list"])
        self._transactions: CopyOnWrite[list[dict[str, Any]]] = CopyOnWrite(
            given["transaction_history"]
        )
        self._draws = SeededRandom(given.get("random_seed", _SEED))
        self._long = long

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared."""
        return {
            "orders": self._orders.shown(),
            "account_info": self._account.shown(),
            "authenticated": self._authenticated,
            "market_status": self._market_status,
            "order_counter": self._counter,
            "stocks": self._stocks,
            "watch_list": self._watched.shown(),
            "transaction_history": self._transactions.shown(),
            "long_context": self._long is not None,
        }

    def get_current_time(self) -> dict[str, object]:
        """Return the time of day, which stands still."""
        return {"current_time": "10:30 AM"}

    def get_symbol_by_name(self, name: str) -> dict[str, object]:
        """Return the symbol of a company."""
        return {"symbol": _tables().symbols.get(name, "Stock not found")}

    def get_stock_info(self, symbol: str) -> dict[str, object]:
        """Return what is known of a stock."""
        if symbol not in self._stocks:
            return {"error": f"Stock with symbol '{symbol}' not found."}
        stock = self._stocks[symbol]
        if self._long is None:
            return stock
        return {
            **stock,
            "MA(5)": self._long.ma_5_extension,
            "MA(20)": self._long.ma_20_extension,
        }

    def get_order_details(self, order_id: int) -> dict[str, object]:
        """Return an order."""
        orders = self._orders.value
        if order_id not in orders:
            return {
                "error": f"Order with ID {order_id} not found."
                f"Here is the list of orders_id: {list(orders)}"
            }
        order: dict[str, object] = orders[order_id]
        if self._long is None:
            return order
        symbol = str(order["symbol"])
        details = self._long.order_detail_extension.items()
        metadata = {name: text.replace("{symbol}", symbol) for name, text in details}
        return {**order, "metadata": metadata}

    def cancel_order(self, order_id: int) -> dict[str, object]:
        """Cancel an order that is not completed."""
        orders = self._orders.value
        if order_id not in orders:
            return {"error": f"Order with ID {order_id} not found."}
        if orders[order_id]["status"] == "Completed":
            return {"error": f"Can't cancel order {order_id}. Order is already completed."}
        self._orders.own()[order_id] = {**orders[order_id], "status": "Cancelled"}
        return {"order_id": order_id, "status": "Cancelled"}

    def place_order(
        self, order_type: str, symbol: str, price: float, amount: int
    ) -> dict[str, object]:
        """Place an order; the balance stays as it is."""
        if not self._authenticated:
            return {"error": "User not authenticated. Please log in to place an order."}
        if symbol not in self._stocks:
            return {"error": f"Invalid stock symbol: {symbol}"}
        if price <= 0 or amount <= 0:
            return {"error": "Price and amount must be positive values."}
        price = float(price)
        balance = self._account.value["balance"]
        if order_type.lower() == "buy" and price * int(amount) > balance:
            needed = price * int(amount)
            return {
                "error": f"Insufficient funds: required ${needed:.2f} "
                f"but only ${balance:.2f} available."
            }
        order_id = self._counter
        self._orders.own()[order_id] = {
            "id": order_id,
            "order_type": order_type,
            "symbol": symbol,
            "price": price,
            "amount": amount,
            "status": "Open",
        }
        self._counter += 1
        return {
            "order_id": order_id,
            "order_type": order_type,
            "status": "Pending",
            "price": price,
            "amount": amount,
        }

    def withdraw_funds(self, amount: float) -> dict[str, object]:
        """Take money from the account."""
        if not self._authenticated:
            return {"error": "User not authenticated. Please log in to make a transaction."}
        if self._market_status != "Open":
            return {"error": "Market is closed. Transactions are not allowed."}
        if amount <= 0:
            return {"error": "Transaction amount must be positive."}
        if amount > self._account.value["balance"]:
            return {"error": "Insufficient funds for withdrawal."}
        self._move("withdrawal", amount, -amount)
        return {
            "status": "Withdrawal successful",
            "new_balance": self._account.value["balance"],
        }

    def get_account_info(self) -> dict[str, object]:
        """Return the account."""
        if not self._authenticated:
            return {"error": "User not authenticated. Please log in to view account information."}
        return self._account.value

    def trading_login(self, username: str, password: str) -> dict[str, object]:
        """Log in with any name and password."""
        if self._authenticated:
            return {"status": "Already logged in"}
        self._authenticated = True
        return {"status": "Logged in successfully"}

    def trading_get_login_status(self) -> dict[str, object]:
        """Return whether somebody is logged in."""
        return {"status": self._authenticated}

    def trading_logout(self) -> dict[str, object]:
        """Log out."""
        if not self._authenticated:
            return {"status": "No user is currently logged in"}
        self._authenticated = False
        return {"status": "Logged out successfully"}

    def fund_account(self, amount: float) -> dict[str, object]:
        """Put money into the account."""
        if not self._authenticated:
            return {"error": "User not authenticated. Please log in to fund the account."}
        if amount <= 0:
            return {"error": "Funding amount must be positive."}
        self._move("deposit", amount, amount)
        return {
            "status": "Account funded successfully",
            "new_balance": self._account.value["balance"],
        }

    def remove_stock_from_watchlist(self, symbol: str) -> dict[str, object]:
        """Stop watching a stock."""
        if not self._authenticated:
            return {"error": "User not authenticated. Please log in to modify the watchlist."}
        if symbol not in self._watched.value:
            return {"error": f"Stock {symbol} not found in watchlist."}
        self._watched.own().remove(symbol)
        return {"status": f"Stock {symbol} removed from watchlist successfully."}

    def get_watchlist(self) -> dict[str, object] | list[object]:
        """Return the stocks that are watched."""
        if not self._authenticated:
            return ["Error: User not authenticated. Please log in to view the watchlist."]
        if self._long is None:
            return {"watchlist": self._watched.value}
        return [*self._watched.value, *self._long.watch_list_extension]

    def get_order_history(self) -> dict[str, object] | list[object]:
        """Return the ids of all orders."""
        if not self._authenticated:
            return [{"error": "User not authenticated. Please log in to view order history."}]
        return {"history": list(self._orders.value)}

    def get_transaction_history(
        self, start_date: str | None = None, end_date: str | None = None
    ) -> dict[str, object] | list[object]:
        """Return the transactions between the beginnings of two days, both included."""
        if not self._authenticated:
            return [{"error": "User not authenticated. Please log in to view transaction history."}]
        start = read_day(start_date) if start_date else datetime.min  # noqa: DTZ901 - no zone
        end = read_day(end_date) if end_date else datetime.max  # noqa: DTZ901 - no zone
        found: list[object] = [
            entry for entry in self._transactions.value if start <= _time(entry) <= end
        ]
        if self._long is not None:
            found += self._long.transaction_history_extension
        return {"transaction_history": found}

    def get_available_stocks(self, sector: str) -> dict[str, object]:
        """Return the symbols of a sector."""
        listed = _tables().sectors.get(sector, [])
        if self._long is not None and sector == "Technology":
            listed = [*listed, *self._long.technology_extension]
        elif self._long is not None and sector == "Automobile":
            listed = [*listed, *self._long.automobile_extension]
        return {"stock_list": listed}

    def filter_stocks_by_price(
        self, stocks: Sequence[str], min_price: float, max_price: float
    ) -> dict[str, object]:
        """Return those of some stocks whose price lies in a range; an unknown one costs 0."""
        prices = [(stock, self._stocks.get(stock, {}).get("price", 0)) for stock in stocks]
        found = [stock for stock, price in prices if price >= min_price and price <= max_price]
        return {"filtered_stocks": found}

    def add_to_watchlist(self, stock: str) -> dict[str, object]:
        """Watch a stock; an unknown one is passed over."""
        if stock in self._stocks and stock not in self._watched.value:
            self._watched.own().append(stock)
        return {"watchlist": self._watched.value}

    def notify_price_change(self, stocks: Sequence[str], threshold: float) -> dict[str, object]:
        """Return which of some stocks moved by a percentage or more; unknown ones did not."""
        moved = [
            stock
            for stock in stocks
            if stock in self._stocks and abs(self._stocks[stock]["percent_change"]) >= threshold
        ]
        if not moved:
            return {"notification": "No significant price changes in the selected stocks."}
        return {"notification": f"Stocks {', '.join(moved)} have significant price changes."}

    def _move(self, kind: str, amount: float, change: float) -> None:
        account = self._account.own()
        account["balance"] += change
        time = _NOW + timedelta(seconds=self._draws.whole(0, _DAY))
        self._transactions.own().append(
            {"type": kind, "amount": amount, "timestamp": f"{time:%Y-%m-%d %H:%M:%S}"}
        )


def _key_by_number(orders: Mapping[str, Any]) -> dict[object, Any]:
    """Return orders by their numbers, where their keys are written as such."""
    return {int(key) if key.isdecimal() else key: order for key, order in orders.items()}


def _time(entry: Mapping[str, Any]) -> datetime:
    return datetime.strptime(entry["timestamp"], "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 - no zones
