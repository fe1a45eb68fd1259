"""How good a translation may be, without a model: what a reviewer should see first.

`dragoman-quality-1` is a product, of which what is refused has the lowest tenth for itself. Each anomaly
takes its weight away, one kind three times at most; terms that are not called by their label take at
most a tenth. What others say is multiplied in: the mean of a model's score and of the likeness of a
translation back to the source (chrF), of those given.
"""

import math
from collections.abc import Iterator

import msgspec

from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.curation.translation.checks.anomalies import MEANINGS, Anomaly
from dragoman.curation.translation.checks.chrf import chrf
from dragoman.curation.translation.glossary import Glossary, glossary_for
from dragoman.curation.translation.segments import Segment

VERSION = "dragoman-quality-1"
"""Changes whenever an estimate may."""

_MOST_OF_ONE = 3
_TERMS = 0.1
_REFUSED = 0.1


class SecondOpinion(msgspec.Struct, frozen=True):
    """What others say of a translation.

    Attributes:
        model_score: What a model gave it, from 0 to 1; None where none was asked.
        back_translation: It in English again; None where nobody translated it back.
    """

    model_score: float | None = None
    back_translation: str | None = None


NOBODY = SecondOpinion()
"""Nobody else was asked."""


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


class _Factor(msgspec.Struct, frozen=True):
    share: float
    reason: str


def quality_of(
    segment: Segment,
    target: str,
    found: tuple[Anomaly, ...],
    glossary: Glossary,
    others: SecondOpinion = NOBODY,
) -> Quality:
    """Return the estimate for a translation.

    Args:
        segment: The segment.
        target: Its translation.
        found: The anomalies of the translation.
        glossary: The domain's labels in the language.
        others: What others say.
    """
    factors = [
        *map(_of_anomaly, found),
        *_of_terms(segment, target, glossary),
        *_of_others(segment, others),
    ]
    product = math.prod(factor.share for factor in factors)
    is_refused = any(each.severity == "refuse" for each in found)
    score = _REFUSED * product if is_refused else _REFUSED + (1 - _REFUSED) * product
    gravest = sorted((each for each in factors if each.share < 1), key=lambda each: each.share)
    return Quality(score, tuple(each.reason for each in gravest))


def _of_anomaly(found: Anomaly) -> _Factor:
    times = min(found.count, _MOST_OF_ONE)
    return _Factor((1 - MEANINGS[found.code].weight) ** times, f"{found.code}: {found.what}")


def _of_terms(segment: Segment, target: str, glossary: Glossary) -> Iterator[_Factor]:
    terms = glossary_for(segment, glossary) if segment.mode == "text" else ()
    folded = fold_spelling(target)
    missing = [term for term in terms if fold_spelling(term.label) not in folded]
    if missing:
        named = ", ".join(f"{term.canonical!r} as {term.label!r}" for term in missing)
        yield _Factor(1 - _TERMS * len(missing) / len(terms), f"terms not found: {named}")


def _of_others(segment: Segment, others: SecondOpinion) -> Iterator[_Factor]:
    said: dict[str, float] = {}
    if others.model_score is not None:
        said["a model gives"] = min(max(others.model_score, 0.0), 1.0)
    if others.back_translation is not None:
        said["translated back, alike by"] = chrf(segment.source, others.back_translation)
    if said:
        reason = "; ".join(f"{what} {share:.2f}" for what, share in said.items())
        yield _Factor(sum(said.values()) / len(said), reason)
