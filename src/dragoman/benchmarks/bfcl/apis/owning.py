"""Values lent by a scenario: read where they lie, copied before the first write.

A scenario belongs to all worlds of its entry, so none of them may change it; most never want to. What
an interface shows of its state is lent again, so that it stays what it was for whoever keeps it.
"""

from typing import Generic, TypeVar, cast

Value = TypeVar("Value")

_HOLDING = (dict, list, set)


class Lent(Generic[Value]):
    """A list, object or set that a scenario lends to one interface.

    `value` is for reading only. What `own()` returns may be written to, but not what lies in it, which
    is still shared: it is replaced.
    """

    __slots__ = ("_is_own", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        self._is_own = False

    def own(self) -> Value:
        """Return the value as this interface's own, copied if anybody else may have it."""
        if not self._is_own:
            self.value = _copied(self.value)
            self._is_own = True
        return self.value

    def shown(self) -> Value:
        """Return the value for anybody to keep: it will not be written to any more."""
        self._is_own = False
        return self.value


def _copied(value: Value) -> Value:
    return cast("Value", value.copy()) if isinstance(value, _HOLDING) else value


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
