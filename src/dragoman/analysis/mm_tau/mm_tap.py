"""mm-tap, the composite score of MM-tau-p2 (its equation 1), of metrics that were derived before.

The source clips nothing: a modality robustness above 1 makes up for other faults, and a turn overhead
near -1 makes the score as large as one likes. `clipped` holds both within their ideal first: robustness
at most 1, overhead at least 0. What went in stays beside the score in any case.
"""

import msgspec

from dragoman.core.errors import UsageError

_PARTS_OF_MEAN = 3
_ONE_WITHIN = 1e-9


class MmTapWeights(msgspec.Struct, frozen=True):
    """How much each part of mm-tap weighs; together 1.

    Attributes:
        goal: Of critical field accuracy times pass^1 (alpha in the source).
        robustness: Of modality robustness, goals despite recognition errors, and recovery (beta).
        efficiency: Of turn efficiency, user effort and turn overhead (gamma).
        safety: Of irreversible action safety (delta).

    Raises:
        UsageError: Where one is negative, or they do not sum to 1.
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
            raise UsageError(f"turn overhead {self.to:g}: there are no turns below -1")
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
