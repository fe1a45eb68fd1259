"""The contents of a dataset of web APIs: step status, card, documents and credentials."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.config.environment import key_values
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.costs import Cost, cost_of
from dragoman.core.errors import UsageError
from dragoman.core.texts.redaction import SHORTEST_KEY
from dragoman.core.usage import Usage
from dragoman.curation.api_datasets.credential_audit import (
    FoundSecret,
    audit_dataset,
    audit_files,
    audit_rules,
)
from dragoman.curation.api_datasets.dataset import DatasetCard, dataset_card, dataset_rows
from dragoman.curation.api_datasets.pipeline import active, step_position
from dragoman.curation.api_datasets.probing.monitor import ExcludedRound
from dragoman.models.prices import PriceTable, load_prices
from dragoman.store.dataset import Dataset, FunnelCount, StepLine

Facet = Callable[[ApiDocument, Operation | None], str]

FILTER_FIELDS: Mapping[str, Facet] = {
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
"""Properties by which documents can be counted, each as a function."""


class StepUsage(msgspec.Struct, frozen=True):
    """Usage of a model by a step, and its cost; None if no price is known."""

    usage: Usage
    cost: Cost | None


class StepResult(msgspec.Struct, frozen=True):
    """The result of one step, or of all steps.

    Attributes:
        step: The step's name; "" for all steps.
        counts: Numbers of items that it kept, dropped, merged and failed on, by kind and source.
        not_kept: The items that it did not keep, each with the reason; empty for all steps.
        usage: Usage and cost by step and model, at the prices of the step or of the package.
        rounds_aside: The rounds that `filter` does not count.
        secrets: Credentials that `check` found; if there are any, it checked no answers.
    """

    step: str
    counts: tuple[FunnelCount, ...]
    not_kept: tuple[StepLine, ...] = ()
    usage: dict[str, tuple[StepUsage, ...]] = {}
    rounds_aside: tuple[ExcludedRound, ...] = ()
    secrets: tuple[FoundSecret, ...] = ()

    @property
    def failed(self) -> int:
        """Number of items that the same step tries again."""
        return sum(each.failed for each in self.counts)


class FieldCount(msgspec.Struct, frozen=True):
    """Numbers of documents and of their operations that share some values."""

    values: tuple[str, ...]
    documents: int
    operations: int


class DocumentCounts(msgspec.Struct, frozen=True):
    """Numbers of active documents and their operations, in total and by property values."""

    documents: int
    operations: int
    counts: tuple[FieldCount, ...]


def read_status(folder: Path, step: str = "", prices: PriceTable | None = None) -> StepResult:
    """Read the results of a dataset's steps.

    Args:
        folder: The dataset.
        step: The step to report, with all items that it did not keep; "" for the counts of all
            steps.
        prices: The prices of models; None for those in the package.

    Raises:
        StoreError: If the dataset does not exist or cannot be read.
    """
    with Dataset(folder, write=False) as dataset:
        counts = [each for each in dataset.funnel() if step in {"", each.step}]
        lines = [line for line in dataset.ledger(step) if line.verdict != "kept"] if step else []
        usage = {name: used for name, used in dataset.usage().items() if step in {"", name}}
    counts.sort(key=lambda each: (step_position(each.step), each.kind, each.source))
    return StepResult(step, tuple(counts), tuple(lines), _with_costs(usage, prices))


def _with_costs(
    usage: Mapping[str, Sequence[Usage]], prices: PriceTable | None
) -> dict[str, tuple[StepUsage, ...]]:
    if not usage:
        return {}
    table = load_prices(None) if prices is None else prices
    return {
        step: tuple(StepUsage(each, cost_of(each, table.price_of)) for each in used)
        for step, used in usage.items()
    }


def read_card(folder: Path) -> DatasetCard:
    """Read the card of a dataset.

    Raises:
        StoreError: If the dataset does not exist or cannot be read.
    """
    with Dataset(folder, write=False) as dataset:
        return dataset_card(list(dataset_rows(dataset)), dataset.funnel())


def count_documents(folder: Path, by: Sequence[str] = ("country",)) -> DocumentCounts:
    """Count the active documents and their operations by some of their properties.

    Args:
        folder: The dataset.
        by: Names of `FILTER_FIELDS`.

    Raises:
        UsageError: If a name is not one of `FILTER_FIELDS`.
        StoreError: If the dataset cannot be read.
    """
    unknown = [name for name in by if name not in FILTER_FIELDS]
    if unknown:
        raise UsageError(f"--by {unknown[0]}: it is one or more of {', '.join(FILTER_FIELDS)}")
    with Dataset(folder, write=False) as dataset:
        documents = [item.record(ApiDocument) for item in active(dataset, "document")]
    operations = sum(len(document.api_list) for document in documents)
    return DocumentCounts(len(documents), operations, tuple(_counts_by(documents, by)))


def _counts_by(documents: Sequence[ApiDocument], by: Sequence[str]) -> Iterable[FieldCount]:
    """Return the numbers of documents and operations for each set of values, largest first.

    A document whose operations differ in a value counts once for each value.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    operations: Counter[tuple[str, ...]] = Counter()
    for document in documents:
        found = [
            tuple(FILTER_FIELDS[name](document, one) for name in by)
            for one in document.api_list or (None,)
        ]
        counts.update(dict.fromkeys(found, 1))
        operations.update(found if document.api_list else ())
    ordered = sorted(counts, key=lambda values: (-counts[values], values))
    return [FieldCount(values, counts[values], operations[values]) for values in ordered]


def find_secrets(folder: Path, also: Sequence[Path] = ()) -> tuple[FoundSecret, ...]:
    """Return the places of credentials in a dataset and in some files.

    Args:
        folder: The dataset.
        also: Files and folders derived from the dataset, such as sheets, exports and rows.

    Raises:
        UsageError: If one of these files does not exist.
        StoreError: If the dataset cannot be read.
        DataError: If a file cannot be read.
    """
    missing = next((path for path in also if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"--also {missing}: no such file or folder")
    keys = [value for value in key_values() if len(value) >= SHORTEST_KEY]
    with Dataset(folder, write=False) as dataset:
        rules = audit_rules(dataset, keys)
        found = list(audit_dataset(dataset, rules))
    for path in also:
        found += audit_files(path, rules)
    return tuple(found)
