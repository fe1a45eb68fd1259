"""What of a domain in a language can be reviewed: the texts that the memory has, the worst first."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

import msgspec

from dragoman.curation.review.importing import Approved, Check
from dragoman.curation.review.rows import ReviewText
from dragoman.curation.translation.checks.quality import SecondOpinion, quality_of
from dragoman.curation.translation.domains import TranslationJob
from dragoman.curation.translation.judging import TranslationDesk
from dragoman.curation.translation.settling import Settled, known, remembered
from dragoman.curation.translation.units import Unit
from dragoman.store.translation_memory import MemoryEntry, TranslationMemory


class Reviewable(msgspec.Struct, frozen=True):
    """The texts of one domain in one language that a reviewer may be shown.

    Attributes:
        texts: Those that the memory has.
        untranslated: How many it has not.
        units: The texts by context and source.
        entries: What the memory has of each.
    """

    texts: tuple[ReviewText, ...]
    untranslated: int
    units: Mapping[tuple[str, str], Unit]
    entries: Mapping[tuple[str, str], MemoryEntry]

    def entry(self, text: ReviewText) -> MemoryEntry:
        """Return what the memory has of a text."""
        return self.entries[text.context, text.source]


def reviewable(job: TranslationJob, memory: TranslationMemory) -> Reviewable:
    """Return what of a job can be reviewed.

    Raises:
        StoreError: Where the memory cannot be read.
        DataError: Where its labels have no way back.
    """
    labels = known(job.labels, job.desk(), memory)
    desk = job.desk(job.glossary(labels))
    chosen = {segment.address for artifact in job.artifacts for segment in artifact.segments}
    units = [
        unit
        for unit in (*job.labels, *job.texts)
        if any(segment.address in chosen for segment in unit.segments)
    ]
    settled = labels | known(job.texts, desk, memory)
    entries = remembered(units, memory)
    files = {
        segment.address: artifact.name
        for artifact in job.domain.artifacts
        for segment in artifact.segments
    }
    texts = [
        _text(
            f"{job.domain.domain}_{files[unit.segment.address]}", settled[unit.source], entry, desk
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

    What nobody has reviewed before what somebody has, a low estimate before a high one, and of equal
    ones what stands in many places first.
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
    """Return what refuses a reviewer's text: what a machine's must not lose, a reviewer's may not.

    Labels that the memory has are taken: a correction that is another value's label is refused.
    """
    labels = known(job.labels, job.desk(), memory)
    desk = job.desk(job.glossary(labels))
    for unit in job.labels:
        entry = found.entries.get((unit.source.context, unit.source.text))
        if entry is not None:
            desk.looked_at(unit, entry.target)

    def check(text: ReviewText, target: str) -> Sequence[str]:
        unit = found.units.get((text.context, text.source)) or _part(text, found)
        return [
            f"{each.code}: {each.what}"
            for each in desk.looked_at(unit, target)
            if each.severity == "refuse"
        ]

    return check


def reviewed_entry(approved: Approved, found: Reviewable, reviewer: str, now: int) -> MemoryEntry:
    """Return what the memory is to keep of an approved text."""
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


def _text(file: str, settled: Settled, entry: MemoryEntry, desk: TranslationDesk) -> ReviewText:
    unit = settled.unit
    others = SecondOpinion(entry.quality, entry.back_translation)
    quality = quality_of(unit.segment, entry.target, settled.anomalies, desk.glossary, others)
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
    """Return a section of a document as a text of its own."""
    unit = next(
        unit
        for (context, _), unit in found.units.items()
        if context == text.context and text.place == unit.segment.address
    )
    segment = msgspec.structs.replace(unit.segment, source=text.source)
    return Unit(msgspec.structs.replace(unit.source, text=text.source), (segment,))
