"""The step `merge`: find near-duplicate API documents by fingerprints and merge them.

Documents are compared by rank, so the result does not depend on the order in which they were found.
Each is compared with the documents kept so far and not with merged ones, so a chain of small
differences does not join two different documents. Candidates share an operation, a page, or a name
and a site.
"""

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib.resources import files
from typing import NamedTuple

import msgspec

from dragoman.core.apis.documents import ApiDocument, DocumentOrigin, Operation
from dragoman.core.errors import StoreError
from dragoman.curation.api_datasets.ingestion.collect import FOUND
from dragoman.curation.api_datasets.ingestion.entries import normalized_address, normalized_name
from dragoman.curation.api_datasets.pipeline import StepFinding, record_decisions
from dragoman.store.dataset import Dataset, NewItem, StoredItem

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_VERSION = re.compile(r"/(?:v|version)?\d+(?:\.\d+)*(?=/|$)", re.IGNORECASE)
_NUMERIC = re.compile(r"[0-9.:]+$|\[")
_SITE_LABELS = 2
_FORMS = ("openapi-3.1", "openapi-3.0", "swagger-2.0", "fragment", "itc", "catalogue")

OperationKey = tuple[str, str]
"""A method and an address, with `{}` for each placeholder."""


class DocumentFingerprint(NamedTuple):
    """The properties by which a document is compared, without the document itself.

    Attributes:
        found: The name under which it was found.
        rank: Its rank. The document with the first rank is kept, and later ones are compared with
            it. Documents are ranked by the number of operations, the newest format, the longest
            description, and then by name.
        name: Its name in lower-case letters and digits.
        link: Its page, as a normalized address.
        site: The site of its page; "" for a shared site.
        operations: Hashes of its operations. They are Python's own and differ between processes.
        loose: Hashes of its operations without versions in addresses.
    """

    found: str
    rank: tuple[object, ...]
    name: str
    link: str
    site: str
    operations: frozenset[int]
    loose: frozenset[int]


def fingerprint_document(found: str, document: ApiDocument) -> DocumentFingerprint:
    """Return the fingerprint of a document.

    Args:
        found: The name under which it was found.
        document: The document.
    """
    name = normalized_name(document.tool_name)
    keys = [operation_key(each, name) for each in document.api_list]
    link = normalized_address(document.home_url)
    host = next((normalized_address(each.url).partition("/")[0] for each in document.api_list), "")
    form = document.origins[0].form if document.origins else "catalogue"
    return DocumentFingerprint(
        found,
        (-len(keys), _FORMS.index(form), -len(document.tool_description), found),
        name,
        link,
        site_of(host or link.partition("/")[0]),
        frozenset(map(hash, keys)),
        frozenset(hash(loose_key(key)) for key in keys),
    )


def operation_key(operation: Operation, name: str) -> OperationKey:
    """Return the key that identifies an operation.

    If its address has no host, the API's normalized name replaces the host.
    """
    address = normalized_address(operation.url) or f"{name}{operation.url}"
    return (operation.method, _PLACEHOLDER.sub("{}", address).lower())


def loose_key(key: OperationKey) -> OperationKey:
    """Return the key without versions in its path, equal for all versions of an operation."""
    host, slash, path = key[1].partition("/")
    return (key[0], host + _VERSION.sub("", slash + path))


def site_of(host: str) -> str:
    """Return the site of a host: the registered domain, as far as its name shows.

    The site is "" for a shared host. A host without a name is a site of its own, with its port.
    """
    if _NUMERIC.match(host):
        return host
    sites, host = _sites(), host.partition(":")[0]
    labels = host.split(".")
    if any(host == shared or host.endswith(f".{shared}") for shared in sites.hosts):
        return ""
    is_longer = len(labels) > _SITE_LABELS and labels[-2] in sites.second_level
    return ".".join(labels[-_SITE_LABELS - is_longer :])


def name_similarity(one: str, other: str) -> float:
    """Return the similarity of two plain names from 0 to 1.

    It is twice the shared pairs of letters over all pairs (Dice).
    """
    if one == other:
        return 1.0
    left, right = _pairs(one), _pairs(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def _pairs(name: str) -> set[str]:
    return {name[at : at + 2] for at in range(len(name) - 1)}


class _Sites(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    second_level: frozenset[str]
    hosts: tuple[str, ...]


@functools.cache
def _sites() -> _Sites:
    content = files(__package__).joinpath("sites.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Sites)


SHARED = 0.8
"""The smallest share of common operations of near-duplicates, out of those of both."""

SHARED_OF_FEWER = 0.8
"""The smallest share among the smaller document's operations, if the names are similar."""

ALIKE = 0.6
"""The smallest similarity of similar names (`name_similarity`)."""

_MOST_CANDIDATES = 64
_Kept = dict[Hashable, list[DocumentFingerprint]]


class DuplicateMatch(NamedTuple):
    """A merged document, the document that it is merged into, and the reason."""

    found: str
    kept: str
    reason: str


def find_duplicates(fingerprints: Iterable[DocumentFingerprint]) -> list[DuplicateMatch]:
    """Return the documents to merge, and those that they are merged into."""
    kept: _Kept = defaultdict(list)
    near_duplicates: list[DuplicateMatch] = []
    for one in sorted(fingerprints, key=lambda each: each.rank):
        for other, reason in _reasons(one, kept):
            near_duplicates.append(
                DuplicateMatch(one.found, other.found, f"{reason} {other.found}")
            )
            break
        else:
            for key in _keys(one):
                kept[key].append(one)
    return near_duplicates


def _keys(one: DocumentFingerprint) -> Iterator[Hashable]:
    """Yield the keys for finding candidates; a candidate shares one with the document."""
    if one.operations:
        yield ("all", one.operations)
    yield from (("some", each) for each in one.loose)
    if one.link:
        yield ("link", one.link)
    if one.name and one.site:
        yield ("name", one.name, one.site)


def _reasons(one: DocumentFingerprint, kept: _Kept) -> Iterator[tuple[DocumentFingerprint, str]]:
    """Yield the documents that one duplicates, with the reason, the surest first."""
    for other in _candidates(kept, ("all", one.operations) if one.operations else None):
        yield other, "exact: the same operations as"
    yield from _with_shared_operations(one, kept)
    same_page = [
        other
        for other in _candidates(kept, ("link", one.link) if one.link else None)
        if not (one.operations and other.operations)
    ]
    for other in same_page:
        if other.name == one.name:
            yield other, "exact: the name and the page of"
    for other in same_page:
        if name_similarity(one.name, other.name) >= ALIKE:
            yield other, "near: the page of, and a name like that of,"
    for other in _candidates(kept, ("name", one.name, one.site)):
        if not (one.operations and other.operations):
            yield other, "near: the name and the site of"


def _with_shared_operations(
    one: DocumentFingerprint, kept: _Kept
) -> Iterator[tuple[DocumentFingerprint, str]]:
    """Yield the documents that share operations in any version, with the reason."""
    shared: dict[str, int] = defaultdict(int)
    others: dict[str, DocumentFingerprint] = {}
    for each in one.loose:
        for other in _candidates(kept, ("some", each)):
            shared[other.found] += 1
            others[other.found] = other
    for found, other in sorted(others.items(), key=lambda pair: (-shared[pair[0]], pair[1].rank)):
        count = shared[found]
        fewer = min(len(one.loose), len(other.loose))
        together = len(one.loose) + len(other.loose) - count
        if count >= SHARED * together:
            yield other, f"near: {count} of {together} operations shared with"
        elif count >= SHARED_OF_FEWER * fewer and name_similarity(one.name, other.name) >= ALIKE:
            yield other, f"near: a name like that, and {count} of {fewer} operations, of"


def _candidates(kept: _Kept, key: Hashable | None) -> list[DocumentFingerprint]:
    return [] if key is None else kept.get(key, [])[:_MOST_CANDIDATES]


def merge_documents(kept: ApiDocument, near_duplicates: Sequence[ApiDocument]) -> ApiDocument:
    """Merge near-duplicates into a document: additional facts, operations and origins.

    Args:
        kept: The document that the others are merged into; its own facts take precedence.
        near_duplicates: The others, the best first.
    """
    described = next((one for one in (kept, *near_duplicates) if one.tool_description), kept)
    return msgspec.structs.replace(
        kept,
        tool_description=described.tool_description,
        home_url=_first(kept, near_duplicates, "home_url"),
        country=_first(kept, near_duplicates, "country"),
        language=kept.language or (described.language if described is not kept else ""),
        category=_category(kept, near_duplicates),
        authentication=_authentication(kept, near_duplicates),
        api_list=_operations((kept, *near_duplicates)),
        origins=_origins((kept, *near_duplicates)),
    )


def _first(kept: ApiDocument, near_duplicates: Sequence[ApiDocument], field: str) -> str:
    return next(
        (said for one in (kept, *near_duplicates) if (said := str(getattr(one, field)))), ""
    )


def _category(kept: ApiDocument, near_duplicates: Sequence[ApiDocument]) -> str:
    """Return the category of the merged document.

    If operations have their own categories, the category of a list is less precise than these.
    """
    if any(operation.category for operation in kept.api_list):
        return kept.category
    return _first(kept, near_duplicates, "category")


def _authentication(kept: ApiDocument, near_duplicates: Sequence[ApiDocument]) -> str:
    """Return the authentication that calls need.

    A document with operations knows it; a list's row counts only if it is the only source.
    """
    return kept.authentication if kept.api_list else _first(kept, near_duplicates, "authentication")


def _operations(documents: Sequence[ApiDocument]) -> tuple[Operation, ...]:
    """Return the first document's operations and the additional operations of the others.

    An operation of which an earlier document has any version is not added.
    """
    found: list[Operation] = []
    names: set[str] = set()
    known: set[object] = set()
    for document in documents:
        keys = [
            loose_key(operation_key(each, normalized_name(document.tool_name)))
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


STEP = "merge"
DOCUMENT = "document"
_SETTINGS = {"rules": 1}


class MergeCounts(msgspec.Struct, frozen=True):
    """Numbers of documents, and of exact duplicates and near-duplicates merged into them."""

    documents: int
    exact: int
    near: int


def merge_duplicates(dataset: Dataset) -> MergeCounts:
    """Store one document for each set of duplicates among all found documents.

    All documents are compared again each time, since a document found later may be a better
    representative than one found before.

    Raises:
        StoreError: If the dataset cannot be read or written.
    """
    prints = [_fingerprint(item) for item in dataset.items(FOUND)]
    near_duplicates = {
        near_duplicate.found: near_duplicate for near_duplicate in find_duplicates(prints)
    }
    ranked = [each.found for each in sorted(prints, key=lambda each: each.rank)]
    record_decisions(dataset, STEP, _findings(dataset, ranked, near_duplicates), _SETTINGS)
    kinds = Counter(
        near_duplicate.reason.partition(":")[0] for near_duplicate in near_duplicates.values()
    )
    return MergeCounts(len(prints) - len(near_duplicates), kinds["exact"], kinds["near"])


def _fingerprint(item: StoredItem) -> DocumentFingerprint:
    return fingerprint_document(item.name, item.record(ApiDocument))


def _findings(
    dataset: Dataset, ranked: list[str], near_duplicates: dict[str, DuplicateMatch]
) -> Iterator[tuple[StoredItem, StepFinding]]:
    """Yield the result of each found document, by rank.

    The ids of one name go to the best documents first.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for name in ranked:
        if name in near_duplicates:
            members[near_duplicates[name].kept].append(name)
    taken: Counter[str] = Counter()
    for name in ranked:
        item = _find_collected_item(dataset, name)
        if name in near_duplicates:
            yield item, StepFinding("merged", near_duplicates[name].reason)
            continue
        others = [
            _find_collected_item(dataset, other).record(ApiDocument) for other in members[name]
        ]
        document = merge_documents(item.record(ApiDocument), others)
        taken[document.id] += 1
        if taken[document.id] > 1:
            document = msgspec.structs.replace(document, id=f"{document.id}-{taken[document.id]}")
        made = NewItem(DOCUMENT, document.id, document, item.source, ((FOUND, name),))
        yield item, StepFinding("kept", _with(len(others)), (made,))


def _with(near_duplicates: int) -> str:
    return (
        ""
        if not near_duplicates
        else f"with {near_duplicates} {'duplicate' if near_duplicates == 1 else 'duplicates'}"
    )


def _find_collected_item(dataset: Dataset, name: str) -> StoredItem:
    item = dataset.find(FOUND, name)
    if item is None:
        raise StoreError(f"{dataset.path}: {name} is gone: collect its source again")
    return item
