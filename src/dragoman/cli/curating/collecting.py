"""`dragoman curate collect`."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.cli.output import print_json, print_line
from dragoman.cli.progressing.bars import progress
from dragoman.core.errors import UsageError
from dragoman.core.waiting.under_way import long_step
from dragoman.curation.apis.collecting.entries import StatedFacts
from dragoman.curation.apis.collecting.fetching import guarded_fetch
from dragoman.curation.apis.collecting.source_files import open_source
from dragoman.curation.apis.collecting.spreading import PATIENCE
from dragoman.curation.apis.collecting.storing import FILE, STEP, CollectedSource, collect
from dragoman.curation.apis.collecting.twins.step import MergedCounts, merge_twins
from dragoman.curation.apis.secrecy.configuration import CONFIGURATION
from dragoman.curation.apis.steps import lines_of
from dragoman.distributed.worker_backends import pool_from_options
from dragoman.report.fitting import TextTable, print_table
from dragoman.report.wording import counted
from dragoman.store.datasets.dataset import Dataset
from dragoman.store.datasets.records import StepLine

HEADINGS = ("source", "files", "refused", "APIs", "left out", "operations", "left out of them")
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
    found, merged, lines = collected(folder, sources, options)
    if as_json:
        dropped = [line for line in lines if line.verdict == "dropped"]
        refused = [line for line in dropped if line.kind == FILE]
        left_out = [line for line in dropped if line.kind != FILE]
        print_json({"sources": found, "merged": merged, "refused": refused, "left_out": left_out})
    else:
        _print(folder, found, merged, lines)
    return 0 if any(each.found for each in found) else 1


def collected(folder: Path, sources: Sequence[Path], options: CollectOptions) -> CollectedSources:
    """Take the steps `collect` and `merge`."""
    name = options.facts.source
    names = [name or path.resolve().name for path in sources]
    if len(set(names)) < len(names) and not name:
        raise UsageError(
            f"two sources are called {_twice(names)!r}: collect one after the other, with --source-name"
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


def _twice(names: Sequence[str]) -> str:
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
    print_table(TextTable(HEADINGS, rows, note=note, numbers=frozenset(HEADINGS[1:])))
    _print_lines("refused", refused, folder)
    _print_lines("left out", left_out, folder)
    _print_lines("noted", noted, folder)


def _print_lines(word: str, lines: Sequence[StepLine], folder: Path) -> None:
    for line in lines[:_SHOWN]:
        print_line(f"{word} {line.name}: {line.reason}")
    if len(lines) > _SHOWN:
        more = f"dragoman curate status {folder} --step {STEP}"
        print_line(f"and {len(lines) - _SHOWN:,} more {word}: {more}")
