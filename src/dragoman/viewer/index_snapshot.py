"""A cache of values that are computed from one version of a run's index."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar, cast

from dragoman.store.run_index import RunIndex

Computed = TypeVar("Computed")
Given = ParamSpec("Given")

Compute = Callable[Concatenate[RunIndex, Given], Computed]
"""A function that computes a value from an index; its result must not be changed."""

MOST_VALUES = 64
"""Maximum number of values that are kept; the counts of each search are one value."""


class SnapshotCache:
    """A cache of values of the newest version of an index, for all threads that read it.

    Every page of a run needs the same decoded filter fields, counts and figures. They change only
    when the index changes.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._version = b""
        self._values: OrderedDict[Hashable, object] = OrderedDict()

    def value(
        self,
        index: RunIndex,
        version: bytes,
        compute: Compute[Given, Computed],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Computed:
        """Return a value of this version of the index; compute it if it is not known.

        Args:
            index: The index, inside a block that reads one version of it.
            version: The version.
            compute: The function that computes the value.
            given: Further arguments of the function; all of them together identify the value.
            named: Further arguments by name.
        """
        key = (compute, given, tuple(named.items()))
        with self._lock:
            if version == self._version and key in self._values:
                self._values.move_to_end(key)
                return cast("Computed", self._values[key])
        made = compute(index, *given, **named)
        with self._lock:
            if version != self._version:
                self._version, self._values = version, OrderedDict()
            self._values[key] = made
            while len(self._values) > MOST_VALUES:
                self._values.popitem(last=False)
        return made
