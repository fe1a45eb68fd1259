"""The Python interface to reviews of translations.

It exports a file for a reviewer, and imports it into the memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError, StoreError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.progress import Progress, ProgressInTurn, show_nothing
from dragoman.curation.review.csv_files import decode_csv, encode_csv
from dragoman.curation.review.rows import ReviewedRow, ReviewRow
from dragoman.curation.review.second_opinions import OpinionModels, OpinionsResult, ask_models
from dragoman.curation.review.session import ImportedReview, ReviewRequest, ReviewSession
from dragoman.curation.review.workbook import (
    WORKBOOKS,
    decode_workbook,
    encode_workbook,
    require_workbooks,
)
from dragoman.store.atomic_files import atomic_write
from dragoman.store.translation_memory import MemoryCount, ReviewRecord, TranslationMemory

_WORKBOOK = ".xlsx"


class ReviewExport(msgspec.Struct, frozen=True):
    """The output of a review, and limits on its texts: only new ones, or at most so many."""

    out: Path
    only_new: bool = False
    most: int | None = None


class ExportedReview(msgspec.Struct, frozen=True):
    """The rows that a reviewer sees, by sheet, and the earlier opinions of models.

    `helped` is None without models.
    """

    rows: Mapping[str, Sequence[ReviewRow]]
    helped: OpinionsResult | None = None


class MemoryReviews(msgspec.Struct, frozen=True):
    """The reviews that a memory records, and the translations that it holds by origin."""

    reviews: tuple[ReviewRecord, ...]
    counts: tuple[MemoryCount, ...]


def export_review(
    asked: ReviewRequest,
    export: ReviewExport,
    helpers: OpinionModels = OpinionModels(),
    *,
    progress: Progress = show_nothing,
) -> ExportedReview:
    """Write a workbook, or a folder of CSV files, for a reviewer.

    Args:
        asked: The request.
        export: The output and the limits on its texts.
        helpers: Models that check translations first.
        progress: Entered for each activity of the models.

    Raises:
        UsageError: If the output exists already, for a suite, language or model that does not
            exist, or if the memory has no text to show.
        RunHalted: If no further request to a model may be made; earlier answers are in the memory.
        StoreError: If the memory cannot be read or written, or for files that cannot be written.
        DataError: For data that are missing or damaged.
    """
    require_free(export.out)
    reviewing = ReviewSession(asked)
    asks = bool(helpers.back_translator or helpers.estimator)
    with TranslationMemory(asked.memory, write=asks, make=False) as memory:
        helped = _ask(reviewing, memory, helpers, progress) if asks else None
        rows = reviewing.rows(memory, only_new=export.only_new, most=export.most)
    _write(export.out, rows, f"{reviewing.language.name}: {', '.join(asked.suites)}")
    return ExportedReview(rows, helped)


def import_review(
    asked: ReviewRequest, files: Sequence[Path], reviewer: str = ""
) -> ImportedReview:
    """Import a reviewer's files into the memory; if a row is refused, nothing is imported.

    Args:
        asked: The request of the review.
        files: Workbooks, CSV files, or folders of them.
        reviewer: The name of the reviewer.

    Raises:
        UsageError: For a folder without such files, or if no row belongs to these suites.
        DataError: For a file that cannot be read.
        StoreError: If the memory cannot be read or written.
    """
    read = {path: _read(path) for path in _files(files)}
    reviewing = ReviewSession(asked)
    with TranslationMemory(asked.memory, make=False) as memory:
        return reviewing.take(read, reviewer, memory)


def read_reviews(memory: Path, language: str = "") -> MemoryReviews:
    """Read the reviews that a memory records, of one language or of all.

    Raises:
        StoreError: If the memory does not exist or cannot be read.
    """
    with TranslationMemory(memory, write=False) as opened:
        reviews = opened.reviews(language)
        counts = [each for each in opened.counts() if language in {"", each.target_language}]
    return MemoryReviews(tuple(reviews), tuple(counts))


def _ask(
    reviewing: ReviewSession, memory: TranslationMemory, helpers: OpinionModels, progress: Progress
) -> OpinionsResult:
    languages = (reviewing.source.full_name, reviewing.language.full_name)
    with ProgressInTurn(progress) as shown:
        return ask_models(reviewing.found(memory), languages, memory, helpers, shown.begin)


def require_free(out: Path) -> None:
    """Refuse an output that cannot be written, before any model is asked.

    Raises:
        UsageError: If the output exists already, if its name is that of another kind of file, or if
            workbooks lack their extra.
    """
    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise UsageError(f"{out} is there already: name another file, or move it away")
    if out.suffix == _WORKBOOK:
        require_workbooks()
    elif out.suffix:
        raise UsageError(f"{out}: name a workbook (.xlsx), or a folder for CSV files")


def _write(out: Path, rows: Mapping[str, Sequence[ReviewRow]], title: str) -> None:
    if out.suffix == _WORKBOOK:
        atomic_write(out, encode_workbook(rows, title))
        return
    with TranslatedErrors(StoreError, f"{out}: cannot be written"):
        out.mkdir(parents=True, exist_ok=True)
    for sheet, of_sheet in rows.items():
        atomic_write(out / f"{sheet}.csv", encode_csv(of_sheet))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = sorted(filter(_is_reviewed_file, path.iterdir()))
            if not found:
                raise UsageError(f"{path} holds neither CSV files nor workbooks")
            yield from found
        else:
            yield path


def _is_reviewed_file(path: Path) -> bool:
    """Return whether a file of a folder is read; temporary files of spreadsheets are not."""
    return path.suffix.lower() in {".csv", _WORKBOOK} and not path.name.startswith(("~$", "."))


def _read(path: Path) -> tuple[ReviewedRow, ...]:
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        content = path.read_bytes()
    decode = decode_workbook if content.startswith(WORKBOOKS) else decode_csv
    return decode(content, path.name)
