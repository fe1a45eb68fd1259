"""A segment beside its translation, as checks look at them."""

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.checks.anomalies import Anomaly, anomaly
from dragoman.curation.translation.glossary import Glossary
from dragoman.curation.translation.protection.tokens import Protection
from dragoman.curation.translation.segments import Segment


class Translated(msgspec.Struct, frozen=True):
    """A segment, its translation with everything put back, and what is known of both."""

    segment: Segment
    target: str
    language: Language
    protection: Protection
    glossary: Glossary

    @property
    def source(self) -> str:
        """The text in English."""
        return self.segment.source

    def anomaly(self, code: str, what: str, count: int = 1) -> Anomaly:
        """Return an anomaly of this segment."""
        return anomaly(code, self.segment.address, what, count)
