"""The airline domain: 14 agent tools over its database, flight search among them.

Checks come in the reference's order, with its texts.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import ClassVar, TypeVar, cast

from msgspec.structs import replace

from dragoman.benchmarks.kit.calculator import calculate
from dragoman.benchmarks.kit.environment import decode_database, single_database_domain
from dragoman.benchmarks.kit.tables import Table, render
from dragoman.benchmarks.tau2.domains.airline_records import (
    AirlineData,
    AirlineFile,
    AirlineTables,
    Airport,
    Available,
    Certificate,
    Fields,
    Flight,
    FlightChoice,
    FlightOnDate,
    GiftCard,
    Offer,
    Passenger,
    Payment,
    RecordForm,
    Reservation,
    ReservedFlight,
    User,
    parse_flight,
    parse_passenger,
    parse_payment,
    read_passenger,
    read_payment,
)
from dragoman.benchmarks.tau2.domains.shared_records import CreditCard
from dragoman.core.errors import ToolError
from dragoman.core.rules import Rules
from dragoman.core.tools import ToolKind

NEXT_DAY = "+1"
"""Marks an arrival time that falls on the day after the departure."""

OnSale = tuple[Flight, Available]


class FlightSearch:
    """A search of one environment's flights; all environments share unchanged texts."""

    def __init__(self, tables: AirlineTables) -> None:
        self._data: AirlineData = tables.data
        self._flights: Table[Flight] = tables.flights

    def direct(self, origin: object, destination: object, date: str) -> str:
        """Return the text of the flights from origin to destination on a date."""
        offers = [
            self._offer(flight, sale, date, dated=False)
            for flight, sale in self._on_sale(origin, destination, date)
        ]
        return f"[{', '.join(offers)}]"

    def one_stop(self, origin: object, destination: object, date: str) -> str:
        """Return the text of the pairs of flights that meet on the way."""
        pairs = []
        for first, first_sale in self._on_sale(origin, None, date):
            arrival = first.scheduled_arrival_time_est
            on = _day_after(date) if NEXT_DAY in arrival else date
            for second, second_sale in self._on_sale(first.destination, destination, on, arrival):
                first_text = self._offer(first, first_sale, date, dated=True)
                second_text = self._offer(second, second_sale, on, dated=True)
                pairs.append(f"[{first_text}, {second_text}]")
        return f"[{', '.join(pairs)}]"

    def _on_sale(
        self, origin: object, destination: object, date: str, earliest: str = ""
    ) -> Iterator[OnSale]:
        # A value that is not a name equals no airport's name, even if it cannot be looked up.
        if not isinstance(origin, str | None) or not isinstance(destination, str | None):
            return
        for number in self._data.routes.get((origin, destination), ()):
            flight = self._flights.get(number)
            sale = None if flight is None else flight.dates.get(date)
            if (
                flight is not None
                and isinstance(sale, Available)
                and flight.scheduled_departure_time_est >= earliest
            ):
                yield flight, sale

    def _offer(self, flight: Flight, sale: Available, date: str, *, dated: bool) -> str:
        number = flight.flight_number
        if sale is not self._data.flights.records[number].dates[date]:
            return _render_offer(flight, sale, date if dated else None)
        key = (number, date, dated)
        text = self._data.offers.get(key)
        if text is None:
            text = _render_offer(flight, sale, date if dated else None)
            self._data.offers[key] = text
        return text


def _day_after(date: str) -> str:
    # The reference's own: the data hold one month, and its flights start after the ninth.
    return f"2024-05-{int(date[-2:]) + 1}"


def _render_offer(flight: Flight, sale: Available, date: str | None) -> str:
    return render(
        Offer(
            flight.flight_number,
            flight.origin,
            flight.destination,
            "available",
            flight.scheduled_departure_time_est,
            flight.scheduled_arrival_time_est,
            date,
            sale.available_seats,
            sale.prices,
        )
    )


NOW = "2024-05-15T15:00:00"
BAGGAGE_FEE = 50
INSURANCE_FEE = 30
NEW_RESERVATIONS = ("HATHAT", "HATHAU", "HATHAV")
NEW_CERTIFICATES = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
FLIGHT_TYPES = ("round_trip", "one_way")
CABINS = ("business", "economy", "basic_economy")
INSURANCE = ("yes", "no")

AIRPORTS = (
    Airport("SFO", "San Francisco"),
    Airport("JFK", "New York"),
    Airport("LAX", "Los Angeles"),
    Airport("ORD", "Chicago"),
    Airport("DFW", "Dallas"),
    Airport("DEN", "Denver"),
    Airport("SEA", "Seattle"),
    Airport("ATL", "Atlanta"),
    Airport("MIA", "Miami"),
    Airport("BOS", "Boston"),
    Airport("PHX", "Phoenix"),
    Airport("IAH", "Houston"),
    Airport("LAS", "Las Vegas"),
    Airport("MCO", "Orlando"),
    Airport("EWR", "Newark"),
    Airport("CLT", "Charlotte"),
    Airport("MSP", "Minneapolis"),
    Airport("DTW", "Detroit"),
    Airport("PHL", "Philadelphia"),
    Airport("LGA", "LaGuardia"),
)
_AIRPORTS_TEXT = render(AIRPORTS)

Parsed = TypeVar("Parsed")


class AirlineTools:
    """The agent's toolkit over one world's tables; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        "book_reservation": "write",
        "calculate": "generic",
        "cancel_reservation": "write",
        "get_flight_status": "read",
        "get_reservation_details": "read",
        "get_user_details": "read",
        "list_all_airports": "read",
        "search_direct_flight": "read",
        "search_onestop_flight": "read",
        "send_certificate": "write",
        "transfer_to_human_agents": "generic",
        "update_reservation_baggages": "write",
        "update_reservation_flights": "write",
        "update_reservation_passengers": "write",
    }

    def __init__(self, tables: AirlineTables, rules: Rules) -> None:
        self._flights = tables.flights
        self._users = tables.users
        self._reservations = tables.reservations
        self._search = FlightSearch(tables)
        self._rules = rules

    # Look-ups

    def get_user_details(self, user_id: str) -> str:
        """Show a user."""
        self._user(user_id)
        return self._users.text(user_id)

    def get_reservation_details(self, reservation_id: str) -> str:
        """Show a reservation."""
        self._reservation(reservation_id)
        return self._reservations.text(reservation_id)

    def get_flight_status(self, flight_number: str, date: str) -> str:
        """Tell how a flight stands on a date."""
        status = _on_date(self._flight(flight_number), date)
        return str(status.__struct_config__.tag)

    def list_all_airports(self) -> str:
        """List airports and their cities."""
        return _AIRPORTS_TEXT

    def search_direct_flight(self, origin: object, destination: object, date: str) -> str:
        """List the flights on sale between two airports."""
        return self._search.direct(origin, destination, date)

    def search_onestop_flight(self, origin: object, destination: object, date: str) -> str:
        """List the pairs of flights on sale that connect two airports."""
        return self._search.one_stop(origin, destination, date)

    def calculate(self, expression: str) -> str:
        """Calculate an arithmetic expression."""
        return calculate(expression)

    def transfer_to_human_agents(self, summary: str) -> str:  # noqa: ARG002
        """Hand the user over; nothing changes."""
        return "Transfer successful"

    # Users

    def send_certificate(self, user_id: str, amount: float) -> str:
        """Give a user a certificate under the first free of three ids."""
        user = self._user(user_id)
        free = (key for key in NEW_CERTIFICATES if key not in user.payment_methods)
        key = next(free, None)
        if key is None:
            raise ToolError("Too many certificates")
        form = RecordForm({"amount": amount})
        certificate = Certificate(key, form.number("amount"))
        form.check("Certificate")
        methods = {**user.payment_methods, key: certificate}
        self._users.put(user_id, replace(user, payment_methods=methods))
        return f"Certificate {key} added to user {user_id} with amount {amount}."

    # Reservations

    def book_reservation(  # noqa: PLR0913, PLR0917 - the arguments are published
        self,
        user_id: str,
        origin: str,
        destination: str,
        flight_type: str,
        cabin: str,
        flights: list[Fields],
        passengers: list[Fields],
        payment_methods: list[Fields],
        total_baggages: int,
        nonfree_baggages: int,
        insurance: str,
    ) -> str:
        """Book flights for passengers, paid in full by the user's methods."""
        chosen = self._parsed(flights, parse_flight)
        travellers = self._parsed(passengers, parse_passenger)
        payments = self._parsed(payment_methods, parse_payment)
        user = self._user(user_id)
        reservation = _new_reservation(
            self._new_reservation_id(),
            {
                "user_id": user_id,
                "origin": origin,
                "destination": destination,
                "flight_type": flight_type,
                "cabin": cabin,
                "passengers": travellers,
                "payment_history": payments,
                "total_baggages": total_baggages,
                "nonfree_baggages": nonfree_baggages,
                "insurance": insurance,
            },
        )
        count = len(travellers)
        reserved = [self._seat(choice, cabin, count) for choice in chosen]
        total = sum(flight.price for flight in reserved) * count
        total += INSURANCE_FEE * count if insurance == "yes" else 0
        # The count of bags as it was sent: the total in the refusal shows whether it was a float.
        _check_payments(user, payments, total + BAGGAGE_FEE * nonfree_baggages)
        for payment in payments:
            self._spend(user_id, payment)
        for flight in reserved:
            self._take_seats(flight, cabin, count)
        self._add_reservation(user_id, reservation.reservation_id)
        return self._store(replace(reservation, flights=reserved))

    def cancel_reservation(self, reservation_id: str) -> str:
        """Cancel a reservation: every entry of its payment history is reversed, however often."""
        reservation = self._reservation(reservation_id)
        history = reservation.payment_history
        refunds = [replace(entry, amount=-entry.amount) for entry in history]
        return self._store(
            replace(reservation, status="cancelled", payment_history=[*history, *refunds])
        )

    def update_reservation_baggages(
        self, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
    ) -> str:
        """Set the counts of bags; more bags to pay for are paid for."""
        reservation = self._reservation(reservation_id)
        user = self._user(reservation.user_id)
        due = BAGGAGE_FEE * max(0, nonfree_baggages - reservation.nonfree_baggages)
        entries = self._settle(user, payment_id, due)
        return self._store(
            replace(
                reservation,
                total_baggages=total_baggages,
                nonfree_baggages=nonfree_baggages,
                payment_history=[*reservation.payment_history, *entries],
            )
        )

    def update_reservation_flights(
        self, reservation_id: str, cabin: str, flights: list[Fields], payment_id: str
    ) -> str:
        """Replace flights and cabin; the difference in price is paid or refunded."""
        chosen = self._parsed(flights, parse_flight)
        reservation = self._reservation(reservation_id)
        user = self._user(reservation.user_id)
        count = len(reservation.passengers)
        reserved = [
            _find_kept_flight(reservation, choice, cabin) or self._seat(choice, cabin, count)
            for choice in chosen
        ]
        due = (_price(reserved) - _price(reservation.flights)) * count
        entries = self._settle(user, payment_id, due)
        return self._store(
            replace(
                reservation,
                cabin=cabin,
                flights=reserved,
                payment_history=[*reservation.payment_history, *entries],
            )
        )

    def update_reservation_passengers(self, reservation_id: str, passengers: list[Fields]) -> str:
        """Replace the passengers by as many others."""
        travellers = self._parsed(passengers, parse_passenger)
        reservation = self._reservation(reservation_id)
        if len(travellers) != len(reservation.passengers):
            raise ToolError("Number of passengers does not match")
        return self._store(replace(reservation, passengers=travellers))

    # Parts

    def _user(self, user_id: str) -> User:
        user = self._users.get(user_id)
        if user is None:
            raise ToolError(f"User {user_id} not found")
        return user

    def _reservation(self, reservation_id: str) -> Reservation:
        reservation = self._reservations.get(reservation_id)
        if reservation is None:
            raise ToolError(f"Reservation {reservation_id} not found")
        return reservation

    def _flight(self, flight_number: str) -> Flight:
        flight = self._flights.get(flight_number)
        if flight is None:
            raise ToolError(f"Flight {flight_number} not found")
        return flight

    def _parsed(self, items: Collection[Fields], parse: Callable[[Fields], Parsed]) -> list[Parsed]:
        """Return the records that objects spell; what is not all objects is returned as it is.

        Schemas allow these lists any object, so that the validators let every element pass.
        """
        if all(isinstance(item, dict) for item in items):
            return [parse(item) for item in items]
        if self._rules.arguments_are_validated:
            raise ToolError("invalid arguments: every element of the list must be an object")
        return cast("list[Parsed]", items)

    def _new_reservation_id(self) -> str:
        for key in NEW_RESERVATIONS:
            if self._reservations.get(key) is None:
                return key
        raise ToolError("Too many reservations")

    def _on_sale(self, number: str, date: str) -> tuple[Flight, Available]:
        flight = self._flight(number)
        sale = _on_date(flight, date)
        if not isinstance(sale, Available):
            raise ToolError(f"Flight {number} not available on date {date}")
        return flight, sale

    def _seat(self, choice: FlightChoice, cabin: str, count: int) -> ReservedFlight:
        """Return a chosen flight at today's price if it has seats for so many; takes none."""
        number, date = choice.flight_number, choice.date
        flight, sale = self._on_sale(number, date)
        if sale.available_seats[cabin] < count:
            raise ToolError(f"Not enough seats on flight {number}")
        price = sale.prices[cabin]
        return ReservedFlight(number, flight.origin, flight.destination, date, price)

    def _take_seats(self, reserved: ReservedFlight, cabin: str, count: int) -> None:
        flight, sale = self._on_sale(reserved.flight_number, reserved.date)
        seats = {**sale.available_seats, cabin: sale.available_seats[cabin] - count}
        dates = {**flight.dates, reserved.date: replace(sale, available_seats=seats)}
        self._flights.put(flight.flight_number, replace(flight, dates=dates))

    def _spend(self, user_id: str, payment: Payment) -> None:
        """Take a payment from a method: a certificate goes as a whole."""
        user = self._user(user_id)
        # A certificate that is named twice is gone the second time, with everything spent so far.
        method = user.payment_methods[payment.payment_id]
        if isinstance(method, GiftCard):
            self._charge(user, payment.payment_id, method, payment.amount)
        elif isinstance(method, Certificate):
            methods = {**user.payment_methods}
            del methods[payment.payment_id]
            self._users.put(user_id, replace(user, payment_methods=methods))

    def _settle(self, user: User, payment_id: str, due: int) -> list[Payment]:
        """Charge a change of a reservation; return what enters its payment history."""
        method = user.payment_methods.get(payment_id)
        if method is None:
            raise ToolError("Payment method not found")
        if isinstance(method, Certificate):
            raise ToolError("Certificate cannot be used to update reservation")
        if isinstance(method, GiftCard):
            if method.amount < due:
                raise ToolError("Gift card balance is not enough")
            self._charge(user, payment_id, method, due)
        # Parsed after the charge: half a dollar fails, and what the card lost stays lost.
        return [parse_payment({"payment_id": payment_id, "amount": due})] if due != 0 else []

    def _charge(self, user: User, payment_id: str, card: GiftCard, due: int) -> None:
        amount = card.amount - due
        if self._rules.money_is_rounded:
            amount = round(amount, 2)
        methods = {**user.payment_methods, payment_id: replace(card, amount=amount)}
        self._users.put(user.user_id, replace(user, payment_methods=methods))

    def _add_reservation(self, user_id: str, reservation_id: str) -> None:
        user = self._user(user_id)
        self._users.put(user_id, replace(user, reservations=[*user.reservations, reservation_id]))

    def _store(self, reservation: Reservation) -> str:
        self._reservations.put(reservation.reservation_id, reservation)
        return self._reservations.text(reservation.reservation_id)


def _new_reservation(reservation_id: str, fields: Fields) -> Reservation:
    form = RecordForm(fields)
    route = (form.text("user_id"), form.text("origin"), form.text("destination"))
    kind = (form.choice("flight_type", FLIGHT_TYPES), form.choice("cabin", CABINS))
    form.records("passengers", "Passenger", read_passenger)
    form.records("payment_history", "Payment", read_payment)
    bags = (form.whole("total_baggages"), form.whole("nonfree_baggages"))
    insurance = form.choice("insurance", INSURANCE)
    form.check("Reservation")
    travellers = cast("list[Passenger]", fields["passengers"])
    payments = cast("list[Payment]", fields["payment_history"])
    return Reservation(
        reservation_id, *route, *kind, [], travellers, payments, NOW, *bags, insurance
    )


def _on_date(flight: Flight, date: str) -> FlightOnDate:
    status = flight.dates.get(date)
    if status is None:
        raise ToolError(f"Flight {flight.flight_number} not found on date {date}")
    return status


def _find_kept_flight(
    reservation: Reservation, choice: FlightChoice, cabin: str
) -> ReservedFlight | None:
    """Return the flight of a reservation that a choice keeps, at its old price."""
    if cabin != reservation.cabin:
        return None
    for flight in reservation.flights:
        if flight.flight_number == choice.flight_number and flight.date == choice.date:
            return flight
    return None


def _price(flights: Sequence[ReservedFlight]) -> int:
    return sum(flight.price for flight in flights)


def _check_payments(user: User, payments: Sequence[Payment], total: int) -> None:
    for payment in payments:
        key = payment.payment_id
        method = user.payment_methods.get(key)
        if method is None:
            raise ToolError(f"Payment method {key} not found")
        if not isinstance(method, CreditCard) and method.amount < payment.amount:
            raise ToolError(f"Not enough balance in payment method {key}")
    paid = sum(payment.amount for payment in payments)
    if paid != total:
        raise ToolError(f"Payment amount does not add up, total price is {total}, but paid {paid}")


def load_airline_data(database: bytes) -> AirlineData:
    """Decode the database into what all worlds share."""
    return AirlineData(decode_database(database, AirlineFile))


AIRLINE = single_database_domain(
    "db.json", load_airline_data, AirlineTables, AirlineTools, AirlineTools.KINDS
)
