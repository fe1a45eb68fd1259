"""Translation quality without a model: QA checks, chrF, and an estimate for reviews.

The estimate orders the texts of a review, the worst first.

`dragoman-quality-1` is a product; refused texts have the lowest tenth for themselves. Each issue
reduces the estimate by its weight, issues of one kind at most three times. Terms without their
label reduce it by at most a tenth. Second opinions are multiplied in: the mean of the available
ones of the score of a model and the chrF of a back-translation. chrF is that of Popovic, "chrF:
character n-gram F-score for automatic MT evaluation", WMT 2015, with its usual settings: n-grams of
one to six characters without white space, recall counting twice.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.curation.translation import qa_checks
from dragoman.curation.translation.glossary import Glossary, glossary_for
from dragoman.curation.translation.placeholders import PlaceholderFault
from dragoman.curation.translation.qa_issues import (
    MEANINGS,
    QaIssue,
    SegmentPair,
    TranslationCriteria,
    qa_issue,
)
from dragoman.curation.translation.segments import Segment

_LONGEST = 6
_BETA = 2


def chrf(reference: str, text: str) -> float:
    """Return the chrF of a text against a reference, from 0 to 1; two empty texts have 1."""
    wanted, given = "".join(reference.split()), "".join(text.split())
    if wanted == given:
        return 1.0
    precisions: list[float] = []
    recalls: list[float] = []
    for size in range(1, _LONGEST + 1):
        had, has = _grams(wanted, size), _grams(given, size)
        if had and has:
            common = (had & has).total()
            precisions.append(common / has.total())
            recalls.append(common / had.total())
    if not any(precisions):
        return 0.0
    precision, recall = (sum(each) / len(each) for each in (precisions, recalls))
    return (1 + _BETA**2) * precision * recall / (_BETA**2 * precision + recall)


def _grams(text: str, size: int) -> Counter[str]:
    return Counter(text[at : at + size] for at in range(len(text) - size + 1))


VERSION = "dragoman-quality-1"
"""The version of the definition; it changes whenever an estimate may change."""

_MOST_OF_ONE = 3
_TERMS = 0.1
_REFUSED = 0.1


class SecondOpinion(msgspec.Struct, frozen=True):
    """Second opinions on a translation.

    Attributes:
        model_score: The score by a model, from 0 to 1; None if no model was asked.
        back_translation: The back-translation into English; None if there is none.
    """

    model_score: float | None = None
    back_translation: str | None = None


NOBODY = SecondOpinion()
"""No second opinions."""


class Quality(msgspec.Struct, frozen=True):
    """An estimate from 0 (unusable) to 1 (no issue found), and the reasons for a lower one.

    Attributes:
        score: The estimate.
        reasons: The reasons that lowered it, the gravest first.
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
    found: tuple[QaIssue, ...],
    glossary: Glossary,
    others: SecondOpinion = NOBODY,
) -> Quality:
    """Return the estimate for a translation.

    Args:
        segment: The segment.
        target: Its translation.
        found: The issues of the translation.
        glossary: The domain's labels in the language.
        others: Second opinions.
    """
    factors = [
        *map(_of_issue, found),
        *_of_terms(segment, target, glossary),
        *_of_others(segment, others),
    ]
    product = math.prod(factor.share for factor in factors)
    is_refused = any(each.severity == "refuse" for each in found)
    score = _REFUSED * product if is_refused else _REFUSED + (1 - _REFUSED) * product
    gravest = sorted((each for each in factors if each.share < 1), key=lambda each: each.share)
    return Quality(score, tuple(each.reason for each in gravest))


def _of_issue(found: QaIssue) -> _Factor:
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


Check = Callable[[SegmentPair], Iterator[QaIssue]]
"""A check that yields the issues of one subject."""

CHECKS: tuple[Check, ...] = (
    qa_checks.check_empty,
    qa_checks.check_lost,
    qa_checks.check_invented,
    qa_checks.check_swapped,
    qa_checks.check_labels,
    qa_checks.check_swapped_values,
    qa_checks.check_numbers,
    qa_checks.check_parts,
    qa_checks.check_line_breaks,
    qa_checks.check_outer_space,
    qa_checks.check_hidden,
    qa_checks.check_wrapped,
    qa_checks.check_repeated_words,
    qa_checks.check_spaces_between_han,
    qa_checks.check_length,
    qa_checks.check_copied,
    qa_checks.check_residual_english,
    qa_checks.check_wrong_script,
    qa_checks.check_wrong_language,
)


def run_qa_checks(
    segment: Segment, target: str, criteria: TranslationCriteria
) -> tuple[QaIssue, ...]:
    """Return the issues of a segment's restored translation."""
    text = SegmentPair(segment, target, criteria)
    return tuple(found for check in CHECKS for found in check(text))


def placeholder_issues(
    segment: Segment, faults: tuple[PlaceholderFault, ...]
) -> tuple[QaIssue, ...]:
    """Return the issues of placeholders that did not come back as often as given."""
    return tuple(
        qa_issue(
            fault.code,
            segment.address,
            f"{fault.placeholder} ({fault.restored!r}): {fault.found} for {fault.expected}"
            if fault.restored
            else f"{fault.placeholder} was not given",
        )
        for fault in faults
    )
