"""How good a translation may be, without a model: what a reviewer should see first."""

import msgspec

from dragoman.curation.translation.checks.anomalies import Anomaly

VERSION = "dragoman-quality-1"
"""Changes whenever an estimate may."""


class Quality(msgspec.Struct, frozen=True):
    """An estimate from 0 (not to be used) to 1 (nothing found), and why it is not 1.

    Attributes:
        score: The estimate.
        reasons: What lowered it, the gravest first.
        version: The name of the definition.
    """

    score: float
    reasons: tuple[str, ...] = ()
    version: str = VERSION


def quality_of(found: tuple[Anomaly, ...], model_score: float | None = None) -> Quality:
    """Return the estimate for a translation.

    Args:
        found: Its anomalies.
        model_score: What a model gave it, from 0 to 1; None where none was asked.
    """
    score = 1.0
    for each in found:
        score *= 0.0 if each.severity == "refuse" else 0.5
    if model_score is not None:
        score = min(score, model_score)
    return Quality(score, tuple(f"{each.code}: {each.what}" for each in found))
