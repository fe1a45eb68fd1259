"""Rounds of checks that others made, put beside our own where a dataset has the same addresses."""

from collections.abc import Iterable

import msgspec

from dragoman.core.apis.documents import ApiDocument, operations
from dragoman.curation.apis.operation_items import OPERATION
from dragoman.curation.apis.steps import standing
from dragoman.curation.apis.verifying.health_reports import HealthReport, report_checks, round_of
from dragoman.curation.apis.verifying.monitor import STEP, histories, with_check
from dragoman.curation.apis.verifying.records import HISTORY
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome

DOCUMENT = "document"


class ImportedRounds(msgspec.Struct, frozen=True):
    """What reports had: rounds, addresses, and those that the dataset has."""

    rounds: int
    addresses: int
    known: int


def import_rounds(dataset: Dataset, reports: Iterable[HealthReport]) -> ImportedRounds:
    """Store the checks of reports, by address: of operations, and of documents that have none.

    Raises:
        StoreError: Where the dataset cannot be read or written.
    """
    at = _by_address(dataset)
    found = histories(dataset)
    changed: set[tuple[str, str, str]] = set()
    rounds: set[str] = set()
    addresses: set[str] = set()
    for report in reports:
        rounds.add(round_of(report))
        for url, check in report_checks(report):
            addresses.add(url)
            for kind, name, source in at.get(_plain(url), ()):
                found[name] = with_check(found.get(name), check, name, url)
                changed.add((kind, name, source))
    dataset.put(
        [
            StepOutcome(
                StepLine(STEP, kind, name, "kept", found[name].checks[-1].reason, source),
                (NewItem(HISTORY, name, found[name], stands_on=((kind, name),)),),
            )
            for kind, name, source in sorted(changed)
        ]
    )
    return ImportedRounds(
        len(rounds), len(addresses), len({a for a in addresses if _plain(a) in at})
    )


def _by_address(dataset: Dataset) -> dict[str, list[tuple[str, str, str]]]:
    """Return kind, name and source of what stands, by its address."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for item in standing(dataset, DOCUMENT, STEP):
        document = item.record(ApiDocument)
        for name, operation in operations(document):
            found.setdefault(_plain(operation.url), []).append((OPERATION, name, item.source))
        if not document.api_list:
            found.setdefault(_plain(document.home_url), []).append(
                (DOCUMENT, item.name, item.source)
            )
    return found


def _plain(url: str) -> str:
    return url.partition("#")[0].rstrip("/").lower()
