"""The result of a training: weights, steps, usage and cost, stored for later commands."""

import math
from collections.abc import Iterator
from pathlib import Path

import msgspec

from dragoman.core.errors import UsageError
from dragoman.core.texts.decoding import DECODING_ERRORS
from dragoman.finetuning.progress import clock
from dragoman.store.atomic_files import atomic_write
from dragoman.store.training_results import RESULT, TrainingResult, TrainingUse

HOUR = 3600.0
"""In seconds."""


def read_result(out: Path, identity: str) -> TrainingResult | None:
    """Return what came of a training that is done; None where this one was not done there."""
    try:
        found = msgspec.json.decode((out / RESULT).read_bytes(), type=TrainingResult)
    except (OSError, *DECODING_ERRORS):
        return None
    return found if found.identity == identity else None


def with_price(trained: TrainingResult, price_per_hour: float | None) -> TrainingResult:
    """Return a training at the price of an hour that is stated; at its own where none is."""
    if price_per_hour is None:
        return trained
    cost = None if trained.used is None else trained.used.seconds / HOUR * price_per_hour
    return msgspec.structs.replace(trained, price_per_hour=price_per_hour, cost=cost)


def require_price(price_per_hour: float | None) -> None:
    """Refuse a value that is not a price.

    Raises:
        UsageError: If the value is not a price; the message says how to write one.
    """
    if price_per_hour is not None and not (math.isfinite(price_per_hour) and price_per_hour >= 0):
        raise UsageError(
            f"--price-per-hour {price_per_hour}: write what the machine costs in US dollars, such "
            "as 2.50"
        )


def describe_use(trained: TrainingResult) -> str:
    """Return the usage and the cost of a training, in words."""
    used = trained.used
    if used is None:
        return "its usage is unknown"
    tokens = "tokens unknown" if used.tokens is None else f"{used.tokens:,} tokens read"
    return f"{tokens} in {clock(used.seconds)}, {_cost_in_words(trained)}"


def _cost_in_words(trained: TrainingResult) -> str:
    if trained.cost is None:
        return "cost unknown (--price-per-hour states what the machine costs)"
    return f"cost {trained.cost:.4f} USD at {trained.price_per_hour:,} USD an hour"


class UsedStep(msgspec.Struct, frozen=True):
    """The usage of a training's process up to one step."""

    process: int
    step: int
    seconds: float
    tokens: int | None = None


class UseFile:
    """The usage of each process of a training, step by step: it cannot be measured again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = 0

    def begin(self) -> None:
        """Continue after earlier processes, and remove a half-written last line."""
        kept = list(self._steps())
        self._process = max((each.process for each in kept), default=0) + 1
        atomic_write(self._path, (msgspec.json.encode(each) + b"\n" for each in kept))

    def add(self, step: int, seconds: float, tokens: int | None) -> None:
        """Write the usage of this process so far."""
        line = UsedStep(self._process, step, seconds, tokens)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def total(self) -> TrainingUse:
        """Return the usage of all processes."""
        last = {each.process: each for each in self._steps()}
        tokens = [each.tokens for each in last.values()]
        known = [count for count in tokens if count is not None]
        return TrainingUse(
            sum(each.seconds for each in last.values()),
            sum(known) if len(known) == len(tokens) else None,
        )

    def _steps(self) -> Iterator[UsedStep]:
        for line in self._path.read_bytes().splitlines() if self._path.is_file() else ():
            try:
                yield msgspec.json.decode(line, type=UsedStep)
            except DECODING_ERRORS:
                return
