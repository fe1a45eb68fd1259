"""`MessageAPI`: messages between users of a workspace."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import msgspec

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite, SeededRandom

_LOWEST_ID, _HIGHEST_ID = 10_000, 99_999
_NOT_LOGGED_IN = "No user is currently logged in."


class _Start(msgspec.Struct, frozen=True):
    seed: int
    user_count: int
    message_count: int
    inbox: list[dict[str, str]]
    user_map: dict[str, str]


@cache
def _start() -> _Start:
    text = files(__package__).joinpath("messaging.toml").read_bytes()
    return msgspec.toml.decode(text, type=_Start)


class MessageAPI:
    """The workspace of one world; its one inbox is everybody's."""

    __slots__ = ("_count", "_draws", "_ids", "_inbox", "_user", "_user_count", "_users")

    def __init__(self, scenario: Mapping[str, Any], _long: LongTexts | None) -> None:
        start = _start()
        self._ids: CopyOnWrite[set[int]] = CopyOnWrite(scenario.get("generated_ids", set()))
        self._user_count: int = scenario.get("user_count", start.user_count)
        self._users: CopyOnWrite[dict[str, str]] = CopyOnWrite(
            scenario.get("user_map", start.user_map)
        )
        self._inbox: CopyOnWrite[list[dict[str, str]]] = CopyOnWrite(
            scenario.get("inbox", start.inbox)
        )
        self._count: int = scenario.get("message_count", start.message_count)
        self._user: str | None = scenario.get("current_user")
        self._draws = SeededRandom(scenario.get("random_seed", start.seed))

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared."""
        return {
            "generated_ids": self._ids.shown(),
            "user_count": self._user_count,
            "user_map": self._users.shown(),
            "inbox": self._inbox.shown(),
            "message_count": self._count,
            "current_user": self._user,
        }

    def list_users(self) -> dict[str, object]:
        """Return the names of all users."""
        return {"user_list": list(self._users.value)}

    def get_user_id(self, user: str) -> dict[str, object]:
        """Return a user's id by name."""
        if user not in self._users.value:
            return {"error": f"User '{user}' not found in the workspace."}
        return {"user_id": self._users.value[user]}

    def message_login(self, user_id: str) -> dict[str, object]:
        """Log in as a user."""
        if user_id not in self._users.value.values():
            return {"login_status": False, "message": f"User ID '{user_id}' not found."}
        self._user = user_id
        return {"login_status": True, "message": f"User '{user_id}' logged in successfully."}

    def message_get_login_status(self) -> dict[str, object]:
        """Return whether somebody is logged in."""
        return {"login_status": bool(self._user)}

    def send_message(self, receiver_id: str, message: str) -> dict[str, object]:
        """Send a message to a user."""
        if not self._user:
            return {"error": _NOT_LOGGED_IN}
        if receiver_id not in self._users.value.values():
            return {"error": f"Receiver ID '{receiver_id}' not found."}
        message_id = self._new_id()
        self._inbox.own().append({receiver_id: message})
        self._count += 1
        return {
            "sent_status": True,
            "message_id": {"new_id": message_id},
            "message": f"Message sent to '{receiver_id}' successfully.",
        }

    def delete_message(self, receiver_id: str) -> dict[str, object]:
        """Delete the latest message to a user; of equal ones the first goes."""
        if not self._user:
            return {"error": _NOT_LOGGED_IN}
        for entry in reversed(self._inbox.value):
            if next(iter(entry), None) == receiver_id:
                self._inbox.own().remove(entry)
                return {
                    "deleted_status": True,
                    "receiver_id": receiver_id,
                    "message": f"Receiver {receiver_id}'s latest message deleted successfully.",
                }
        return {"error": f"Receiver ID {receiver_id} not found."}

    def view_messages_sent(self) -> dict[str, object]:
        """Return all messages by receiver."""
        if not self._user:
            return {"error": _NOT_LOGGED_IN}
        messages: dict[str, list[str]] = {}
        for receiver, message in self._messages():
            messages.setdefault(receiver, []).append(message)
        return {"messages": messages}

    def add_contact(self, user_name: str) -> dict[str, object]:
        """Add a user under the next id; the id is used up even where it is taken."""
        if user_name in self._users.value:
            return {"error": f"User name '{user_name}' already exists."}
        self._user_count += 1
        user_id = f"USR{self._user_count:03d}"
        if user_id in self._users.value.values():
            return {"error": f"User ID '{user_id}' already exists."}
        self._users.own()[user_name] = user_id
        return {
            "added_status": True,
            "user_id": user_id,
            "message": f"Contact '{user_name}' added successfully.",
        }

    def search_messages(self, keyword: str) -> dict[str, object]:
        """Return the messages that contain a text, in any case."""
        if not self._user:
            return {"error": _NOT_LOGGED_IN}
        lowered = keyword.lower()
        results = [
            {"receiver_id": receiver, "message": message}
            for receiver, message in self._messages()
            if lowered in message.lower()
        ]
        return {"results": results}

    def get_message_stats(self) -> dict[str, object]:
        """Return how many messages there are, and to how many users."""
        if not self._user:
            return {"error": _NOT_LOGGED_IN}
        receivers = {receiver for receiver, _ in self._messages()}
        counts = {"received_count": len(self._inbox.value), "total_contacts": len(receivers)}
        return {"stats": counts}

    def _messages(self) -> Iterator[tuple[str, str]]:
        """Yield the receiver and the text of each inbox entry.

        Of several pairs in one entry, the first counts.
        """
        for entry in self._inbox.value:
            yield from islice(entry.items(), 1)

    def _new_id(self) -> int:
        new = self._draws.whole(_LOWEST_ID, _HIGHEST_ID)
        while new in self._ids.value:
            new = self._draws.whole(_LOWEST_ID, _HIGHEST_ID)
        self._ids.own().add(new)
        return new
