"""Translation job of one domain in one language: labels of values, then other texts."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from dragoman.conditions.language.artifacts import Schema, decode_artifact
from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.do_not_translate import data_of
from dragoman.curation.translation.glossary import (
    NO_GLOSSARY,
    Glossary,
    LabelRegistry,
    glossary_of,
    is_of_value_set,
)
from dragoman.curation.translation.placeholders import DoNotTranslate, find_do_not_translate
from dragoman.curation.translation.segments import (
    Artifact,
    BatchLimits,
    Component,
    Segment,
    TranslatableDomain,
    Unit,
    batches_of,
    units_of,
)
from dragoman.curation.translation.translate import (
    DomainContext,
    TranslatorConfig,
    UnitResult,
    group_identical,
    known_results,
    request_ids,
    translate_units,
    translation_request,
)
from dragoman.curation.translation.translators import Request
from dragoman.scoring.language_detection import Detector
from dragoman.store.translation_memory import SourceText, TranslationMemory


class TranslationJob(msgspec.Struct, frozen=True):
    """The translation of one domain into one language.

    Attributes:
        domain: The domain.
        source: The source language.
        language: The target language.
        do_not_translate: The terms that must stay in its texts.
        artifacts: The files to write.
        detector: The language detector; None if there is none.
    """

    domain: TranslatableDomain
    source: Language
    language: Language
    do_not_translate: DoNotTranslate
    artifacts: tuple[Artifact, ...]
    detector: Detector | None = None

    @property
    def labels(self) -> tuple[Unit, ...]:
        """The values of the domain, even if their own files are not written."""
        if not self.artifacts:
            return ()
        return self._units([each for each in self.domain.segments if is_of_value_set(each)])

    @property
    def texts(self) -> tuple[Unit, ...]:
        """All other texts in the files to write."""
        segments = [each for artifact in self.artifacts for each in artifact.segments]
        return self._units([each for each in segments if not is_of_value_set(each)])

    def domain_context(self, glossary: Glossary = NO_GLOSSARY) -> DomainContext:
        """Return the context for translating the domain, with the given labels."""
        book = LabelRegistry(self.domain.segments)
        return DomainContext(
            self.source, self.language, self.do_not_translate, glossary, book, self.detector
        )

    def glossary(self, settled: Mapping[SourceText, UnitResult]) -> Glossary:
        """Return the glossary of the settled labels; other values stay as they are."""
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
    """The plan of a job.

    Attributes:
        segments: Number of places to translate.
        texts: Number of distinct texts at these places.
        known: Number of texts that are in the memory or need no translator.
        requests: The requests, as far as their texts are known before labels are.
    """

    segments: int
    texts: int
    known: int
    requests: tuple[Request, ...]


def do_not_translate_for(domain: TranslatableDomain) -> DoNotTranslate:
    """Find the terms that must stay in a domain's texts.

    Raises:
        DataError: If a file is damaged.
    """
    return find_do_not_translate(data_of(domain.english, domain.domain))


def chosen_artifacts(
    domain: TranslatableDomain, components: Collection[Component]
) -> tuple[Artifact, ...]:
    """Return the files of some components, or all files if no component is given."""
    return tuple(
        each for each in domain.artifacts if not components or each.component in components
    )


async def translate_domain(
    job: TranslationJob, means: TranslatorConfig
) -> dict[SourceText, UnitResult]:
    """Translate a job and return the result of each text.

    Raises:
        RunHalted: If the endpoint refuses all requests or the budget is spent; earlier results are
            stored.
        StoreError: If results cannot be stored.
        DataError: If labels in the memory cannot be mapped back to values.
    """
    labels = await translate_units(job.labels, job.domain_context(), means)
    texts = await translate_units(job.texts, job.domain_context(job.glossary(labels)), means)
    return {**labels, **texts}


def plan_job(
    job: TranslationJob, limits: BatchLimits, memory: TranslationMemory | None
) -> DomainPlan:
    """Return the plan of a job; nothing is sent."""
    labels = known_results(job.labels, job.domain_context(), memory)
    domain_context = job.domain_context(job.glossary(labels))
    texts = known_results(job.texts, domain_context, memory)
    units = (*job.labels, *job.texts)
    left = [unit for unit in units if unit.source not in labels and unit.source not in texts]
    asked = [group[0] for group in group_identical(left, domain_context)]
    requests = tuple(
        translation_request(request_ids(batch), domain_context)
        for batch in batches_of(asked, limits)
    )
    segments = sum(len(unit.segments) for unit in units)
    return DomainPlan(segments, len(units), len(units) - len(left), requests)


def targets_by_address(settled: Collection[UnitResult]) -> dict[str, str]:
    """Return translations by the addresses of their segments."""
    return {
        segment.address: each.target
        for each in settled
        if each.target is not None
        for segment in each.unit.segments
    }
