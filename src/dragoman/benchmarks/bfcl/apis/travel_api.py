"""`TravelAPI`: flights, fares, currencies, credit cards and a travel budget."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.results import ApiRefusal, LongList, LongTexts
from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite, SeededRandom, read_day


class TravelTables(msgspec.Struct, frozen=True):
    """Airports, the nearest one by city, exchange rates, and fares by route and class."""

    airports: list[str]
    nearest_airports: dict[str, str]
    exchange_rates: list[tuple[str, str, float]]
    class_factors: dict[str, int]
    base_costs: list[tuple[str, str, int]]


@cache
def travel_tables() -> TravelTables:
    """Return the tables, read once."""
    content = (files("dragoman.benchmarks.bfcl.apis") / "travel.json").read_bytes()
    return msgspec.json.decode(content, type=TravelTables)


@cache
def _base_costs() -> Mapping[tuple[str, str], int]:
    return {(start, end): cost for start, end, cost in travel_tables().base_costs}


def flight_cost(start: str, end: str, date: str, travel_class: str) -> float:
    """Return what a flight costs in dollars.

    Raises:
        ApiRefusal: If the route is not flown, or the class does not exist.
    """
    base = _base_costs().get((start, end))
    if base is None:
        raise ApiRefusal("No available route for the given airports.")
    return float(base * _factor(date, travel_class))


def all_flight_costs(date: str, travel_class: str) -> list[float]:
    """Return what each route costs on a day, in the order of the table; not to be changed."""
    return _all_costs(_factor(date, travel_class))


@cache
def _all_costs(factor: int) -> LongList[float]:
    return LongList(float(cost * factor) for cost in _base_costs().values())


def convert_currency(base_currency: str, target_currency: str, value: float) -> float:
    """Return an amount of one currency in another; dollars must be one of the two.

    Raises:
        ApiRefusal: If the rate is unknown.
    """
    for base, target, rate in travel_tables().exchange_rates:
        if (base_currency, target_currency) == (base, target):
            return float(value * rate)
        if (base_currency, target_currency) == (target, base):
            return round(value / rate, 2)
    raise ApiRefusal("No available exchange rate for the given currencies.")


def _factor(date: str, travel_class: str) -> int:
    """Return what a base cost is multiplied by: every other day costs double."""
    factor = travel_tables().class_factors.get(travel_class)
    if factor is None:
        raise ApiRefusal("Invalid travel class. Options are: economy, business, first.")
    is_even = sum(map(int, filter(str.isdigit, date))) % 2 == 0
    return factor * 2 if is_even else factor


_ADULT = 18
"""Years."""


def flight_problem(travel_date: str, start: str, end: str, travel_class: str) -> str:
    """Return what is wrong with a flight as asked for; "" where nothing is."""
    tables = travel_tables()
    if start not in tables.airports:
        return f"Invalid departure airport code: {start}"
    if end not in tables.airports:
        return f"Invalid destination airport code: {end}"
    if _day(travel_date) is None:
        return "Invalid date format. Use YYYY-MM-DD."
    if travel_class not in tables.class_factors:
        # The reference shows a set, whose order differs between processes.
        return "Invalid travel class. Must be one of {'first', 'business', 'economy'}"
    return ""


def traveler_problem(date_of_birth: str, passport_number: str, today: date) -> str:
    """Return why somebody may not travel; "" where nothing speaks against it."""
    born = _day(date_of_birth)
    if born is None:
        return "Invalid date of birth format. Please use YYYY-MM-DD."
    had_birthday = (today.month, today.day) >= (born.month, born.day)
    if today.year - born.year - (not had_birthday) < _ADULT:
        return f"Traveler must be at least {_ADULT} years old."
    if not passport_number.startswith("US"):
        return "Passport must be issued by the United States."
    return ""


def _day(text: str) -> date | None:
    try:
        return read_day(text).date()
    except ValueError:
        return None


TODAY = date(2026, 3, 23)
"""The day on which travellers' ages are reckoned: that of the reference's release.

The reference takes the day on which it runs, so that its results change with time.
"""

_SEED = 141_053
_LOGIN_EXPIRES = 2
Record = dict[str, Any]
"""A card or a booking as data; those of an entry may lack any field."""


class TravelAPI:
    """The traveller's cards, bookings and login of one world.

    `today` is the day on which ages are reckoned.
    """

    __slots__ = (
        *("_bookings", "_budget_limit", "_cards", "_draws", "_expires_in", "_first_name"),
        *("_last_name", "_long", "_scope", "_today", "_token", "_token_type"),
    )

    def __init__(
        self, scenario: Mapping[str, Any], long: LongTexts | None = None, today: date = TODAY
    ) -> None:
        self._today = today
        self._long = long
        cards, bookings = scenario.get("credit_card_list", {}), scenario.get("booking_record", {})
        if long is not None:
            cards = _merge_records(cards, long.credit_card_extension)
            bookings = _merge_records(bookings, long.booking_record_extension)
        self._cards: CopyOnWrite[dict[str, Record]] = CopyOnWrite(cards)
        self._bookings: CopyOnWrite[dict[str, Record]] = CopyOnWrite(bookings)
        self._token: str | None = scenario.get("access_token")
        self._token_type: str | None = scenario.get("token_type")
        self._expires_in: int | None = scenario.get("token_expires_in")
        self._scope: str | None = scenario.get("token_scope")
        self._first_name: str | None = scenario.get("user_first_name")
        self._last_name: str | None = scenario.get("user_last_name")
        self._budget_limit: float | None = scenario.get("budget_limit")
        self._draws = SeededRandom(scenario.get("random_seed", _SEED))

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared."""
        return {
            "credit_card_list": self._cards.shown(),
            "booking_record": self._bookings.shown(),
            "access_token": self._token,
            "token_type": self._token_type,
            "token_expires_in": self._expires_in,
            "token_scope": self._scope,
            "user_first_name": self._first_name,
            "user_last_name": self._last_name,
            "budget_limit": self._budget_limit,
            "long_context": self._long is not None,
        }

    def authenticate_travel(
        self,
        client_id: str,
        client_secret: str,
        refresh_token: str,
        grant_type: str,
        user_first_name: str,
        user_last_name: str,
    ) -> dict[str, object]:
        """Log a traveller in and draw an access token."""
        self._expires_in = _LOGIN_EXPIRES
        self._token = str(self._draws.whole(100_000, 999_999))
        self._token_type = "Bearer"  # noqa: S105 - a kind of token
        self._scope = grant_type
        self._first_name = user_first_name
        self._last_name = user_last_name
        return {
            "expires_in": _LOGIN_EXPIRES,
            "access_token": self._token,
            "token_type": self._token_type,
            "scope": grant_type,
        }

    def travel_get_login_status(self) -> dict[str, object]:
        """Return whether somebody is logged in."""
        return {"status": self._expires_in is not None and self._expires_in != 0}

    def get_budget_fiscal_year(
        self,
        lastModifiedAfter: str | None = None,
        includeRemoved: str | None = None,
    ) -> dict[str, object]:
        """Return the year for which the budget holds."""
        return {"budget_fiscal_year": "2018"}

    def register_credit_card(
        self,
        access_token: str,
        card_number: str,
        expiration_date: str,
        cardholder_name: str,
        card_verification_number: int,
    ) -> dict[str, object]:
        """Add a card with a drawn id and balance."""
        if self._expires_in is None:
            return {"error": "Token not initialized"}
        problem = self._token_problem(access_token)
        if problem:
            return {"error": problem}
        if card_number in self._cards.value:
            return {"error": "Card already registered"}
        card_id = str(self._draws.whole(100_000_000_000, 999_999_999_999))
        self._cards.own()[card_id] = {
            "card_number": card_number,
            "expiration_date": expiration_date,
            "cardholder_name": cardholder_name,
            "card_verification_number": card_verification_number,
            "balance": self._draws.whole(10_000, 99_999),
        }
        return {"card_id": card_id}

    def get_flight_cost(
        self, travel_from: str, travel_to: str, travel_date: str, travel_class: str
    ) -> dict[str, object]:
        """Return what a flight costs, in long contexts what every flight costs."""
        cost = flight_cost(travel_from, travel_to, travel_date, travel_class)
        if self._long is None:
            return {"travel_cost_list": [cost]}
        return {"travel_cost_list": all_flight_costs(travel_date, travel_class)}

    def get_credit_card_balance(self, access_token: str, card_id: str) -> dict[str, object]:
        """Return the balance of a card."""
        problem = self._token_problem(access_token)
        if problem:
            return {"error": problem}
        cards = self._cards.value
        if card_id not in cards:
            return {"error": f"Card not registered. Here are a list of card_id's: {list(cards)}"}
        return {"card_balance": cards[card_id]["balance"]}

    def book_flight(
        self,
        access_token: str,
        card_id: str,
        travel_date: str,
        travel_from: str,
        travel_to: str,
        travel_class: str,
    ) -> dict[str, object]:
        """Book a flight and pay it with a card."""
        problem = self._token_problem(access_token) or self._card_problem(card_id)
        problem = problem or flight_problem(travel_date, travel_from, travel_to, travel_class)
        if problem:
            return {"booking_status": False, "error": problem}
        try:
            cost = flight_cost(travel_from, travel_to, travel_date, travel_class)
        except ApiRefusal as refusal:
            return {"booking_status": False, "error": str(refusal)}
        balance = self._cards.value[card_id]["balance"]
        if balance < cost:
            return {"booking_status": False, "error": "Insufficient funds"}
        if self._budget_limit is not None and balance < self._budget_limit:
            return {"booking_status": False, "error": "Balance is less than budget limit"}
        self._pay(card_id, cost)
        booking_id = str(self._draws.whole(1_000_000, 9_999_999))
        transaction_id = str(self._draws.whole(10_000_000, 99_999_999))
        self._bookings.own()[booking_id] = {
            "card_id": card_id,
            "travel_date": travel_date,
            "travel_from": travel_from,
            "travel_to": travel_to,
            "travel_class": travel_class,
            "travel_cost": cost,
            "transaction_id": transaction_id,
        }
        return {
            "booking_id": booking_id,
            "transaction_id": transaction_id,
            "booking_status": True,
            "booking_history": {} if self._long is None else self._bookings.value,
        }

    def retrieve_invoice(
        self,
        access_token: str,
        booking_id: str | None = None,
        insurance_id: str | None = None,
    ) -> dict[str, object]:
        """Return what a booking says and costs."""
        problem = self._token_problem(access_token)
        if problem:
            return {"error": problem}
        if booking_id is None or booking_id not in self._bookings.value:
            return {"error": "Booking not found"}
        booking = self._bookings.value[booking_id]
        return {
            "invoice": {
                "booking_id": booking_id,
                "travel_date": booking["travel_date"],
                "travel_from": booking["travel_from"],
                "travel_to": booking["travel_to"],
                "travel_class": booking["travel_class"],
                "travel_cost": booking["travel_cost"],
                "transaction_id": booking["transaction_id"],
            }
        }

    def get_booking_history(self, access_token: str) -> dict[str, object]:
        """Return all bookings."""
        problem = self._token_problem(access_token)
        return {"error": problem} if problem else {"booking_history": self._bookings.value}

    def list_all_airports(self) -> list[str]:
        """Return the codes of all airports."""
        return travel_tables().airports

    def cancel_booking(self, access_token: str, booking_id: str) -> dict[str, object]:
        """Delete a booking and pay its cost back."""
        problem = self._token_problem(access_token)
        if problem:
            return {"cancel_status": False, "error": problem}
        if booking_id not in self._bookings.value:
            return {"cancel_status": False, "error": "Booking not found"}
        booking = self._bookings.value[booking_id]
        card_id, cost = booking["card_id"], booking["travel_cost"]
        card = self._cards.value[card_id]
        balance = card["balance"]
        balance += cost
        self._cards.own()[card_id] = {**card, "balance": balance}
        del self._bookings.own()[booking_id]
        return {"cancel_status": True}

    def compute_exchange_rate(
        self, base_currency: str, target_currency: str, value: float
    ) -> dict[str, object]:
        """Return an amount of one currency in another."""
        return {"exchanged_value": convert_currency(base_currency, target_currency, value)}

    def verify_traveler_information(
        self, first_name: str, last_name: str, date_of_birth: str, passport_number: str
    ) -> dict[str, object]:
        """Return whether a traveller is the user, grown up, and has a passport of the country."""
        if (self._first_name, self._last_name) != (first_name, last_name):
            problem = (
                "Cannot book flight information for another user."
                f"Expected {self._first_name} {self._last_name}, got {first_name} {last_name}"
            )
        else:
            problem = traveler_problem(date_of_birth, passport_number, self._today)
        if problem:
            return {"verification_status": False, "verification_failure": problem}
        return {"verification_status": True}

    def set_budget_limit(self, access_token: str, budget_limit: float) -> dict[str, object]:
        """Set the budget below which a card's balance books no flight."""
        problem = self._token_problem(access_token)
        if problem:
            return {"error": problem}
        self._budget_limit = float(budget_limit)
        return {"budget_limit": self._budget_limit}

    def get_nearest_airport_by_city(self, location: str) -> dict[str, object]:
        """Return the code of the airport nearest to a city."""
        return {"nearest_airport": travel_tables().nearest_airports.get(location, "Unknown")}

    def purchase_insurance(
        self,
        access_token: str,
        insurance_type: str,
        booking_id: str,
        insurance_cost: float,
        card_id: str,
    ) -> dict[str, object]:
        """Insure a booking and pay for it, whatever the balance."""
        problem = self._token_problem(access_token)
        if not problem and self._budget_limit is not None and self._budget_limit < insurance_cost:
            problem = "Exceeded budget limit"
        if not problem and booking_id not in self._bookings.value:
            problem = "Booking not found"
        if not problem and card_id not in self._cards.value:
            problem = "Credit card not registered"
        if problem:
            return {"insurance_status": False, "error": problem}
        self._pay(card_id, insurance_cost)
        insurance_id = str(self._draws.whole(100_000_000, 999_999_999))
        return {"insurance_id": insurance_id, "insurance_status": True}

    def contact_customer_support(
        self,
        booking_id: str,
        message: str,
    ) -> dict[str, object]:
        """Send a message about a booking."""
        if booking_id not in self._bookings.value:
            return {"error": "Booking not found"}
        return {
            "customer_support_message": "Thank you for contacting customer support. "
            "Your message has been received and we will get back to you shortly."
        }

    def get_all_credit_cards(self) -> dict[str, object]:
        """Return all cards."""
        return {"credit_card_list": self._cards.value}

    def _pay(self, card_id: str, cost: float) -> None:
        card = self._cards.value[card_id]
        balance = card["balance"]
        # Python's message about operands of the wrong type names the operator `-=`.
        balance -= cost
        self._cards.own()[card_id] = {**card, "balance": balance}

    def _token_problem(self, access_token: str) -> str:
        """Return why a token does not admit its holder; "" if it does."""
        if self._expires_in == 0:
            return "Token expired"
        return "" if self._token == access_token else "Invalid access token"

    def _card_problem(self, card_id: str) -> str:
        if card_id not in self._cards.value:
            return "Card not registered"
        return "" if "balance" in self._cards.value[card_id] else "Balance not found"


def _merge_records(own: Mapping[str, Record], more: Mapping[str, Record]) -> dict[str, Record]:
    """Return an entry's records, then those of long contexts whose ids are free."""
    return {**own, **more, **own}
