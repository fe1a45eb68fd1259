"""Random draws of an API class, the same in every process for the same seed."""

import random


class Draws:
    """Draws from a seed; the generator is made at the first one, as most worlds draw nothing."""

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
            self._generator = random.Random(self._seed)  # noqa: S311 - repeats the reference's draws
        return self._generator
