"""`dragoman list texts`: how much there is to translate, and how much of it languages have."""

from collections.abc import Iterator

from dragoman.cli.output import print_line
from dragoman.conditions.language.artifacts import ENGLISH, AssetFolder, languages_of
from dragoman.core.errors import UsageError
from dragoman.core.facets import Translatable
from dragoman.core.protocols import Suite
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.segments import TranslatableDomain
from dragoman.curation.translation.statistics import (
    DomainStatistics,
    InstanceCount,
    LanguageStatistics,
    statistics_in,
    statistics_of,
)
from dragoman.report.fitting import TextTable, print_table
from dragoman.wiring.environment import data_folder
from dragoman.wiring.suites import load_suite

_INSTANCES = ("files", "tasks", "docstrings", "policies", "messages")


def print_texts(suite: str | None) -> None:
    """Print how much there is to translate of a suite, by file, and what its languages have.

    Raises:
        UsageError: Where no suite is named, one that does not exist, or that cannot be translated.
        DataError: Where data are missing or damaged.
    """
    if suite is None:
        raise UsageError("list texts: name a suite: `dragoman list texts courier`")
    loaded = load_suite(suite)
    domain = domain_of(loaded, data_folder())
    found = statistics_of(domain)
    _print_files(found)
    _print_languages(found, list(_languages(loaded, domain)))
    _print_schemas(found)
    _print_records(found)


def _languages(suite: Suite, domain: TranslatableDomain) -> Iterator[LanguageStatistics]:
    """Yield what each language has of the artifacts that come with a suite, or were pulled for it."""
    release = suite.english().release if isinstance(suite, Translatable) else None
    if release is None:
        return
    root = release.folder(data_folder()) / domain.domain
    for language in languages_of(root):
        yield statistics_in(domain, AssetFolder(root / language), language)


def _print_files(found: DomainStatistics) -> None:
    rows = [
        (each.file, each.component, *map(_number, (each.segments, each.texts, each.characters)))
        for each in found.files
    ]
    characters = sum(each.characters for each in found.files)
    total = ("", "", *map(_number, (found.segments, found.texts, characters)))
    _print(
        found.domain,
        ("file", "for", "places", "texts", "characters"),
        (*rows, total),
        "Equal texts of a context are one text, in whatever file they are.",
    )


def _print_languages(found: DomainStatistics, languages: list[LanguageStatistics]) -> None:
    rows = [
        (
            each.language,
            *_instances(each.instances),
            _number(each.translated),
            _number(sum(each.left.values())),
        )
        for each in languages
    ]
    english = (ENGLISH, *_instances(found.instances), "", "")
    splits = ", ".join(f"{name} {count:,}" for name, count in found.splits.items())
    _print(
        "",
        ("language", *_INSTANCES, "translated", "left"),
        (english, *rows),
        f"Tasks by split: {splits}." if splits else "",
    )
    for each in languages:
        for why, count in each.left.items():
            print_line(f"{each.language}: {count:,} left: {why}")


def _print_schemas(found: DomainStatistics) -> None:
    rows = tuple(
        (each.file, *map(_number, (each.models, each.value_sets, each.values, each.distinct)))
        for each in found.schemas
    )
    note = f"Different values in all: {found.distinct_values:,}." if len(rows) > 1 else ""
    _print("", ("schema", "models", "value sets", "values", "different"), rows, note)


def _print_records(found: DomainStatistics) -> None:
    rows = tuple((each.file, each.collection, _number(each.records)) for each in found.collections)
    if rows:
        _print("", ("database", "collection", "records"), rows, "")


def _instances(count: InstanceCount) -> tuple[str, ...]:
    return tuple(_number(getattr(count, name)) for name in _INSTANCES)


def _number(count: int) -> str:
    return f"{count:,}"


def _print(
    title: str, headings: tuple[str, ...], rows: tuple[tuple[str, ...], ...], note: str
) -> None:
    texts = {"file", "for", "language", "schema", "database", "collection"}
    numbers = frozenset(headings) - texts
    print_table(TextTable(headings, rows, title, note, numbers=numbers))
