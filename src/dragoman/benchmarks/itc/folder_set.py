"""Task sets in folders: `documents.jsonl`, `tasks.jsonl`, and recorded `replies.jsonl`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from dragoman.benchmarks.itc.task_sets import ApiReply, CallSet, SetTask, takes_results
from dragoman.benchmarks.kit.api_tools import DOCUMENTS, REPLIES, TASKS, RecordedReply
from dragoman.core.apis.documents import ApiDocument, operations
from dragoman.core.apis.grading import canonical_value
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.content_keys import content_key
from dragoman.core.errors import DataError
from dragoman.core.protocols import Provenance
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors

MOST_BYTES = 500_000_000

T = TypeVar("T")


def is_folder_set(folder: Path) -> bool:
    """Return whether a folder holds a set."""
    return (folder / TASKS).is_file() and (folder / DOCUMENTS).is_file()


def read_folder_set(folder: Path, name: str, split: str = "") -> CallSet:
    """Read a set.

    Args:
        folder: The folder of the set.
        name: The name of the suite.
        split: Only tasks of this split; "" for all.

    Raises:
        DataError: If a file is missing, a line is malformed, two tasks have one id, or no task
            exists.
    """
    documents = tuple(_lines(folder / DOCUMENTS, ApiDocument))
    tasks = _tasks(folder / TASKS, split)
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
    known = dict(each for document in documents for each in operations(document))
    names = {place: each.name for place, each in known.items()}
    given = tuple(_build_set_task(each, names, has_replies=replies is not None) for each in tasks)
    return CallSet(name, documents, given, source, replies=replies)


def _tasks(path: Path, split: str) -> Sequence[ApiTask]:
    found: dict[str, ApiTask] = {}
    for number, task in enumerate(_lines(path, ApiTask), 1):
        if task.id in found:
            raise DataError(f"{path}, line {number}: a second task with the id {task.id!r:.120}")
        found[task.id] = task
    if not found:
        raise DataError(f"{path}: no tasks")
    tasks = [each for each in found.values() if split in {"", each.split}]
    if not tasks:
        splits = ", ".join(sorted({repr(each.split)[:60] for each in found.values()}))
        if splits == "''":
            raise DataError(
                f"{path}: the tasks are not split: name the folder without #{split:.60}"
            )
        raise DataError(f"{path}: no tasks of the split {split!r:.60}, but of {splits}")
    return tasks


def _build_set_task(task: ApiTask, names: Mapping[str, str], *, has_replies: bool) -> SetTask:
    """Return a task with why its gold cannot be told, where that is so."""
    offered = {names.get(each) for each in task.offered}
    unknown = sorted({call.tool for call in task.gold} - offered)
    unread = not has_replies and any(map(takes_results, task.gold))
    return SetTask(
        task,
        f"gold calls {', '.join(unknown):.200}, not among the functions" if unknown else "",
        f"gold takes values from results, and there is no {REPLIES}" if unread else "",
    )


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
        operation, repr(sorted((k, repr(canonical_value(v))) for k, v in arguments.items()))
    )


def _lines(path: Path, kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    with TranslatedErrors(DataError, f"{path}: cannot be read"):
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path}: larger than {MOST_BYTES} bytes")
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield decoder.decode(line)
                except DECODING_ERRORS as error:
                    raise DataError(
                        f"{path}, line {number}: no {kind.__name__} ({error})"
                    ) from error
