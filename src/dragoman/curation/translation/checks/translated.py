"""A segment beside its translation, as checks look at them."""

from functools import cached_property

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.checks.anomalies import Anomaly, anomaly
from dragoman.curation.translation.checks.expectations import LanguageExpectations, expectations_of
from dragoman.curation.translation.glossary import Glossary
from dragoman.curation.translation.protection.spans import Span, without
from dragoman.curation.translation.protection.tokens import Protection
from dragoman.curation.translation.segments import Segment
from dragoman.scoring.language_detection import Detector


class TranslationCriteria(msgspec.Struct, frozen=True):
    """What a domain's translations into one language are held to.

    Attributes:
        language: The language.
        protection: What stays in the domain's texts.
        glossary: The domain's labels in the language.
        detector: What tells languages; without it, a text in another language of the same script
            may pass.
    """

    language: Language
    protection: Protection
    glossary: Glossary
    detector: Detector | None = None


class Translated:
    """A segment, its translation with everything put back, and what is known of both."""

    def __init__(self, segment: Segment, target: str, criteria: TranslationCriteria) -> None:
        self.segment = segment
        self.source = segment.source
        self.target = target
        self.language = criteria.language
        self.protection = criteria.protection
        self.glossary = criteria.glossary
        self.detector = criteria.detector

    def anomaly(self, code: str, what: str, count: int = 1) -> Anomaly:
        """Return an anomaly of this segment."""
        return anomaly(code, self.segment.address, what, count)

    @cached_property
    def expected(self) -> LanguageExpectations:
        """What is expected of the language."""
        return expectations_of(self.language.code)

    @cached_property
    def kept(self) -> tuple[Span, ...]:
        """What must stay of the source; nothing of a stand-alone label."""
        if self.segment.mode == "label":
            return ()
        return self.protection.spans(self.source, self.segment.component, self.segment.kept)

    @cached_property
    def found(self) -> tuple[Span, ...]:
        """What the translation has of what must stay."""
        return self.protection.spans(self.target, self.segment.component, self.segment.kept)

    @cached_property
    def source_words(self) -> str:
        """The source without what must stay."""
        return without(self.source, self.kept)

    @cached_property
    def target_words(self) -> str:
        """The translation without what must stay."""
        return without(self.target, self.found)
