"""Implementation of `dragoman curate collect`, `list`, `status` and `card`."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progress import progress
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.costs import cost_of
from dragoman.core.errors import UsageError
from dragoman.core.progress import long_step
from dragoman.core.usage import Usage
from dragoman.curation.apis.card import card_of
from dragoman.curation.apis.card_text import card_as_markdown
from dragoman.curation.apis.collecting.entries import StatedFacts
from dragoman.curation.apis.collecting.fetching import guarded_fetch
from dragoman.curation.apis.collecting.source_files import open_source
from dragoman.curation.apis.collecting.spreading import PATIENCE
from dragoman.curation.apis.collecting.storing import FILE, STEP, CollectedSource, collect
from dragoman.curation.apis.collecting.twins.step import MergedCounts, merge_twins
from dragoman.curation.apis.rows import dataset_rows
from dragoman.curation.apis.secrecy.configuration import CONFIGURATION
from dragoman.curation.apis.steps import lines_of, place_of, standing
from dragoman.distributed.worker_backends import pool_from_options
from dragoman.models.prices import load_prices
from dragoman.report import formatting
from dragoman.report.formatting import counted
from dragoman.report.text_tables import TextTable, print_table
from dragoman.store.dataset import Dataset, FunnelCount, StepLine

FUNNEL_HEADINGS = ("step", "of", "source", "seen", "kept", "dropped", "merged", "failed")


def show_status(folder: Path, *, step: str, as_json: bool) -> None:
    """Print a dataset's funnel, and with a step also the line of everything that it did not keep."""
    with Dataset(folder, write=False) as dataset:
        counts = [each for each in dataset.funnel() if step in {"", each.step}]
        lines = [line for line in dataset.ledger(step) if line.verdict != "kept"] if step else []
        usage = {name: used for name, used in dataset.usage().items() if step in {"", name}}
    counts.sort(key=_place)
    if as_json:
        print_json({"funnel": counts, "lines": lines, "usage": usage})
        return
    print_table(
        TextTable(
            FUNNEL_HEADINGS,
            tuple(
                (
                    each.step, each.kind, each.source, f"{each.seen:,}", f"{each.kept:,}",
                    f"{each.dropped:,}", f"{each.merged:,}", f"{each.failed:,}",
                )
                for each in counts
            ),
            title=str(folder),
            note=_note(counts),
            numbers=frozenset(FUNNEL_HEADINGS[3:]),
        )
    )  # fmt: skip
    _print_usage(usage)
    _print_step_lines(lines)


def _print_usage(usage: Mapping[str, Sequence[Usage]]) -> None:
    """Print what each step consumed by model, and its cost where prices are known."""
    if not usage:
        return
    table = load_prices(None)
    for step in sorted(usage, key=place_of):
        for each in usage[step]:
            cost = cost_of(each, table.price_of)
            print_line(
                f"{step} by {each.model}: {formatting.calls(each)} calls, {formatting.sent(each)} tokens in, "
                f"{formatting.received(each)} out, {formatting.money(cost)}"
            )


def _place(count: FunnelCount) -> tuple[int, str, str]:
    return place_of(count.step), count.kind, count.source


def _note(counts: Iterable[FunnelCount]) -> str:
    failed = sum(each.failed for each in counts)
    if failed:
        return f"{counted(failed, 'item')} failed: the same step tries again what failed"
    return "" if counts else "nothing was looked at: `dragoman curate status` says what there is"


def _print_step_lines(lines: Iterable[StepLine]) -> None:
    for line in lines:
        print_line(f"{line.verdict} {line.kind} {line.name}: {line.reason or 'no reason given'}")


SOURCE_HEADINGS = (
    "source",
    "files",
    "refused",
    "APIs",
    "left out",
    "operations",
    "left out of them",
)
_SHOWN = 20


class CollectOptions(msgspec.Struct, frozen=True):
    """What is said of all sources, whether other hosts may be asked, and how many processes read."""

    facts: StatedFacts
    fetch_refs: bool = False
    workers: int = 1


class CollectedSources(NamedTuple):
    """What was found, how twins were merged, and what is to be said of files, APIs and operations."""

    found: Sequence[CollectedSource]
    merged: MergedCounts
    lines: Sequence[StepLine]


def collect_sources(
    folder: Path, sources: Sequence[Path], options: CollectOptions, *, as_json: bool
) -> int:
    """Read sources into a dataset, merge twins, and print what came of it; 1 where nothing was found."""
    found, merged, lines = run_collect(folder, sources, options)
    if as_json:
        dropped = [line for line in lines if line.verdict == "dropped"]
        refused = [line for line in dropped if line.kind == FILE]
        left_out = [line for line in dropped if line.kind != FILE]
        print_json({"sources": found, "merged": merged, "refused": refused, "left_out": left_out})
    else:
        _print(folder, found, merged, lines)
    return 0 if any(each.found for each in found) else 1


def run_collect(folder: Path, sources: Sequence[Path], options: CollectOptions) -> CollectedSources:
    """Take the steps `collect` and `merge`."""
    name = options.facts.source
    names = [name or path.resolve().name for path in sources]
    if len(set(names)) < len(names) and not name:
        raise UsageError(
            f"two sources are called {_duplicates(names)!r}: collect one after the other, with --source-name"
        )
    if name and len(sources) > 1:
        raise UsageError("--source-name: names one source: collect one after the other")
    fetch = guarded_fetch() if options.fetch_refs else None
    opened = [open_source(path, fetch) for path in sources]
    open_crew = pool_from_options(options.workers, "", PATIENCE)
    with Dataset(folder) as dataset:
        found = []
        for source, each in zip(opened, names, strict=True):
            facts = msgspec.structs.replace(options.facts, source=each)
            with progress(f"reading {each}", None) as advance:
                one = collect(
                    dataset,
                    source,
                    facts,
                    is_named=bool(name),
                    on_done=advance,
                    open_crew=open_crew,
                )
            found.append(one)
        with long_step("merging twins"):
            merged = merge_twins(dataset)
        lines = [
            line for line in lines_of(dataset, STEP, {"dropped", "kept"})
            if line.source in names and (line.verdict == "dropped" or line.reason)
        ]  # fmt: skip
    return CollectedSources(found, merged, lines)


def _duplicates(names: Sequence[str]) -> str:
    return next(name for name in names if names.count(name) > 1)


def _print(
    folder: Path,
    found: Sequence[CollectedSource],
    merged: MergedCounts,
    lines: Sequence[StepLine],
) -> None:
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
        for each in found
    )
    note = (
        f"{folder} has {counted(merged.documents, 'document')}; twins that went into others: "
        f"{merged.exact:,} exact, {merged.near:,} near"
    )
    print_table(TextTable(SOURCE_HEADINGS, rows, note=note, numbers=frozenset(SOURCE_HEADINGS[1:])))
    _print_excluded("refused", refused, folder)
    _print_excluded("left out", left_out, folder)
    _print_excluded("noted", noted, folder)


def _print_excluded(word: str, lines: Sequence[StepLine], folder: Path) -> None:
    for line in lines[:_SHOWN]:
        print_line(f"{word} {line.name}: {line.reason}")
    if len(lines) > _SHOWN:
        more = f"dragoman curate status {folder} --step {STEP}"
        print_line(f"and {len(lines) - _SHOWN:,} more {word}: {more}")


UNKNOWN = "not stated"

Facet = Callable[[ApiDocument, Operation | None], str]

FACETS: Mapping[str, Facet] = {
    "category": lambda document, one: (one.category if one else "") or document.category,
    "country": lambda document, _: document.country,
    "language": lambda document, _: document.language,
    "licence": lambda document, _: next(
        (each.licence for each in document.origins if each.licence), ""
    ),
    "source": lambda document, _: ", ".join(
        dict.fromkeys(each.source for each in document.origins)
    ),
    "form": lambda document, _: document.origins[0].form if document.origins else "",
    "authentication": lambda document, _: document.authentication,
}


class FacetCount(msgspec.Struct, frozen=True):
    """How many documents, and operations of them, have some values."""

    values: tuple[str, ...]
    documents: int
    operations: int


def list_documents(folder: Path, by: Sequence[str], top: int, *, as_json: bool) -> None:
    """Print how many documents stand, and operations in them, by what is known of them.

    Args:
        folder: The dataset.
        by: What they are counted by.
        top: How many rows are shown, most documents first; 0 for all.
        as_json: Print all of it as JSON.

    Raises:
        UsageError: Where they are to be counted by what is no property of them.
    """
    unknown = [name for name in by if name not in FACETS]
    if unknown:
        raise UsageError(f"--by {unknown[0]}: it is one or more of {', '.join(FACETS)}")
    with Dataset(folder, write=False) as dataset:
        documents = [item.record(ApiDocument) for item in standing(dataset, "document")]
    counts = count_by(documents, by)
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
    operations = sum(len(document.api_list) for document in documents)
    left = len(counts) - len(rows)
    note = f"and {counted(left, 'more row')}; " if left else ""
    note += f"{counted(len(documents), 'document')}, {counted(operations, 'operation')}"
    print_table(
        TextTable(headings, rows, title=str(folder), note=note, numbers=frozenset(headings[-2:]))
    )


def count_by(documents: Sequence[ApiDocument], by: Sequence[str]) -> list[FacetCount]:
    """Return how many documents and operations there are for each set of values, most first.

    A document whose operations differ in a value counts once for each.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    operations: Counter[tuple[str, ...]] = Counter()
    for document in documents:
        found = [
            tuple(FACETS[name](document, one) for name in by)
            for one in document.api_list or (None,)
        ]
        counts.update(dict.fromkeys(found, 1))
        operations.update(found if document.api_list else ())
    ordered = sorted(counts, key=lambda values: (-counts[values], values))
    return [FacetCount(values, counts[values], operations[values]) for values in ordered]


def show_card(folder: Path, *, as_json: bool) -> None:
    """Print a dataset's card."""
    with Dataset(folder, write=False) as dataset:
        card = card_of(list(dataset_rows(dataset)), dataset.funnel())
    if as_json:
        print_json(card)
        return
    for line in card_as_markdown(card, folder.name).splitlines():
        print_line(line)
