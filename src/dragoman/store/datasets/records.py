"""What a dataset holds: items, and a ledger with a line for every item that a step has seen."""

from typing import Literal, TypeVar

import msgspec

from dragoman.core.errors import StoreError
from dragoman.core.texts.decoding import UNREADABLE
from dragoman.core.usage import Usage

T = TypeVar("T")

Verdict = Literal["kept", "dropped", "merged", "failed"]
"""What a step decided; `failed` is nothing decided (an endpoint that was down), to be tried again."""


class StoredItem(msgspec.Struct, frozen=True):
    """One thing in a dataset.

    Attributes:
        kind: What it is, such as "document" or "task".
        name: Its id, unique among items of its kind.
        source: Where it came from, as funnels count it; made things have that of what they were made of.
        digest: The hash of its content, in hex.
        data: Its record as JSON.
    """

    kind: str
    name: str
    source: str
    digest: str
    data: bytes

    def record(self, kind: type[T]) -> T:
        """Return what it is.

        Raises:
            StoreError: Where it is of another form.
        """
        try:
            return msgspec.json.decode(self.data, type=kind)
        except UNREADABLE as error:
            raise StoreError(f"{self.kind} {self.name!r} is damaged ({error})") from error


class NewItem(msgspec.Struct, frozen=True):
    """One thing to be stored: its record, and the names of what it stands on, as (kind, name).

    An item falls with what it stands on. `source` "" is that of the item it was made from.
    """

    kind: str
    name: str
    record: msgspec.Struct
    source: str = ""
    stands_on: tuple[tuple[str, str], ...] = ()


class StepLine(msgspec.Struct, frozen=True):
    """What a step made of an item.

    Attributes:
        step: The step's name.
        kind: The item's.
        name: The item's; what was refused before it was an item has the name of its file.
        verdict: What became of it.
        reason: Why; "" for what was kept without remark.
        source: As the funnel counts it.
        digest: Of the item and of the step's settings; an item is looked at again where it differs.
    """

    step: str
    kind: str
    name: str
    verdict: Verdict
    reason: str = ""
    source: str = ""
    digest: str = ""


class StepOutcome(msgspec.Struct, frozen=True):
    """What a step has to say of one item: a ledger line, what was made of it, and what that consumed."""

    line: StepLine
    made: tuple[NewItem, ...] = ()
    usage: tuple[Usage, ...] = ()


class FunnelCount(msgspec.Struct, frozen=True):
    """How many items of a source a step kept, dropped, merged, and could not decide on."""

    step: str
    kind: str
    source: str
    kept: int = 0
    dropped: int = 0
    merged: int = 0
    failed: int = 0

    @property
    def seen(self) -> int:
        """All of them."""
        return self.kept + self.dropped + self.merged + self.failed
