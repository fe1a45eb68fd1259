"""What a person is told while a model is trained: step, loss, and the time that is left."""

import time
from collections.abc import Callable


class TrainingProgress:
    """Says how far a training is.

    Args:
        say: Gets one line at a time.
        every: Seconds between lines; the first and the last step are always told.
    """

    def __init__(self, say: Callable[[str], None], every: float = 5.0) -> None:
        self._say = say
        self._every = every
        self._begun = self._ended = time.monotonic()
        self._first: int | None = None
        self._said = float("-inf")

    @property
    def seconds(self) -> float:
        """How long the training has taken, in this process."""
        return self._ended - self._begun

    def note(self, line: str) -> None:
        """Say something beside the steps."""
        self._say(line)

    def begins(self) -> None:
        """Start the clock."""
        self._begun = self._ended = time.monotonic()

    def step(self, step: int, steps: int, loss: float) -> None:
        """Take the loss of a step."""
        self._ended = now = time.monotonic()
        if self._first is None:
            self._first = step - 1
        left = (now - self._begun) / (step - self._first) * (steps - step)
        if step == steps or now - self._said >= self._every:
            self._said = now
            self._say(f"step {step}/{steps}  loss {loss:.4f}  {clock(left)} left")


def clock(seconds: float) -> str:
    """Return seconds as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
