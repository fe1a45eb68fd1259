"""`dragoman translate SUITE --statistics`: how much there is to translate."""

from dragoman.cli.output import print_json, print_line
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.statistics import DomainStatistics, statistics_of
from dragoman.report.fitting import TextTable, print_table
from dragoman.wiring.environment import data_folder
from dragoman.wiring.suites import load_suite


def print_statistics(suite: str, assets: str, *, as_json: bool) -> None:
    """Print what there is of a suite's domain in English, file by file."""
    found = statistics_of(domain_of(load_suite(suite), data_folder(), assets))
    if as_json:
        print_json(found)
        return
    print_table(_files(found))
    print_table(_schemas(found))
    print_table(_collections(found))
    counts = found.instances
    print()
    print_line(
        f"{counts.files} files, {counts.tasks:,} tasks, {counts.docstrings} docstrings, "
        f"{counts.policies} policies, {counts.messages} messages of tools"
        + "".join(f"; {split}: {tasks:,} tasks" for split, tasks in found.splits.items())
    )


def _files(found: DomainStatistics) -> TextTable:
    headings = ("file", "for", "places", "texts", "characters")
    rows = [
        (each.file, each.component, f"{each.segments:,}", f"{each.texts:,}", f"{each.characters:,}")
        for each in found.files
    ]
    rows.append(("all", "", f"{found.segments:,}", f"{found.texts:,}", ""))
    return TextTable(headings, tuple(rows), found.domain, numbers=frozenset(headings[2:]))


def _schemas(found: DomainStatistics) -> TextTable:
    headings = ("schema", "models", "value sets", "values", "distinct")
    rows = tuple(
        (each.file, *map(str, (each.models, each.value_sets, each.values, each.distinct)))
        for each in found.schemas
    )
    return TextTable(headings, rows, numbers=frozenset(headings[1:]))


def _collections(found: DomainStatistics) -> TextTable:
    headings = ("database", "records of", "records")
    rows = tuple((each.file, each.collection, f"{each.records:,}") for each in found.collections)
    return TextTable(headings, rows, numbers=frozenset({"records"}))
