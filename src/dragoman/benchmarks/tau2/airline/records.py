"""The records of the airline database; field order is output order."""

from collections.abc import Mapping
from typing import Any

import msgspec

from dragoman.benchmarks.kit.tables import SharedTable, Table
from dragoman.benchmarks.tau2.customers import Address, CreditCard, Name


class Available(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="available"):
    """A flight on a date for which tickets are sold; seats and prices by cabin."""

    available_seats: dict[str, int]
    prices: dict[str, int]


class OnTime(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="on time"):
    """A flight on a date that will leave as planned."""

    estimated_departure_time_est: str
    estimated_arrival_time_est: str


class Delayed(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="delayed"):
    """A flight on a date that will leave later than planned."""

    estimated_departure_time_est: str
    estimated_arrival_time_est: str


class Flying(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="flying"):
    """A flight on a date that is in the air."""

    actual_departure_time_est: str
    estimated_arrival_time_est: str


class Landed(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="landed"):
    """A flight on a date that has arrived."""

    actual_departure_time_est: str
    actual_arrival_time_est: str


class Cancelled(msgspec.Struct, frozen=True, gc=False, tag_field="status", tag="cancelled"):
    """A flight on a date on which it does not fly."""


FlightOnDate = Available | OnTime | Delayed | Flying | Landed | Cancelled


class Flight(msgspec.Struct, frozen=True):
    """A scheduled flight and how it stands on each date."""

    flight_number: str
    origin: str
    destination: str
    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str
    dates: dict[str, FlightOnDate]


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A flight on a date as a search shows it."""

    flight_number: str
    origin: str
    destination: str
    status: str
    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str
    date: str | None
    available_seats: dict[str, int]
    prices: dict[str, int]


class Airport(msgspec.Struct, frozen=True, gc=False):
    """An airport that the airline serves."""

    iata: str
    city: str


class GiftCard(msgspec.Struct, frozen=True, gc=False, tag_field="source", tag="gift_card"):
    """A gift card; what it holds can be spent in parts."""

    id: str
    amount: float


class Certificate(msgspec.Struct, frozen=True, gc=False, tag_field="source", tag="certificate"):
    """A travel certificate; it is spent as a whole."""

    id: str
    amount: float


PaymentMethod = CreditCard | GiftCard | Certificate


class Passenger(msgspec.Struct, frozen=True, gc=False):
    """Somebody who travels."""

    first_name: str
    last_name: str
    dob: str


class User(msgspec.Struct, frozen=True):
    """A customer."""

    user_id: str
    name: Name
    address: Address
    email: str
    dob: str
    payment_methods: dict[str, PaymentMethod]
    saved_passengers: list[Passenger]
    membership: str
    reservations: list[str]


class FlightChoice(msgspec.Struct, frozen=True, gc=False):
    """A flight that a caller chose."""

    flight_number: str
    date: str


class ReservedFlight(msgspec.Struct, frozen=True, gc=False):
    """One flight of a reservation at the price of a seat when it was reserved."""

    flight_number: str
    origin: str
    destination: str
    date: str
    price: int


class Payment(msgspec.Struct, frozen=True, gc=False):
    """One entry of a reservation's payment history; a refund is negative."""

    payment_id: str
    amount: int


class Reservation(msgspec.Struct, frozen=True):
    """A reservation and what was paid for it."""

    reservation_id: str
    user_id: str
    origin: str
    destination: str
    flight_type: str
    cabin: str
    flights: list[ReservedFlight]
    passengers: list[Passenger]
    payment_history: list[Payment]
    created_at: str
    total_baggages: int
    nonfree_baggages: int
    insurance: str
    status: str | None = None


class AirlineFile(msgspec.Struct, frozen=True):
    """The database file."""

    flights: dict[str, Flight]
    users: dict[str, User]
    reservations: dict[str, Reservation]


class AirlineData:
    """The shared database with the timetable that searches need."""

    def __init__(self, file: AirlineFile) -> None:
        self.flights = SharedTable(file.flights)
        self.users = SharedTable(file.users)
        self.reservations = SharedTable(file.reservations)
        self.routes = _routes(file.flights)
        self.offers: dict[tuple[str, str, bool], str] = {}
        """Texts of offers as loaded, by flight, date and whether the date is shown."""


Route = tuple[str | None, str | None]
"""Origin and destination; None stands for any airport."""


def _routes(flights: Mapping[str, Flight]) -> Mapping[Route, list[str]]:
    """Return the flights of every route in the order of the file."""
    routes: dict[Route, list[str]] = {}
    for number, flight in flights.items():
        for origin in (flight.origin, None):
            for destination in (flight.destination, None):
                routes.setdefault((origin, destination), []).append(number)
    return routes


class AirlineTables:
    """One world's copy-on-write view of the database."""

    __slots__ = ("data", "flights", "reservations", "users")

    def __init__(self, data: AirlineData) -> None:
        self.data = data
        self.flights: Table[Flight] = Table(data.flights)
        self.reservations: Table[Reservation] = Table(data.reservations)
        self.users: Table[User] = Table(data.users)

    def by_name(self) -> tuple[tuple[str, Table[Any]], ...]:
        """Return the tables with their names in the database, sorted by name."""
        return (
            ("flights", self.flights),
            ("reservations", self.reservations),
            ("users", self.users),
        )
