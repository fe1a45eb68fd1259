"""The customer's phone and locker in one world."""

from typing import Any

from dragoman.benchmarks.courier.app_records import (
    APP_VERSION_NEEDED,
    AppFile,
    Message,
    Phone,
    Visit,
)
from dragoman.benchmarks.kit.state_shapes import SingleObject
from dragoman.benchmarks.kit.tables import SharedTable, Table, readable


class AppData:
    """The shared database."""

    def __init__(self, file: AppFile) -> None:
        self.phone = file.phone
        self.visit = file.visit
        self.messages: SharedTable[Message] = SharedTable(file.messages, readable)


class App:
    """One world's copy-on-write view of the customer's database."""

    def __init__(self, data: AppData) -> None:
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
