"""Values lent by a scenario: read where they lie, copied before the first write.

A scenario belongs to all worlds of its entry, so none of them may change it; most never want to.
"""

from typing import Generic, TypeVar, cast

Value = TypeVar("Value")


class Lent(Generic[Value]):
    """A list, object or set that a scenario lends to one interface.

    `value` is for reading only; what `own()` returns may be written to.
    """

    __slots__ = ("_is_own", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        self._is_own = False

    def own(self) -> Value:
        """Return the value as this interface's own, copied at the first call."""
        if not self._is_own:
            self.value = cloned(self.value)
            self._is_own = True
        return self.value


def cloned(value: Value) -> Value:
    """Return a copy of a value that shares no list, object or set with it."""
    return cast("Value", _cloned(value))


_ATOMS = frozenset({str, int, float, bool, type(None)})


def _cloned(value: object) -> object:
    # Most of what a state holds are texts and numbers, for which no call is made.
    if isinstance(value, dict):
        return {
            key: entry if type(entry) in _ATOMS else _cloned(entry) for key, entry in value.items()
        }
    if isinstance(value, list):
        return [entry if type(entry) in _ATOMS else _cloned(entry) for entry in value]
    if isinstance(value, set):
        return set(value)
    return value
