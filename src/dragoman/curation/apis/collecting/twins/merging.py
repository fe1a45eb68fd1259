"""Twins become one document, and nothing that either says is lost."""

from collections.abc import Sequence

import msgspec

from dragoman.core.apis.documents import ApiDocument, DocumentOrigin, Operation
from dragoman.curation.apis.collecting.identity import plain_name
from dragoman.curation.apis.collecting.twins.fingerprints import loose_key, operation_key


def merged(kept: ApiDocument, twins: Sequence[ApiDocument]) -> ApiDocument:
    """Return a document with what only its twins say: facts, operations and where they were found.

    Args:
        kept: The document that the others are merged into; what it says stands.
        twins: The others, the best first.
    """
    described = next((one for one in (kept, *twins) if one.tool_description), kept)
    return msgspec.structs.replace(
        kept,
        tool_description=described.tool_description,
        home_url=_first(kept, twins, "home_url"),
        country=_first(kept, twins, "country"),
        language=kept.language or (described.language if described is not kept else ""),
        category=_category(kept, twins),
        authentication=_authentication(kept, twins),
        api_list=_operations((kept, *twins)),
        origins=_origins((kept, *twins)),
    )


def _first(kept: ApiDocument, twins: Sequence[ApiDocument], field: str) -> str:
    return next((said for one in (kept, *twins) if (said := str(getattr(one, field)))), "")


def _category(kept: ApiDocument, twins: Sequence[ApiDocument]) -> str:
    """Return the category of the whole; where operations have their own, a list's says less than they do."""
    if any(operation.category for operation in kept.api_list):
        return kept.category
    return _first(kept, twins, "category")


def _authentication(kept: ApiDocument, twins: Sequence[ApiDocument]) -> str:
    """Return what calls need: a document with operations knows; a list's row only where it is all there is."""
    return kept.authentication if kept.api_list else _first(kept, twins, "authentication")


def _operations(documents: Sequence[ApiDocument]) -> tuple[Operation, ...]:
    """Return the first document's operations, and of the others those that it has in no version."""
    found: list[Operation] = []
    names: set[str] = set()
    known: set[object] = set()
    for document in documents:
        keys = [
            loose_key(operation_key(each, plain_name(document.tool_name)))
            for each in document.api_list
        ]
        for key, operation in zip(keys, document.api_list, strict=True):
            if key in known:
                continue
            name, count = operation.name, 1
            while name in names:
                count += 1
                name = f"{operation.name}_{count}"
            names.add(name)
            found.append(msgspec.structs.replace(operation, name=name))
        known.update(keys)
    return tuple(found)


def _origins(documents: Sequence[ApiDocument]) -> tuple[DocumentOrigin, ...]:
    return tuple(dict.fromkeys(origin for one in documents for origin in one.origins))
