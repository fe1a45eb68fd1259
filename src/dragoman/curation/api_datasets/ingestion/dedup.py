"""The step `merge`: find near-duplicate API documents by fingerprints and merge them into one.

Documents are compared by rank, so the order in which they were found changes nothing. Each is
compared with the documents kept so far and not with merged ones, so no chain of small differences
joins two that differ. Candidates share an operation, a page, or a name and a site.
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
    """What is known of one document without holding it.

    Attributes:
        found: The name that it was found under.
        rank: What comes first is kept, and what comes after is compared with it: those with most
            operations, the newest form, the longest description, then by name.
        name: In small letters and digits.
        link: Its page, in one form.
        site: Of its page; "" for a site that many share.
        operations: By hash, which is Python's own: it is another in the next process.
        loose: The same without versions in addresses.
    """

    found: str
    rank: tuple[object, ...]
    name: str
    link: str
    site: str
    operations: frozenset[int]
    loose: frozenset[int]


def fingerprint_document(found: str, document: ApiDocument) -> DocumentFingerprint:
    """Return what a document is told by.

    Args:
        found: The name that it was found under.
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

    If it names no host, the API's plain name replaces the host.
    """
    address = normalized_address(operation.url) or f"{name}{operation.url}"
    return (operation.method, _PLACEHOLDER.sub("{}", address).lower())


def loose_key(key: OperationKey) -> OperationKey:
    """Return the same for all versions of an operation."""
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
"""The part of the operations that near twins share, of the two documents together."""

SHARED_OF_FEWER = 0.8
"""The part of the smaller document's operations, where names are alike too."""

ALIKE = 0.6
"""How alike names are (`fingerprints.likeness`)."""

_MOST_CANDIDATES = 64
_Kept = dict[Hashable, list[DocumentFingerprint]]


class DuplicateMatch(NamedTuple):
    """A document that is merged: into which, and why."""

    found: str
    kept: str
    reason: str


def find_duplicates(fingerprints: Iterable[DocumentFingerprint]) -> list[DuplicateMatch]:
    """Return what is merged, and into what."""
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
    """Yield what candidates share with a document."""
    if one.operations:
        yield ("all", one.operations)
    yield from (("some", each) for each in one.loose)
    if one.link:
        yield ("link", one.link)
    if one.name and one.site:
        yield ("name", one.name, one.site)


def _reasons(one: DocumentFingerprint, kept: _Kept) -> Iterator[tuple[DocumentFingerprint, str]]:
    """Yield the documents that one is a twin of, with the reason, the surest first."""
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
    """Yield the documents that share operations, whatever their versions, with the reason."""
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
    """Return a document with what only its twins say: facts, operations and where they were found.

    Args:
        kept: The document that the others are merged into; what it says stands.
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
    """Return the first document's operations, and of the others those that it has in no version."""
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
    """How many documents there are, and how many twins went into them, exact ones and near ones."""

    documents: int
    exact: int
    near: int


def merge_duplicates(dataset: Dataset) -> MergeCounts:
    """Make documents of all that was found, one of each set of twins.

    The whole is decided anew: what is found later may be a better twin of what was there before.

    Raises:
        StoreError: Where the dataset cannot be read or written.
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
        else f"with {near_duplicates} {'twin' if near_duplicates == 1 else 'twins'}"
    )


def _find_collected_item(dataset: Dataset, name: str) -> StoredItem:
    item = dataset.find(FOUND, name)
    if item is None:
        raise StoreError(f"{dataset.path}: {name} is gone: collect its source again")
    return item
