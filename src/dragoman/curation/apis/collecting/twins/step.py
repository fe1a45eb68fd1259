"""The step that merges what was found into documents."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec

from dragoman.core.apis.documents import ApiDocument
from dragoman.core.errors import StoreError
from dragoman.curation.apis.collecting.storing import FOUND
from dragoman.curation.apis.collecting.twins.finding import FoundTwin, find_twins
from dragoman.curation.apis.collecting.twins.fingerprints import Fingerprint, fingerprint
from dragoman.curation.apis.collecting.twins.merging import merged
from dragoman.curation.apis.steps import StepFinding, decide
from dragoman.store.dataset import Dataset, NewItem, StoredItem

STEP = "merge"
DOCUMENT = "document"
_SETTINGS = {"rules": 1}


class MergedCounts(msgspec.Struct, frozen=True):
    """How many documents there are, and how many twins went into them, exact ones and near ones."""

    documents: int
    exact: int
    near: int


def merge_twins(dataset: Dataset) -> MergedCounts:
    """Make documents of all that was found, one of each set of twins.

    The whole is decided anew: what is found later may be a better twin of what was there before.

    Raises:
        StoreError: Where the dataset cannot be read or written.
    """
    prints = [_fingerprint(item) for item in dataset.items(FOUND)]
    twins = {twin.found: twin for twin in find_twins(prints)}
    ranked = [each.found for each in sorted(prints, key=lambda each: each.rank)]
    decide(dataset, STEP, _findings(dataset, ranked, twins), _SETTINGS)
    kinds = Counter(twin.reason.partition(":")[0] for twin in twins.values())
    return MergedCounts(len(prints) - len(twins), kinds["exact"], kinds["near"])


def _fingerprint(item: StoredItem) -> Fingerprint:
    return fingerprint(item.name, item.record(ApiDocument))


def _findings(
    dataset: Dataset, ranked: list[str], twins: dict[str, FoundTwin]
) -> Iterator[tuple[StoredItem, StepFinding]]:
    """Yield what becomes of each found document, by rank, so that ids of one name go to the best first."""
    members: dict[str, list[str]] = defaultdict(list)
    for name in ranked:
        if name in twins:
            members[twins[name].kept].append(name)
    taken: Counter[str] = Counter()
    for name in ranked:
        item = _found(dataset, name)
        if name in twins:
            yield item, StepFinding("merged", twins[name].reason)
            continue
        others = [_found(dataset, other).record(ApiDocument) for other in members[name]]
        document = merged(item.record(ApiDocument), others)
        taken[document.id] += 1
        if taken[document.id] > 1:
            document = msgspec.structs.replace(document, id=f"{document.id}-{taken[document.id]}")
        made = NewItem(DOCUMENT, document.id, document, item.source, ((FOUND, name),))
        yield item, StepFinding("kept", _with(len(others)), (made,))


def _with(twins: int) -> str:
    return "" if not twins else f"with {twins} {'twin' if twins == 1 else 'twins'}"


def _found(dataset: Dataset, name: str) -> StoredItem:
    item = dataset.find(FOUND, name)
    if item is None:
        raise StoreError(f"{dataset.path}: {name} is gone: collect its source again")
    return item
