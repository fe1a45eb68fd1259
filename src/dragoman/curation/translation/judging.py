"""What surrounds a translator: what it is shown of a text, and what is thought of its answer."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.checks.anomalies import Anomaly, anomaly
from dragoman.curation.translation.checks.checking import anomalies, fault_anomalies
from dragoman.curation.translation.checks.translated import TranslationCriteria
from dragoman.curation.translation.glossary import Glossary, glossary_for
from dragoman.curation.translation.labels import LabelBook
from dragoman.curation.translation.protection.masking import Masked, mask, restore
from dragoman.curation.translation.protection.spans import Kind
from dragoman.curation.translation.protection.tokens import Protection
from dragoman.curation.translation.translators.protocol import Item
from dragoman.curation.translation.units import Unit
from dragoman.scoring.language_detection import Detector

_NO_LABELS: frozenset[Kind] = frozenset({"id", "address", "phone"})
_DOUBTS = frozenset({"copied", "residual-english", "wrong-language"})


class Verdict(msgspec.Struct, frozen=True):
    """A translation with everything put back, and what is wrong with it."""

    text: str
    anomalies: tuple[Anomaly, ...]

    @property
    def is_refused(self) -> bool:
        """Whether it is too damaged to be used."""
        return any(found.severity == "refuse" for found in self.anomalies)

    @property
    def is_doubtful(self) -> bool:
        """Whether it may be in another language than was asked for."""
        return any(found.code in _DOUBTS for found in self.anomalies)

    @property
    def has_lost_placeholders(self) -> bool:
        """Whether placeholders did not come back as they were given."""
        return any(found.code.startswith("placeholder-") for found in self.anomalies)


class TranslationDesk(msgspec.Struct, frozen=True):
    """What is known of one domain in one language while its texts are translated.

    Attributes:
        source: The language that is translated from.
        language: The language that is translated into.
        protection: What must stay in the domain's texts.
        glossary: The labels that its values have so far.
        labels: The labels that are taken.
        detector: What tells languages; None where there is none.
    """

    source: Language
    language: Language
    protection: Protection
    glossary: Glossary
    labels: LabelBook
    detector: Detector | None = None

    def masked(self, unit: Unit) -> Masked:
        """Return a text with what must stay hidden."""
        return mask(unit.segment, self.protection, self.glossary)

    def item(self, unit: Unit, *, is_last: bool = False) -> Item:
        """Return what a translator is shown of a text; the last time, with what went wrong."""
        masked = self.masked(unit)
        if not is_last:
            return Item(masked.text, self._terms(unit))
        placeholders = tuple(slot.placeholder for slot in masked.slots)
        return Item(masked.text, self._terms(unit), placeholders, self.labels.others(unit.source))

    def judged(self, unit: Unit, answer: str) -> Verdict:
        """Return what a translator's answer comes to."""
        restored = restore(self.masked(unit), answer)
        faults = fault_anomalies(unit.segment, restored.faults)
        return Verdict(restored.text, (*faults, *self.looked_at(unit, restored.text)))

    def looked_at(self, unit: Unit, target: str) -> tuple[Anomaly, ...]:
        """Return what is wrong with a translation, whoever made it; a label is taken with it."""
        found = anomalies(unit.segment, target, self._criteria)
        if (other := self.labels.take(unit.source, target)) is None:
            return found
        shared = f"{target!r} is the label or the name of {other!r} too"
        return (*found, anomaly("label-collision", unit.segment.address, shared))

    def settled_by_itself(self, unit: Unit) -> str | None:
        """Return the translation of a text in which all must stay; None where there are words."""
        if unit.segment.mode == "label":
            return unit.source.text if self._stays(unit) else None
        masked = self.masked(unit)
        return None if masked.has_words else restore(masked, masked.text).text

    def _stays(self, unit: Unit) -> bool:
        """Whether a value is an id, an address or a number: labels are not masked, but these stay."""
        spans = self.protection.spans(unit.source.text, unit.segment.component)
        return any(
            span.kind in _NO_LABELS and span.end - span.start == len(unit.source.text)
            for span in spans
        )

    @property
    def _criteria(self) -> TranslationCriteria:
        return TranslationCriteria(self.language, self.protection, self.glossary, self.detector)

    def _terms(self, unit: Unit) -> Mapping[str, str]:
        """Return the labels of values that a text names; of two for one value both, with fields."""
        if unit.segment.mode == "label":
            return {}
        found = [
            term
            for term in glossary_for(unit.segment, self.glossary)
            if term.canonical != term.label
        ]
        counts = Counter(term.canonical for term in found)
        return {
            term.canonical
            if counts[term.canonical] == 1
            else f"{term.canonical} ({', '.join(term.fields)})": term.label
            for term in found
        }
