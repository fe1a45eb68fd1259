"""Scenario values of API classes: copy-on-write state, seeded random draws, and dates.

Draws are the same in every process for the same seed.
"""

import random
import re
from datetime import datetime
from typing import Generic, TypeVar, cast

_FULL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_day(text: str) -> datetime:
    """Return the beginning of a day, or raise the error of `strptime` for any other text.

    Most dates are written in full; these are read without `strptime` in a tenth of the time.
    """
    try:
        if _FULL.fullmatch(text):
            return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        pass  # `strptime` describes the error
    return datetime.strptime(text, "%Y-%m-%d")  # noqa: DTZ007 - the reference knows no zones


class SeededRandom:
    """Draws from a seed; the first draw makes the generator, because most draw nothing."""

    __slots__ = ("_generator", "_seed")

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._generator: random.Random | None = None

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return self._started().randint(low, high)

    def uniform(self, low: float, high: float) -> float:
        """Return a number from `low` to `high`."""
        return self._started().uniform(low, high)

    def _started(self) -> random.Random:
        if self._generator is None:
            # Repeats the reference's draws.
            self._generator = random.Random(self._seed)  # noqa: S311
        return self._generator


Value = TypeVar("Value")

_HOLDING = (dict, list, set)


class CopyOnWrite(Generic[Value]):
    """A list, object or set that a scenario lends to one interface.

    `value` is for reading only. The caller may write to the result of `own()`, but must replace the
    values in it, because these are still shared.
    """

    __slots__ = ("_is_own", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        self._is_own = False

    def own(self) -> Value:
        """Return the value as this interface's own, copied if anybody else may have it."""
        if not self._is_own:
            self.value = _copy_value(self.value)
            self._is_own = True
        return self.value

    def shown(self) -> Value:
        """Return the value for anybody to keep: it will not be written to any more."""
        self._is_own = False
        return self.value


def _copy_value(value: Value) -> Value:
    return cast("Value", value.copy()) if isinstance(value, _HOLDING) else value


def deep_copy(value: Value) -> Value:
    """Return a copy of a value that shares no list, object or set with it."""
    return cast("Value", _clone_state(value))


_ATOMS = frozenset({str, int, float, bool, type(None)})


def _clone_state(value: object) -> object:
    # Most of what a state holds are texts and numbers, for which no call is made.
    if isinstance(value, dict):
        return {
            key: entry if type(entry) in _ATOMS else _clone_state(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [entry if type(entry) in _ATOMS else _clone_state(entry) for entry in value]
    if isinstance(value, set):
        return set(value)
    return value
