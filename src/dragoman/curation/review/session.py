"""Review session for suites in a language: export of texts, worst first, and import."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import msgspec

from dragoman.conditions.language.languages import Language, find_language
from dragoman.config.environment import data_folder
from dragoman.core.errors import UsageError
from dragoman.curation.review.import_reviews import ApprovedText, Check, Review, review_rows
from dragoman.curation.review.rows import ReviewedRow, ReviewRow, ReviewText, rows_of
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.domain_job import (
    TranslationJob,
    chosen_artifacts,
    do_not_translate_for,
)
from dragoman.curation.translation.quality import SecondOpinion, quality_of
from dragoman.curation.translation.segments import Component, Unit
from dragoman.curation.translation.translate import (
    DomainContext,
    UnitResult,
    known_results,
    memory_results,
)
from dragoman.registry.suites import load_suite
from dragoman.store.translation_memory import MemoryEntry, ReviewRecord, TranslationMemory


class Reviewable(msgspec.Struct, frozen=True):
    """The texts of one domain in one language that a reviewer may see.

    Attributes:
        texts: Translated texts in the memory.
        untranslated: Number of texts without a translation in the memory.
        units: The texts by context and source.
        entries: The memory's entries by context and source.
    """

    texts: tuple[ReviewText, ...]
    untranslated: int
    units: Mapping[tuple[str, str], Unit]
    entries: Mapping[tuple[str, str], MemoryEntry]

    def entry(self, text: ReviewText) -> MemoryEntry:
        """Return the memory's entry of a text."""
        return self.entries[text.context, text.source]


def reviewable(job: TranslationJob, memory: TranslationMemory) -> Reviewable:
    """Return the reviewable texts of a job.

    Raises:
        StoreError: If the memory cannot be read.
        DataError: If its labels cannot be mapped back to values.
    """
    labels = known_results(job.labels, job.domain_context(), memory)
    domain_context = job.domain_context(job.glossary(labels))
    chosen = {segment.address for artifact in job.artifacts for segment in artifact.segments}
    units = [
        unit
        for unit in (*job.labels, *job.texts)
        if any(segment.address in chosen for segment in unit.segments)
    ]
    settled = labels | known_results(job.texts, domain_context, memory)
    entries = memory_results(units, memory)
    files = {
        segment.address: artifact.name
        for artifact in job.domain.artifacts
        for segment in artifact.segments
    }
    texts = [
        _text(
            f"{job.domain.domain}_{files[unit.segment.address]}",
            settled[unit.source],
            entry,
            domain_context,
        )
        for unit in units
        if (entry := entries.get(unit.source)) is not None and unit.source in settled
    ]
    return Reviewable(
        tuple(texts),
        sum(unit.source not in settled for unit in units),
        {(unit.source.context, unit.source.text): unit for unit in units},
        {(source.context, source.text): entry for source, entry in entries.items()},
    )


def worst_first(texts: Sequence[ReviewText]) -> list[ReviewText]:
    """Return texts in the order in which a reviewer's time is best spent.

    Unreviewed texts come before reviewed ones, then low estimates before high ones, and then texts
    with many occurrences before others.
    """
    return sorted(
        texts,
        key=lambda text: (
            text.is_reviewed,
            1.0 if text.quality is None else text.quality,
            -text.occurrences,
        ),
    )


def check_of(job: TranslationJob, found: Reviewable, memory: TranslationMemory) -> Check:
    """Return the check of a reviewer's texts.

    It refuses the same losses as in a machine's translation. Labels in the memory are taken into
    account: a correction that is another value's label is refused.
    """
    labels = known_results(job.labels, job.domain_context(), memory)
    domain_context = job.domain_context(job.glossary(labels))
    for unit in job.labels:
        entry = found.entries.get((unit.source.context, unit.source.text))
        if entry is not None:
            domain_context.looked_at(unit, entry.target)

    def check(text: ReviewText, target: str) -> Sequence[str]:
        unit = found.units.get((text.context, text.source)) or _part(text, found)
        return [
            f"{each.code}: {each.what}"
            for each in domain_context.looked_at(unit, target)
            if each.severity == "refuse"
        ]

    return check


def reviewed_entry(
    approved: ApprovedText, found: Reviewable, reviewer: str, now: int
) -> MemoryEntry:
    """Return the memory entry for an approved text."""
    old = found.entry(approved.text)
    notes = () if approved.read == approved.of else (f"{approved.read} of {approved.of} sections",)
    source = found.units[approved.text.context, approved.text.source].source
    return MemoryEntry(
        source,
        approved.target,
        "reviewed",
        reviewer,
        now,
        notes,
        back_translation=old.back_translation if approved.target == old.target else None,
        quality=old.quality if approved.target == old.target else None,
    )


def _text(
    file: str, settled: UnitResult, entry: MemoryEntry, domain_context: DomainContext
) -> ReviewText:
    unit = settled.unit
    others = SecondOpinion(entry.quality, entry.back_translation)
    quality = quality_of(
        unit.segment, entry.target, settled.issues, domain_context.glossary, others
    )
    return ReviewText(
        language=unit.source.target_language,
        sheet=PurePath(file).stem,
        place=unit.segment.address,
        occurrences=len(unit.segments),
        context=unit.source.context,
        source=unit.source.text,
        target=entry.target,
        is_document=unit.segment.component == "policy",
        back_translation=entry.back_translation or "",
        quality=quality.score,
        doubts="; ".join((*quality.reasons, *entry.notes)),
        is_reviewed=entry.origin == "reviewed",
    )


def _part(text: ReviewText, found: Reviewable) -> Unit:
    """Return a section of a document as a separate text."""
    unit = next(
        unit
        for (context, _), unit in found.units.items()
        if context == text.context and text.place == unit.segment.address
    )
    segment = msgspec.structs.replace(unit.segment, source=text.source)
    return Unit(msgspec.structs.replace(unit.source, text=text.source), (segment,))


SOURCE = "en"


class ReviewRequest(msgspec.Struct, frozen=True):
    """A request for a review.

    Attributes:
        suites: The names of suites.
        language: The code of the language, or its TOML file.
        memory: The translation memory.
        assets: A folder whose English files take precedence over the suites'; "" for none.
        components: The components to review; all if empty.
    """

    suites: tuple[str, ...]
    language: str
    memory: Path
    assets: str = ""
    components: tuple[Component, ...] = ()


class ImportedReview(msgspec.Struct, frozen=True):
    """The result of importing a reviewer's files: the review, and its record in the memory."""

    review: Review
    record: ReviewRecord | None


class ReviewSession:
    """A review session for suites in a language."""

    def __init__(self, asked: ReviewRequest) -> None:
        """Load the suites and languages of a request.

        Raises:
            UsageError: For a suite or language that does not exist.
            DataError: For data that are missing or damaged.
        """
        self.asked = asked
        self.language: Language = find_language(asked.language)
        self.source = find_language(SOURCE)
        if self.language.code == self.source.code:
            raise UsageError(f"--language {SOURCE}: that is the language that is translated from")
        domains = [
            domain_of(load_suite(name), data_folder(), asked.assets)
            for name in dict.fromkeys(asked.suites)
        ]
        self._jobs = [
            TranslationJob(
                domain,
                self.source,
                self.language,
                do_not_translate_for(domain),
                chosen_artifacts(domain, asked.components),
            )
            for domain in domains
        ]

    def found(self, memory: TranslationMemory) -> list[Reviewable]:
        """Return the reviewable texts in the memory, by suite.

        Raises:
            StoreError: If the memory cannot be read.
            DataError: If its labels cannot be mapped back to values.
        """
        return [reviewable(job, memory) for job in self._jobs]

    def rows(
        self, memory: TranslationMemory, *, only_new: bool = False, most: int | None = None
    ) -> Mapping[str, Sequence[ReviewRow]]:
        """Return the rows for a reviewer, by sheet, the worst first.

        Args:
            memory: The translation memory.
            only_new: Whether texts that were reviewed before are excluded.
            most: Number of texts, the worst of all sheets; None for all.

        Raises:
            UsageError: If the memory has no text to show.
            StoreError: If the memory cannot be read.
        """
        texts = [text for found in self.found(memory) for text in found.texts]
        if not texts:
            raise UsageError(
                f"{self.asked.memory} has no translation into {self.language.code} of "
                f"{', '.join(self.asked.suites)}: run dragoman translate first"
            )
        chosen = worst_first([text for text in texts if not (only_new and text.is_reviewed)])
        sheets: dict[str, list[ReviewRow]] = {text.sheet: [] for text in texts}
        for text in chosen[:most]:
            sheets[text.sheet] += rows_of(text)
        return {sheet: rows for sheet, rows in sheets.items() if rows}

    def take(
        self, files: Mapping[Path, Sequence[ReviewedRow]], reviewer: str, memory: TranslationMemory
    ) -> ImportedReview:
        """Import a reviewer's files, all of them or none.

        Raises:
            UsageError: If no row belongs to these suites and this language.
            StoreError: If the memory cannot be written.
        """
        found = self.found(memory)
        review = self._review([row for rows in files.values() for row in rows], found, memory)
        if review.gone and not review.fitting:
            raise UsageError(
                f"{', '.join(map(str, files))}: no row is of {', '.join(self.asked.suites)} into "
                f"{self.language.code} as {self.asked.memory} has it: name the suites, the "
                "language "
                "and the memory that the file was exported with"
            )
        if review.refused or not review.rows:
            return ImportedReview(review, None)
        now = int(time.time())
        holders = {(text.context, text.source): each for each in found for text in each.texts}
        entries = [
            reviewed_entry(
                approved, holders[approved.text.context, approved.text.source], reviewer, now
            )
            for approved in review.approved
        ]
        record = ReviewRecord(
            self.language.code,
            reviewer,
            ", ".join(path.name for path in files),
            hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest(),
            now,
            review.counts(),
        )
        memory.put_review(entries, record)
        return ImportedReview(review, record)

    def _review(
        self,
        rows: Sequence[ReviewedRow],
        found: Sequence[Reviewable],
        memory: TranslationMemory,
    ) -> Review:
        checks = {
            (text.context, text.place): check
            for job, each in zip(self._jobs, found, strict=True)
            for check in (check_of(job, each, memory),)
            for text in each.texts
        }
        return review_rows(
            [text for each in found for text in each.texts],
            rows,
            lambda text, target: checks[text.context, text.place](text, target),
        )
