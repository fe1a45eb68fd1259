"""Operations of a dataset with what their documents say."""

from collections.abc import Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument, Operation, operations


class KnownOperation(msgspec.Struct, frozen=True):
    """An operation with what its document says of it."""

    id: str
    document: ApiDocument
    operation: Operation

    @property
    def country(self) -> str:
        """Its document's."""
        return self.document.country

    @property
    def category(self) -> str:
        """What it is for."""
        return self.operation.category


def known_operations(documents: Sequence[ApiDocument]) -> dict[str, KnownOperation]:
    """Return the operations of documents by their ids."""
    return {
        name: KnownOperation(name, document, operation)
        for document in documents
        for name, operation in operations(document)
    }
