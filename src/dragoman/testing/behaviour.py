"""How a model server behaves, as one record: in Python, or as a file of JSON."""

from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.testing.capacity import Capacity
from dragoman.testing.chat_requests import Checks
from dragoman.testing.faults import BatchFaults, Faults

Kind = TypeVar("Kind", bound=msgspec.Struct)


class Behaviour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a server but its answers; without arguments, a server that behaves.

    Args:
        faults: What goes wrong.
        capacity: What the server can take.
        checks: What it insists on.
        batches: What goes wrong with batches.
        seed: Another one draws other faults and other latencies.
    """

    faults: Faults = Faults()
    capacity: Capacity = Capacity()
    checks: Checks = Checks()
    batches: BatchFaults = BatchFaults()
    seed: int = 0


def load_behaviour(path: Path, kind: type[Kind]) -> Kind:
    """Read a behaviour of a server from a file of JSON.

    Raises:
        UsageError: Where the file cannot be read or says something else.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise UsageError(f"faults {path}: {error.strerror}") from error
    except DECODING_ERRORS as error:
        raise UsageError(f"faults {path}: {error}") from error
