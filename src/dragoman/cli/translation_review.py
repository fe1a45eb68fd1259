"""Implementation of `dragoman review`: exports and imports human reviews of translations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, get_args

from dragoman.analysis.intervals import clustered_interval
from dragoman.cli.output import print_error, print_json, print_line
from dragoman.cli.progress import progress
from dragoman.core.costs import cost_of
from dragoman.core.errors import DataError, UsageError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.review.csv_files import decode_csv, encode_csv
from dragoman.curation.review.reviewing import ImportedReview, Reviewing, ReviewRequest
from dragoman.curation.review.rows import ReviewedRow, ReviewRow
from dragoman.curation.review.second_opinions import Helped, Helpers, ask_models
from dragoman.curation.review.workbook import (
    WORKBOOKS,
    decode_workbook,
    encode_workbook,
    require_workbooks,
)
from dragoman.curation.translation.segments import Component
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table
from dragoman.store.safe_files import atomic_write
from dragoman.store.translation_memory import (
    FILE,
    MemoryCount,
    ReviewCount,
    ReviewRecord,
    TranslationMemory,
)

__all__ = ["Export", "Helpers", "export_review", "import_review", "print_status", "review_request"]

_COMPONENTS: tuple[Component, ...] = get_args(Component)
_WORKBOOK = ".xlsx"
_SHOWN = 20


def review_request(
    suites: str, language: str, memory: Path, assets: str, components: Sequence[str]
) -> ReviewRequest:
    """Return what is to be reviewed.

    Raises:
        UsageError: For a component that does not exist.
    """
    names = [name.strip() for entry in components for name in entry.split(",")]
    unknown = [name for name in names if name not in _COMPONENTS]
    if unknown:
        raise UsageError(
            f"--components {unknown[0]}: there is none of that name: choose {', '.join(_COMPONENTS)}"
        )
    return ReviewRequest(
        tuple(name.strip() for name in suites.split(",")),
        language,
        memory,
        assets,
        tuple(name for name in _COMPONENTS if name in names),
    )


class Export(NamedTuple):
    """Where a review goes, and what of it: new texts only, so many at most."""

    out: Path
    only_new: bool
    most: int | None


def export_review(asked: ReviewRequest, export: Export, helpers: Helpers, *, as_json: bool) -> int:
    """Write a workbook, or a folder of CSV files."""
    out = export.out
    _require_free(out)
    reviewing = Reviewing(asked)
    asks = bool(helpers.back_translator or helpers.estimator)
    with TranslationMemory(asked.memory, write=asks, make=False) as memory:
        helped = _helped(reviewing, memory, helpers) if asks else None
        rows = reviewing.rows(memory, only_new=export.only_new, most=export.most)
    _write(out, rows, f"{reviewing.language.name}: {', '.join(asked.suites)}")
    if as_json:
        sheets = {sheet: len(each) for sheet, each in rows.items()}
        print_json({"written": str(out), "sheets": sheets, **_helped_object(helped)})
        return 0
    _print_export(out, rows)
    if helped is not None:
        _print_helped(helped)
    return 0


def import_review(
    asked: ReviewRequest, files: Sequence[Path], reviewer: str, *, as_json: bool
) -> int:
    """Take a reviewer's files; 1 where a row of them is refused."""
    read = {path: _read(path) for path in _files(files)}
    reviewing = Reviewing(asked)
    with TranslationMemory(asked.memory, make=False) as memory:
        imported = reviewing.take(read, reviewer, memory)
    if as_json:
        print_json(_imported_object(imported))
    else:
        _print_imported(imported, asked)
    return 1 if imported.review.refused else 0


def print_status(memory: Path, language: str, *, as_json: bool) -> int:
    """Print the reviews that a memory records."""
    with TranslationMemory(memory, write=False) as opened:
        reviews = opened.reviews(language)
        counts = [each for each in opened.counts() if language in {"", each.target_language}]
    if as_json:
        print_json({"reviews": reviews, "entries": counts})
        return 0
    print_table(_counted(counts))
    print()
    if reviews:
        print_table(_reviewed(reviews))
    else:
        print_line("nothing was reviewed yet")
    return 0


def _counted(counts: Sequence[MemoryCount]) -> TextTable:
    headings = ("to", "translations", "machine", "imported", "reviewed")
    rows = []
    for code in sorted({each.target_language for each in counts}):
        by = {each.origin: each.entries for each in counts if each.target_language == code}
        shares = (by.get("machine", 0), by.get("imported", 0), by.get("reviewed", 0))
        rows.append((code, f"{sum(shares):,}", *(f"{each:,}" for each in shares)))
    return TextTable(headings, tuple(rows), numbers=frozenset(headings[1:]))


def _reviewed(reviews: Sequence[ReviewRecord]) -> TextTable:
    headings = ("reviewed", "to", "by", "file", "read", "accepted as translated", "unsure")
    rows = tuple(
        (
            datetime.fromtimestamp(each.made, UTC).date().isoformat(),
            each.target_language,
            each.reviewer or "-",
            each.file,
            str(sum(count.read for count in each.counts)),
            _accepted(each.counts),
            str(sum(count.unsure for count in each.counts)),
        )
        for each in reviews
    )
    return TextTable(headings, rows, numbers=frozenset({"read", "unsure"}))


def _helped(reviewing: Reviewing, memory: TranslationMemory, helpers: Helpers) -> Helped:
    languages = (reviewing.source.full_name, reviewing.language.full_name)
    with _Bars() as bars:
        return ask_models(reviewing.found(memory), languages, memory, helpers, bars.begin)


class _Bars(ExitStack):
    """A bar of progress for each thing that is asked."""

    def begin(self, title: str, texts: int) -> Callable[[int], None]:
        """Show the next one; return what advances it."""
        self.close()
        advance = self.enter_context(progress(title, texts))

        def advance_by(count: int) -> None:
            for _ in range(count):
                advance()

        return advance_by


def _require_free(out: Path) -> None:
    """Refuse what cannot be written before anybody is asked anything.

    Raises:
        UsageError: Where something is there already, or the name is that of another kind of file;
            without what workbooks need.
    """
    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise UsageError(f"{out} is there already: name another file, or move it away")
    if out.suffix == _WORKBOOK:
        require_workbooks()
    elif out.suffix:
        raise UsageError(f"{out}: name a workbook (.xlsx), or a folder for CSV files")


def _write(out: Path, rows: Mapping[str, Sequence[ReviewRow]], title: str) -> None:
    if out.suffix == _WORKBOOK:
        atomic_write(out, (encode_workbook(rows, title),))
        return
    with TranslatedErrors(DataError, f"{out}: cannot be written"):
        out.mkdir(parents=True, exist_ok=True)
    for sheet, of_sheet in rows.items():
        atomic_write(out / f"{sheet}.csv", (encode_csv(of_sheet),))


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
    """Whether a file of a folder is read: those of spreadsheet programs at work are not."""
    return path.suffix.lower() in {".csv", _WORKBOOK} and not path.name.startswith(("~$", "."))


def _read(path: Path) -> tuple[ReviewedRow, ...]:
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        content = path.read_bytes()
    decode = decode_workbook if content.startswith(WORKBOOKS) else decode_csv
    return decode(content, path.name)


def _print_export(out: Path, rows: Mapping[str, Sequence[ReviewRow]]) -> None:
    headings = ("sheet", "rows", "lowest", "median")
    table = []
    for sheet, of_sheet in rows.items():
        known = sorted(row.text.quality for row in of_sheet if row.text.quality is not None)
        low, middle = (f"{known[0]:.2f}", f"{known[len(known) // 2]:.2f}") if known else ("-", "-")
        table.append((sheet, f"{len(of_sheet):,}", low, middle))
    print_table(
        TextTable(
            headings,
            tuple(table),
            title="quality as far as rules can tell, 0 to 1; the worst stand first",
            numbers=frozenset(headings[1:]),
        )
    )
    print_line(f"\nwritten: {out}")


def _print_helped(helped: Helped) -> None:
    for problem in helped.problems[:_SHOWN]:
        print_line(problem)
    for usage in helped.usage:
        print_line(
            f"{usage.model}: {formatting.calls(usage)} calls, {formatting.sent(usage)} tokens in, "
            f"{formatting.received(usage)} out, "
            f"{formatting.money(cost_of(usage, helped.prices.price_of))} ({helped.prices.as_of})"
        )


def _helped_object(helped: Helped | None) -> dict[str, object]:
    if helped is None:
        return {}
    return {"problems": helped.problems, "usage": helped.usage}


def _print_imported(imported: ImportedReview, asked: ReviewRequest) -> None:
    review = imported.review
    for refused in review.refused[:_SHOWN]:
        print_error(f"{refused.where}: {refused.why}")
    if review.refused:
        more = len(review.refused) - _SHOWN
        also = f" (and {more} more)" if more > 0 else ""
        print_error(
            f"nothing was taken: {formatting.counted(len(review.refused), 'row')} refused{also}"
        )
        return
    headings = ("sheet", "read", "accepted as translated", "unsure")
    rows = tuple(
        (each.artifact, str(each.read), _accepted((each,)), str(each.unsure))
        for each in review.counts()
    )
    if rows:
        print_table(TextTable(headings, rows, numbers=frozenset({"read", "unsure"})))
        print_line(f"\naccepted in all: {_accepted(review.counts())}")
    if review.gone:
        print_line(
            f"{formatting.counted(len(review.gone), 'row')} of texts that changed since, not taken: "
            f"first {review.gone[0]}"
        )
    if imported.record is None:
        print_line("no row has a verdict or a correction: nothing was taken")
        return
    print_line(
        f"{formatting.counted(len(review.approved), 'text')} reviewed. Written into the files by:"
    )
    out = asked.memory.parent
    memory = "" if asked.memory == out / FILE else f" --memory {asked.memory}"
    for suite in asked.suites:
        print_line(
            f"  dragoman translate {suite} --to {asked.language} --model glossary --out {out}{memory}"
        )


def _imported_object(imported: ImportedReview) -> dict[str, object]:
    review = imported.review
    return {
        "taken": imported.record is not None,
        "approved": len(review.approved),
        "counts": review.counts(),
        "refused": review.refused,
        "gone": review.gone,
    }


def _accepted(counts: Sequence[ReviewCount]) -> str:
    """Return the share that stood as it was, with its interval over texts."""
    read, accepted = sum(each.read for each in counts), sum(each.accepted for each in counts)
    if not read:
        return "-"
    values = [1.0] * accepted + [0.0] * (read - accepted)
    interval = clustered_interval(values)
    return f"{accepted / read:.1%} of {read} [{interval.low:.1%}, {interval.high:.1%}]"
