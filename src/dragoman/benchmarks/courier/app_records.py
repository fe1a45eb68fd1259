"""Records of the customer's side: the phone with the app, and the locker in front of it.

The text of this module is read as the data model of translations: see `domain`.
"""

from typing import Literal

import msgspec

APP_VERSION_NEEDED = (5, 2)
NEWEST_APP = "5.4"


class Phone(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The phone. `customer_id` is the account that the app is signed in to."""

    customer_id: str = ""
    app_version: str = NEWEST_APP
    bluetooth_on: bool = True
    location_allowed: bool = True


class Visit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The customer's location, and the things that the customer sees there.

    `locker_id` is empty for a customer who is not at a locker. `label` is the number on the card or
    label in their hand; `empty_inside` names compartments that hold nothing, whatever the company
    believes.
    """

    locker_id: str = ""
    terminal: Literal["running", "frozen"] = "running"
    wrong_codes: int = 0
    open_compartment: str = ""
    empty_inside: tuple[str, ...] = ()
    label: str = ""


class Message(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A message of the company in the app."""

    title: str
    text: str


class AppFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The customer's database file."""

    phone: Phone = Phone()
    visit: Visit = Visit()
    messages: dict[str, Message] = {}
