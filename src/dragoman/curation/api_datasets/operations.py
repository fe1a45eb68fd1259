"""Operations of a dataset: documents, descriptions for models, observed schemas."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from dragoman.core.apis.documents import (
    ApiDocument,
    ApiParameter,
    Operation,
    offered_names,
    operations,
)
from dragoman.core.apis.tasks import ApiTask
from dragoman.curation.api_datasets.credential_removal import separate_configuration
from dragoman.curation.api_datasets.pipeline import OPERATION, active, excluded_items
from dragoman.curation.api_datasets.probing.responses import OBSERVATION, Observation
from dragoman.store.dataset import Dataset


class KnownOperation(msgspec.Struct, frozen=True):
    """An operation with its document."""

    id: str
    document: ApiDocument
    operation: Operation

    @property
    def country(self) -> str:
        """The country of its document."""
        return self.document.country

    @property
    def category(self) -> str:
        """The category of the operation."""
        return self.operation.category


def known_operations(documents: Sequence[ApiDocument]) -> dict[str, KnownOperation]:
    """Return the operations of documents by their ids."""
    return {
        name: KnownOperation(name, document, operation)
        for document in documents
        for name, operation in operations(document)
    }


_LONGEST = 800


def operation_description(document: ApiDocument, operation: Operation) -> dict[str, object]:
    """Return the description of an operation for models, without addresses and responses."""
    return {
        "name": operation.name,
        "of": document.tool_name,
        "country": document.country,
        "description": _short(operation.description or document.tool_description),
        "required_parameters": [_parameter(each) for each in operation.required_parameters],
        "optional_parameters": [_parameter(each) for each in operation.optional_parameters],
    }


def _parameter(parameter: ApiParameter) -> dict[str, object]:
    found: dict[str, object] = {
        "name": parameter.name,
        "type": parameter.type,
        "description": _short(parameter.description),
        "example": parameter.example,
        "default": parameter.default,
        "enum": _limited_enum(parameter.schema),
    }
    return {name: value for name, value in found.items() if value not in (None, "")}


def _limited_enum(schema: Mapping[str, object]) -> object:
    listed = schema.get("enum")
    return listed[:50] if isinstance(listed, list) else None


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def active_documents(dataset: Dataset, step: str) -> list[ApiDocument]:
    """Return the documents before a step, by id, with their active operations.

    A document whose operations were all dropped is omitted. Missing statements about responses are
    completed from observations: the status, and a schema marked with `x-observed`.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    gone = excluded_items(dataset, step)
    items = active(dataset, "document", step)
    seen = {item.name: item.record(Observation) for item in active(dataset, OBSERVATION, step)}
    found = (
        _keep_remaining_operations(separate_configuration(item.record(ApiDocument)), gone, seen)
        for item in items
    )
    return [document for document in found if document is not None]


def _keep_remaining_operations(
    document: ApiDocument,
    gone: Collection[tuple[str, str]],
    seen: Mapping[str, Observation],
) -> ApiDocument | None:
    stand = tuple(
        _complete_operation(operation, seen[name]) if name in seen else operation
        for name, operation in operations(document)
        if (OPERATION, name) not in gone
    )
    if document.api_list and not stand:
        return None
    return replace(document, api_list=stand)


def _complete_operation(operation: Operation, seen: Observation) -> Operation:
    return replace(
        operation,
        statuscode=operation.statuscode or seen.statuscode,
        schema=operation.schema or {**seen.schema, "x-observed": seen.at},
    )


def observed_schemas(dataset: Dataset) -> dict[str, dict[str, object]]:
    """Return the schemas of operations' responses at verification, by operation id.

    Raises:
        StoreError: If the dataset cannot be read.
    """
    return dict(_observed_schemas(dataset))


def offered_ids(task: ApiTask, known: Mapping[str, KnownOperation]) -> dict[str, str]:
    """Return the ids of the operations that a task offers, by their offered names."""
    names = offered_names(
        {key: (known[key].document, known[key].operation) for key in task.offered if key in known}
    )
    return {name: key for key, name in names.items()}


def _observed_schemas(dataset: Dataset) -> Iterator[tuple[str, dict[str, object]]]:
    for item in dataset.items(OBSERVATION):
        schema = item.record(Observation).schema
        if schema:
            yield item.name, schema
