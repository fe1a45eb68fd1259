"""What `dragoman doctor` finds."""

from typing import Literal

import msgspec

State = Literal["ok", "missing", "old", "wrong"]
"""`missing` is what one can do without, `old` what may not hold any more; `wrong` breaks or falsifies something."""


class CheckedThing(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        part: What it belongs to: installed, keys, data, prices, storage, model.
        subject: What it is called.
        state: How it stands.
        found: What was found, for people.
        todo: What to do about it; "" for nothing.
        cause: Of a model: what is the matter, in one word for programs; "" for nothing.
    """

    part: str
    subject: str
    state: State
    found: str
    todo: str = ""
    cause: str = ""
