"""Implementation of `dragoman review`: exports and imports human reviews of translations."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from dragoman.analysis.intervals import clustered_interval
from dragoman.cli.output import print_error, print_json, print_line, print_notice
from dragoman.cli.progress import show_progress
from dragoman.conditions.language.languages import find_language
from dragoman.core.costs import cost_of
from dragoman.curation.review import steps
from dragoman.curation.review.rows import ReviewRow
from dragoman.curation.review.second_opinions import OpinionModels, OpinionsResult
from dragoman.curation.review.session import ImportedReview, ReviewRequest
from dragoman.curation.review.steps import ReviewExport
from dragoman.curation.translation import memory_io
from dragoman.curation.translation.segments import components_of
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table
from dragoman.store.translation_memory import FILE, MemoryCount, ReviewCount, ReviewRecord

_SHOWN = 20


def review_request(
    suites: str, language: str, memory: Path, assets: str, components: Sequence[str]
) -> ReviewRequest:
    """Return the texts to review.

    Raises:
        UsageError: For a component that does not exist.
    """
    chosen = components_of(components)
    names = tuple(name.strip() for name in suites.split(","))
    return ReviewRequest(names, language, memory, assets, chosen)


def export_review(
    asked: ReviewRequest,
    export: ReviewExport,
    helpers: OpinionModels,
    *,
    may_make_memory: bool,
    as_json: bool,
) -> int:
    """Write a workbook, or a folder of CSV files.

    With `may_make_memory`, a memory without the language gets the translations that the suites
    ship.
    """
    if may_make_memory:
        steps.require_free(export.out)
        _make_memory(asked)
    done = steps.export_review(asked, export, helpers, progress=show_progress)
    out, rows, helped = export.out, done.rows, done.helped
    if as_json:
        sheets = {sheet: len(each) for sheet, each in rows.items()}
        print_json({"written": str(out), "sheets": sheets, **_helped_object(helped)})
        return 0
    _print_export(out, rows)
    if helped is not None:
        _print_helped(helped)
    return 0


def _make_memory(asked: ReviewRequest) -> None:
    """Fill a memory without the language with the translations that suites ship."""
    language = find_language(asked.language).code
    if asked.memory.exists() and steps.read_reviews(asked.memory, language).counts:
        return
    for each in memory_io.import_released(asked.memory, asked.suites, language):
        count = formatting.format_count(each.read, "text")
        print_notice(
            f"{asked.memory}: {count} of the translations of {each.domain} into {each.language} "
            "that ship"
        )


def import_review(
    asked: ReviewRequest, files: Sequence[Path], reviewer: str, *, as_json: bool
) -> int:
    """Import a reviewer's files; return 1 if a row is refused."""
    imported = steps.import_review(asked, files, reviewer)
    if as_json:
        print_json(_imported_object(imported))
    else:
        _print_imported(imported, asked)
    return 1 if imported.review.refused else 0


def print_status(memory: Path, language: str, *, as_json: bool) -> int:
    """Print the reviews that a memory records."""
    held = steps.read_reviews(memory, language)
    reviews, counts = held.reviews, held.counts
    if as_json:
        print_json({"reviews": reviews, "entries": counts})
        return 0
    print_table(_memory_counts_table(counts))
    print()
    if reviews:
        print_table(_reviews_table(reviews))
    else:
        print_line("no reviews yet")
    return 0


def _memory_counts_table(counts: Sequence[MemoryCount]) -> TextTable:
    headings = ("to", "translations", "machine", "imported", "reviewed")
    rows = []
    for code in sorted({each.target_language for each in counts}):
        by = {each.origin: each.entries for each in counts if each.target_language == code}
        shares = (by.get("machine", 0), by.get("imported", 0), by.get("reviewed", 0))
        rows.append((code, f"{sum(shares):,}", *(f"{each:,}" for each in shares)))
    return TextTable(headings, tuple(rows), numbers=frozenset(headings[1:]))


def _reviews_table(reviews: Sequence[ReviewRecord]) -> TextTable:
    headings = ("reviewed", "to", "by", "file", "read", "accepted as translated", "unsure")
    rows = tuple(
        (
            datetime.fromtimestamp(each.made, UTC).date().isoformat(),
            each.target_language,
            each.reviewer or "-",
            each.file,
            str(sum(count.read for count in each.counts)),
            _format_acceptance_rate(each.counts),
            str(sum(count.unsure for count in each.counts)),
        )
        for each in reviews
    )
    return TextTable(headings, rows, numbers=frozenset({"read", "unsure"}))


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
            title="rule-based quality, 0 to 1; the worst first",
            numbers=frozenset(headings[1:]),
        )
    )
    print_line(f"\nwritten: {out}")


def _print_helped(helped: OpinionsResult) -> None:
    for problem in helped.problems[:_SHOWN]:
        print_line(problem)
    for usage in helped.usage:
        print_line(
            f"{usage.model}: {formatting.calls(usage)} calls, "
            f"{formatting.format_sent_usage(usage)} tokens in, "
            f"{formatting.format_received_usage(usage)} out, "
            f"{formatting.money(cost_of(usage, helped.prices.price_of))} ({helped.prices.as_of})"
        )


def _helped_object(helped: OpinionsResult | None) -> dict[str, object]:
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
            f"nothing was imported: "
            f"{formatting.format_count(len(review.refused), 'row')} refused{also}"
        )
        return
    headings = ("sheet", "read", "accepted as translated", "unsure")
    rows = tuple(
        (each.artifact, str(each.read), _format_acceptance_rate((each,)), str(each.unsure))
        for each in review.counts()
    )
    if rows:
        print_table(TextTable(headings, rows, numbers=frozenset({"read", "unsure"})))
        print_line(f"\naccepted in all: {_format_acceptance_rate(review.counts())}")
    if review.gone:
        print_line(
            f"{formatting.format_count(len(review.gone), 'row')} of texts that changed since the "
            f"export, not imported: first {review.gone[0]}"
        )
    if imported.record is None:
        print_line("no row has a verdict or a correction: nothing was imported")
        return
    print_line(
        f"{formatting.format_count(len(review.approved), 'text')} reviewed. "
        "To write them into the files, run:"
    )
    out = asked.memory.parent
    memory = "" if asked.memory == out / FILE else f" --memory {asked.memory}"
    for suite in asked.suites:
        print_line(
            f"  dragoman translate {suite} --language {asked.language} --model glossary --out "
            f"{out}{memory}"
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


def _format_acceptance_rate(counts: Sequence[ReviewCount]) -> str:
    """Return the share of texts accepted unchanged, with its interval over texts."""
    read, accepted = sum(each.read for each in counts), sum(each.accepted for each in counts)
    if not read:
        return "-"
    values = [1.0] * accepted + [0.0] * (read - accepted)
    interval = clustered_interval(values)
    return f"{accepted / read:.1%} of {read} [{interval.low:.1%}, {interval.high:.1%}]"
