"""API-Bank, level 2: dialogues in which tools are searched for first; every call of one is a task."""

import io
import tarfile
from collections.abc import Iterator, Mapping

import msgspec

from dragoman.benchmarks.itc.others.reading import (
    Contents,
    Read,
    called,
    document_of,
    last_query,
    lines_of,
    operation_of,
    results,
    said,
    task_of,
)
from dragoman.benchmarks.itc.records import SetTask
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.episodes import Event
from dragoman.core.errors import DataError

ARCHIVE = "api-bank/level-2-toolsearcher.tar"
_SEARCH = operation_of(
    "ToolSearcher", "Searches for tools by keywords.", {"keywords": {"type": "str"}}, ("keywords",)
)
_MAX_DIALOGUE = 1_000_000

Line = Mapping[str, object]


def read_api_bank(read: Read) -> Contents:
    """Read the dialogues of the archive; nothing of it is written to disk."""
    documents: list[ApiDocument] = []
    tasks: list[SetTask] = []
    for name, content in _members(read(ARCHIVE)):
        lines = list(lines_of(content, name))
        document = document_of(name, (_SEARCH, *_found(lines)))
        documents.append(document)
        tasks += _tasks(document, lines)
    return documents, tasks


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            for member in sorted(opened.getmembers(), key=lambda each: each.name):
                file = opened.extractfile(member) if member.isfile() else None
                if file is not None:
                    short = member.name.rpartition("/")[2].removesuffix(".jsonl")
                    yield short, file.read(_MAX_DIALOGUE)
    except tarfile.TarError as error:
        raise DataError(f"{ARCHIVE}: {error}: pull the set again") from error


def _found(lines: list[dict[str, object]]) -> Iterator[Operation]:
    """Yield the tools that searches of a dialogue found."""
    for line in lines:
        result = line.get("result")
        output = result.get("output") if isinstance(result, dict) else None
        for each in output if isinstance(output, list) else [output]:
            if isinstance(each, dict) and "name" in each and "input_parameters" in each:
                given = each["input_parameters"]
                yield operation_of(
                    str(each["name"]),
                    each.get("description"),
                    given,
                    given if isinstance(given, dict) else (),
                )


def _tasks(document: ApiDocument, lines: list[dict[str, object]]) -> Iterator[SetTask]:
    tools = [each.name for each in document.api_list]
    history: list[Event] = []
    number = 0
    for line in lines:
        if line.get("role") != "API":
            history.append(said(str(line.get("role")), str(line.get("text") or "")))
            continue
        number += 1
        name, given = str(line.get("api_name")), line.get("param_dict")
        arguments = (
            {str(key): value for key, value in given.items()} if isinstance(given, dict) else {}
        )
        before, query = last_query(history)
        yield task_of(
            f"{document.id}-{number}",
            query,
            [ApiCall(name, arguments)],
            offered=[f"{document.id}/{tool}" for tool in tools],
            tools=tools,
            history=before,
        )
        made = called(number, [(name, arguments)])
        history += [made, *results(made, [_output(line)])]


def _output(line: Line) -> str:
    result = line.get("result")
    return msgspec.json.encode(
        result.get("output") if isinstance(result, dict) else result
    ).decode()
