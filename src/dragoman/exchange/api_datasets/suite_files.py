"""A dataset as a suite that `dragoman run itc:FOLDER` plays: documents, tasks, and what calls returned."""

from collections.abc import Iterator, Sequence

import msgspec

from dragoman.benchmarks.kit.api_tools import RecordedReply
from dragoman.core.apis.documents import ApiDocument, offered_names
from dragoman.core.apis.tasks import ApiCall, ApiTask
from dragoman.curation.apis.known import KnownOperation
from dragoman.curation.apis.rows import DatasetRow
from dragoman.exchange.api_datasets.withholding import gold_with_results


class SuiteFiles(msgspec.Struct, frozen=True):
    """What a suite's folder holds; every operation has a name of its own in all of it."""

    documents: tuple[ApiDocument, ...]
    tasks: tuple[ApiTask, ...]
    replies: tuple[RecordedReply, ...]


def suite_files(rows: Sequence[DatasetRow]) -> SuiteFiles:
    """Return rows as a suite's files."""
    known = {each.id: each for row in rows for each in row.tools.values()}
    names = offered_names({key: (each.document, each.operation) for key, each in known.items()})
    replies = {
        (reply.operation, msgspec.json.encode(reply.arguments, order="deterministic")): reply
        for row in rows
        for reply in _replies(row, names)
    }
    return SuiteFiles(
        tuple(_documents(known, names)),
        tuple(_task(row, names) for row in rows),
        tuple(replies[key] for key in sorted(replies)),
    )


def _documents(known: dict[str, KnownOperation], names: dict[str, str]) -> Iterator[ApiDocument]:
    """Yield the documents with the operations that tasks offer, by their unique names."""
    by_document: dict[str, tuple[ApiDocument, list[str]]] = {}
    for key in sorted(known):
        document = known[key].document
        by_document.setdefault(document.id, (document, []))[1].append(key)
    for name in sorted(by_document):
        document, keys = by_document[name]
        operations = tuple(
            msgspec.structs.replace(known[key].operation, name=names[key]) for key in keys
        )
        yield msgspec.structs.replace(document, api_list=operations)


def _task(row: DatasetRow, names: dict[str, str]) -> ApiTask:
    offered = tuple(f"{each.document.id}/{names[each.id]}" for each in row.tools.values())
    gold = tuple(_call(call, row, names) for call in gold_with_results(row))
    return msgspec.structs.replace(row.task, offered=offered, gold=gold)


def _call(call: ApiCall, row: DatasetRow, names: dict[str, str]) -> ApiCall:
    found = row.tools.get(call.tool)
    return msgspec.structs.replace(call, tool=names[found.id]) if found else call


def _replies(row: DatasetRow, names: dict[str, str]) -> Iterator[RecordedReply]:
    for step in row.solution.steps:
        for call, result in zip(step.calls, step.results, strict=False):
            yield RecordedReply(_call(call, row, names).tool, call.arguments, result)
