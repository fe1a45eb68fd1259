"""Implementation of `dragoman curate review`: annotation sheets, labels and adjudication."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.cli.output import print_error, print_json, print_line
from dragoman.curation import query_review
from dragoman.curation.api_datasets.annotation.adjudication import AdjudicationResult
from dragoman.curation.api_datasets.annotation.assignment import (
    ADJUDICATOR,
    AssignmentPlan,
    GoldAccuracy,
    ReviewThresholds,
)
from dragoman.curation.api_datasets.annotation.export import AnnotationBatch
from dragoman.curation.api_datasets.annotation.labels import ImportedLabels
from dragoman.curation.api_datasets.annotation.sheets import GUIDE
from dragoman.report import formatting
from dragoman.report.text_tables import TextTable, print_table

_SHOWN = 20


def export_sheets(
    folder: Path, out: Path, gold: Path | None, plan: AssignmentPlan, *, as_json: bool
) -> int:
    """Write a sheet for each annotator; return 1 if some queries have no annotator."""
    done = query_review.export_sheets(folder, out, plan, gold)
    batch, blind = done.batch, done.blind_accuracy
    if as_json:
        print_json({"written": str(out), **_export_object(batch), "blind_accuracy": blind})
    else:
        _print_export(folder, out, batch, blind)
    return 1 if batch.given.short else 0


def import_labels(
    folder: Path, files: Sequence[Path], annotator: str, terms: ReviewThresholds, *, as_json: bool
) -> int:
    """Import an annotator's files; return 1 if a row is refused."""
    found = query_review.import_labels(folder, files, annotator, terms)
    if as_json:
        print_json(found)
    elif found.refused:
        _print_refused(found)
    else:
        _print_import(found, terms)
    return 1 if found.refused else 0


def adjudicate_review(
    folder: Path, adjudicate: Path | None, terms: ReviewThresholds, *, as_json: bool
) -> int:
    """Aggregate labels; return 1 if queries wait."""
    settled = query_review.settle_review(folder, terms, adjudicate)
    if as_json:
        print_json(settled)
    else:
        _print_adjudication(settled, folder, adjudicate)
    return 1 if settled.differ or settled.wait else 0


def _print_adjudication(settled: AdjudicationResult, folder: Path, adjudicate: Path | None) -> None:
    headings = ("annotator", "gold", "accuracy", "labels count")
    rows = tuple(
        (name, f"{each.questions:,}", accuracy_text(each), _status_text(each))
        for name, each in settled.accuracy.items()
    )
    print_table(TextTable(headings, rows, title=str(folder), numbers=frozenset({"gold"})))
    headings = ("dimension", "kappa", "95 %", "queries")
    agreed = tuple(
        (
            name,
            "-" if each.value is None else f"{each.value:.2f}",
            "-"
            if each.interval is None
            else f"[{each.interval.low:.2f}, {each.interval.high:.2f}]",
            f"{each.items:,}",
        )
        for name, each in settled.agreement.items()
    )
    note = (
        f"Fleiss' kappa of {settled.raters} labels a query that count; `overall` pools the "
        "dimensions."
    )
    print_table(TextTable(headings, agreed, note=note, numbers=frozenset({"kappa", "queries"})))
    print_line(
        f"{formatting.format_count(settled.kept, 'query', 'queries')} kept, "
        f"{settled.dropped:,} dropped, waiting for an adjudicator {len(settled.differ):,}, "
        f"waiting for more annotators {settled.wait:,}"
    )
    if settled.differ and adjudicate is None:
        print_line(f"next: dragoman curate review settle {folder} --adjudicate FOLDER")
    elif settled.differ:
        print_line(
            f"next, when {adjudicate}/{ADJUDICATOR}.csv is filled in: dragoman curate review "
            "import "
            f"{folder} {adjudicate}/{ADJUDICATOR}.csv --annotator {ADJUDICATOR}, then settle again"
        )


def _status_text(accuracy: GoldAccuracy) -> str:
    if accuracy.stands:
        return "yes"
    return "no" if accuracy.is_enough else "not yet: too few gold questions"


def accuracy_text(accuracy: GoldAccuracy) -> str:
    """Return an accuracy with its interval and its basis."""
    if accuracy.share is None or accuracy.interval is None:
        return "-"
    low, high = accuracy.interval.low, accuracy.interval.high
    return f"{accuracy.share:.1%} of {accuracy.answers} [{low:.1%}, {high:.1%}]"


def _export_object(batch: AnnotationBatch) -> dict[str, object]:
    return {
        "sheets": {
            name: {
                "rows": len(rows),
                "gold": batch.given.gold[name],
                "gold_wanted": batch.given.gold_wanted[name],
            }
            for name, rows in batch.sheets.items()
        },
        "short": batch.given.short,
    }


def _print_export(folder: Path, out: Path, batch: AnnotationBatch, blind: float) -> None:
    headings = ("annotator", "file", "rows", "gold", "share")
    rows = tuple(
        (
            name,
            f"{name}.csv",
            f"{len(sheet):,}",
            f"{batch.given.gold[name]:,}",
            f"{batch.given.gold[name] / len(sheet):.1%}",
        )
        for name, sheet in batch.sheets.items()
    )
    title = f"{out}, with {GUIDE} for all of them"
    print_table(TextTable(headings, rows, title=title, numbers=frozenset(headings[2:])))
    _print_doubts(batch, blind)
    print_line(f"next, for each: dragoman curate review import {folder} FILE --annotator NAME")


def _print_doubts(batch: AnnotationBatch, blind: float) -> None:
    given = batch.given
    for name, wanted in given.gold_wanted.items():
        if given.gold[name] < wanted:
            print_line(
                f"{name} has {formatting.format_count(given.gold[name], 'gold question')}, and "
                f"{wanted} are "
                "wanted: have an expert label more queries"
            )
    if blind >= ReviewThresholds().least:
        print_line(
            f"an annotator who gives every query the same score is {blind:.1%} right on these gold "
            "questions, so they cannot detect one; have an expert label more queries of the rarer "
            "kind"
        )
    for language, count in given.short.items():
        print_line(
            f"{language}: no annotator for {formatting.format_count(count, 'query', 'queries')}: "
            "too few annotators read the language"
        )


def _print_refused(found: ImportedLabels) -> None:
    for refused in found.refused[:_SHOWN]:
        print_error(f"{refused.where}: {refused.why}")
    more = len(found.refused) - _SHOWN
    also = f" (and {more} more)" if more > 0 else ""
    print_error(
        f"nothing was imported: {formatting.format_count(len(found.refused), 'row')} refused{also}"
    )


def _print_import(found: ImportedLabels, terms: ReviewThresholds) -> None:
    print_line(
        f"{found.annotator}: {formatting.format_count(found.labelled, 'label')} imported, "
        f"{formatting.format_count(found.blank, 'row')} without a label; "
        f"labelled now: {found.labelled_of_given:,} of "
        f"{formatting.format_count(found.given, 'query', 'queries')}"
    )
    if found.accuracy is not None:
        _print_accuracy(found.accuracy, terms)


def _print_accuracy(accuracy: GoldAccuracy, terms: ReviewThresholds) -> None:
    questions = formatting.format_count(accuracy.questions, "gold question")
    print_line(f"on {questions}: {accuracy_text(accuracy)} agree with the expert")
    if not accuracy.is_enough:
        print_line(f"too few to judge the annotator: {terms.least_gold} are needed")
    elif not accuracy.stands:
        print_line(f"this is below {terms.least:.0%}, so the labels do not count")
