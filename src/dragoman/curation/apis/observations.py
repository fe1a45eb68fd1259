"""What a dataset knows of its operations beside their documents."""

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from dragoman.core.apis.documents import ApiDocument, operations
from dragoman.core.apis.offers import offered_names
from dragoman.core.apis.tasks import ApiTask
from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.apis.operation_items import OPERATION
from dragoman.curation.apis.steps import before
from dragoman.store.datasets.dataset import Dataset


def standing_documents(dataset: Dataset, step: str) -> list[ApiDocument]:
    """Return the documents that no step before one dropped, by id, with the operations that stand.

    A document of which every operation was dropped is left out.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    fallen = dataset.fallen(before(step))
    items = dataset.standing("document", after=before(step))
    found = (_standing(item.record(ApiDocument), fallen) for item in items)
    return [document for document in found if document is not None]


def _standing(document: ApiDocument, fallen: Collection[tuple[str, str]]) -> ApiDocument | None:
    stand = tuple(
        operation for name, operation in operations(document) if (OPERATION, name) not in fallen
    )
    if document.api_list and not stand:
        return None
    return document if len(stand) == len(document.api_list) else replace(document, api_list=stand)


def observed_schemas(dataset: Dataset) -> dict[str, dict[str, object]]:
    """Return the schemas of what operations answered when they were verified, by the operations' ids.

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    return dict(_observed(dataset))


def offered_ids(task: ApiTask, known: Mapping[str, KnownOperation]) -> dict[str, str]:
    """Return the ids of what a task offers, by the names that it is offered by."""
    names = offered_names(
        {key: (known[key].document, known[key].operation) for key in task.offered if key in known}
    )
    return {name: key for key, name in names.items()}


def _observed(dataset: Dataset) -> Iterator[tuple[str, dict[str, object]]]:
    for item in dataset.items("observation"):
        record = item.record(dict[str, object])
        schema = record.get("schema")
        if isinstance(schema, dict) and schema:
            yield item.name, schema
