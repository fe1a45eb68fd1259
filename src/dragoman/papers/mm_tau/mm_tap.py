"""The composite score mm-tap of MM-tau-p2 (its equation 1), made of derived metrics."""

from collections.abc import Mapping, Sequence

import msgspec

from dragoman.analysis.intervals import Interval, drawn_sums
from dragoman.analysis.rater_agreement import percentile_interval
from dragoman.core.errors import UsageError
from dragoman.papers.mm_tau.metrics import Sums

_PARTS_OF_MEAN = 3
_ONE_WITHIN = 1e-9

_PARTS = {
    "cfa": "CFA",
    "pass_1": "pass^1",
    "mrs": "MRS",
    "arga": "ARGA",
    "err": "ERR",
    "te": "TE",
    "ues": "UES",
    "to": "TO",
    "ias": "IAS",
}
"""The metrics that mm-tap is made of, by its names for them."""


class MmTapWeights(msgspec.Struct, frozen=True):
    """Weights of the parts of mm-tap; their sum is 1.

    Attributes:
        goal: Of critical field accuracy times pass^1 (alpha in the source).
        robustness: Of modality robustness, goals despite recognition errors, and recovery (beta).
        efficiency: Of turn efficiency, user effort and turn overhead (gamma).
        safety: Of irreversible action safety (delta).

    Raises:
        UsageError: If one is negative, or they do not sum to 1.
    """

    goal: float = 0.35
    robustness: float = 0.35
    efficiency: float = 0.2
    safety: float = 0.1

    def __post_init__(self) -> None:
        weights = msgspec.structs.astuple(self)
        total = sum(weights)
        if min(weights) < 0 or not abs(total - 1) < _ONE_WITHIN:
            shown = ", ".join(f"{weight:g}" for weight in weights)
            raise UsageError(
                f"mm-tap weights {shown} sum to {total:g}: give four, none below 0, that sum to 1"
            )


class MmTapParts(msgspec.Struct, frozen=True):
    """The metrics that mm-tap is made of, by their names in the source.

    Attributes:
        cfa: Critical field accuracy.
        pass_1: pass^1 by voice.
        mrs: Modality robustness score.
        arga: Goals achieved despite recognition errors.
        err: Error recovery rate.
        te: Turn efficiency.
        ues: User effort score.
        to: Turn overhead; above -1.
        ias: Irreversible action safety.
    """

    cfa: float
    pass_1: float
    mrs: float
    arga: float
    err: float
    te: float
    ues: float
    to: float
    ias: float

    def __post_init__(self) -> None:
        if self.to <= -1:
            raise UsageError(f"turn overhead {self.to:g}: it must be above -1")
        if self.ues < 0:
            raise UsageError(f"user effort {self.ues:g}: it is a count, so at least 0")

    def clipped(self) -> "MmTapParts":
        """Return these with robustness at most 1 and overhead at least 0."""
        return msgspec.structs.replace(self, mrs=min(self.mrs, 1.0), to=max(self.to, 0.0))


def mm_tap(parts: MmTapParts, weights: MmTapWeights | None = None) -> float:
    """Return mm-tap of metrics as they are; clip them before where that is wanted."""
    weighed = weights or MmTapWeights()
    robustness = (parts.mrs + parts.arga + parts.err) / _PARTS_OF_MEAN
    efficiency = (parts.te + 1 / (1 + parts.ues) + 1 / (1 + parts.to)) / _PARTS_OF_MEAN
    return (
        weighed.goal * parts.cfa * parts.pass_1
        + weighed.robustness * robustness
        + weighed.efficiency * efficiency
        + weighed.safety * parts.ias
    )


class Composite(msgspec.Struct, frozen=True):
    """mm-tap of one cell.

    Attributes:
        value: Of the metrics as they are; None where one is missing.
        clipped: Of metrics that are held within their ideals.
        lacks: The missing metrics, if the value is None.
        interval: 95 % of `value`, by bootstrap over tasks; None where too many draws have none.
        clipped_interval: That of `clipped`.
        tasks: Number of tasks that its metrics have together.
    """

    value: float | None = None
    clipped: float | None = None
    lacks: tuple[str, ...] = ()
    interval: Interval | None = None
    clipped_interval: Interval | None = None
    tasks: int = 0


def composite(
    metrics: Mapping[str, float | None],
    sums: Mapping[str, Sums],
    weights: MmTapWeights,
) -> Composite:
    """Return mm-tap of one cell's metrics, with the interval that follows when tasks are drawn.

    Args:
        metrics: Their values.
        sums: The contributions of each task to them: all metrics of a task are drawn together.
        weights: Of the parts.
    """
    values = {part: metrics[name] for part, name in _PARTS.items()}
    known = {part: value for part, value in values.items() if value is not None}
    lacks = tuple(name for part, name in _PARTS.items() if part not in known)
    if lacks:
        return Composite(lacks=lacks)
    parts = MmTapParts(**known)
    tasks = list(dict.fromkeys(task for name in _PARTS.values() for task in sums[name].tasks))
    drawn = _bootstrap_parts(sums, tasks)
    return Composite(
        mm_tap(parts, weights),
        mm_tap(parts.clipped(), weights),
        (),
        _interval([mm_tap(each, weights) for each in drawn]),
        _interval([mm_tap(each.clipped(), weights) for each in drawn]),
        len(tasks),
    )


def _bootstrap_parts(sums: Mapping[str, Sums], tasks: Sequence[str]) -> list[MmTapParts]:
    """Return the metrics of bootstrap draws of tasks.

    Draws in which a metric is not defined are excluded.
    """
    import numpy as np

    found = [sums[name] for name in _PARTS.values()]
    rows = [
        tuple(each for part in found for each in part.tasks.get(task, (0.0, 0.0))) for task in tasks
    ]
    drawn = drawn_sums(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = [
            drawn[:, 2 * at] / drawn[:, 2 * at + 1] - part.less for at, part in enumerate(found)
        ]
    values = np.stack(columns, axis=1)
    overhead = list(_PARTS).index("to")
    is_defined = np.isfinite(values).all(axis=1) & (values[:, overhead] > -1)
    return [MmTapParts(*map(float, row)) for row in values[is_defined]]


def _interval(drawn: Sequence[float]) -> Interval | None:
    if not drawn or min(drawn) == max(drawn):
        return None
    return percentile_interval(drawn)
