"""What a dataset knows of its operations beside their documents."""

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from dragoman.core.apis.documents import ApiDocument, Operation, offered_names, operations
from dragoman.core.apis.tasks import ApiTask
from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.apis.operation_items import OPERATION
from dragoman.curation.apis.secrecy.configuration import parted
from dragoman.curation.apis.steps import fallen, standing
from dragoman.curation.apis.verifying.records import OBSERVATION, Observation
from dragoman.store.dataset import Dataset


def standing_documents(dataset: Dataset, step: str) -> list[ApiDocument]:
    """Return the documents that no step before one dropped, by id, with the operations that stand.

    A document of which every operation was dropped is left out. What documents do not state of answers
    is completed from those that were observed: the status, and a schema that says so (`x-observed`).

    Raises:
        StoreError: Where the dataset cannot be read.
    """
    gone = fallen(dataset, step)
    items = standing(dataset, "document", step)
    seen = {item.name: item.record(Observation) for item in standing(dataset, OBSERVATION, step)}
    found = (_standing(parted(item.record(ApiDocument)), gone, seen) for item in items)
    return [document for document in found if document is not None]


def _standing(
    document: ApiDocument,
    gone: Collection[tuple[str, str]],
    seen: Mapping[str, Observation],
) -> ApiDocument | None:
    stand = tuple(
        _completed(operation, seen[name]) if name in seen else operation
        for name, operation in operations(document)
        if (OPERATION, name) not in gone
    )
    if document.api_list and not stand:
        return None
    return replace(document, api_list=stand)


def _completed(operation: Operation, seen: Observation) -> Operation:
    return replace(
        operation,
        statuscode=operation.statuscode or seen.statuscode,
        schema=operation.schema or {**seen.schema, "x-observed": seen.at},
    )


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
    for item in dataset.items(OBSERVATION):
        schema = item.record(Observation).schema
        if schema:
            yield item.name, schema
