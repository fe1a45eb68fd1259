"""`TicketAPI`: a company's support tickets."""

from collections.abc import Mapping
from typing import Any

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite

Ticket = dict[str, Any]
"""A ticket as data; those of an entry may lack any field."""

_LOWEST, _HIGHEST = 1, 5
_EDITABLE = frozenset({"title", "description", "status", "priority"})


class TicketAPI:
    """Support tickets of one environment."""

    __slots__ = ("_counter", "_queue", "_user")

    def __init__(self, scenario: Mapping[str, Any], _long: LongTexts | None = None) -> None:
        self._queue: CopyOnWrite[list[Ticket]] = CopyOnWrite(scenario.get("ticket_queue", []))
        self._counter: int = scenario.get("ticket_counter", 1)
        self._user: str | None = scenario.get("current_user")

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared."""
        return {
            "ticket_queue": self._queue.shown(),
            "ticket_counter": self._counter,
            "current_user": self._user,
        }

    def create_ticket(
        self, title: str, description: str = "", priority: int = 1
    ) -> dict[str, object]:
        """Add a ticket to the queue."""
        if not self._user:
            return {"error": "User not authenticated. Please log in to create a ticket."}
        if priority < _LOWEST or priority > _HIGHEST:
            return {
                "error": f"Invalid priority. Priority must be between {_LOWEST} and {_HIGHEST}."
            }
        ticket: Ticket = {
            "id": self._counter,
            "title": title,
            "description": description,
            "status": "Open",
            "priority": priority,
            "created_by": self._user,
        }
        self._queue.own().append(ticket)
        self._counter += 1
        return ticket

    def get_ticket(self, ticket_id: int) -> dict[str, object]:
        """Return a ticket."""
        position = self._position(ticket_id)
        return _not_found(ticket_id) if position is None else self._queue.value[position]

    def close_ticket(self, ticket_id: int) -> dict[str, object]:
        """Set a ticket's status to Closed."""
        position = self._position(ticket_id)
        if position is None:
            return _not_found(ticket_id)
        if self._queue.value[position]["status"] == "Closed":
            return {"error": f"Ticket with ID {ticket_id} is already closed."}
        self._update(position, {"status": "Closed"})
        return {"status": f"Ticket {ticket_id} has been closed successfully."}

    def resolve_ticket(self, ticket_id: int, resolution: str) -> dict[str, object]:
        """Set a ticket's status to Resolved and keep how it was resolved."""
        position = self._position(ticket_id)
        if position is None:
            return _not_found(ticket_id)
        if self._queue.value[position]["status"] == "Resolved":
            return {"error": f"Ticket with ID {ticket_id} is already resolved."}
        self._update(position, {"status": "Resolved", "resolution": resolution})
        return {"status": f"Ticket {ticket_id} has been resolved successfully."}

    def edit_ticket(self, ticket_id: int, updates: dict[str, object]) -> dict[str, object]:
        """Change some fields of a ticket; null values change nothing."""
        position = self._position(ticket_id)
        if position is None:
            return _not_found(ticket_id)
        fields = updates.keys()
        unknown = [field for field in fields if field not in _EDITABLE]
        if unknown:
            # The reference lists them in the order of a set, which differs between processes.
            return {"error": f"Invalid fields for update: {', '.join(unknown)}"}
        given = {field: value for field, value in updates.items() if value is not None}
        self._update(position, given)
        return {"status": f"Ticket {ticket_id} has been updated successfully."}

    def ticket_login(self, username: str, password: str) -> dict[str, object]:
        """Log in with any name and password that are not empty."""
        if not (username and password):
            return {"success": False}
        self._user = username
        return {"success": True}

    def ticket_get_login_status(self) -> dict[str, object]:
        """Return whether somebody is logged in."""
        return {"login_status": bool(self._user)}

    def logout(self) -> dict[str, object]:
        """Log out the current user."""
        if not self._user:
            return {"success": False}
        self._user = None
        return {"success": True}

    def get_user_tickets(self, status: str | None = None) -> list[dict[str, object]]:
        """Return the tickets of the current user, only those of one status if it is given."""
        if not self._user:
            return [{"error": "User not authenticated. Please log in to view tickets."}]
        own = [ticket for ticket in self._queue.value if ticket["created_by"] == self._user]
        if not status:
            return own
        return [ticket for ticket in own if ticket["status"].lower() == status.lower()]

    def _update(self, position: int, fields: Mapping[str, object]) -> None:
        queue = self._queue.own()
        queue[position] = {**queue[position], **fields}

    def _position(self, ticket_id: int) -> int | None:
        for position, ticket in enumerate(self._queue.value):
            if ticket["id"] == ticket_id:
                return position
        return None


def _not_found(ticket_id: int) -> dict[str, object]:
    return {"error": f"Ticket with ID {ticket_id} not found."}
