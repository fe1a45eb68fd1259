"""Reviews of suites in a language: out of the memory to a reviewer, and back."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.conditions.language.languages import Language, find_language
from dragoman.config.environment import data_folder
from dragoman.core.errors import UsageError
from dragoman.curation.review.importing import Review, reviewed
from dragoman.curation.review.rows import ReviewedRow, ReviewRow, rows_of
from dragoman.curation.review.texts import (
    Reviewable,
    check_of,
    reviewable,
    reviewed_entry,
    worst_first,
)
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.domains import TranslationJob, chosen_artifacts, protection_for
from dragoman.curation.translation.segments import Component
from dragoman.registry.suites import load_suite
from dragoman.store.translation_memory import ReviewRecord, TranslationMemory

SOURCE = "en"


class ReviewRequest(msgspec.Struct, frozen=True):
    """What is to be reviewed.

    Attributes:
        suites: The names of suites.
        language: The code of the language, or its TOML file.
        memory: The translation memory.
        assets: A folder whose English files come before the suites'; "" for none.
        components: Only texts of these; all where none is named.
    """

    suites: tuple[str, ...]
    language: str
    memory: Path
    assets: str = ""
    components: tuple[Component, ...] = ()


class ImportedReview(msgspec.Struct, frozen=True):
    """What became of a reviewer's files: the review, and what stands in the memory afterwards."""

    review: Review
    record: ReviewRecord | None


class Reviewing:
    """What can be reviewed of suites in a language."""

    def __init__(self, asked: ReviewRequest) -> None:
        """Load what a request names.

        Raises:
            UsageError: For a suite or language that does not exist.
            DataError: For data that are missing or damaged.
        """
        self.asked = asked
        self.language: Language = find_language(asked.language)
        self.source = find_language(SOURCE)
        if self.language.code == self.source.code:
            raise UsageError(f"--to {SOURCE}: that is the language that is translated from")
        domains = [
            domain_of(load_suite(name), data_folder(), asked.assets)
            for name in dict.fromkeys(asked.suites)
        ]
        self._jobs = [
            TranslationJob(
                domain,
                self.source,
                self.language,
                protection_for(domain),
                chosen_artifacts(domain, asked.components),
            )
            for domain in domains
        ]

    def found(self, memory: TranslationMemory) -> list[Reviewable]:
        """Return what the memory has, by suite.

        Raises:
            StoreError: Where the memory cannot be read.
            DataError: Where its labels have no way back.
        """
        return [reviewable(job, memory) for job in self._jobs]

    def rows(
        self, memory: TranslationMemory, *, only_new: bool = False, most: int | None = None
    ) -> Mapping[str, Sequence[ReviewRow]]:
        """Return what a reviewer is shown, by sheet, the worst first.

        Args:
            memory: The translation memory.
            only_new: Whether texts that somebody has reviewed are left out.
            most: How many texts are shown, the worst of all sheets; None for all.

        Raises:
            UsageError: Where there is nothing to show.
            StoreError: Where the memory cannot be read.
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
        """Take what a reviewer says, all of it or nothing.

        Raises:
            UsageError: Where no row is of these suites and this language.
            StoreError: Where the memory cannot be written.
        """
        found = self.found(memory)
        review = self._review([row for rows in files.values() for row in rows], found, memory)
        if review.gone and not review.fitting:
            raise UsageError(
                f"{', '.join(map(str, files))}: no row is of {', '.join(self.asked.suites)} into "
                f"{self.language.code} as {self.asked.memory} has it: name the suites, the language "
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
        return reviewed(
            [text for each in found for text in each.texts],
            rows,
            lambda text, target: checks[text.context, text.place](text, target),
        )
