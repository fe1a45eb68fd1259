"""All checks of one translated text, and what runs them."""

from collections.abc import Callable, Iterator

from dragoman.curation.translation.checks import kept, language, numbers, structure, wording
from dragoman.curation.translation.checks.anomalies import Anomaly, anomaly
from dragoman.curation.translation.checks.translated import Translated, TranslationCriteria
from dragoman.curation.translation.protection.masking import PlaceholderFault
from dragoman.curation.translation.segments import Segment

Check = Callable[[Translated], Iterator[Anomaly]]
"""Yields the anomalies of one subject."""

CHECKS: tuple[Check, ...] = (
    wording.empty,
    kept.lost,
    kept.invented,
    kept.swapped,
    kept.labels,
    kept.swapped_values,
    numbers.numbers,
    structure.parts,
    structure.line_breaks,
    structure.outer_space,
    wording.hidden,
    wording.wrapped,
    wording.repeated_words,
    wording.spaces_between_han,
    wording.length,
    language.copied,
    language.residual_english,
    language.wrong_script,
    language.wrong_language,
)


def anomalies(segment: Segment, target: str, criteria: TranslationCriteria) -> tuple[Anomaly, ...]:
    """Return what is wrong with the translation of a segment, with everything put back in it."""
    text = Translated(segment, target, criteria)
    return tuple(found for check in CHECKS for found in check(text))


def fault_anomalies(segment: Segment, faults: tuple[PlaceholderFault, ...]) -> tuple[Anomaly, ...]:
    """Return the anomalies of placeholders that did not come back as often as they were given."""
    return tuple(
        anomaly(
            fault.code,
            segment.address,
            f"{fault.placeholder} ({fault.restored!r}): {fault.found} for {fault.expected}"
            if fault.restored
            else f"{fault.placeholder} was not given",
        )
        for fault in faults
    )
