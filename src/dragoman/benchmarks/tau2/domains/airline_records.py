"""Records of the airline database, and lenient parsing of tool arguments into records.

Field order is output order. Arguments are read as leniently as the reference (pydantic) reads them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from dragoman.benchmarks.kit.tables import SharedTable, Table
from dragoman.benchmarks.tau2.domains.shared_records import Address, CreditCard, Name
from dragoman.core.errors import ToolError


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


_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*(\.0+)?")
_LARGEST_FLOAT = 2.0**63
_LONGEST_WHOLE = 4_300
_HELP = "For further information visit https://errors.pydantic.dev/2.14/v/"
# Longest part of a refused value that is shown, in bytes: the whole value, or its start and its
# end.
_SHOWN, _SHOWN_START, _SHOWN_END = 50, 25, 24

Fields = Mapping[str, object]


class RecordForm:
    """The fields of one record as a caller filled them in.

    A field that cannot be read counts as empty until `check` refuses the record, so that a refusal
    names everything that is wrong.
    """

    def __init__(self, fields: Fields, problems: list[str] | None = None, path: str = "") -> None:
        self._fields = fields
        self._problems = [] if problems is None else problems
        self._path = path

    def check(self, title: str) -> None:
        """Refuse the record, named by its title, if anything is wrong with it."""
        if self._problems:
            count = len(self._problems)
            heading = f"{count} validation error{'s' if count > 1 else ''} for {title}"
            raise ToolError("\n".join((heading, *self._problems)))

    def text(self, name: str) -> str:
        """Return a field that must be a string."""
        value = self._fields.get(name)
        if isinstance(value, str):
            return value
        self._refuse(name, "string_type", "Input should be a valid string")
        return ""

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return a field that must be one of a few strings."""
        value = self._fields.get(name)
        if isinstance(value, str) and value in choices:
            return value
        *others, last = map(repr, choices)
        self._refuse(name, "literal_error", f"Input should be {', '.join(others)} or {last}")
        return ""

    def whole(self, name: str) -> int:
        """Return a field that must be a whole number."""
        value = self._fields.get(name)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_FLOAT:
            return int(value)
        if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
            digits = value.strip().partition(".")[0]
            if len(digits) <= _LONGEST_WHOLE:
                return int(digits)
        self._refuse(name, *_why_not_whole(value))
        return 0

    def number(self, name: str) -> float:
        """Return a field that must be a number."""
        value = self._fields.get(name)
        wanted = "Input should be a valid number"
        if isinstance(value, str):
            try:
                return _float(value.strip())
            except ValueError:
                wanted = f"{wanted}, unable to parse string as a number"
                self._refuse(name, "float_parsing", wanted)
                return 0.0
        try:
            if isinstance(value, int | float):
                return float(value)
        except OverflowError:
            pass
        self._refuse(name, "float_type", wanted)
        return 0.0

    def records(self, name: str, title: str, parse: "Callable[[RecordForm], object]") -> None:
        """Check that a field is a list of records; objects among them count, if they parse."""
        values = self._fields.get(name)
        if not isinstance(values, list):
            self._refuse(name, "list_type", "Input should be a valid list")
            return
        for index, value in enumerate(values):
            place = f"{name}.{index}"
            if isinstance(value, dict):
                parse(RecordForm(value, self._problems, f"{place}."))
            elif not isinstance(value, msgspec.Struct):
                wanted = f"Input should be a valid dictionary or instance of {title}"
                self._problems.append(_problem(place, "model_type", wanted, value))

    def _refuse(self, name: str, kind: str, wanted: str) -> None:
        place = f"{self._path}{name}"
        if name in self._fields:
            self._problems.append(_problem(place, kind, wanted, self._fields[name]))
        else:
            self._problems.append(_problem(place, "missing", "Field required", self._fields))


def parse_flight(fields: Fields) -> FlightChoice:
    """Return the flight that a caller chose."""
    form = RecordForm(fields)
    flight = FlightChoice(form.text("flight_number"), form.text("date"))
    form.check("FlightInfo")
    return flight


def parse_passenger(fields: Fields) -> Passenger:
    """Return a passenger."""
    form = RecordForm(fields)
    passenger = read_passenger(form)
    form.check("Passenger")
    return passenger


def parse_payment(fields: Fields) -> Payment:
    """Return a payment."""
    form = RecordForm(fields)
    payment = read_payment(form)
    form.check("Payment")
    return payment


def read_passenger(form: RecordForm) -> Passenger:
    """Return a passenger, unchecked."""
    return Passenger(form.text("first_name"), form.text("last_name"), form.text("dob"))


def read_payment(form: RecordForm) -> Payment:
    """Return a payment, unchecked."""
    return Payment(form.text("payment_id"), form.whole("amount"))


def _why_not_whole(value: object) -> tuple[str, str]:
    """Return kind and wording of what is wrong with a number that is not whole."""
    wanted = "Input should be a valid integer"
    too_large = "Unable to parse input string as an integer, exceeded maximum size"
    if isinstance(value, str):
        if len(value) > _LONGEST_WHOLE:
            return "int_parsing_size", too_large
        return "int_parsing", f"{wanted}, unable to parse string as an integer"
    if not isinstance(value, float):
        return "int_type", wanted
    if value.is_integer():
        return "int_parsing_size", too_large
    if value - value != 0:  # not a number, or infinite
        return "finite_number", "Input should be a finite number"
    return "int_from_float", f"{wanted}, got a number with a fractional part"


def _float(digits: str) -> float:
    if not digits.isascii() or "__" in digits or digits != digits.strip("_"):
        raise ValueError(digits)
    return float(digits.replace("_", ""))


def _problem(place: str, kind: str, wanted: str, value: object) -> str:
    shown = f"input_value={_shorten_text(repr(value))}, input_type={type(value).__name__}"
    return f"{place}\n  {wanted} [type={kind}, {shown}]\n    {_HELP}{kind}"


def _shorten_text(text: str) -> str:
    content = text.encode("utf-8", "surrogatepass")
    if len(content) <= _SHOWN:
        return text
    start, end = content[:_SHOWN_START], content[-_SHOWN_END:]
    return f"{start.decode('utf-8', 'ignore')}...{end.decode('utf-8', 'ignore')}"
