"""A domain on its way into a language: its labels first, then everything that is said with them."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from dragoman.conditions.language.artifacts import Schema, decode_artifact
from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.glossary import NO_GLOSSARY, Glossary, glossary_of
from dragoman.curation.translation.judging import TranslationDesk
from dragoman.curation.translation.labels import LabelBook, is_of_value_set
from dragoman.curation.translation.protection.domain import data_of
from dragoman.curation.translation.protection.tokens import Protection, protection_of
from dragoman.curation.translation.segments import (
    Artifact,
    Component,
    Segment,
    TranslatableDomain,
)
from dragoman.curation.translation.settling import (
    Settled,
    TranslationMeans,
    alike,
    ids_of,
    known,
    request_of,
    settle,
)
from dragoman.curation.translation.translators.protocol import Request
from dragoman.curation.translation.units import BatchLimits, Unit, batches_of, units_of
from dragoman.scoring.language_detection import Detector
from dragoman.store.translation_memory import SourceText, TranslationMemory


class TranslationJob(msgspec.Struct, frozen=True):
    """One domain that is to be had in one language.

    Attributes:
        domain: The domain.
        source: The language that it is in.
        language: The language that it is to be in.
        protection: What must stay in its texts.
        artifacts: Those of its files that are to be written.
        detector: What tells languages; None where there is none.
    """

    domain: TranslatableDomain
    source: Language
    language: Language
    protection: Protection
    artifacts: tuple[Artifact, ...]
    detector: Detector | None = None

    @property
    def labels(self) -> tuple[Unit, ...]:
        """The values of the domain, whether or not their own files are among those to be written."""
        if not self.artifacts:
            return ()
        return self._units([each for each in self.domain.segments if is_of_value_set(each)])

    @property
    def texts(self) -> tuple[Unit, ...]:
        """All else in the files that are to be written."""
        segments = [each for artifact in self.artifacts for each in artifact.segments]
        return self._units([each for each in segments if not is_of_value_set(each)])

    def desk(self, glossary: Glossary = NO_GLOSSARY) -> TranslationDesk:
        """Return what is known before anything is translated, with the labels there are."""
        book = LabelBook(self.domain.segments)
        return TranslationDesk(
            self.source, self.language, self.protection, glossary, book, self.detector
        )

    def glossary(self, settled: Mapping[SourceText, Settled]) -> Glossary:
        """Return the glossary of the labels that are settled; the others stay as they are."""
        texts = targets_by_address(settled.values())
        schemas = {
            artifact.name: decode_artifact(artifact.written(texts), Schema, artifact.name)
            for artifact in self.domain.artifacts
            if artifact.component == "schema"
        }
        return glossary_of(schemas, f"{self.domain.domain}/{self.language.code}")

    def _units(self, segments: Sequence[Segment]) -> tuple[Unit, ...]:
        return units_of(segments, self.source.code, self.language.code)


class DomainPlan(msgspec.Struct, frozen=True):
    """What a job would have to ask.

    Attributes:
        segments: How many places there are to translate.
        texts: The distinct texts among them.
        known: How many of these the memory has, or need no translator.
        requests: The requests, as far as their texts are known before labels are.
    """

    segments: int
    texts: int
    known: int
    requests: tuple[Request, ...]


def protection_for(domain: TranslatableDomain) -> Protection:
    """Find what must stay in a domain's texts.

    Raises:
        DataError: Where a file is damaged.
    """
    return protection_of(data_of(domain.english, domain.domain))


def chosen_artifacts(
    domain: TranslatableDomain, components: Collection[Component]
) -> tuple[Artifact, ...]:
    """Return the files of some components; of all where none is named."""
    return tuple(
        each for each in domain.artifacts if not components or each.component in components
    )


async def translate_domain(
    job: TranslationJob, means: TranslationMeans
) -> dict[SourceText, Settled]:
    """Return how each text of a job ended.

    Raises:
        RunHalted: Where nothing more may be asked; what came until then is kept.
        StoreError: Where it cannot be kept.
        DataError: Where labels of the memory have no way back.
    """
    labels = await settle(job.labels, job.desk(), means)
    texts = await settle(job.texts, job.desk(job.glossary(labels)), means)
    return {**labels, **texts}


def planned(
    job: TranslationJob, limits: BatchLimits, memory: TranslationMemory | None
) -> DomainPlan:
    """Return what a job would have to ask; nothing is sent."""
    labels = known(job.labels, job.desk(), memory)
    desk = job.desk(job.glossary(labels))
    texts = known(job.texts, desk, memory)
    units = (*job.labels, *job.texts)
    left = [unit for unit in units if unit.source not in labels and unit.source not in texts]
    asked = [group[0] for group in alike(left, desk)]
    requests = tuple(request_of(ids_of(batch), desk) for batch in batches_of(asked, limits))
    segments = sum(len(unit.segments) for unit in units)
    return DomainPlan(segments, len(units), len(units) - len(left), requests)


def targets_by_address(settled: Collection[Settled]) -> dict[str, str]:
    """Return translations by the addresses of the segments that have them."""
    return {
        segment.address: each.target
        for each in settled
        if each.target is not None
        for segment in each.unit.segments
    }
