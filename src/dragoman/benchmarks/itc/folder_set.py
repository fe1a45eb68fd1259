"""A set in a folder: `documents.jsonl`, `tasks.jsonl`, and what calls were seen to return in `replies.jsonl`.

`dragoman curate export DATASET --to suite` writes it, and anybody else may.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.benchmarks.itc.records import ApiReply, CallSet, SetTask
from dragoman.benchmarks.kit.apis.suite_folder import DOCUMENTS, REPLIES, TASKS, RecordedReply
from dragoman.core.apis.documents import ApiDocument
from dragoman.core.apis.same_values import canonical
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.errors import DataError
from dragoman.core.keys import content_key
from dragoman.core.protocols import Provenance
from dragoman.core.texts.decoding import UNREADABLE, OutsideErrors

MOST_BYTES = 500_000_000

T = TypeVar("T")


def is_folder_set(folder: Path) -> bool:
    """Whether a folder holds a set."""
    return (folder / TASKS).is_file() and (folder / DOCUMENTS).is_file()


def folder_set(folder: Path, name: str, split: str = "") -> CallSet:
    """Read a set.

    Args:
        folder: Where it lies.
        name: Of the suite.
        split: Only tasks of this split; "" for all.

    Raises:
        DataError: Where a file is missing, or a line is not what it should be.
    """
    documents = tuple(_lines(folder / DOCUMENTS, ApiDocument))
    tasks = [each for each in _lines(folder / TASKS, ApiTask) if split in {"", each.split}]
    replies = None
    if (folder / REPLIES).is_file():
        replies = _Recorded(_lines(folder / REPLIES, RecordedReply))
    licences = {origin.licence for each in documents for origin in each.origins if origin.licence}
    source = Provenance(
        f"a set of tasks over {len(documents)} APIs",
        ", ".join(sorted(licences)) or "not stated",
        "",
        "",
    )
    return CallSet(name, documents, tuple(map(SetTask, tasks)), source, replies=replies)


class _Recorded:
    """Answers a call as it was answered before; any other is complained of."""

    def __init__(self, replies: Iterator[RecordedReply]) -> None:
        self._results = {_key(each.operation, each.arguments): each.result for each in replies}

    def __call__(self, operation: str, arguments: Mapping[str, object]) -> ApiReply:
        found = self._results.get(_key(operation, arguments))
        if found is None:
            return ApiReply("no answer to this call was recorded", is_error=True)
        return ApiReply(found)


def _key(operation: str, arguments: Mapping[str, object]) -> str:
    return content_key(
        operation, repr(sorted((k, repr(canonical(v))) for k, v in arguments.items()))
    )


def _lines(path: Path, kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    with OutsideErrors(DataError, f"{path}: cannot be read"):
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path}: larger than {MOST_BYTES} bytes")
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield decoder.decode(line)
                except UNREADABLE as error:
                    raise DataError(
                        f"{path}, line {number}: no {kind.__name__} ({error})"
                    ) from error
