"""All checks of one translated text, and what runs them."""

from collections.abc import Callable, Iterator

from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.checks import whole
from dragoman.curation.translation.checks.anomalies import Anomaly, anomaly
from dragoman.curation.translation.checks.translated import Translated
from dragoman.curation.translation.glossary import Glossary
from dragoman.curation.translation.protection.masking import Fault
from dragoman.curation.translation.protection.tokens import Protection
from dragoman.curation.translation.segments import Segment

Check = Callable[[Translated], Iterator[Anomaly]]
"""Yields the anomalies of one subject."""

CHECKS: tuple[Check, ...] = (whole.empty, whole.copied)


def anomalies(
    segment: Segment,
    target: str,
    language: Language,
    protection: Protection,
    glossary: Glossary,
) -> tuple[Anomaly, ...]:
    """Return what is wrong with the translation of a segment, with everything put back in it.

    Args:
        segment: The segment.
        target: Its translation, restored.
        language: The language of the translation.
        protection: What stays in texts of the domain.
        glossary: The domain's labels in the language.
    """
    text = Translated(segment, target, language, protection, glossary)
    return tuple(found for check in CHECKS for found in check(text))


def fault_anomalies(segment: Segment, faults: tuple[Fault, ...]) -> tuple[Anomaly, ...]:
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
