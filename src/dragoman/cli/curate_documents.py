"""Implementation of `dragoman curate collect`, `list`, `status` and `card`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progress import show_progress
from dragoman.curation.api_datasets.credential_removal import CONFIGURATION
from dragoman.curation.api_datasets.dataset import card_as_markdown
from dragoman.curation.api_datasets.ingestion.collect import FILE, STEP
from dragoman.curation.api_datasets.pipeline import step_position
from dragoman.curation.datasets import (
    StepResult,
    StepUsage,
    count_documents,
    read_card,
    read_status,
)
from dragoman.curation.steps import CollectOptions, CollectResult, run_collect
from dragoman.report import formatting
from dragoman.report.formatting import format_count
from dragoman.report.text_tables import TextTable, print_table
from dragoman.store.dataset import FunnelCount, StepLine

FUNNEL_HEADINGS = ("step", "of", "source", "seen", "kept", "dropped", "merged", "failed")


def show_status(folder: Path, *, step: str, as_json: bool) -> None:
    """Print a dataset's funnel.

    With a step, also print a line for everything that the step did not keep.
    """
    print_status(folder, read_status(folder, step), as_json=as_json)


def print_status(folder: Path, result: StepResult, *, as_json: bool) -> None:
    """Print the result of one step, or of all steps."""
    if as_json:
        usage = {step: [each.usage for each in used] for step, used in result.usage.items()}
        print_json({"funnel": result.counts, "lines": result.not_kept, "usage": usage})
        return
    print_table(
        TextTable(
            FUNNEL_HEADINGS,
            tuple(
                (
                    each.step, each.kind, each.source, f"{each.seen:,}", f"{each.kept:,}",
                    f"{each.dropped:,}", f"{each.merged:,}", f"{each.failed:,}",
                )
                for each in result.counts
            ),
            title=str(folder),
            note=_note(result.counts),
            numbers=frozenset(FUNNEL_HEADINGS[3:]),
        )
    )  # fmt: skip
    _print_usage(result.usage)
    _print_step_lines(result.not_kept)


def _print_usage(usage: Mapping[str, Sequence[StepUsage]]) -> None:
    """Print the usage of each step by model, with its cost if prices are known."""
    for step in sorted(usage, key=step_position):
        for used, cost in ((each.usage, each.cost) for each in usage[step]):
            print_line(
                f"{step} by {used.model}: {formatting.calls(used)} calls, "
                f"{formatting.format_sent_usage(used)} "
                "tokens in, "
                f"{formatting.format_received_usage(used)} out, {formatting.money(cost)}"
            )


def _note(counts: Sequence[FunnelCount]) -> str:
    failed = sum(each.failed for each in counts)
    if failed:
        return f"{format_count(failed, 'item')} failed: run the same step again to retry them"
    return "" if counts else "no items to process: `dragoman curate status` shows the dataset"


def _print_step_lines(lines: Iterable[StepLine]) -> None:
    for line in lines:
        print_line(f"{line.verdict} {line.kind} {line.name}: {line.reason or 'no reason given'}")


SOURCE_HEADINGS = (
    "source",
    "files",
    "refused",
    "APIs",
    "excluded APIs",
    "operations",
    "excluded operations",
)
_SHOWN = 20


def collect_sources(
    folder: Path, sources: Sequence[Path], options: CollectOptions, *, as_json: bool
) -> int:
    """Read sources into a dataset, merge duplicates, and print the result.

    The return value is 1 if nothing was found.
    """
    result = run_collect(folder, sources, options, progress=show_progress)
    if as_json:
        dropped = [line for line in result.lines if line.verdict == "dropped"]
        refused = [line for line in dropped if line.kind == FILE]
        left_out = [line for line in dropped if line.kind != FILE]
        said = {"sources": result.sources, "merged": result.merged}
        print_json({**said, "refused": refused, "left_out": left_out})
    else:
        _print(folder, result)
    return 0 if result.found else 1


def _print(folder: Path, result: CollectResult) -> None:
    merged, lines = result.merged, result.lines
    dropped = [line for line in lines if line.verdict == "dropped"]
    refused = [line for line in dropped if line.kind == FILE]
    left_out = [line for line in dropped if line.kind != FILE]
    noted = [line for line in lines if line.verdict == "kept" and CONFIGURATION in line.reason]
    rows = tuple(
        (
            each.source,
            f"{each.files:,}",
            f"{each.refused:,}",
            f"{each.found:,}",
            f"{each.left_out:,}",
            f"{each.operations:,}",
            f"{each.operations_left_out:,}",
        )
        for each in result.sources
    )
    note = (
        f"{folder} has {format_count(merged.documents, 'document')}; merged near-duplicates: "
        f"{merged.near:,}; merged exact duplicates: {merged.exact:,}"
    )
    print_table(TextTable(SOURCE_HEADINGS, rows, note=note, numbers=frozenset(SOURCE_HEADINGS[1:])))
    _print_excluded("refused", refused, folder)
    _print_excluded("excluded", left_out, folder)
    _print_excluded("noted", noted, folder)


def _print_excluded(word: str, lines: Sequence[StepLine], folder: Path) -> None:
    for line in lines[:_SHOWN]:
        print_line(f"{word} {line.name}: {line.reason}")
    if len(lines) > _SHOWN:
        more = f"dragoman curate status {folder} --step {STEP}"
        print_line(f"and {len(lines) - _SHOWN:,} more {word}: {more}")


UNKNOWN = "not stated"


def list_documents(folder: Path, by: Sequence[str], top: int, *, as_json: bool) -> None:
    """Print the numbers of documents and of their operations, by property.

    Args:
        folder: The dataset.
        by: The property to group by.
        top: The number of rows to show, most documents first; 0 for all.
        as_json: Print all of it as JSON.

    Raises:
        UsageError: If `by` is not a property of documents.
    """
    found = count_documents(folder, by)
    counts = found.counts
    if as_json:
        print_json({"by": by, "counts": counts})
        return
    rows = tuple(
        (
            *(value or UNKNOWN for value in each.values),
            f"{each.documents:,}",
            f"{each.operations:,}",
        )
        for each in (counts[:top] if top else counts)
    )
    headings = (*by, "documents", "operations")
    left = len(counts) - len(rows)
    note = f"and {format_count(left, 'more row')}; " if left else ""
    note += f"{format_count(found.documents, 'document')}, "
    note += format_count(found.operations, "operation")
    print_table(
        TextTable(headings, rows, title=str(folder), note=note, numbers=frozenset(headings[-2:]))
    )


def show_card(folder: Path, *, as_json: bool) -> None:
    """Print a dataset's card."""
    card = read_card(folder)
    if as_json:
        print_json(card)
        return
    for line in card_as_markdown(card, folder.name).splitlines():
        print_line(line)
