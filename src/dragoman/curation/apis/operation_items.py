"""Operations as items of their own: documents are taken apart where each is looked at by itself."""

from collections.abc import Iterator

import msgspec

from dragoman.core.apis.documents import ApiDocument, Operation, operations
from dragoman.core.content_keys import content_key
from dragoman.curation.apis.secrecy.configuration import parted
from dragoman.curation.apis.steps import Apart
from dragoman.store.dataset import StoredItem

OPERATION = "operation"


class DocumentOperation(msgspec.Struct, frozen=True):
    """An operation and whose it is."""

    document: str
    operation: Operation
    authentication: str = ""


def operation_items(item: StoredItem) -> Iterator[StoredItem]:
    """Yield the operations of a document, as items that no file holds.

    Raises:
        StoreError: Where it is no document.
    """
    document = parted(item.record(ApiDocument))
    for name, operation in operations(document):
        record = DocumentOperation(document.id, operation, document.authentication)
        data = msgspec.json.encode(record)
        yield StoredItem(OPERATION, name, item.source, content_key(msgspec.Raw(data)), data)


OPERATIONS = Apart("document", operation_items)
"""How a step looks at the operations of documents."""
