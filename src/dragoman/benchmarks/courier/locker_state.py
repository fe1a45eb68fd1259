"""State changes of parcels, lockers and pickup codes when the agent or the customer acts.

The customer's phone and the locker are one copy-on-write database per environment.
"""

from typing import Any

from msgspec.structs import replace

from dragoman.benchmarks.courier.app_records import (
    APP_VERSION_NEEDED,
    AppFile,
    Message,
    Phone,
    Visit,
)
from dragoman.benchmarks.courier.company_database import CompanyDatabase
from dragoman.benchmarks.courier.records import Compartment, Locker, Parcel, Scan
from dragoman.benchmarks.kit.tables import SharedTable, SingleObject, Table, readable
from dragoman.core.errors import ToolError


class CustomerAppData:
    """The shared database."""

    def __init__(self, file: AppFile) -> None:
        self.phone = file.phone
        self.visit = file.visit
        self.messages: SharedTable[Message] = SharedTable(file.messages, readable)


class CustomerApp:
    """One world's copy-on-write view of the customer's database."""

    def __init__(self, data: CustomerAppData) -> None:
        self._phone: SingleObject[Phone] = SingleObject(data.phone)
        self._visit: SingleObject[Visit] = SingleObject(data.visit)
        self.messages: Table[Message] = Table(data.messages)

    @property
    def phone(self) -> Phone:
        """The phone as it is."""
        return self._phone.record

    @property
    def visit(self) -> Visit:
        """The visit at the locker as it is."""
        return self._visit.record

    def by_name(self) -> tuple[tuple[str, Any], ...]:
        """Return the parts with their names in the database, sorted by name."""
        return (("messages", self.messages), ("phone", self._phone), ("visit", self._visit))

    def set_phone(self, **fields: object) -> None:
        """Change the phone."""
        self._phone.set(**fields)

    def set_visit(self, **fields: object) -> None:
        """Change what is at the locker."""
        self._visit.set(**fields)

    def receive(self, customer_id: str, key: str, message: Message) -> bool:
        """Show a message if the app is signed in to its addressee; say whether it is."""
        if self.phone.customer_id != customer_id:
            return False
        self.messages.put(key, message)
        return True

    def why_not_connected(self) -> str:
        """Return why the app cannot reach the locker; "" where it can."""
        phone = self.phone
        if tuple(int(part) for part in phone.app_version.split(".")) < APP_VERSION_NEEDED:
            return f"app version {phone.app_version} is too old for lockers"
        if not phone.bluetooth_on:
            return "Bluetooth is off"
        return "" if phone.location_allowed else "the app may not use the location"


MOST_WRONG_CODES = 3


def put_compartment(
    office: CompanyDatabase, locker: Locker, name: str, compartment: Compartment
) -> None:
    """Replace one compartment of a locker."""
    compartments = {**locker.compartments, name: compartment}
    office.lockers.put(locker.locker_id, replace(locker, compartments=compartments))


def send_code(office: CompanyDatabase, app: CustomerApp, parcel: Parcel) -> bool:
    """Make a parcel's code valid and send it to its recipient; say whether the app shows it."""
    code = office.codes.get(parcel.tracking_number)
    if code is None:
        raise ToolError(f"{parcel.tracking_number} has no code")
    office.codes.put(parcel.tracking_number, replace(code, status="active"))
    locker = office.locker(parcel.locker_id)
    text = f"Code {code.code} for parcel {parcel.tracking_number} at {locker.name}."
    return app.receive(
        parcel.recipient_id, f"code-{parcel.tracking_number}", Message("Pick-up code", text)
    )


def reset_session(office: CompanyDatabase, app: CustomerApp, locker_id: str) -> None:
    """Reset the session of a locker's terminal; a frozen terminal must be restarted first."""
    locker = office.locker(locker_id)
    is_here = app.visit.locker_id == locker_id
    if is_here and app.visit.terminal == "frozen":
        raise ToolError(
            f"{locker_id} does not answer: its terminal must be restarted at the locker first"
        )
    if locker.session == "idle":
        raise ToolError(f"{locker_id} has no session to reset")
    office.lockers.put(locker_id, replace(locker, session="idle"))
    if is_here:
        app.set_visit(wrong_codes=0)


def count_wrong_code(office: CompanyDatabase, app: CustomerApp) -> str:
    """Count a code that opens nothing; block the terminal at the third."""
    count = app.visit.wrong_codes + 1
    app.set_visit(wrong_codes=count)
    if count < MOST_WRONG_CODES:
        return f"The display says: WRONG CODE ({count} OF {MOST_WRONG_CODES})"
    locker = office.locker(app.visit.locker_id)
    office.lockers.put(locker.locker_id, replace(locker, session="blocked"))
    return display(office, app)


def open_door(app: CustomerApp, parcel: Parcel) -> str:
    """Open the compartment of a parcel and tell what is seen."""
    app.set_visit(open_compartment=parcel.compartment, wrong_codes=0)
    if parcel.compartment in app.visit.empty_inside:
        return f"Compartment {parcel.compartment} opens. It is empty."
    return f"Compartment {parcel.compartment} opens. Your parcel is inside and you take it."


def close_door(office: CompanyDatabase, app: CustomerApp) -> str:
    """Close the open compartment; what was taken from it counts as collected."""
    name = app.visit.open_compartment
    if not name:
        raise ToolError("no compartment is open")
    locker = office.locker(app.visit.locker_id)
    compartment = locker.compartments[name]
    app.set_visit(open_compartment="")
    if name in app.visit.empty_inside:
        return f"Compartment {name} is closed."
    parcel = office.parcel(compartment.tracking_number)
    scan = Scan(office.data.now, locker.name, "collected from the locker")
    office.parcels.put(
        parcel.tracking_number,
        replace(parcel, status="collected", history=(*parcel.history, scan)),
    )
    put_compartment(office, locker, name, replace(compartment, state="free", tracking_number=""))
    return f"Compartment {name} is closed. The display says: PARCEL COLLECTED"


def display(office: CompanyDatabase, app: CustomerApp) -> str:
    """Return what the terminal in front of the customer shows."""
    visit = app.visit
    if not visit.locker_id:
        raise ToolError("you are not at a locker")
    if visit.terminal == "frozen":
        return "The display says: E7 NO RESPONSE"
    match office.locker(visit.locker_id).session:
        case "held":
            return "The display says: E12 SESSION HELD - CALL SERVICE"
        case "blocked":
            return "The display says: E20 TOO MANY WRONG CODES - CALL SERVICE"
        case "idle":
            pass
    if visit.open_compartment:
        return f"The display says: COMPARTMENT {visit.open_compartment} IS OPEN"
    return "The display says: READY - ENTER YOUR CODE"
