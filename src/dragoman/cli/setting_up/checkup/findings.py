"""What `dragoman doctor` finds."""

from typing import Literal

import msgspec

State = Literal["ok", "missing", "wrong"]
"""`missing` is what one can do without; `wrong` is what breaks or falsifies something."""


class CheckedThing(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        part: What it belongs to: installed, keys, data, storage.
        subject: What it is called.
        state: How it stands.
        found: What was found, for people.
        todo: What to do about it; "" for nothing.
    """

    part: str
    subject: str
    state: State
    found: str
    todo: str = ""
