"""Checks of the text as a whole: that there is one, and that it is a translation."""

from collections.abc import Iterator

from dragoman.conditions.language.text_rules.scripts import has_letters
from dragoman.curation.translation.checks.anomalies import Anomaly
from dragoman.curation.translation.checks.translated import Translated


def empty(text: Translated) -> Iterator[Anomaly]:
    """Find a translation of nothing but white space."""
    if text.source.strip() and not text.target.strip():
        yield text.anomaly("empty", "nothing came back")


def copied(text: Translated) -> Iterator[Anomaly]:
    """Find a translation that is the source, where the source has words."""
    if text.source == text.target and has_letters(text.source):
        yield text.anomaly("copied", "as in English")
